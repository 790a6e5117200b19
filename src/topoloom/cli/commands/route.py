"""`topoloom route`: tables for a topology, how good they are, and the proof that nothing deadlocks."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from topoloom.cli.exporting import export_settings, refuse_settings, settings_option, write_settings
from topoloom.cli.folders import writable_folder
from topoloom.cli.output import json_option, plain, print_facts, print_record, say
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import EXPORTS, Order, export_named, write_order
from topoloom.routing.registry import engines

if TYPE_CHECKING:
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing


class _Help(click.Command):
    """Lists the engines and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Engines"):
            formatter.write_dl([(name, record.help) for name, record in engines.items()])
        with formatter.section("Exports"):
            formatter.write_dl([(name, record.words) for name, record in EXPORTS.items()])
        write_settings(formatter)


@click.command(
    cls=_Help,
    help="Route TOPOLOGY (a spec, a file or a folder): a port for every switch and destination, a virtual lane for every pair;"
    " all paths are followed, and what waits for what is searched for cycles, before anything is said.\n\nWith --from, --tables"
    " and --now: mend the tables in force on a fabric that has changed, with as few entries as can be, in steps that cannot"
    " deadlock in between.",
)
@click.argument("topology", required=False)
@click.option(
    "--engine",
    help="How paths are chosen (below); left out, the engine that fits the network, and --without and --export take the"
    " tables of a folder that has some.",
)
@click.option("--lanes", type=Whole(1, 255), help="At most so many virtual lanes; what it takes when left out.")
@click.option(
    "--without",
    metavar="LOST",
    help="Then mend the tables after losses, as few entries changed as can be: 3-17,5 is a cable between switches 3 and 17,"
    " and switch 5. Also names, GUIDs, labels (A01-U03, A01-U03-P12), cabinets, leaf1:12 (a port), cable:00123, @FILE.",
)
@click.option(
    "--tables",
    "folder",
    type=click.Path(),
    help="Keep the tables in files of this folder (NumPy arrays) instead of in memory: for more than 32,768 switches. With"
    " --from: the tables in force, as OpenSM or ibroute dump them.",
)
@click.option(
    "--from", "old", metavar="OLD", help="Mend live tables: the fabric as it was discovered when they were made."
)
@click.option("--now", metavar="NEW", help="With --from: the fabric as it is discovered now.")
@click.option("--qos", type=click.Path(), help="With --from: the QoS policy in force.")
@click.option("--check", type=Whole(1), help="Follow the paths to so many destinations only: a sample, no proof.")
@click.option(
    "--root", type=Whole(0), help="The switch that engines updown and nue go up to; one of most links if left out."
)
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@click.option("--export", "kind", metavar="KIND", help="Write files for this tool (below) to the folder -o.")
@click.option(
    "-o", "--output", type=click.Path(), help="A folder: for the tables and their network, or for what --export writes."
)
@settings_option
@json_option
def command(
    topology: str | None,
    engine: str | None,
    lanes: int | None,
    without: str | None,
    root: int | None,
    seed: int,
    jobs: int | None,
    kind: str | None,
    output: str | None,
    folder: str | None,
    check: int | None,
    old: str | None,
    now: str | None,
    qos: str | None,
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    if changes and kind is None:
        raise InputError("--set changes what --export writes; name the tool with --export")
    if old is not None:
        _nothing_else(topology=topology, engine=engine, without=without, root=root, export=kind, check=check)
        from topoloom.cli.mending import mend_live

        mend_live(old, folder, now, qos, lanes=lanes, jobs=jobs, output=output, as_json=as_json)
        return
    if now is not None or qos is not None:
        raise InputError("--now and --qos go with --from, the fabric as it was discovered when the tables were made")
    if topology is None:
        raise InputError(
            "name what to route (a spec, a file or a folder), or give --from, --tables and --now to mend live tables"
        )
    if folder is not None and Path(folder).is_file():
        raise InputError(
            f"--tables: {folder} is a file; a folder keeps tables, and a file of tables in force goes with --from"
        )
    from topoloom.cli.tables import hint_of_fit, saved_tables
    from topoloom.network.folder import save_routing
    from topoloom.network_losses import losses
    from topoloom.opening import open_network
    from topoloom.routing.fitting import ANY
    from topoloom.routing.reroute import reroute
    from topoloom.routing.route import route

    if kind is not None and output is None:
        raise InputError("--export names the tool and -o the folder: give both")
    for option, value in (("--tables", folder), ("--check", check)):
        if value is not None and without is not None:
            raise InputError(f"--without mends tables in memory and follows all paths; leave {option} out")
    if check is not None and kind is not None:
        raise InputError("--export writes tables that were followed whole; leave --check out")
    if folder is not None and output is not None and kind is None:
        raise InputError("--tables and -o both name the folder of the tables; give one")
    if folder is not None:
        folder = str(writable_folder(folder))
    if kind is not None:
        refuse_settings(export_named(kind)[0].name, changes)
    if engine is not None:
        engines.find(engine)
    network = open_network(topology)
    lost = None if without is None else losses(network, without)
    # Losses number hosts and switches anew, which the layout does not know.
    layout = network.layout if without is None else None
    mended = None
    timed = kind is not None and export_named(kind)[0].timed
    lengths = network.lengths if timed else None
    # Only what begins with tables takes those that are there: to route a network is to make new ones.
    takes = without is not None or kind is not None
    saved = saved_tables(network, ("engine", "lanes", "root", "seed", "folder")) if takes else None
    with working("routing") as work:
        fabric = network.fabric
        routed = saved or route(
            fabric.topology,
            engine,
            lanes=lanes,
            seed=seed,
            jobs=jobs,
            layout=network.layout,
            folder=folder,
            check=check,
            root=root,
            work=work,
        )
        if (kind is not None or lost is not None) and engine is None and routed.lane_rule != "pair":
            # What other tools read, and what is mended, has a lane for each pair.
            routed = route(fabric.topology, ANY, lanes=lanes, seed=seed, jobs=jobs, check=check, work=work)
        if lost is not None:
            mended = reroute(
                routed, links=lost.links, switches=lost.switches, cables=lost.cables, lanes=lanes, jobs=jobs, work=work
            )
            routed = mended.surviving
            if lengths is not None:
                ends = np.isin(fabric.topology.endpoints, mended.surviving_switches)
                lengths = lengths.part(mended.kept, ends)
            fabric = fabric.after_losses(routed.topology, mended.surviving_switches, mended.kept)
    files: list[str] = []
    if output is not None and kind is not None:
        order = Order(fabric, routed, lengths=lengths, layout=layout)
        if timed:
            order = replace(order, settings=export_settings(network, changes))
        files = [f"{output}/{name}" for name in write_order(kind, order, output)]
    elif output is not None or folder is not None:
        place = str(output or folder)
        # With all that the network remembers; what losses leave is another network.
        saved_files = (
            network.with_installed(routed).save(place) if lost is None else save_routing(routed, place, fabric)
        )
        files = [str(path) for path in saved_files]
    if kind is not None and routed.verdict is not None and not routed.verdict.deadlock_free:
        say("warning: packets can block each other for ever by these tables; engine orders is safe", err=True)
    if as_json:
        print_record(routed if mended is None else mended)
    else:
        _print(routed, mended)
    for file in files:
        say(f"wrote {file}", err=True)
    if not as_json and mended is None and engine is not None and check is None and folder is None:
        hint_of_fit(routed)


def _nothing_else(**given: object) -> None:
    """Refuse what has no meaning when live tables are mended."""
    for name, value in given.items():
        if value is not None:
            what = "TOPOLOGY" if name == "topology" else f"--{name}"
            raise InputError(f"--from mends the tables in force on a discovered fabric; leave {what} out")


#: Names of what packets may choose, for people.
_CHOICES = {
    "AnyShortest": "any channel on a shortest path",
    "Escape": "any shortest path, these tables to escape to",
    "Detour": "a detour by a random switch",
    "Layers": "several tables; pairs count in each",
}
_SHOWN = (
    "lanes_used",
    "deadlock_free",
    "reached_pairs",
    "minimal",
    "minimal_share",
    "mean_hops",
    "max_hops",
    "stretch",
    "edge_forwarding_index",
    "load_over_mean",
    "vertex_load_min",
    "vertex_load_max",
)
_CHANGES = ("entries", "entries_broken", "entries_changed", "lanes_changed", "anew")


def _print(routed: "Routing", mended: "Rerouted | None") -> None:
    from topoloom.cli.tables import engine_told

    found = routed.verdict
    if found is None:
        raise ValueError("tables that nobody has followed")
    rows = [("engine", engine_told(routed)), ("switches", str(routed.topology.switches))]
    if routed.packets_choose is not None:
        rows.insert(1, ("packets choose", _CHOICES[routed.packets_choose]))
    if routed.lane_rule != "pair":
        rows.append(("lane", "changes on the path, by " + routed.lane_rule))
    rows.append(("pairs in each lane", " ".join(map(str, found.lane_pairs.tolist()))))
    for key in _SHOWN:
        value = getattr(found, key)
        rows.append((key, "no cycle found" if value is None else plain(value)))
    if mended is not None:
        rows += [(key, plain(getattr(mended, key))) for key in _CHANGES]
    if found.checked_destinations is not None:
        rows.append(("checked_destinations", plain(found.checked_destinations)))
    seconds = sum(routed.provenance.timings.values())
    rows += [("seed", str(routed.provenance.seed)), ("seconds", plain(seconds))]
    if found.cycle:
        ring = " -> ".join(str(start) for start, _ in found.cycle)
        rows.append(("waits in a cycle", f"{ring} (switches, lane {found.cycle_lane})"))
    print_facts(routed.topology.name, rows)

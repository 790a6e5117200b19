"""`topoloom route`: tables for a topology, how good they are, and the proof that nothing deadlocks."""

import re
import time
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.folders import writable_folder
from topoloom.cli.output import json_option, plain, print_facts, print_json, say
from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import exports, find_export, write_export
from topoloom.routing.registry import engines

if TYPE_CHECKING:
    from topoloom.routing.judge.verdict import Verdict
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing


class _Help(click.Command):
    """Lists the engines and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Engines"):
            formatter.write_dl([(name, record.help) for name, record in engines().items()])
        with formatter.section("Exports"):
            formatter.write_dl([(name, record.help) for name, record in exports().items()])


@click.command(
    cls=_Help,
    help="Route TOPOLOGY (a spec, a file, or a folder of topoloom layout -o): a port for every switch and destination, a lane"
    " for every pair; all paths are followed, and what waits for what is searched for cycles, before anything is said.",
)
@click.argument("topology")
@click.option("--engine", default="orders", show_default=True, help="How paths are chosen (below).")
@click.option(
    "--lanes", type=click.IntRange(1, 255), help="At most so many virtual lanes; what it takes when left out."
)
@click.option(
    "--without",
    metavar="LOST",
    help="Then mend the tables after losses, as few entries changed as can be: 3-17,5 is a cable between switches 3 and 17,"
    " and switch 5.",
)
@click.option(
    "--tables",
    "folder",
    type=click.Path(file_okay=False),
    help="Keep the tables in files of this folder (NumPy arrays) instead of in memory: for more than 32,768 switches.",
)
@click.option(
    "--check", type=click.IntRange(1), help="Follow the paths to so many destinations only: a sample, no proof."
)
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads; every core when left out.")
@click.option("--export", "kind", metavar="KIND", help="Write files for this tool (below) to the folder -o.")
@click.option("-o", "output", type=click.Path(), help="The folder for --export.")
@json_option
def command(
    topology: str,
    engine: str,
    lanes: int | None,
    without: str | None,
    seed: int,
    jobs: int | None,
    kind: str | None,
    output: str | None,
    folder: str | None,
    check: int | None,
    as_json: bool,
) -> None:
    from topoloom.opening import open_network
    from topoloom.routing.reroute import reroute
    from topoloom.routing.route import route

    if (kind is None) != (output is None):
        raise InputError("--export names the tool and -o the folder: give both or neither")
    for option, value in (("--tables", folder), ("--check", check)):
        if value is not None and without is not None:
            raise InputError(f"--without mends tables in memory and follows all paths; leave {option} out")
    if check is not None and kind is not None:
        raise InputError("--export writes tables that were followed whole; leave --check out")
    if folder is not None:
        folder = str(writable_folder(folder))
    if kind is not None:
        find_export(kind)
    network = open_network(topology)
    fabric, layout = network.fabric, network.layout
    lost = None if without is None else _losses(without)
    started = time.monotonic()
    routed = route(
        fabric.topology, engine, lanes=lanes, seed=seed, jobs=jobs, layout=layout, folder=folder, check=check
    )
    mended = None if lost is None else reroute(routed, links=lost[0], switches=lost[1], lanes=lanes)
    seconds = time.monotonic() - started
    if mended is not None:
        routed, switches = mended.living()
        fabric = fabric.left(routed.topology, switches, mended.kept)
    values = {**_values(routed, mended, jobs), "seed": seed, "seconds": seconds}
    if check is not None and check < routed.topology.switches:
        # What was not followed may close a cycle with what was.
        values |= {"checked_destinations": check, "deadlock_free": None if values["deadlock_free"] else False}
    files: list[str] = []
    if output is not None and kind is not None:
        files = [f"{output}/{name}" for name in write_export(kind, fabric, output, routed)]
    if files and not values["deadlock_free"]:
        say("warning: packets can block each other for ever by these tables; engine orders is safe", err=True)
    if as_json:
        print_json({**values, "files": files})
        return
    _print(values)
    for file in files:
        say(f"wrote {file}", err=True)


def _losses(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Cables and switches of a list like 3-17,5."""
    links: list[tuple[int, int]] = []
    switches: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([0-9]+)(?:-([0-9]+))?\s*", part)
        if found is None:
            raise InputError(f"--without '{text}': '{part}' is no cable and no switch; write 3-17,5")
        if found[2] is None:
            switches.append(int(found[1]))
        else:
            links.append((int(found[1]), int(found[2])))
    return links, switches


def _values(routed: "Routing", mended: "Rerouted | None", jobs: int | None) -> dict[str, Any]:
    """What is said of tables, by name."""
    from topoloom.routing.judge.prove import prove

    topology = routed.topology
    found: Verdict = routed.verdict or prove(routed, jobs)
    values: dict[str, Any] = {
        "name": topology.name,
        "spec": topology.spec,
        "engine": routed.engine,
        "switches": topology.switches,
        "lanes_used": found.lanes_used,
        "lane_rule": routed.lane_rule,
        "deadlock_free": found.deadlock_free,
        "pairs": found.pairs,
        "reached_pairs": found.reached_pairs,
        "minimal": found.minimal,
        "minimal_share": found.minimal_pairs / found.pairs if found.pairs else 1.0,
        "mean_hops": found.mean_hops,
        "max_hops": found.max_hops,
        "stretch": found.stretch,
        "edge_forwarding_index": found.edge_forwarding_index,
        "load_over_mean": found.load_over_mean,
        "vertex_load_min": int(found.switch_load.min()),
        "vertex_load_max": int(found.switch_load.max()),
        "lane_pairs": found.lane_pairs,
        "cycle": found.cycle,
        "cycle_lane": found.cycle_lane,
    }
    if routed.choice is not None:
        values["choice"] = type(routed.choice).__name__
    if mended is not None:
        values |= {
            "entries": mended.entries,
            "entries_broken": mended.broken,
            "entries_changed": mended.changed,
            "lanes_changed": mended.lanes_changed,
            "anew": mended.anew,
        }
    return values


#: Names of what packets may choose, for people.
_CHOICES = {
    "AnyShortest": "any channel on a shortest path",
    "Escape": "any shortest path, these tables to escape to",
    "Detour": "a detour by a random switch",
    "Layers": "several tables; pairs count in each",
}


def _print(values: dict[str, Any]) -> None:
    hidden = {"name", "spec", "pairs", "cycle", "cycle_lane", "lane_pairs", "lane_rule", "choice"}
    rows = [
        (key, "no cycle found" if value is None else plain(value)) for key, value in values.items() if key not in hidden
    ]
    rows.insert(2, ("pairs in each lane", " ".join(map(str, values["lane_pairs"].tolist()))))
    if values["lane_rule"] != "pair":
        rows.insert(2, ("lane", "changes on the path, by " + values["lane_rule"]))
    if "choice" in values:
        rows.insert(1, ("packets choose", _CHOICES[values["choice"]]))
    if values["cycle"]:
        ring = " -> ".join(str(start) for start, _ in values["cycle"])
        rows.append(("waits in a cycle", f"{ring} (switches, lane {values['cycle_lane']})"))
    print_facts(values["name"], rows)

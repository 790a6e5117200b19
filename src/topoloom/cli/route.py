"""`topoloom route`: tables for a topology, how good they are, and the proof that nothing deadlocks."""

import time

import click

from topoloom.cli.output import json_option, plain, print_facts, print_json
from topoloom.errors import InputError
from topoloom.fabrics.exports import exports, find_export, write_export
from topoloom.formats.ibnetdiscover import open_fabric
from topoloom.routing.registry import engines


class _Help(click.Command):
    """Lists the engines and the exports, each with its line."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Engines"):
            formatter.write_dl([(name, record.help) for name, record in engines().items()])
        with formatter.section("Exports"):
            formatter.write_dl([(name, record.help) for name, record in exports().items()])


@click.command(
    cls=_Help,
    help="Route TOPOLOGY (a spec or a file): a port for every switch and destination, a lane for every pair; all ways are"
    " followed, and what waits for what is searched for circles, before anything is said.",
)
@click.argument("topology")
@click.option("--engine", default="orders", show_default=True, help="How ways are chosen (below).")
@click.option(
    "--lanes", type=click.IntRange(1, 255), help="At most so many virtual lanes; what it takes when left out."
)
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads; every core when left out.")
@click.option("--export", "kind", metavar="KIND", help="Write files for this tool (below) to the folder -o.")
@click.option("-o", "output", type=click.Path(), help="The folder for --export.")
@json_option
def command(
    topology: str, engine: str, lanes: int | None, seed: int, jobs: int | None, kind: str | None, output: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    from topoloom.routing.route import route
    from topoloom.routing.verify import verify

    if (kind is None) != (output is None):
        raise InputError("--export names the tool and -o the folder: give both or neither")
    if kind is not None:
        find_export(kind)
    fabric = open_fabric(topology)
    opened = fabric.topology
    started = time.monotonic()
    routed = route(opened, engine, lanes=lanes, seed=seed, jobs=jobs)
    seconds = time.monotonic() - started
    found = routed.verdict or verify(routed, jobs)
    values = {
        "name": opened.name, "spec": opened.spec, "engine": routed.engine, "switches": opened.switches,
        "lanes_used": found.lanes_used, "deadlock_free": found.deadlock_free, "pairs": found.pairs,
        "reached_pairs": found.reached_pairs, "minimal": found.minimal,
        "minimal_share": found.minimal_pairs / found.pairs if found.pairs else 1.0, "mean_hops": found.mean_hops,
        "max_hops": found.max_hops, "stretch": found.stretch, "edge_forwarding_index": found.edge_forwarding_index,
        "load_over_mean": found.load_over_mean, "vertex_load_min": int(found.switch_load.min()),
        "vertex_load_max": int(found.switch_load.max()), "lane_pairs": found.lane_pairs, "cycle": found.cycle,
        "seed": seed, "seconds": seconds,
    }  # fmt: skip
    files: list[str] = []
    if output is not None and kind is not None:
        files = [f"{output}/{name}" for name in write_export(kind, fabric, output, routed)]
    if as_json:
        print_json({**values, "files": files})
        return
    hidden = {"name", "spec", "pairs", "cycle", "lane_pairs"}
    rows = [(key, plain(value)) for key, value in values.items() if key not in hidden]
    rows.insert(2, ("pairs in each lane", " ".join(map(str, found.lane_pairs.tolist()))))
    if found.cycle:
        ring = " -> ".join(str(start) for start, _ in found.cycle)
        rows.append(("waits in a circle", f"{ring} (switches, lane {found.cycle_lane})"))
    print_facts(opened.name, rows)
    for file in files:
        click.echo(f"wrote {file}", err=True)

"""`topoloom simulate`: latency and accepted load of a routed network, flit by flit."""

import click

from topoloom.cli.output import json_option, plain, print_json, print_table
from topoloom.errors import InputError
from topoloom.simulator.config import PRESETS
from topoloom.simulator.traffic import patterns

_COLUMNS = (
    "offered", "accepted", "accepted_min", "latency_mean", "latency_ci95", "latency_p50", "latency_p99", "latency_p999",
    "hops_mean", "packets", "cycles", "flit_hops_per_s", "saturated",
)  # fmt: skip
_SHOWN = ("offered", "accepted", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "saturated")


class _Help(click.Command):
    """Lists the patterns of traffic with their settings, and the presets with their sources."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Traffic"):
            formatter.write_dl([(record.usage, record.words) for record in patterns().values()])
        with formatter.section("Presets"):
            formatter.write_dl([(name, record.source) for name, record in PRESETS.items()])


@click.command(
    cls=_Help,
    help="Simulate TOPOLOGY (a spec or a file) flit by flit: latency in cycles against the load that hosts offer and get.",
)
@click.argument("topology")
@click.option("--routing", "engine", default="orders", show_default=True, help="An engine of topoloom route.")
@click.option("--lanes", type=click.IntRange(1, 16), help="At most so many virtual lanes for the engine.")
@click.option(
    "--traffic",
    default="uniform",
    show_default=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Who sends to whom (below).",
)
@click.option("--preset", default="slimfly-2014", show_default=True, help="What the routers are like (below).")
@click.option("--loads", default="0.1:0.9:0.2", show_default=True, help="first:last:step, or a list 0.1,0.5.")
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Loads simulated at a time; every core when left out.")
@click.option("-o", "output", type=click.Path(dir_okay=False), help="Write the points to this CSV file.")
@json_option
def command(
    topology: str, engine: str, lanes: int | None, traffic: str, preset: str, loads: str, seed: int, jobs: int | None,
    output: str | None, as_json: bool,
) -> None:  # fmt: skip
    from topoloom.files import write_atomically
    from topoloom.formats import open_topology
    from topoloom.routing.route import route
    from topoloom.simulator.simulate import simulate

    wanted = _loads(loads)
    routed = route(open_topology(topology), engine, lanes=lanes, seed=seed, jobs=jobs)
    curve = simulate(routed, traffic, preset, loads=wanted, seed=seed, jobs=jobs)
    points = [{name: getattr(point, name) for name in _COLUMNS} for point in curve.points]
    if output is not None:
        rows = [",".join(_COLUMNS), *(",".join(str(value) for value in point.values()) for point in points)]
        write_atomically(output, "\n".join(rows) + "\n")
    if as_json:
        about = {"name": curve.topology, "engine": curve.engine, "traffic": traffic, "preset": preset, "seed": seed}
        print_json({**about, "points": points})
        return
    click.echo(f"{curve.topology}, {curve.engine}, {traffic} traffic, {preset}")
    heads = tuple(name.replace("_", " ") for name in _SHOWN)
    print_table([heads, *(tuple(_cell(point[name]) for name in _SHOWN) for point in points)])
    if output is not None:
        click.echo(f"wrote {output}", err=True)


def _cell(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else plain(value)


def _loads(text: str) -> list[float]:
    """Loads of a list, or from a first to a last by steps."""
    try:
        if ":" not in text:
            return [float(part) for part in text.split(",")]
        first, last, step = (float(part) for part in text.split(":"))
        count = int((last - first) / step + 1e-9) + 1
        if step <= 0 or not 1 <= count <= 1000:
            raise ValueError
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(f"--loads '{text}': write first:last:step, as in 0.1:0.9:0.2, or a list 0.1,0.5") from None
    return [round(first + number * step, 12) for number in range(count)]

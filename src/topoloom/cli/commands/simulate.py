"""`topoloom simulate`: latency and accepted load of routed networks, flit by flit."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, plain, print_json, print_table, say
from topoloom.errors import InputError
from topoloom.simulator.config import PRESETS
from topoloom.traffic import PATTERNS

if TYPE_CHECKING:
    from topoloom.routing.routing import Routing
    from topoloom.simulator.config import RouterConfig
    from topoloom.simulator.curve import LoadCurve, Point
    from topoloom.simulator.point_table import PointTable
    from topoloom.simulator.saturation import Saturation

_SHOWN = ("offered", "accepted", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "saturated")
#: The load that stands for the empty network where a curve is drawn.
_ALMOST_NONE = 0.01


class _Help(click.Command):
    """Lists the patterns of traffic with their settings, and the presets with their sources."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Traffic"):
            formatter.write_dl([(record.usage, record.words) for record in PATTERNS.values()])
        with formatter.section("Presets"):
            formatter.write_dl([(name, record.source) for name, record in PRESETS.items()])


@click.command(
    cls=_Help,
    help="""Simulate TOPOLOGY (a spec or a file) flit by flit: latency in cycles against the load that hosts offer and get.

    Several topologies are simulated one after the other, with the same routing, traffic and routers. Ctrl-C ends the sweep
    and keeps the points that are finished.""",
)
@click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True)
@click.option("--routing", "engine", default="orders", show_default=True, help="An engine of topoloom route.")
@click.option("--lanes", type=click.IntRange(1, 16), help="At most so many virtual lanes for the engine.")
@click.option(
    "--traffic", default="uniform", show_default=True, metavar="NAME[:KEY=VALUE,...]", help="Who sends to whom (below)."
)
@click.option("--preset", default="slimfly-2014", show_default=True, help="What the routers are like (below).")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Change a value of the preset: vcs=3.")
@click.option(
    "--between",
    metavar="LABEL=CYCLES",
    multiple=True,
    help="Cables between switches whose label differs take so many cycles: group=100.",
)
@click.option("--loads", default="0.1:0.9:0.2", show_default=True, help="first:last:step, or a list 0.1,0.5.")
@click.option("--saturation", "saturating", is_flag=True, help="Find the load at which the network saturates, too.")
@click.option(
    "--width", type=click.FloatRange(0.001, 0.5), default=0.01, show_default=True, help="How exact --saturation is."
)
@click.option("--seed", type=click.IntRange(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Loads simulated at a time; every core when left out.")
@click.option(
    "-o", "output", type=click.Path(dir_okay=False), help="Write the points to this CSV file, after each of them."
)
@click.option("--resume", is_flag=True, help="Keep the points that the file of -o has already.")
@click.option("--plot", help="Draw latency against accepted load to this file: .svg, .png or .html.")
@click.option("--heat", help="Draw the links' loads at the highest load of the first topology: .svg, .png or .html.")
@click.option("--packets", help="Write packets one by one to this CSV file: of a trace, or at the highest load.")
@json_option
def command(
    topologies: tuple[str, ...],
    engine: str,
    lanes: int | None,
    preset: str,
    settings: tuple[str, ...],
    loads: str,
    saturating: bool,
    output: str | None,
    resume: bool,
    plot: str | None,
    heat: str | None,
    packets: str | None,
    between: tuple[str, ...],
    as_json: bool,
    **same: Any,
) -> None:
    from topoloom.cli.executions import cables_for, has_end, print_executions, refuse_loads, write_packets
    from topoloom.opening import open_network
    from topoloom.routing.route import route
    from topoloom.simulator.config import find_preset
    from topoloom.simulator.point_table import PointTable, settings_of
    from topoloom.simulator.settings import with_settings

    if resume and output is None:
        raise InputError("--resume goes on from a file: name it with -o")
    if output is not None and not Path(output).parent.is_dir():
        raise InputError(f"-o {output}: there is no folder {Path(output).parent}; make it first")
    _check_pictures({"--plot": plot, "--heat": heat})
    wanted = _loads(loads)
    config = with_settings(find_preset(preset), settings)
    seed, jobs = same["seed"], same["jobs"]
    networks = [open_network(name) for name in topologies]
    routed = [route(one.topology, engine, lanes=lanes, seed=seed, jobs=jobs) for one in networks]
    traffic = same["traffic"]
    cables = [cables_for(one, config, between) for one in networks]
    if packets is not None:
        write_packets(routed[0], cables[0], config, traffic, max(wanted), seed, packets)
    if has_end(routed[0], traffic, seed):
        refuse_loads(traffic, {"-o": output, "--saturation": saturating, "--plot": plot, "--heat": heat})
        print_executions(routed, cables, config, preset, traffic, seed, as_json)
        return
    table = PointTable(
        [settings_of(one, traffic, preset, config, seed, own) for one, own in zip(routed, cables, strict=True)],
        output,
        resume=resume,
    )
    drawn = max(wanted) if heat is not None else None
    curves: list[LoadCurve] = []
    found: list[Saturation] = []
    for number, one in enumerate(routed):
        same["cables"] = cables[number]
        # The table does not have the loads of channels: a point whose links are drawn is simulated anew.
        anew = drawn if number == 0 else None
        curve = _swept(one, number, wanted, config, table, anew, same)
        curves.append(replace(curve, preset=preset))
        if curve.ended != "done":
            say(f"{curve.topology}: {len(curve.points)} of {len(wanted)} loads are finished", err=True)
            break
        try:
            if saturating:
                found.append(_saturated(one, number, config, table, same))
            if plot is not None:
                curves[-1] = replace(curves[-1], zero_load=_empty(one, curves[-1], config, same))
        except KeyboardInterrupt:
            curves[-1] = replace(curves[-1], ended="interrupted")
            break
    table.write()
    _draw([replace(curve, preset=_routers(curve, settings)) for curve in curves], routed[0], plot, heat)
    if as_json:
        values = [_values(curve, found[number : number + 1]) for number, curve in enumerate(curves)]
        print_json(values[0] if len(topologies) == 1 else {"curves": values})
    else:
        for number, curve in enumerate(curves):
            _print(curve, settings, found[number : number + 1], number > 0)
    for file in (output, plot, heat):
        if file is not None:
            say(f"wrote {file}", err=True)
    if curves[-1].ended != "done":
        raise KeyboardInterrupt


def _swept(
    routing: "Routing",
    number: int,
    loads: list[float],
    config: "RouterConfig",
    table: "PointTable",
    anew: float | None,
    same: dict[str, Any],
) -> "LoadCurve":
    """The curve of one topology; its points go into the table one by one."""
    from topoloom.cli.countdown import Countdown
    from topoloom.simulator.curve import Point
    from topoloom.simulator.simulate import simulate

    known = {load: point for load, point in table.known(number).items() if load != anew}
    with Countdown(routing.topology.name, [load for load in loads if load not in known]) as countdown:

        def finished(point: Point) -> None:
            countdown.done(point.offered)
            table.add(number, point)

        return simulate(routing, preset=config, loads=loads, known=known, on_point=finished, **_of(same))


def _saturated(
    routing: "Routing", number: int, config: "RouterConfig", table: "PointTable", same: dict[str, Any]
) -> "Saturation":
    """The saturation of one topology; the points that it takes go into the table, too."""
    from topoloom.cli.countdown import Countdown
    from topoloom.simulator.curve import Point
    from topoloom.simulator.saturation import saturation

    with Countdown(f"{routing.topology.name}, saturation", []) as countdown:

        def finished(point: Point) -> None:
            countdown.done(point.offered)
            table.add(number, point)

        known = table.known(number)
        return saturation(routing, preset=config, width=same["width"], known=known, on_point=finished, **_of(same))


def _of(same: dict[str, Any]) -> dict[str, Any]:
    """What the sweep and the search for saturation have in common."""
    return {key: same[key] for key in ("traffic", "seed", "jobs", "cables")}


def _empty(routing: "Routing", curve: "LoadCurve", config: "RouterConfig", same: dict[str, Any]) -> float:
    """The latency of the almost empty network, where a drawn curve begins."""
    from topoloom.simulator.simulate import simulate

    found = simulate(routing, preset=config, loads=[min(_ALMOST_NONE, *(p.offered for p in curve.points))], **_of(same))
    if found.ended != "done":
        raise KeyboardInterrupt
    return found.points[0].latency_mean


def _check_pictures(given: dict[str, str | None]) -> None:
    """Refuse pictures that cannot be drawn before any work."""
    from topoloom.report.pictures import check_picture

    for option, path in given.items():
        if path is not None:
            check_picture(path, option)


def _draw(curves: "list[LoadCurve]", routing: "Routing", plot: str | None, heat: str | None) -> None:
    """The pictures that were asked for, of what is finished."""
    from topoloom.figures.link_heat import link_heat
    from topoloom.figures.load_curves import load_curves
    from topoloom.graph.geometry import geometry_of
    from topoloom.report.load_table import load_table
    from topoloom.report.pictures import write_picture

    drawn = [curve for curve in curves if curve.points]
    if plot is not None and drawn:
        write_picture(load_curves(drawn), plot, "Latency against accepted load", [load_table(drawn)])
    if heat is not None and drawn:
        point = max(drawn[0].points, key=lambda point: point.offered)
        write_picture(
            link_heat(routing, point, geometry_of(routing.topology)), heat, f"Load of links: {drawn[0].topology}"
        )


def _values(curve: "LoadCurve", found: "list[Saturation]") -> dict[str, Any]:
    """One curve as JSON."""
    from topoloom.simulator.point_table import POINT_COLUMNS

    points = [
        {**{name: getattr(point, name) for name in POINT_COLUMNS}, **_in_units(point, curve.router)}
        for point in curve.points
    ]
    values: dict[str, Any] = {
        "name": curve.topology,
        "engine": curve.engine,
        "traffic": curve.traffic,
        "preset": curve.preset,
        "router": curve.router.values,
        "seed": curve.seed,
        "ended": curve.ended,
        "points": points,
    }
    for one in found:
        values["saturation"] = {"load": one.load, "accepted": one.accepted, "width": one.width}
    return values


def _print(curve: "LoadCurve", settings: tuple[str, ...], found: "list[Saturation]", apart: bool) -> None:
    """One curve as a table."""
    routers = _routers(curve, settings)
    say("\n" * apart + f"{curve.topology}, {curve.engine}, {curve.traffic} traffic, {routers}")
    rows = [
        {**{name: getattr(point, name) for name in _SHOWN}, **_in_units(point, curve.router)} for point in curve.points
    ]
    heads = tuple(name.replace("_", " ") for name in (rows[0] if rows else _SHOWN))
    print_table([heads, *(tuple(_cell(value) for value in row.values()) for row in rows)])
    for one in found:
        digits = len(f"{one.width:.12f}".rstrip("0")) - 2
        say(f"saturates at {one.load:.{digits}f}, where {one.accepted:.4f} arrives")


def _in_units(point: "Point", router: "RouterConfig") -> dict[str, float]:
    """The mean latency in nanoseconds and what a host gets in Gbit/s, where the router says how long a cycle takes."""
    if not router.cycle_ns:
        return {}
    values = {"latency_mean_ns": point.latency_mean * router.cycle_ns}
    return values | ({"accepted_gbps": point.accepted * router.flit_bits / router.cycle_ns} if router.flit_bits else {})


def _routers(curve: "LoadCurve", settings: tuple[str, ...]) -> str:
    """The preset, and what was changed of it."""
    return f"{curve.preset} with {', '.join(settings)}" if settings else curve.preset


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

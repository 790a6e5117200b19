"""`topoloom simulate`: latency and accepted load of routed networks, flit by flit."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.kept_study import end_of, run_kept, study_option
from topoloom.cli.output import json_option, plain, print_record, print_table, say
from topoloom.cli.types import Number, Whole
from topoloom.core.errors import InputError

if TYPE_CHECKING:
    from topoloom.core.settings import Setting
    from topoloom.simulation.flits.execute import Executions
    from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
    from topoloom.simulation.flits.sweep import SimulatedNetwork

_SHOWN = ("offered", "accepted", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "saturated")
_SHOWN_IN_UNITS = ("latency_mean_ns", "accepted_gbps")
_SHOWN_OF_EXECUTIONS = ("topology", "cycles", "packets", "latency_mean", "latency_p99", "hops_mean")
#: Packets that are written down at most.
_MOST_PACKETS = 100_000


class _Help(click.Command):
    """Lists the patterns of traffic and the router's settings, the presets with their sources, and an example."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from topoloom.core.settings import described
        from topoloom.simulation.flits.presets import PRESETS
        from topoloom.simulation.flits.router_config import RouterConfig
        from topoloom.simulation.workloads.named import WORKLOADS
        from topoloom.throughput.traffic import PATTERNS

        with formatter.section("Traffic"):
            formatter.write_dl([(record.usage, record.words) for record in PATTERNS.values()])
        with formatter.section("Workloads, in the place of traffic"):
            formatter.write_dl([(one.usage(name), one.description) for name, one in WORKLOADS.items()])
        with formatter.section("Presets"):
            formatter.write_dl([(name, record.source) for name, record in PRESETS.items()])
        with formatter.section("Router settings (--set)"):
            formatter.write_dl([(one.name, _told(one)) for one in described(RouterConfig)])
        with formatter.section("Example"):
            formatter.write_text(
                "topoloom simulate slimfly:q=5,hosts=4 --engine hop-lanes --loads 0.1,0.5 -o points.csv"
            )


def _told(one: "Setting") -> str:
    """A setting in the help: what it is, what it takes, and what it is when nobody says."""
    unit, default = f" {one.unit}" if one.unit else "", f"; {one.default}" if one.default else ""
    return f"{one.description} ({one.accepts}{default}{unit})"


@click.command(
    cls=_Help,
    help="""Simulate TOPOLOGY (a spec, a file or a folder) flit by flit: latency in cycles against the load that hosts offer and
    get.

    Several topologies, engines and kinds of traffic are simulated one after the other. Ctrl-C ends the sweep and keeps the
    points that are finished.""",
)
@click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    help="An engine of topoloom route; when omitted, the installed tables of a folder, else those of the engine that fits.",
)
@click.option("--lanes", type=Whole(1, 16), help="At most so many virtual lanes for the engine.")
@click.option(
    "--traffic",
    "traffics",
    default=["uniform"],
    show_default=True,
    multiple=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Who sends to whom (below).",
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
@click.option("--width", type=Number(0.001, 0.5), default=0.01, show_default=True, help="How exact --saturation is.")
@click.option("--fast", is_flag=True, help="Measure large networks in shorter batches.")
@click.option(
    "--interval",
    type=Number(0.0005, 0.1),
    default=0.01,
    show_default=True,
    help="Measure until the mean latency's 95 % confidence interval is within this share.",
)
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=Whole(1, 1024), help="Loads simulated at a time; every core when left out.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Write the points to this CSV file, after each of them."
)
@study_option("a load")
@click.option("--plot", help="Draw latency against accepted load to this file: .svg, .png or .html.")
@click.option("--heat", help="Draw the links' loads at the highest load of the first topology: .svg, .png or .html.")
@click.option("--packets", help="Write packets one by one to this CSV file: of a trace, or at the highest load.")
@json_option
def command(
    topologies: tuple[str, ...],
    engines: tuple[str, ...],
    lanes: int | None,
    traffics: tuple[str, ...],
    preset: str,
    settings: tuple[str, ...],
    between: tuple[str, ...],
    loads: str,
    saturating: bool,
    width: float,
    fast: bool,
    interval: float,
    seed: int,
    jobs: int | None,
    output: str | None,
    study_folder: str | None,
    plot: str | None,
    heat: str | None,
    packets: str | None,
    as_json: bool,
) -> None:
    from topoloom.cli.placing import refuse_given
    from topoloom.cli.progress import working
    from topoloom.cli.tables import saved_tables
    from topoloom.network.opening import open_network
    from topoloom.simulation.flits.presets import router_of
    from topoloom.simulation.flits.simulate import checked_loads
    from topoloom.simulation.flits.sweep import execute_all, has_end, subjects, sweep

    if output is not None and not Path(output).parent.is_dir():
        raise InputError(f"-o {output}: there is no folder {Path(output).parent}; make it first")
    _check_pictures({"--plot": plot, "--heat": heat})
    wanted, (_, router) = _loads(loads), router_of(preset, settings)
    checked_loads(wanted, "--loads")
    to_the_end = [has_end(traffic) for traffic in traffics]
    if any(to_the_end):
        _refuse_loads(
            traffics,
            to_the_end,
            {"-o": output, "--saturation": saturating, "--fast": fast, "--plot": plot, "--heat": heat},
        )
    if study_folder is not None:
        from topoloom.studies.sweeps.load_curves import load_curves_of, simulate_study

        refuse_given(
            ("output", "heat", "packets"), "a study keeps points in its folder, and neither packets nor loads of links"
        )
        study = simulate_study(
            topologies,
            engines or None,
            traffics,
            loads=wanted,
            saturation=saturating,
            lanes=lanes,
            preset=preset,
            set={name: getattr(router, name) for name in (text.partition("=")[0] for text in settings)},
            between=_cycles(between),
            width=width,
            fast=fast,
            interval=interval,
            seed=seed,
        )
        ended = run_kept(study, study_folder, jobs)
        _show(load_curves_of(study, study_folder, ended=ended), plot, as_json)
        end_of(study, study_folder, ended)
        return
    networks = [open_network(name) for name in topologies]
    if heat is not None and not len(networks[0].topology.links):
        raise InputError(f"--heat: {networks[0].topology.name} has no links whose loads could be drawn")
    for network in networks:
        if network.layout is not None and not between and not router.cycle_ns:
            say(f"{network.source}: set cycle_ns for cables as long as they are; they take link_cycles now", err=True)
    for network in networks:
        saved_tables(network, ("engines", "lanes"))
    with working("routing") as work:
        simulated = subjects(
            networks,
            traffics,
            engines or (None,),
            router=router,
            lanes=lanes,
            between=_cycles(between),
            seed=seed,
            jobs=jobs,
            work=work,
        )
    if packets is not None:
        _write_packets(simulated[0], preset, settings, max(wanted), seed, packets)
    if any(to_the_end):
        with working("simulating") as work:
            executions = execute_all(simulated, preset, settings=settings, seed=seed, work=work)
        _show(executions, None, as_json)
        return
    with working("simulating") as work:
        curves = sweep(
            simulated,
            preset,
            settings=settings,
            loads=wanted,
            saturation_width=width if saturating else None,
            zero_load=plot is not None,
            fast=fast,
            interval=interval,
            seed=seed,
            jobs=jobs,
            table=output,
            work=work,
        )
    if heat is not None and curves.curves[0].points:
        _draw_heat(curves.curves[0], simulated[0], heat)
    _show(curves, plot, as_json)
    for curve in curves.curves:
        if len(curve.points) < len(set(wanted)):
            say(f"{curve.provenance.name}: {len(curve.points)} of {len(set(wanted))} loads are finished", err=True)
    for file in (output, plot, heat):
        if file is not None:
            say(f"wrote {file}", err=True)
    if curves.ended != "done":
        raise KeyboardInterrupt


def _refuse_loads(traffics: tuple[str, ...], to_the_end: list[bool], given: dict[str, object]) -> None:
    """Refuse traffic with a load beside traffic without one, and options that only sweeps over loads have."""
    one = traffics[to_the_end.index(True)]
    if not all(to_the_end):
        other = traffics[to_the_end.index(False)]
        raise InputError(
            f"--traffic: '{one}' is simulated to its end and '{other}' at loads; give them one command each"
        )
    for option, value in given.items():
        if value:
            raise InputError(f"{option}: '{one}' is simulated to its end, at no load; leave the option out")


def _cycles(between: tuple[str, ...]) -> dict[str, int]:
    """``--between`` as cycles by label."""
    cycles = {}
    for text in between:
        label, _, value = text.partition("=")
        if not label or not (value.isascii() and value.isdecimal() and len(value) <= 9):
            raise InputError(f"--between '{text}': write LABEL=CYCLES, as in group=100")
        cycles[label] = int(value)
    return cycles


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


def _write_packets(
    one: "SimulatedNetwork", preset: str, settings: tuple[str, ...], load: float, seed: int, path: str
) -> None:
    """Write packets one by one to a CSV file."""
    from topoloom.cli.progress import working
    from topoloom.core.files import write_atomically
    from topoloom.simulation.flits.execute import packets_of

    with working("simulating packets") as work:
        found = packets_of(
            one.routing,
            one.traffic,
            preset,
            settings=settings,
            load=load,
            count=_MOST_PACKETS,
            seed=seed,
            cables=one.cables,
            work=work,
        )
    write_atomically(path, found.csv())
    say(f"wrote {path}, {len(found.rows)} packets", err=True)


def _check_pictures(given: dict[str, str | None]) -> None:
    """Refuse pictures that cannot be drawn before any work."""
    from topoloom.report.pictures import check_picture

    for option, path in given.items():
        if path is not None:
            check_picture(path, option)


def _show(found: "LoadCurves | Executions", plot: str | None, as_json: bool) -> None:
    """Print what is finished, and draw it."""
    from topoloom.simulation.flits.execute import Executions

    if isinstance(found, Executions):
        if as_json:
            print_record(found if len(found.executions) > 1 else found.executions[0])
        else:
            _print_executions(found)
        return
    if plot is not None:
        _draw(found, plot)
    if as_json:
        print_record(found if len(found.curves) != 1 else found.curves[0])
        return
    for number, curve in enumerate(found.curves):
        _print(curve, number > 0)


def _draw(curves: "LoadCurves", path: str) -> None:
    """The curves, where a load is finished."""
    from topoloom.figures.load_curves import load_curves
    from topoloom.report.curve_data import load_intervals
    from topoloom.report.load_table import load_table
    from topoloom.report.pictures import write_picture

    drawn = [curve for curve in curves.curves if curve.points]
    if drawn:
        title, below = "Latency against accepted load", [load_table(drawn)]
        write_picture(load_curves(drawn), path, title, below, load_intervals(drawn))


def _draw_heat(curve: "LoadCurve", of: "SimulatedNetwork", path: str) -> None:
    """The loads of links at the curve's highest load."""
    from topoloom.figures.link_heat import link_heat
    from topoloom.graph.geometry import geometry_of
    from topoloom.report.pictures import write_picture

    point = max(curve.points, key=lambda point: point.offered)
    topology = of.routing.topology
    write_picture(link_heat(of.routing, point, geometry_of(topology)), path, f"Load of links: {topology.name}")


def _print(curve: "LoadCurve", apart: bool) -> None:
    """One curve as a table."""
    origin = curve.provenance
    say("\n" * apart + f"{origin.name}, {origin.engine}, {curve.traffic} traffic, {curve.routers}")
    shown = [
        *_SHOWN,
        *(name for name in _SHOWN_IN_UNITS if curve.points and getattr(curve.points[0], name) is not None),
    ]
    rows = [tuple(_cell(getattr(point, name)) for name in shown) for point in curve.points]
    print_table([tuple(name.replace("_", " ") for name in shown), *rows])
    if curve.saturation is not None:
        digits = len(f"{curve.saturation.width:.12f}".rstrip("0")) - 2
        say(f"saturates at {curve.saturation.offered:.{digits}f}, where {curve.saturation.accepted:.4f} arrives")


def _print_executions(found: "Executions") -> None:
    """How long each took."""
    rows = found.rows()
    differ = [name for name in ("traffic", "engine") if len({row[name] for row in rows}) > 1]
    told = [str(rows[0][name]) for name in ("traffic", "engine") if name not in differ]
    say(", ".join([*told, found.executions[0].routers]))
    shown = (_SHOWN_OF_EXECUTIONS[0], *differ, *_SHOWN_OF_EXECUTIONS[1:])
    print_table(
        [tuple(name.replace("_", " ") for name in shown), *(tuple(_cell(row[name]) for name in shown) for row in rows)]
    )


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else plain(value)

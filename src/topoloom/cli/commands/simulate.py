"""`topoloom simulate`: latency and accepted load of routed networks, flit by flit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import plain, print_record, print_table, say
from topoloom.cli.presentation import Json, KeptText
from topoloom.core.errors import InputError
from topoloom.core.settings import setting, texts_of
from topoloom.operations.catalogue.simulate import SimulateOperation, opened_by_name, prepared, simulated

if TYPE_CHECKING:
    from topoloom.core.settings import Setting
    from topoloom.operations.context import RunContext
    from topoloom.simulation.flits.execute import Executions
    from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
    from topoloom.simulation.flits.sweep import SimulatedNetwork

_SHOWN = ("offered", "accepted", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "saturated")
_SHOWN_IN_UNITS = ("latency_mean_ns", "accepted_gbps")
_SHOWN_OF_EXECUTIONS = ("topology", "cycles", "packets", "latency_mean", "latency_p99", "hops_mean")
#: Packets that are written down at most.
_MOST_PACKETS = 100_000


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str, setting("write the points to this CSV file, after each of them", option="-o --output", metavar="FILE")
        ]
        | None
    ) = None
    plot: (
        Annotated[str, setting("draw latency against accepted load to this file: .svg, .png or .html", metavar="FILE")]
        | None
    ) = None
    heat: (
        Annotated[
            str,
            setting(
                "draw the loads of links at the highest load of the first topology: .svg, .png or .html", metavar="FILE"
            ),
        ]
        | None
    ) = None
    packets: (
        Annotated[
            str,
            setting("write packets one by one to this CSV file: of a trace, or at the highest load", metavar="FILE"),
        ]
        | None
    ) = None

    def check(self, operation: SimulateOperation, study: str | None) -> None:
        """Refuse files that cannot be written, or that the operation has nothing for, before any work."""
        from topoloom.report.pictures import check_picture

        if self.output is not None and not Path(self.output).parent.is_dir():
            raise InputError(f"-o {self.output}: there is no folder {Path(self.output).parent}; make it first")
        for option, path in (("--plot", self.plot), ("--heat", self.heat)):
            if path is not None:
                check_picture(path, option)
        if operation.has_end:
            self.refuse_changed(
                ("output", "plot", "heat"), f"'{operation.traffic}' is simulated to its end, at no load"
            )
        if study is not None:
            self.refuse_changed(
                ("output", "heat", "packets"),
                "a study keeps points in its folder, and neither packets nor loads of links",
            )


def _sections(formatter: click.HelpFormatter) -> None:
    """The patterns of traffic, the presets with their sources, the settings of routers, and an example."""
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
        formatter.write_dl([(one.name, _in_words(one)) for one in described(RouterConfig)])
    with formatter.section("Example"):
        formatter.write_text("topoloom simulate slimfly:q=5,hosts=4 --engine hop-vcs --loads 0.1,0.5 -o points.csv")


def _in_words(one: "Setting") -> str:
    """A setting in the help: what it is, what it takes, and its default."""
    unit, default = f" {one.unit}" if one.unit else "", f"; {one.default}" if one.default else ""
    return f"{one.description} ({one.accepts}{default}{unit})"


@declared(SimulateOperation, KeptText, _Output, several=("topology", "engine", "traffic"), sections=_sections)
def command(operations: list[SimulateOperation], kept: KeptText, to: _Output) -> None:
    from topoloom.simulation.flits.execute import Executions

    first = operations[0]
    to.check(first, kept.study)
    if kept.study is not None:
        _run_as_study(operations, kept.study, kept.jobs, to)
        return
    sources = opened_by_name(operations)
    topology = sources[first.topology].topology
    if to.heat is not None and not len(topology.links):
        raise InputError(f"--heat: {topology.name} has no links whose loads could be drawn")
    with running(first.doing, kept.jobs) as context:
        networks = prepared(operations, sources, context)
        if to.packets is not None:
            _write_packets(networks[0], first, to.packets, context)
        found = simulated(operations, networks, context, table=to.output, zero_load=to.plot is not None)
    _show(found, to)
    if isinstance(found, Executions):
        return
    curves, loads = found.curves, len(set(first.loads or ()))
    if to.heat is not None and curves[0].points:
        _draw_heat(curves[0], networks[0], to.heat)
    for curve in curves:
        if len(curve.points) < loads:
            say(f"{curve.provenance.name}: {len(curve.points)} of {loads} loads are finished", err=True)
    for file in (to.output, to.plot, to.heat):
        if file is not None:
            say(f"wrote {file}", err=True)
    if found.ended != "done":
        raise KeyboardInterrupt


def _run_as_study(operations: list[SimulateOperation], folder: str, jobs: int | None, to: _Output) -> None:
    from topoloom.cli.kept_study import end_of, run_kept
    from topoloom.studies.sweeps.load_curves import load_curves_of, simulate_study

    study = simulate_study(operations)
    ended = run_kept(study, folder, jobs)
    _show(load_curves_of(study, folder, ended=ended), to)
    end_of(study, folder, ended)


def _write_packets(one: "SimulatedNetwork", asked: SimulateOperation, path: str, context: "RunContext") -> None:
    """Write packets one by one to a CSV file."""
    from topoloom.core.files import write_atomically
    from topoloom.simulation.flits.execute import packets_of

    found = packets_of(
        one.routing,
        one.traffic,
        asked.preset,
        settings=texts_of(asked.set),
        load=max(asked.loads or (1.0,)),
        count=_MOST_PACKETS,
        seed=asked.seed,
        cables=one.cables,
        work=context.work,
    )
    write_atomically(path, found.csv())
    say(f"wrote {path}, {len(found.rows)} packets", err=True)


def _show(found: "LoadCurves | Executions", to: _Output) -> None:
    """Print what is finished, and draw it."""
    from topoloom.simulation.flits.execute import Executions

    if isinstance(found, Executions):
        if to.json:
            print_record(found if len(found.executions) > 1 else found.executions[0])
        else:
            _print_executions(found)
        return
    if to.plot is not None:
        _draw(found, to.plot)
    if to.json:
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

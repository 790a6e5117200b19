"""`topoloom simulate`: latency and accepted load of routed networks, flit by flit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import plain, print_record, print_table, say
from topoloom.cli.presentation import Elsewhere, Json, PlotOptions, StudyOptions
from topoloom.core.errors import InputError
from topoloom.core.settings import setting, texts_of
from topoloom.operations.catalogue.simulate import SimulateOperation, opened_by_name, prepared, simulated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topoloom.core.settings import Setting
    from topoloom.model.directed import DirectedTopology
    from topoloom.operations.context import RunContext
    from topoloom.simulation.flits.execute import Executions
    from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
    from topoloom.simulation.flits.sweep import SimulatedNetwork

_SHOWN = ("offered", "accepted", "latency_mean", "latency_ci95", "latency_p99", "hops_mean", "saturated")
_SHOWN_IN_UNITS = ("latency_mean_ns", "accepted_gbps", "round_trip_mean")
_SHOWN_OF_EXECUTIONS = ("topology", "cycles", "packets", "latency_mean", "latency_p99", "hops_mean")
#: Most packets that are written to the file of --packets.
_MOST_PACKETS = 100_000
#: Suffixes of a CSV file's name; a device or a pipe has none.
_TABLES = ("", ".csv")


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str, setting("write the points to this CSV file, after each of them", option="-o --output", metavar="FILE")
        ]
        | None
    ) = None
    heat: (
        Annotated[
            str,
            setting(
                "draw the loads of links at the highest load of the first topology, without --style: .svg, .png, .pdf, .pgf"
                " or .html",
                metavar="FILE",
            ),
        ]
        | None
    ) = None
    hosts: (
        Annotated[str, setting("write what each host accepts at each load to this CSV file", metavar="FILE")] | None
    ) = None
    packets: (
        Annotated[
            str,
            setting("write packets one by one to this CSV file: of a trace, or at the highest load", metavar="FILE"),
        ]
        | None
    ) = None

    def check(self, operation: SimulateOperation, study: str | None) -> None:
        """Refuse files that cannot be written, or for which the operation has no data, before any work."""
        from topoloom.report.pictures import check_picture

        for option, path in (("-o", self.output), ("--hosts", self.hosts), ("--packets", self.packets)):
            if path is None:
                continue
            if Path(path).suffix.lower() not in _TABLES:
                raise InputError(f"{option} {path}: the file is a CSV table; end its name in .csv")
            if not Path(path).parent.is_dir():
                raise InputError(f"{option} {path}: there is no folder {Path(path).parent}; create it first")
        if self.heat is not None:
            check_picture(self.heat, "--heat")
        if operation.has_end:
            self.refuse_changed(
                ("output", "heat", "hosts"), f"'{operation.traffic}' is simulated to its end, at no load"
            )
        if study is not None:
            self.refuse_changed(
                ("output", "heat", "hosts", "packets"),
                "a study stores points in its folder, but no packets and no loads of links and hosts",
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
    with formatter.section("Workloads, instead of traffic"):
        formatter.write_dl([(workload.usage(name), workload.description) for name, workload in WORKLOADS.items()])
    with formatter.section("Presets"):
        formatter.write_dl([(name, record.source) for name, record in PRESETS.items()])
    with formatter.section("Router settings (--set)"):
        formatter.write_dl([(field.name, _in_words(field)) for field in described(RouterConfig)])
    with formatter.section("Example"):
        formatter.write_text("topoloom simulate slimfly:q=5,hosts=4 --engine hop-vcs --loads 0.1,0.5 -o points.csv")


def _in_words(field: "Setting") -> str:
    """A setting in the help: its description, accepted values and default."""
    unit, default = f" {field.unit}" if field.unit else "", f"; {field.default}" if field.default else ""
    return f"{field.description} ({field.accepts}{default}{unit})"


@declared(
    SimulateOperation,
    StudyOptions,
    Elsewhere,
    _Output,
    PlotOptions,
    several=("topology", "engine", "traffic"),
    sections=_sections,
)
def command(
    operations: list[SimulateOperation],
    study_options: StudyOptions,
    elsewhere: Elsewhere,
    to: _Output,
    look: PlotOptions,
) -> None:
    from topoloom.simulation.flits.execute import Executions

    first = operations[0]
    to.check(first, study_options.study)
    look.check()
    if first.has_end:
        look.refuse_changed(("plot",), f"'{first.traffic}' is simulated to its end, at no load")
    if study_options.study is not None:
        elsewhere.refuse_changed(("tasks",), "a study has the folder of --study")
        _run_as_study(operations, study_options, elsewhere, to, look)
        return
    sources, directed = opened_by_name(operations)
    if directed:
        elsewhere.refuse_changed(("executor",), "the network is directed")
        _simulate_directed(operations, directed, study_options.jobs, to, look)
        return
    topology = sources[first.topology].topology
    if to.heat is not None and not len(topology.links):
        raise InputError(f"--heat: {topology.name} has no links whose loads could be drawn")
    with running(first.doing, study_options.jobs, elsewhere) as context:
        networks = prepared(operations, sources, context)
        if to.packets is not None:
            _write_packets(networks[0], first, to.packets, context)
        result = simulated(operations, networks, context, table=to.output, zero_load=look.plot is not None)
    _show(result, to, look)
    if isinstance(result, Executions):
        return
    curves, loads = result.curves, len(set(first.loads or ()))
    if to.heat is not None and curves[0].points:
        _draw_heat(curves[0], networks[0], to.heat)
    for curve in curves:
        if len(curve.points) < loads:
            say(f"{curve.provenance.name}: {len(curve.points)} of {loads} loads are finished", err=True)
    if to.hosts is not None:
        _write_hosts(curves, to.hosts)
    for file in (to.output, look.plot, to.heat, to.hosts):
        if file is not None:
            say(f"wrote {file}", err=True)
    if result.ended != "done":
        raise KeyboardInterrupt


def _run_as_study(
    operations: list[SimulateOperation],
    study_options: StudyOptions,
    elsewhere: Elsewhere,
    to: _Output,
    look: PlotOptions,
) -> None:
    from topoloom.cli.kept_study import end_of, run_in_folder
    from topoloom.studies.sweeps.load_curves import load_curves_of, simulate_study

    study, folder = simulate_study(operations), str(study_options.study)
    ended = run_in_folder(study, folder, study_options.jobs, elsewhere)
    _show(load_curves_of(study, folder, ended=ended), to, look)
    end_of(study, folder, ended)


def _simulate_directed(
    operations: list[SimulateOperation],
    networks: "Mapping[str, DirectedTopology]",
    jobs: int | None,
    to: _Output,
    look: PlotOptions,
) -> None:
    """Simulate directed networks one after the other, and print their curves."""
    from topoloom.model.results import Provenance
    from topoloom.simulation.flits.load_curve import LoadCurves

    to.refuse_changed(("output", "heat", "packets"), "the network is directed")
    curves = []
    with running(operations[0].doing, jobs) as context:
        for operation in operations:
            curves.append(operation.directed_curve(networks[operation.topology], context))
            if curves[-1].ended != "done":
                break
    provenance = Provenance.of_run(seed=operations[0].seed)
    _show(LoadCurves(tuple(curves), curves[-1].ended, provenance), to, look)
    if to.hosts is not None:
        _write_hosts(tuple(curves), to.hosts)
    if curves[-1].ended != "done":
        raise KeyboardInterrupt


def _write_packets(network: "SimulatedNetwork", operation: SimulateOperation, path: str, context: "RunContext") -> None:
    """Write packets one by one to a CSV file."""
    from topoloom.core.files import write_atomically
    from topoloom.simulation.flits.execute import packets_of

    packets = packets_of(
        network.routing,
        network.traffic,
        operation.preset,
        settings=texts_of(operation.set),
        load=max(operation.loads or (1.0,)),
        count=_MOST_PACKETS,
        seed=operation.seed,
        cables=network.cables,
        work=context.work,
    )
    write_atomically(path, packets.csv())
    say(f"wrote {path}, {len(packets.rows)} packets", err=True)


def _show(result: "LoadCurves | Executions", to: _Output, look: PlotOptions) -> None:
    """Print and draw the finished results."""
    from topoloom.simulation.flits.execute import Executions

    if isinstance(result, Executions):
        if to.json:
            print_record(result if len(result.executions) > 1 else result.executions[0])
        else:
            _print_executions(result)
        return
    if look.plot is not None:
        _draw(result, look)
    if to.json:
        print_record(result if len(result.curves) != 1 else result.curves[0])
        return
    for number, curve in enumerate(result.curves):
        _print(curve, number > 0)


def _draw(curves: "LoadCurves", look: PlotOptions) -> None:
    """Draw the curves that have a finished load."""
    from topoloom.figures.load_curves import load_curves
    from topoloom.report.curve_data import load_intervals
    from topoloom.report.load_table import load_table

    drawn = [curve for curve in curves.curves if curve.points]
    if drawn:
        title, below = "Latency against accepted load", [load_table(drawn)]
        look.draw(lambda: load_curves(drawn), title, below, curves=load_intervals(drawn))


def _draw_heat(curve: "LoadCurve", of: "SimulatedNetwork", path: str) -> None:
    """Draw the loads of links at the curve's highest load."""
    from topoloom.figures.link_heat import link_heat
    from topoloom.graph.geometry import geometry_of
    from topoloom.report.pictures import write_picture

    point = max(curve.points, key=lambda point: point.offered)
    topology = of.routing.topology
    write_picture(link_heat(of.routing, point, geometry_of(topology)), path, f"Load of links: {topology.name}")


def _write_hosts(curves: "tuple[LoadCurve, ...]", path: str) -> None:
    """Write what each host accepts, as a share of its rate and in Gb/s where rates are known, to a CSV file."""
    from topoloom.core.csv_files import csv_text
    from topoloom.core.files import write_atomically

    columns = ("network", "engine", "traffic", "offered", "host", "accepted", "accepted_gbps")
    rows: list[tuple[object, ...]] = []
    for curve in curves:
        about = (curve.provenance.name, curve.provenance.engine, curve.traffic)
        for point in curve.points:
            gbps = [f"{each:.6g}" for each in point.host_accepted_gbps.tolist()] or [""] * point.host_accepted.size
            shares = point.host_accepted.tolist()
            rows += [
                (*about, point.offered, host, f"{share:.6g}", rate)
                for host, (share, rate) in enumerate(zip(shares, gbps, strict=True))
            ]
    write_atomically(path, csv_text(columns, rows))


def _print(curve: "LoadCurve", apart: bool) -> None:
    """Print one curve as a table."""
    origin = curve.provenance
    say("\n" * apart + f"{origin.name}, {origin.engine}, {curve.traffic} traffic, {curve.routers}")
    shown = [
        *_SHOWN,
        *(name for name in _SHOWN_IN_UNITS if curve.points and getattr(curve.points[0], name) is not None),
    ]
    rows = [tuple(_cell(getattr(point, name)) for name in shown) for point in curve.points]
    print_table([tuple(name.replace("_", " ") for name in shown), *rows])
    by_rate = [(point.offered, each) for point in curve.points for each in point.by_rate]
    if by_rate:
        say("\naccepted by hosts of each rate, as shares of this rate")
        cells = [
            (_cell(offered), plain(each.rate_gbps), str(each.hosts), _cell(each.accepted), _cell(each.accepted_min))
            for offered, each in by_rate
        ]
        print_table([("offered", "rate gbps", "hosts", "mean", "least"), *cells])
    if curve.saturation is not None:
        digits = len(f"{curve.saturation.width:.12f}".rstrip("0")) - 2
        say(f"saturates at {curve.saturation.offered:.{digits}f}, where {curve.saturation.accepted:.4f} arrives")


def _print_executions(executions: "Executions") -> None:
    """Print the time of each execution."""
    rows = executions.rows()
    differ = [name for name in ("traffic", "engine") if len({row[name] for row in rows}) > 1]
    common = [str(rows[0][name]) for name in ("traffic", "engine") if name not in differ]
    say(", ".join([*common, executions.executions[0].routers]))
    shown = (_SHOWN_OF_EXECUTIONS[0], *differ, *_SHOWN_OF_EXECUTIONS[1:])
    print_table(
        [tuple(name.replace("_", " ") for name in shown), *(tuple(_cell(row[name]) for name in shown) for row in rows)]
    )


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else plain(value)

"""The operations `sweep` and `execute_all`: simulations of several networks, engines and kinds of traffic, and their table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, get_type_hints

import numpy as np

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.model.results import Provenance, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.routing.registry import engines as known_engines
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.cables import cable_cycles
from topoloom.simulation.flits.execute import Execution, Executions, execute
from topoloom.simulation.flits.host_ports import check_simulated
from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import PointTable, name_of_traffic, settings_of
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.rates import router_at
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.simulation.workloads.named import is_workload
from topoloom.throughput.traffic import PATTERNS, Traffic

if TYPE_CHECKING:
    from topoloom.network import Network

#: The load that stands for the empty network in a curve.
_ALMOST_NONE = 0.01


@dataclass(frozen=True)
class SimulatedNetwork:
    """The input of one simulation.

    Attributes
    ----------
    routing : Routing
    traffic : str or Traffic
    cables : int64[links] or None
        The cycles of each cable; None: those of the preset.
    notes : tuple of str
        What the file of a workload leaves open (`Schedule.notes`).
    """

    routing: Routing
    traffic: str | Traffic
    cables: np.ndarray | None
    notes: tuple[str, ...] = ()


def has_end(traffic: str | Traffic) -> bool:
    """Return whether traffic is a trace, a closed loop or a workload, which is executed to its end and has no load.

    Raises
    ------
    InputError
        Unknown traffic.

    Examples
    --------
    >>> has_end("uniform"), has_end("chip:requests=5")
    (False, True)
    """
    if isinstance(traffic, Traffic):
        return False
    if is_workload(traffic):
        return True
    return get_type_hints(PATTERNS.find(traffic.partition(":")[0]).make).get("return") is not Traffic


def subjects(
    networks: Iterable[NetworkSource],
    traffics: Sequence[str | Traffic] = ("uniform",),
    engines: Sequence[str | None] = (None,),
    *,
    router: RouterConfig,
    virtual_channels: int | None = None,
    between: Mapping[str, int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[SimulatedNetwork]:
    """Return every network routed by every engine, with every traffic: network by network, then engine by engine.

    Parameters
    ----------
    networks : iterable of NetworkSource
        The networks; where one has a layout, or its source states lengths, its cables have these.
    traffics : sequence of str or Traffic
        As for `simulate`.
    engines : sequence of str or None
        As for `route`; None: the installed tables, unless `virtual_channels` is given, else those of the fitting engine.
    router : RouterConfig
        The router; its `link_cycles` apply to cables without another delay.
    virtual_channels : int, optional
        The most virtual channels for the engines.
    between : mapping of a label's name to cycles, optional
        Cycles of cables between switches with different labels, as for `cable_cycles`.
    seed : int
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Reports progress in finished trees and destinations.

    Returns
    -------
    list of SimulatedNetwork
        Every combination, once each.

    Raises
    ------
    InputError
        A network that cannot be opened or routed as requested, or invalid cables.
    Stopped
        `work` was stopped before all tables were finished.
    """
    opened = [network_of(source, "subjects") for source in networks]
    asked = list(product(opened, engines, traffics))
    return with_tables(
        asked, router=router, virtual_channels=virtual_channels, between=between, seed=seed, jobs=jobs, work=work
    )


def with_tables(
    asked: "Sequence[tuple[Network, str | None, str | Traffic]]",
    *,
    router: RouterConfig,
    virtual_channels: int | None = None,
    between: Mapping[str, int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[SimulatedNetwork]:
    """Return networks, each routed by an engine and with a traffic; errors are found before anything is routed, if possible.

    Parameters
    ----------
    asked : sequence of (Network, str or None, str or Traffic)
        Network, engine and traffic, as for `subjects`; each network is routed once per engine.
    router, virtual_channels, between, seed, jobs, work
        As for `subjects`.

    Returns
    -------
    list of SimulatedNetwork
        The simulations, in the order of `asked`.

    Raises
    ------
    InputError
        As for `subjects`.
    Stopped
        `work` was stopped before all tables were finished.
    """
    cables: dict[int, np.ndarray | None] = {}
    notes = []
    for network, engine, traffic in asked:
        if engine is not None:
            known_engines.find(engine)
        if id(network) not in cables:
            cables[id(network)] = cable_cycles(
                network.topology, router_at(network.topology, router), between, network.delay_lengths_m
            )
        notes.append(check_simulated(network.topology, traffic, seed))
    tables: dict[tuple[int, str | None], Routing] = {}
    for network, engine, _ in asked:
        if (id(network), engine) not in tables:
            routed = network.with_tables(engine, virtual_channels=virtual_channels, seed=seed, jobs=jobs, work=work)
            tables[id(network), engine] = routed.part(Routing)
    return [
        SimulatedNetwork(tables[id(network), engine], traffic, cables[id(network)], of_traffic)
        for (network, engine, traffic), of_traffic in zip(asked, notes, strict=True)
    ]


def sweep(
    simulated: Sequence[SimulatedNetwork],
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    loads: Iterable[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    saturation_width: float | None = None,
    zero_load: bool = False,
    fast: bool = False,
    interval: float | None = None,
    seed: int = 1,
    jobs: int | None = None,
    table: str | None = None,
    work: Work | None = None,
) -> LoadCurves:
    """Return load curves of several networks, engines and kinds of traffic, simulated one after the other.

    Parameters
    ----------
    simulated : sequence of SimulatedNetwork
        From `subjects`.
    preset, settings, loads, seed, jobs
        As for `simulate`; no loads for the saturation alone.
    saturation_width : float, optional
        Also search for the load at which each network saturates, with this precision.
    zero_load : bool
        Also measure the latency of the almost empty network, at which a drawn curve begins.
    fast, interval
        As for `simulate`; the almost empty network is measured as usual.
    table : str, optional
        Write the points to this CSV file, which is rewritten after each point.
    work : Work, optional
        As for `simulate`.

    Returns
    -------
    LoadCurves
        The curves; when `work` is stopped, or Ctrl-C pressed, the finished part.

    Raises
    ------
    InputError
        As for `simulate` and `saturation`; a file with points of other settings.

    Examples
    --------
    >>> from topoloom import build
    >>> _, router = router_of("booksim")
    >>> small = subjects([build("ring:n=4,hosts=1"), build("complete:n=4,hosts=1")], engines=["dor"], router=router)
    >>> curves = sweep(small, "booksim", loads=[0.1])
    >>> [curve.provenance.name for curve in curves.curves]
    ['ring(n=4,hosts=1)', 'complete(n=4,hosts=1)']
    """
    work = Work() if work is None else work
    changes, load_list = list(settings), list(loads)
    name, config = router_of(preset, changes)
    points = PointTable(
        [
            settings_of(
                subject.routing,
                subject.traffic,
                name,
                router_at(subject.routing.topology, config),
                seed,
                subject.cables,
                fast,
                interval,
            )
            for subject in simulated
        ],
        table,
    )
    curves: list[LoadCurve] = []
    for number, subject in enumerate(simulated):
        if curves and (work.stopped or curves[-1].ended != "done"):
            break
        measured = points.points(number)
        if load_list or saturation_width is None:
            curve = simulate(
                subject.routing,
                subject.traffic,
                preset,
                settings=changes,
                loads=load_list,
                seed=seed,
                jobs=jobs,
                cables=subject.cables,
                fast=fast,
                interval=interval,
                known=measured,
                work=work,
            )
        else:
            about = provenance_of(subject.routing.topology, engine=subject.routing.engine, seed=seed)
            router = router_at(subject.routing.topology, config)
            curve = LoadCurve(name_of_traffic(subject.traffic), name, (), router, provenance=about)
        curves.append(curve)
        if curve.ended != "done":
            break
        try:
            with work.interruptible():
                if saturation_width is not None:
                    saturates = saturation(
                        subject.routing,
                        subject.traffic,
                        preset,
                        settings=changes,
                        width=saturation_width,
                        seed=seed,
                        jobs=jobs,
                        cables=subject.cables,
                        fast=fast,
                        interval=interval,
                        known=measured,
                        work=work,
                    )
                    about = curves[-1].provenance if load_list else saturates.provenance
                    curves[-1] = replace(curves[-1], saturation=saturates, provenance=about)
                if zero_load:
                    latency = _zero_load(subject, preset, changes, curve.points, seed, jobs, work)
                    curves[-1] = replace(curves[-1], zero_load=latency)
        except Stopped:
            curves[-1] = replace(curves[-1], ended=work.ended)
    points.write()
    whole = len(curves) == len(simulated) and all(curve.ended == "done" for curve in curves)
    return LoadCurves(tuple(curves), ended="done" if whole else work.ended, provenance=Provenance.of_run(seed=seed))


def _zero_load(
    subject: SimulatedNetwork,
    preset: str | RouterConfig,
    settings: Sequence[str],
    points: Sequence[Point],
    seed: int,
    jobs: int | None,
    work: Work,
) -> float:
    """Return the latency of the almost empty network, in cycles."""
    curve = simulate(
        subject.routing,
        subject.traffic,
        preset,
        settings=settings,
        loads=[min(_ALMOST_NONE, *(point.offered for point in points))],
        seed=seed,
        jobs=jobs,
        cables=subject.cables,
        work=work,
    )
    if curve.ended != "done":
        work.check()
    return curve.points[0].latency_mean


def execute_all(
    simulated: Sequence[SimulatedNetwork],
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    seed: int = 1,
    work: Work | None = None,
) -> Executions:
    """Simulate traces, closed loops and workloads to their end, on several networks and by several engines.

    Parameters
    ----------
    simulated : sequence of SimulatedNetwork
        From `subjects`.
    preset, settings, seed
        As for `execute`.
    work : Work, optional
        As for `execute`; delivers each execution (`Work.deliver`).

    Returns
    -------
    Executions
        The executions, in the order of `simulated`; when the work was stopped, the finished ones.

    Raises
    ------
    InputError
        As for `execute`.
    Stopped
        `work` was stopped before the last execution ended.
    """
    work = Work() if work is None else work
    changes = list(settings)
    executions: list[Execution] = []
    for subject in simulated:
        if isinstance(subject.traffic, Traffic):
            raise InputError(f"traffic {subject.traffic.name} has no end; simulate it at loads with `sweep`")
        executions.append(
            execute(
                subject.routing, subject.traffic, preset, settings=changes, seed=seed, cables=subject.cables, work=work
            )
        )
        work.deliver(executions[-1])
    return Executions(tuple(executions), provenance=Provenance.of_run(seed=seed))

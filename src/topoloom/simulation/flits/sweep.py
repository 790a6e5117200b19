"""Load curves of several networks, engines and kinds of traffic, with a table of points."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, get_type_hints

import numpy as np

from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.model.results import Provenance, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.routing.registry import engines as known_engines
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.cables import cable_cycles
from topoloom.simulation.flits.execute import Execution, Executions, execute
from topoloom.simulation.flits.host_ports import check_simulated
from topoloom.simulation.flits.load_curve import LoadCurve, LoadCurves
from topoloom.simulation.flits.pace import INTERVAL
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.point_table import PointTable, settings_of
from topoloom.simulation.flits.presets import router_of
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.saturation import saturation
from topoloom.simulation.flits.simulate import simulate
from topoloom.simulation.workloads.named import is_workload
from topoloom.throughput.traffic import PATTERNS, Traffic

if TYPE_CHECKING:
    from topoloom.network import Network

#: The load that stands for the empty network where a curve is drawn.
_ALMOST_NONE = 0.01


@dataclass(frozen=True)
class SimulatedNetwork:
    """What one simulation is of.

    Attributes
    ----------
    routing : Routing
    traffic : str
    cables : int64[links] or None
        Cycles of each cable; None: the preset's for all.
    """

    routing: Routing
    traffic: str
    cables: np.ndarray | None


def has_end(traffic: str) -> bool:
    """Whether traffic is a trace, a closed loop or a workload, which is executed to its end and has no load.

    Raises
    ------
    InputError
        There is no such traffic.

    Examples
    --------
    >>> has_end("uniform"), has_end("chip:requests=5")
    (False, True)
    """
    if is_workload(traffic):
        return True
    return get_type_hints(PATTERNS.find(traffic.partition(":")[0]).make).get("return") is not Traffic


def subjects(
    networks: Iterable[NetworkSource],
    traffics: Sequence[str] = ("uniform",),
    engines: Sequence[str | None] = (None,),
    *,
    router: RouterConfig,
    virtual_channels: int | None = None,
    between: Mapping[str, int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[SimulatedNetwork]:
    """Every network routed by every engine, with every traffic: network by network, engine by engine.

    Parameters
    ----------
    networks : iterable of NetworkSource
        Where one has a layout, its cables are as long as they are.
    traffics : sequence of str
        As `simulate` takes them.
    engines : sequence of str or None
        As `route` takes them; None: the installed tables, unless `virtual_channels` is given, else those of the fitting engine.
    router : RouterConfig
        Its `link_cycles` are those of cables that nothing else is said of.
    virtual_channels : int, optional
        At most so many virtual channels for the engines.
    between : mapping of a label's name to cycles, optional
        Cycles of cables between switches of unlike labels, as `cable_cycles` takes them.
    seed : int
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Reports progress in finished trees and destinations.

    Returns
    -------
    list of SimulatedNetwork
        Every combination once.

    Raises
    ------
    InputError
        A network that cannot be opened or routed so, or cables that cannot be.
    Stopped
        `work` was stopped before all tables stood.
    """
    opened = [network_of(source, "subjects") for source in networks]
    asked = list(product(opened, engines, traffics))
    return with_tables(
        asked, router=router, virtual_channels=virtual_channels, between=between, seed=seed, jobs=jobs, work=work
    )


def with_tables(
    asked: "Sequence[tuple[Network, str | None, str]]",
    *,
    router: RouterConfig,
    virtual_channels: int | None = None,
    between: Mapping[str, int] | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> list[SimulatedNetwork]:
    """Networks, each routed by an engine and with a traffic; what can be refused is refused before anything is routed.

    Parameters
    ----------
    asked : sequence of (Network, str or None, str)
        Network, engine and traffic, as `subjects` takes them; a network is routed once by an engine.
    router, virtual channels, between, seed, jobs, work
        As for `subjects`.

    Returns
    -------
    list of SimulatedNetwork
        In the order of `asked`.

    Raises
    ------
    InputError
        As `subjects`.
    Stopped
        `work` was stopped before all tables stood.
    """
    cables: dict[int, np.ndarray | None] = {}
    for network, engine, traffic in asked:
        if engine is not None:
            known_engines.find(engine)
        if id(network) not in cables:
            cables[id(network)] = cable_cycles(network.topology, router, between, network.layout)
        check_simulated(network.topology, traffic, seed)
    tables: dict[tuple[int, str | None], Routing] = {}
    for network, engine, _ in asked:
        if (id(network), engine) not in tables:
            routed = network.with_tables(engine, virtual_channels=virtual_channels, seed=seed, jobs=jobs, work=work)
            tables[id(network), engine] = routed.part(Routing)
    return [
        SimulatedNetwork(tables[id(network), engine], traffic, cables[id(network)])
        for network, engine, traffic in asked
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
    interval: float = INTERVAL,
    seed: int = 1,
    jobs: int | None = None,
    table: str | None = None,
    work: Work | None = None,
) -> LoadCurves:
    """Load curves of several networks, engines and kinds of traffic, one after the other.

    Parameters
    ----------
    simulated : sequence of SimulatedNetwork
        From `subjects`.
    preset, settings, loads, seed, jobs
        As for `simulate`; no loads with `saturation_width` alone.
    saturation_width : float, optional
        Look for the load at which each saturates, too, this exactly.
    zero_load : bool
        Measure the latency of the almost empty network, too, where a drawn curve begins.
    fast, interval
        As for `simulate`; the almost empty network is measured as ever.
    table : str, optional
        Write the points to this CSV file: whole, after each of them.
    work : Work, optional
        As for `simulate`.

    Returns
    -------
    LoadCurves
        When `work` is stopped, or Ctrl-C pressed, what is finished.

    Raises
    ------
    InputError
        What `simulate` and `saturation` refuse; a file with points of other settings.

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
    changes, wanted = list(settings), list(loads)
    name, config = router_of(preset, changes)
    points = PointTable(
        [settings_of(one.routing, one.traffic, name, config, seed, one.cables, fast, interval) for one in simulated],
        table,
    )
    curves: list[LoadCurve] = []
    for number, one in enumerate(simulated):
        if curves and (work.stopped or curves[-1].ended != "done"):
            break
        known = points.points(number)
        if wanted or saturation_width is None:
            curve = simulate(
                one.routing,
                one.traffic,
                preset,
                settings=changes,
                loads=wanted,
                seed=seed,
                jobs=jobs,
                cables=one.cables,
                fast=fast,
                interval=interval,
                known=known,
                work=work,
            )
        else:
            about = provenance_of(one.routing.topology, engine=one.routing.engine, seed=seed)
            curve = LoadCurve(one.traffic, name, (), config, provenance=about)
        curves.append(curve)
        if curve.ended != "done":
            break
        try:
            with work.interruptible():
                if saturation_width is not None:
                    found = saturation(
                        one.routing,
                        one.traffic,
                        preset,
                        settings=changes,
                        width=saturation_width,
                        seed=seed,
                        jobs=jobs,
                        cables=one.cables,
                        fast=fast,
                        interval=interval,
                        known=known,
                        work=work,
                    )
                    about = curves[-1].provenance if wanted else found.provenance
                    curves[-1] = replace(curves[-1], saturation=found, provenance=about)
                if zero_load:
                    latency = _zero_load(one, preset, changes, curve.points, seed, jobs, work)
                    curves[-1] = replace(curves[-1], zero_load=latency)
        except Stopped:
            curves[-1] = replace(curves[-1], ended=work.ended)
    points.write()
    whole = len(curves) == len(simulated) and all(curve.ended == "done" for curve in curves)
    return LoadCurves(tuple(curves), ended="done" if whole else work.ended, provenance=Provenance(seed=seed))


def _zero_load(
    one: SimulatedNetwork,
    preset: str | RouterConfig,
    settings: Sequence[str],
    points: Sequence[Point],
    seed: int,
    jobs: int | None,
    work: Work,
) -> float:
    """The latency of the almost empty network, in cycles."""
    found = simulate(
        one.routing,
        one.traffic,
        preset,
        settings=settings,
        loads=[min(_ALMOST_NONE, *(point.offered for point in points))],
        seed=seed,
        jobs=jobs,
        cables=one.cables,
        work=work,
    )
    if found.ended != "done":
        work.check()
    return found.points[0].latency_mean


def execute_all(
    simulated: Sequence[SimulatedNetwork],
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    seed: int = 1,
    work: Work | None = None,
) -> Executions:
    """Traces and closed loops to their end, on several networks and by several engines, one after the other.

    Parameters
    ----------
    simulated : sequence of SimulatedNetwork
        From `subjects`.
    preset, settings, seed
        As for `execute`.
    work : Work, optional
        As for `execute`; `Work.deliver` of each execution.

    Returns
    -------
    Executions
        In the order of `simulated`; those that were finished, when the work was stopped.

    Raises
    ------
    InputError
        What `execute` refuses.
    Stopped
        `work` was stopped before the last was over.
    """
    work = Work() if work is None else work
    changes = list(settings)
    found: list[Execution] = []
    for one in simulated:
        found.append(
            execute(one.routing, one.traffic, preset, settings=changes, seed=seed, cables=one.cables, work=work)
        )
        work.deliver(found[-1])
    return Executions(tuple(found), provenance=Provenance(seed=seed))

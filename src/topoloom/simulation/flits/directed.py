"""The operation `directed_simulate`: latency and throughput of a routed directed network under load, flit by flit."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.directed import DirectedTopology
from topoloom.model.results import Provenance, provenance_of
from topoloom.model.sources import DirectedSource, directed_of
from topoloom.model.topology import Topology
from topoloom.routing.directed_route import directed_route
from topoloom.routing.directed_routing import DirectedRouting
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.sweep import SimulatedNetwork, sweep
from topoloom.throughput.traffic import PATTERNS, Traffic, traffic_of


def directed_simulate(
    routing: DirectedRouting | DirectedSource,
    traffic: str | Traffic = "uniform",
    preset: str | RouterConfig = "slimfly-2014",
    *,
    settings: Iterable[str] = (),
    loads: Iterable[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    seed: int = 1,
    jobs: int | None = None,
    fast: bool = False,
    interval: float | None = None,
    saturation_width: float | None = None,
    work: Work | None = None,
) -> LoadCurve:
    """Simulate a directed network at several loads; every arc carries flits one way, and credits come back on its own wires.

    Parameters
    ----------
    routing : DirectedRouting or DirectedSource
        Tables from `directed_route` or your own; for a network, those of the fitting engine.
    traffic : str or Traffic
        A pattern that depends on hosts only (`Pattern.of_hosts`), or traffic as for `simulate`.
    preset, settings, loads, seed, jobs, fast, interval, work
        As for `simulate`; no loads for the saturation alone.
    saturation_width : float, optional
        Also search for the load at which the network saturates, with this precision.

    Returns
    -------
    LoadCurve
        The channels of its points are the arcs, in the order of `DirectedTopology.arcs`.

    Raises
    ------
    InputError
        As for `simulate`; a pattern that depends on links; an undirected network.
    Stopped
        `work` was stopped before the tables were made.

    Examples
    --------
    >>> curve = directed_simulate("unidirectional-ring:n=4,hosts=1", loads=[0.1], settings=["vcs=2"])
    >>> curve.points[0].saturated, curve.provenance.engine
    (False, 'dor')
    """
    work = Work() if work is None else work
    routed = routing if isinstance(routing, DirectedRouting) else _routed(routing, seed, jobs, work)
    sent = directed_traffic(traffic, routed.network, seed)
    curves = sweep(
        [SimulatedNetwork(routed.carried, sent, None)],
        preset,
        settings=settings,
        loads=loads,
        saturation_width=saturation_width,
        fast=fast,
        interval=interval,
        seed=seed,
        jobs=jobs,
        work=work,
    )
    curve = curves.curves[0]
    saturates = curve.saturation
    if saturates is not None:
        points = tuple(_of_arcs(point, routed) for point in saturates.points)
        saturates = replace(saturates, points=points, provenance=_provenance(saturates.provenance, routed))
    return replace(
        curve,
        points=tuple(_of_arcs(point, routed) for point in curve.points),
        saturation=saturates,
        provenance=_provenance(curve.provenance, routed),
    )


def _provenance(origin: Provenance, routed: DirectedRouting) -> Provenance:
    """The provenance of a result on the carrier, with the directed network in its place."""
    return provenance_of(
        routed.network,
        engine=routed.engine,
        seed=origin.seed,
        settings={**origin.settings, "directed": True},
        timings=origin.timings,
    )


def _routed(source: DirectedSource, seed: int, jobs: int | None, work: Work) -> DirectedRouting:
    return directed_route(directed_of(source, "directed_simulate"), seed=seed, jobs=jobs, work=work)


def directed_traffic(text: str | Traffic, network: DirectedTopology, seed: int) -> Traffic:
    """The traffic between the hosts of a directed network.

    Parameters
    ----------
    text : str or Traffic
    network : DirectedTopology
    seed : int

    Returns
    -------
    Traffic

    Raises
    ------
    InputError
        The pattern depends on links, which it would take for undirected ones, or it has no load.
    """
    if isinstance(text, Traffic):
        return text
    name = text.partition(":")[0]
    if not PATTERNS.find(name).of_hosts:
        able = ", ".join(name for name, record in PATTERNS.items() if record.of_hosts)
        raise InputError(
            f"{network.name}: this network is directed, and traffic '{name}' is not for these; choose one of {able}"
        )
    hosts = Topology(
        np.empty((0, 2), np.int64), network.switches, network.endpoints, labels=network.labels, name=network.name
    )
    sent = traffic_of(text, hosts, seed)
    if not isinstance(sent, Traffic):
        raise InputError(f"traffic '{text}' ends, and so has no load; directed networks are simulated at loads")
    return sent


def _of_arcs(point: Point, routed: DirectedRouting) -> Point:
    """The point, with the loads of the arcs alone."""
    loads = point.channel_loads[routed.carrier.channel] if point.channel_loads.size else point.channel_loads
    mean = float(np.mean(loads, dtype=np.float64)) if loads.size else point.link_mean
    return replace(point, channel_loads=loads, link_mean=mean, provenance=_provenance(point.provenance, routed))

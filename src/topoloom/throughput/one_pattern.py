"""The throughput of tables for one pattern of traffic, as `quality` gives it, without its other measures."""

import math
from collections.abc import Iterator
from dataclasses import replace

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.planes import plane_count
from topoloom.routing.planes import distinct_tables
from topoloom.routing.routing import Routing
from topoloom.throughput.over_planes import slowest
from topoloom.throughput.rails import Rails, rails_of
from topoloom.throughput.traffic import Loop, Trace, Traffic, matrix, traffic_of, uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.throughput.tub import volume_bound

#: Switches up to which the routing-independent bounds are computed: the matrices of the maximal permutation take 24 n^2 bytes.
MOST_TUB = 8192


def pattern_throughput(
    routing: Routing, pattern: str, *, seed: int = 1, jobs: int | None = None, work: Work | None = None
) -> tuple[float, float]:
    """Return what `quality` gives for one pattern, without the other measures: `traffic_throughput` and `traffic_bound`.

    Parameters
    ----------
    routing : Routing
    pattern : str
        A pattern with a load.
    seed, jobs, work
        As for `quality`.

    Returns
    -------
    (float, float)
        The throughput of the slowest plane, and the routing-independent bound.

    Raises
    ------
    InputError, Stopped
        As for `quality`.
    """
    work = Work() if work is None else work
    carried, bound = math.inf, math.inf
    for tables, rails in _planes_of_tables(routing):
        topology = tables[0].topology
        if rails is None:
            sent = with_load(pattern, traffic_of(pattern, tables[0], seed))
            loads = expected_loads(tables[0], sent, jobs, work=work)
        else:
            wanted = with_load(pattern, rails.pattern(pattern, tables[0], seed))
            loads, demand = rails.loads(tables, rails.parts(wanted), rails.host_limit(wanted), jobs, work)
            sent = matrix(topology, demand)
        carried, bound = min(carried, loads.throughput), min(bound, volume_bound(topology, sent, jobs))
    return carried, bound


def requested_traffic(routing: Routing, traffic: str | Traffic | None, seed: int) -> Traffic | None:
    """Return traffic that is given, or that of a pattern with a load; a network without hosts gets one per switch.

    Parameters
    ----------
    routing : Routing
    traffic : str, Traffic or None
    seed : int
        Of a pattern's random choices.

    Returns
    -------
    Traffic or None
        None where none is given.

    Raises
    ------
    InputError
        An unknown pattern, one without a load, or traffic of another network.
    """
    if not isinstance(traffic, str):
        if traffic is not None and traffic.switches != routing.topology.switches:
            raise InputError(
                f"{routing.topology.name}: traffic {traffic.name} is for {traffic.switches} switches, but the network has"
                f" {routing.topology.switches}"
            )
        return traffic
    if not routing.topology.endpoints.size:
        routing = replace(routing, topology=routing.topology.with_hosts(1))
    return with_load(traffic, traffic_of(traffic, routing, seed))


def uniform_throughput(
    routing: Routing, *, jobs: int | None = None, work: Work | None = None
) -> tuple[float, float | None]:
    """Return what `quality` gives as `uniform_throughput` and `uniform_bound`, without the other measures.

    Parameters
    ----------
    routing : Routing
    jobs, work
        As for `quality`.

    Returns
    -------
    (float, float or None)
        The throughput of the slowest plane, and the routing-independent bound; None for over 8,192 switches.

    Raises
    ------
    InputError, Stopped
        As for `quality`.
    """
    work = Work() if work is None else work
    carried, bounds = math.inf, list[float | None]()
    for tables, rails in _planes_of_tables(routing):
        topology = tables[0].topology
        if rails is None:
            sent = uniform_remote(topology)
            loads = expected_loads(tables[0], sent, jobs, work=work)
        else:
            loads, demand = rails.loads(tables, rails.parts(rails.uniform()), 1.0, jobs, work)
            sent = matrix(topology, demand)
        carried = min(carried, loads.throughput)
        bounds.append(volume_bound(topology, sent, jobs) if topology.switches <= MOST_TUB else None)
    return carried, slowest(bounds)


def _planes_of_tables(routing: Routing) -> Iterator[tuple[tuple[Routing, ...], Rails | None]]:
    """Yield the tables of each kind of plane, one per host of a switch where they have these, and the rails of the plane."""
    several = plane_count(routing.topology) > 1
    planes = [own for own, _ in distinct_tables(routing)] if several else [routing.host_paths]
    for own in planes:
        yield own, rails_of(own[0].topology, len(own))


def with_load(text: str, traffic: Traffic | Loop | Trace) -> Traffic:
    """Return traffic that never ends.

    Raises
    ------
    InputError
        A trace or a closed loop.
    """
    if not isinstance(traffic, Traffic):
        raise InputError(f"traffic '{text}' ends, and so has no load; simulate it with `execute`")
    return traffic

"""The operation `quality`: the throughput, loads and bounds of a network and its tables, for the traffic that matters."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.planes import plane_count
from topoloom.graph.symmetry import symmetries
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, several
from topoloom.model.topology import Topology
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.groups.state import next_hop_state
from topoloom.routing.planes import distinct_tables
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.throughput.approximate import Bracket, approximate_flow
from topoloom.throughput.bisections import effective_bisection
from topoloom.throughput.flow import arcs, concurrent_flow
from topoloom.throughput.one_pattern import MOST_TUB, requested_traffic, with_load
from topoloom.throughput.over_planes import quality_of_planes
from topoloom.throughput.rail_worst import worst_on_rails
from topoloom.throughput.rails import Rails, rails_of
from topoloom.throughput.result import LoadSummary, Quality
from topoloom.throughput.symmetric import symmetric_flow
from topoloom.throughput.traffic import (
    PATTERNS,
    TablesNeededError,
    Traffic,
    host_permutation,
    hosts_on,
    matrix,
    permutation,
    traffic_of,
    uniform_remote,
)
from topoloom.throughput.traffic.loads import Loads, expected_loads
from topoloom.throughput.traffic.worst import MOST_SWITCHES, worst_permutation
from topoloom.throughput.tub import tub, uniform_bound, volume_bound

#: Size, sources times channels, up to which `quality` solves the exact flows: it takes seconds.
QUICK_FLOWS = 20_000
#: Bounds of a flow that differ by at most this are taken as equal.
_EXACT_GAP = 1e-6


def quality(
    routing: NetworkSource | Sequence[Routing],
    traffic: str | Traffic | None = None,
    *,
    bisections: int = 1000,
    gap: float | None = None,
    asic_limits: str | None = None,
    forwarding_state: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> Quality:
    """Return how good a network and its tables are: loads, throughput, effective bisection, worst permutation, bounds.

    Parameters
    ----------
    routing : Routing or sequence of Routing
        Tables, from an engine or elsewhere, that lead from every switch with hosts to every other. Of several tables, the first
        leads to the first host port of each switch, the second to its second, and so on in turn (`host_routings`); a routing
        with one table per host of a switch (`Routing.by_host`) is measured by these tables, and evenly by all addresses of a
        host (`Routing.paths`).
    traffic : str or Traffic, optional
        Measured in addition to uniform traffic and the worst permutations: a pattern with a load, such as ``hotspot:hosts=2``,
        or a result of the functions of `topoloom.throughput.traffic`.
    bisections : int
        How many random bisections of the hosts.
    gap : float, optional
        Where exact flows take too long, bracket them to this relative gap: 0.05 takes minutes for 1,000 switches.
    asic_limits : str, optional
        Limits of the switches' ASIC: ``groups=1024,width=64`` (`topoloom.routing.groups.state.next_hop_state`).
    forwarding_state : bool
        Whether the forwarding state of a switch is counted, also without limits and for tables without next-hop groups; that of
        next-hop groups always is.
    seed : int
        The seed of the bisections, of a pattern's random choices, and of pairs whose disjoint paths are counted.
    jobs : int, optional
        Threads; all cores when omitted. The result does not depend on their number.
    work : Work, optional
        Reports the progress of each measure, in its unit.

    Returns
    -------
    Quality

    Raises
    ------
    Stopped
        `work` was stopped before all was measured; a bracket that `gap` asks for keeps the width reached so far.
    InputError
        A forwarding state of several planes or tables, or of a choice that is none of next hops; incomplete tables, adaptive
        routing over detours, no bisections, a gap that is not positive, an unknown pattern, a pattern without a load, traffic
        of another network; traffic that is not a pattern, for several planes, rails or tables; several tables for a network
        without hosts.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> result = quality(route(build("hypercube:n=3")), bisections=100)
    >>> result.tub, round(result.permutation_flow.lower, 4), result.hosts_assumed
    (1.0, 1.0, True)
    """
    given_routings = several(routing, Routing, "quality")
    planes = plane_count(given_routings[0].topology)
    # Tables of planes are measured plane by plane, which needs no tables of the whole network.
    routings = given_routings[0].host_paths if len(given_routings) == 1 and planes < 2 else given_routings
    routing = routings[0]
    for other in routings:
        if other.topology != routing.topology:
            raise InputError(f"{routing.topology.name}: one of the tables is of another network, {other.topology.name}")
    if gap is not None and not gap > 0:
        raise InputError(f"gap={gap}: it must be positive, such as 0.05 for bounds that differ by at most 5 %")
    grouped = isinstance(routing.choice, NextHopGroups)
    counted = grouped or forwarding_state or asic_limits is not None
    if counted and not grouped:
        if len(routings) > 1 or planes > 1:
            raise InputError(
                f"{routing.topology.name}: the forwarding state is counted for one plane and one table; give one of them alone"
            )
        next_hop_groups_of(routing)  # refuses other choices before anything is measured
    if planes > 1:
        return _of_planes(routings, planes, traffic, bisections, gap, seed, jobs, work)
    if len(routings) > 1 and not routing.topology.endpoints.size:
        raise InputError(f"{routing.topology.name}: {len(routings)} tables need hosts; add hosts, or give one table")
    rails = rails_of(routing.topology, len(routings))
    if rails is not None:
        return _on_rails(routings, rails, traffic, bisections, gap, seed, jobs, Work() if work is None else work)
    topology, hosts = routing.topology, hosts_on(routing.topology)
    requested = requested_traffic(routing, traffic, seed)
    uniform = uniform_remote(topology)
    work = Work() if work is None else work
    loads = expected_loads(routing, uniform, jobs, work=work)
    by_tables = routing.choice is None
    verification = routing.verification or verify_routing(routing, jobs)
    pairs = verification.channel_load if by_tables else _expected_pairs(routing, jobs)
    drawn = None
    if by_tables and hosts.sum() > 1:
        drawn = effective_bisection(routing, bisections, seed=seed, jobs=jobs, work=work)
    worst = worst_permutation(routing, jobs, work=work) if by_tables and topology.switches <= MOST_SWITCHES else None
    work.begin(None, "maximal permutation")
    bound = tub(topology, jobs) if topology.switches <= MOST_TUB else None
    maximal = permutation(topology, bound.partner) if bound else None
    solve_flows = gap is not None or _quick(topology)

    def flow(sent: Traffic) -> Bracket:
        return _best_flow(topology, sent, gap, jobs, work)

    name = requested.name if requested else None
    settings = {"bisections": bisections, "gap": gap, "traffic": name}
    return Quality(
        provenance=provenance_of(topology, engine=routing.engine, seed=seed, settings=settings),
        switches=topology.switches,
        hosts=int(hosts.sum()),
        hosts_assumed=not topology.endpoints.size,
        edge_forwarding_index=verification.edge_forwarding_index
        if by_tables
        else math.ceil(pairs.max(initial=0.0) - 1e-9),
        channel_load=LoadSummary.of(pairs),
        switch_load=LoadSummary.of(verification.switch_load if by_tables else _through(routing, pairs)),
        expected=not by_tables,
        uniform_throughput=loads.throughput,
        effective_bisection=drawn.mean if drawn else float("nan"),
        effective_bisection_error=drawn.error if drawn else float("nan"),
        bisections=bisections,
        worst_load=worst.load if worst else None,
        worst_throughput=worst.throughput if worst else None,
        permutation_throughput=expected_loads(routing, maximal, jobs, work=work).throughput if maximal else None,
        uniform_bound=uniform_bound(topology, jobs) if bound else None,
        tub=bound.value if bound else None,
        uniform_flow=flow(uniform) if solve_flows else _alike_flow(topology, uniform, work),
        permutation_flow=flow(maximal) if solve_flows and maximal else None,
        worst_flow=flow(host_permutation(topology, worst.partner)) if solve_flows and worst else None,
        traffic=name,
        traffic_throughput=expected_loads(routing, requested, jobs, work=work).throughput if requested else None,
        traffic_bound=volume_bound(topology, requested, jobs) if requested else None,
        traffic_flow=flow(requested) if requested and solve_flows else None,
        max_channel_load=_pairs_of_hosts(topology, loads),
        next_hops=next_hop_state(replace(routing, verification=verification), asic_limits, seed=seed)
        if counted
        else None,
    )


def _pairs_of_hosts(topology: Topology, uniform: Loads) -> float | None:
    """Return the pairs of hosts on the most loaded channel, from the loads of `uniform_remote`; None if they do not give it."""
    if topology.mixed or not topology.endpoints.size:
        return None
    at = topology.endpoints_at
    return round(float(uniform.channels.max(initial=0.0)) * float(at.sum() - at[at > 0].min()), 9)


def _quick(topology: Topology) -> bool:
    """Whether the exact flows of this topology take seconds."""
    return int((hosts_on(topology) > 0).sum()) * arcs(topology)[1].size <= QUICK_FLOWS


def _alike_flow(topology: Topology, even: Traffic, work: Work) -> Bracket | None:
    """Return the best flow of uniform traffic where a large network's symmetries make it quick and exact; else None."""
    if topology.switches > MOST_TUB:
        return None
    topology_symmetries = symmetries(topology)
    bracket = (
        symmetric_flow(topology, even, known=topology_symmetries, work=work.step())
        if len(topology_symmetries.maps)
        else None
    )
    return Bracket(bracket.lower, bracket.lower, 0) if bracket is not None and bracket.gap < _EXACT_GAP else None


def _best_flow(topology: Topology, sent: Traffic, gap: float | None, jobs: int | None, work: Work) -> Bracket:
    """Return the best flow of a traffic: exact where that is quick, else between two bounds.

    Parameters
    ----------
    topology : Topology
    sent : Traffic
    gap : float or None
        The relative gap between the bounds; None only where the exact flow is quick.
    jobs : int or None
    work : Work
    """
    if gap is not None and not _quick(topology):
        return approximate_flow(topology, sent, gap=gap, jobs=jobs, work=work)
    work.check()
    work.begin(None, "best flow")
    exact = concurrent_flow(topology, sent)
    return Bracket(exact, exact, 0)


def _on_rails(
    routings: Sequence[Routing],
    rails: Rails,
    traffic: str | Traffic | None,
    bisections: int,
    gap: float | None,
    seed: int,
    jobs: int | None,
    work: Work,
) -> Quality:
    """Return the quality of tables for hosts whose ports send only to ports of the same rail; parameters are `quality`'s.

    Parameters
    ----------
    routings : sequence of Routing
    rails : Rails
        The rails of their network.
    traffic : str or Traffic, optional
    bisections : int
    gap : float or None
    seed : int
    jobs : int or None
    work : Work
    """
    routing, topology = routings[0], rails.topology
    if traffic is not None and not isinstance(traffic, str):
        raise InputError(
            f"{topology.name}: traffic {traffic.name} is between switches, but the hosts have"
            f" {f'{rails.count} rails' if rails.count > 1 else f'{len(routings)} tables'}; give the name"
            " of a pattern, such as 'permutation', which is between hosts"
        )
    by_tables = all(routing.choice is None for routing in routings)
    requested = None if traffic is None else with_load(traffic, rails.pattern(traffic, routing, seed))
    uniform_loads, uniform = rails.loads(routings, rails.parts(rails.uniform()), 1.0, jobs, work)
    most_pairs, sum_of_pairs, through = 0, np.zeros(2 * len(topology.links)), []
    for table in routings:
        verified = table.verification if table.choice is None else None
        pairs = _expected_pairs(table, jobs) if verified is None else verified.channel_load
        most_pairs = max(most_pairs, math.ceil(pairs.max(initial=0.0) - 1e-9))
        sum_of_pairs += pairs
        through.append(_through(table, pairs))
    drawn = rails.bisections(routings, bisections, seed, jobs, work) if by_tables else None
    worst = worst_demand = None
    if by_tables and rails.count > 1:
        worst = worst_on_rails(rails, routings, work)
        worst_demand = None if worst is None else rails.permuted(worst.partner)
    elif by_tables and len(routings) * topology.switches**2 <= MOST_SWITCHES**2:
        worst = worst_permutation(routings, jobs, work=work)
        worst_demand = host_permutation(topology, worst.partner).dense()
    bound = permuted = maximal = requested_loads = demand_requested = None
    if topology.switches <= MOST_TUB:
        work.begin(None, "maximal permutation")
        bound, parts = rails.farthest(jobs)
        permuted, maximal = rails.loads(routings, parts, 1.0, jobs, work)
    if requested is not None:
        requested_loads, demand_requested = rails.loads(
            routings, rails.parts(requested), rails.host_limit(requested), jobs, work
        )
    solve_flows = gap is not None or _quick(topology)

    def flow(demand: np.ndarray | None) -> Bracket | None:
        if demand is None or not solve_flows:
            return None
        return _best_flow(topology, matrix(topology, demand), gap, jobs, work)

    def bound_of(demand: np.ndarray | None) -> float | None:
        return None if demand is None else volume_bound(topology, matrix(topology, demand), jobs)

    settings = {"bisections": bisections, "gap": gap, "traffic": traffic, "host_tables": len(routings)}
    return Quality(
        provenance=provenance_of(topology, engine=routing.engine, seed=seed, settings=settings),
        switches=topology.switches,
        hosts=topology.endpoints.size,
        hosts_assumed=False,
        edge_forwarding_index=most_pairs,
        channel_load=LoadSummary.of(sum_of_pairs / len(routings)),
        switch_load=LoadSummary.of(through[0] if len(through) == 1 else np.mean(through, axis=0)),
        expected=not by_tables,
        uniform_throughput=uniform_loads.throughput,
        effective_bisection=drawn.mean if drawn else float("nan"),
        effective_bisection_error=drawn.error if drawn else float("nan"),
        bisections=bisections,
        worst_load=worst.load if worst else None,
        worst_throughput=worst.throughput if worst else None,
        permutation_throughput=permuted.throughput if permuted else None,
        uniform_bound=bound_of(uniform) if bound else None,
        tub=bound.value if bound else None,
        uniform_flow=flow(uniform),
        permutation_flow=flow(maximal),
        worst_flow=flow(worst_demand),
        traffic=traffic,
        traffic_throughput=requested_loads.throughput if requested_loads else None,
        traffic_bound=bound_of(demand_requested),
        traffic_flow=flow(demand_requested),
        rails=rails.count,
        host_tables=len(routings),
        max_channel_load=_pairs_of_hosts(topology, uniform_loads) if rails.count == 1 else None,
    )


def _expected_pairs(routing: Routing, jobs: int | None) -> np.ndarray:
    """Return the mean number of pairs of switches on each channel, float64[2 m], where switches or layers split evenly."""
    carrying = hosts_on(routing.topology) > 0
    demand = np.outer(carrying, carrying).astype(float)
    np.fill_diagonal(demand, 0.0)
    return expected_loads(routing, matrix(routing.topology, demand), jobs).channels


def _through(routing: Routing, pairs: np.ndarray) -> np.ndarray:
    """Return how many pairs pass through each switch that is neither their first nor their last, float64[n]."""
    n = routing.topology.switches
    carrying = hosts_on(routing.topology) > 0
    arriving = np.bincount(routing.channels.to, pairs, n)
    return np.asarray(arriving - np.where(carrying, carrying.sum() - 1, 0))


def _of_planes(
    routings: Sequence[Routing],
    planes: int,
    traffic: str | Traffic | None,
    bisections: int,
    gap: float | None,
    seed: int,
    jobs: int | None,
    work: Work | None,
) -> Quality:
    """Return the quality of tables of several planes, each by itself and identical ones once; parameters are `quality`'s.

    Parameters
    ----------
    routings : sequence of Routing
        One with tables of all hosts, or one table per host of a switch; each is verified here if it is not yet.
    planes : int
        The number of planes.
    traffic : str or Traffic, optional
    bisections : int
    gap : float or None
    seed : int
    jobs : int or None
    work : Work or None
    """
    routing = routings[0]
    topology = routing.topology
    if traffic is not None and not isinstance(traffic, str):
        raise InputError(
            f"{topology.name}: traffic {traffic.name} is of all switches, but the network has {planes} planes; give"
            " the name of a"
            " pattern, such as 'permutation', which is applied to each plane"
        )
    kinds = distinct_tables(*routings)
    qualities = [
        quality(tables, traffic, bisections=bisections, gap=gap, seed=seed, jobs=jobs, work=work) for tables, _ in kinds
    ]
    # A plane without hosts counts by its switches, of one host each.
    rates = [
        float(first.topology.endpoint_rate_gbps.sum())
        if first.topology.endpoint_rate_gbps is not None and first.topology.endpoints.size
        else float(measured.hosts)
        for ((first, *_), _), measured in zip(kinds, qualities, strict=True)
    ]
    whole = quality_of_planes(qualities, [count for _, count in kinds], rates)
    verifications = [table.verification or verify_routing(table, jobs) for table in routings]
    count = sum(table.host_table_count for table in routings)
    pairs = np.sum([verification.channel_load for verification in verifications], axis=0)
    through = np.sum([verification.switch_load for verification in verifications], axis=0)
    settings = {"bisections": bisections, "gap": gap, "traffic": traffic}
    return replace(
        whole,
        switches=topology.switches,
        channel_load=LoadSummary.of(pairs / count),
        switch_load=LoadSummary.of(through / count),
        planes=planes,
        provenance=provenance_of(topology, engine=routing.engine, seed=seed, settings=settings),
    )


def check_asked(topology: Topology, traffic: str | None, seed: int = 1) -> None:
    """Refuse traffic that `quality` cannot measure on a network, before the network is routed.

    Parameters
    ----------
    topology : Topology
    traffic : str or None
        As for `quality`; where hosts have several ports, only the pattern's name is checked.
    seed : int

    Raises
    ------
    InputError
        As `quality`.
    """
    if traffic is None:
        return
    if topology.hosts != topology.endpoints.size:
        PATTERNS.find(traffic.partition(":")[0])
        return
    with contextlib.suppress(TablesNeededError):
        with_load(traffic, traffic_of(traffic, topology if topology.hosts else topology.with_hosts(1), seed))

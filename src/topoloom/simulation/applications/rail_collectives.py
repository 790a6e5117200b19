"""Collectives of hosts with several ports: every port is a rank of its rail or plane, and all of them work at once.

A host's accelerators first exchange inside the host or scale-up domain, so that each accelerator holds the part of its port;
then every rail has a collective among the hosts, all rails and planes at the same time; then the accelerators exchange again.
Libraries of collectives do the same (NCCL's rails and PXN).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.graph.host_ports import ports_by_host
from topoloom.graph.planes import Plane, plane_count, planes_of
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.layout.layout import Layout
from topoloom.routing.planes import tables_of_planes
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.machine import machine
from topoloom.simulation.applications.settings import DETACHED, AppSettings
from topoloom.simulation.collectives.bound import bound_of
from topoloom.simulation.collectives.delays import NetworkTiming
from topoloom.simulation.flows.network import flow_network
from topoloom.simulation.flows.programs import Programs, Script
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.simulate import simulate_flows

#: Pieces in which the exchange inside a host and the collective of the rails overlap.
PIECES = 32
#: Hosts up to which a single ring is tried; larger ones have too many steps, each with its delay.
_SHORT_RING = 64
_BYTES_PER_GBIT = 1e9 / 8
_BYTES_PER_GB = 1e9


@dataclass(frozen=True)
class ScaleUp:
    """Accelerators that reach each other without the network: in a host, or in several hosts of a rack.

    Attributes
    ----------
    accelerators : int
        Their number in one domain; 1: hosts without accelerators.
    gb_per_s : float or None
        What one accelerator sends to the others, and receives from them, in GB/s each; None: not known, and not counted.
    hosts : int or None
        The hosts of a domain, as 18 trays of a rack; None: as many as have a port per accelerator.
    members : range or None
        The hosts with accelerators, where the network has others, too; None: all.
    """

    accelerators: int = 1
    gb_per_s: float | None = None
    hosts: int | None = None
    members: range | None = None


@dataclass(frozen=True)
class RailCollective:
    """The time of a collective on all rails and planes at once.

    Attributes
    ----------
    operation, algorithm : str
    hosts, ports : int
        Hosts, or scale-up domains, that take part, and the ports of each.
    seconds : float
        The network's time and the time inside hosts, overlapped in `PIECES` pieces: one piece of the shorter one is not
        hidden.
    network_s, inside_s : float
        The simulated time of the slowest plane, and the time of the exchanges inside a host.
    bound_s : float
        The least time of the hosts' data over the network, for any algorithm and any tables.
    """

    operation: str
    algorithm: str
    hosts: int
    ports: int
    seconds: float
    network_s: float
    inside_s: float
    bound_s: float


def scale_up_of(housing: Housing, hosts: int) -> ScaleUp:
    """The scale-up domains of the hosts with most accelerators; other kinds, such as login nodes, take no part.

    Parameters
    ----------
    housing : Housing
    hosts : int
        All hosts of the network.

    Returns
    -------
    ScaleUp

    Raises
    ------
    InputError
        As `Housing.kinds`.
    """
    kinds = zip(housing.kinds(hosts), housing.unit_sizes, strict=True)
    (host, own), size = max(kinds, key=lambda kind: kind[0][0].scale_up)
    in_unit = size if host.scale_up > 1 else None
    return ScaleUp(host.scale_up, host.scale_up_gb_per_s, in_unit, own if len(own) < hosts else None)


def scale_up_domains(topology: Topology, scale_up: ScaleUp) -> Topology:
    """The network with each scale-up domain as one host, and without hosts that have no accelerators.

    Hosts of a domain are successive. They stay as they are where a domain is no larger than a host, or if they do not fill
    whole domains.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> trays = build("fat-tree:k=8,hosts=32+planes:count=4")
    >>> trays.hosts, scale_up_domains(trays, ScaleUp(16)).hosts, scale_up_domains(trays, ScaleUp(4)).hosts
    (32, 8, 32)
    """
    if scale_up.members is not None and len(scale_up.members) < topology.hosts:
        own = np.isin(topology.host, scale_up.members)
        rates = {} if topology.endpoint_rate_gbps is None else {"endpoint_rate_gbps": topology.endpoint_rate_gbps[own]}
        topology = topology.replace(
            endpoints=topology.endpoints[own], host=topology.host[own] - scale_up.members.start, **rates
        )
    ports = topology.endpoints.size // max(1, topology.hosts)
    if scale_up.hosts is None:
        hosts, rest = divmod(scale_up.accelerators, max(1, ports))
    else:
        hosts, rest = scale_up.hosts, 0
    if rest or hosts < 2 or topology.hosts % hosts:
        return topology
    return topology.replace(endpoints=topology.endpoints, host=topology.host // hosts)


def rail_collective(
    routing: Routing,
    operation: str,
    size: float,
    hosts: Sequence[int] | np.ndarray | None = None,
    *,
    scale_up: ScaleUp | None = None,
    settings: AppSettings | None = None,
    layout: Layout | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> RailCollective:
    """Simulate a collective of hosts that use all their ports at once, as flows along the tables.

    Rings visit the hosts in the order of the machine, first those of a switch, then one host of each switch; of two algorithms
    that are possible, the faster one counts. Planes that are alike are simulated once. Where rails or planes differ in rate,
    each carries data in proportion to the lowest rate of its ports.

    Parameters
    ----------
    routing : Routing
        Tables of the network, of one or several planes.
    operation : "allreduce", "allgather", "reduce-scatter" or "alltoall"
    size : float
        Bytes of the vector, or of all hosts' data together; for an all-to-all, from each host to each other.
    hosts : sequence of int, optional
        The hosts, or scale-up domains, that take part, in order; all when omitted.
    scale_up : ScaleUp, optional
        The accelerators of a domain; one per host when omitted.
    settings : AppSettings, optional
    layout : Layout, optional
        The length of every cable.
    jobs, work
        As in other functions.

    Raises
    ------
    InputError
        Another operation, fewer than two hosts, hosts that differ in their number of ports, tables that choose paths.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom import build, route
    >>> tree = build("fat-tree:k=8,hosts=16+planes:count=4")
    >>> times = rail_collective(route(tree, "fat-tree-hosts"), "allreduce", 256 * 2**20)
    >>> round(times.bound_s * 1e3, 2), times.seconds < 1.02 * times.bound_s
    (25.17, True)
    """
    if operation not in _PARTS:
        raise InputError(f"operation {operation!a}: the collectives of rails are {', '.join(_PARTS)}")
    work = Work() if work is None else work
    settings = AppSettings() if settings is None else settings
    scale_up = ScaleUp() if scale_up is None else scale_up
    topology = scale_up_domains(routing.topology, scale_up)
    chosen = np.arange(topology.hosts) if hosts is None else np.asarray(hosts, np.int64)
    if chosen.size < 2:
        raise InputError(f"{topology.name}: a collective needs two hosts")
    rates = machine(topology, settings, layout)
    ports = topology.endpoints.size // topology.hosts
    algorithm, network_s = _fastest(topology, routing, operation, size, chosen, ports, rates, settings, work)
    inside_s = _inside_s(operation, size, chosen.size, scale_up)
    bound = bound_of(topology, operation, max(1, round(size)), chosen, rates, quick=True, jobs=jobs, work=work)
    return RailCollective(
        operation=operation,
        algorithm=algorithm,
        hosts=int(chosen.size),
        ports=ports,
        seconds=max(network_s, inside_s) + min(network_s, inside_s) / PIECES,
        network_s=network_s,
        inside_s=inside_s,
        bound_s=bound.seconds,
    )


def _inside_s(operation: str, size: float, hosts: int, scale_up: ScaleUp) -> float:
    """The seconds of the exchanges inside a domain, every accelerator with every other at its full rate."""
    count = scale_up.accelerators
    if scale_up.gb_per_s is None or count < 2:
        return 0.0
    rate = scale_up.gb_per_s * _BYTES_PER_GB
    if operation == "alltoall":
        # Each accelerator has its share of the host's data, of which all but its own rail's goes to another accelerator.
        return size * (hosts - 1) / count * (count - 1) / count / rate
    return (2 if operation == "allreduce" else 1) * (count - 1) / count * size / rate


#: The parts of each operation, from the bytes of a port and the ranks of the inner groups: (algorithm, bytes, kind of group).
#: Kind 1 is the whole rail, kind 2 the inner groups, kind 3 the ranks with the same place in the inner groups.
_Parts = list[tuple[str, float, int]]


def _rings(size: float, group: int) -> dict[str, _Parts]:
    return {
        "reduce-scatter": [("ring", size, 2), ("ring", size / group, 3)],
        "allgather": [("ring", size / group, 3), ("ring", size, 2)],
    }


def _parts_of(operation: str, algorithm: str, size: float, group: int) -> _Parts:
    if operation == "alltoall":
        return [("shift", size, 1)]
    if algorithm == "rail-halving":
        return [("halving", size, 1)]
    if algorithm == "rail-ring":
        return [("ring", size, 1)] * (2 if operation == "allreduce" else 1)
    both = _rings(size, group)
    return both["reduce-scatter"] + both["allgather"] if operation == "allreduce" else both[operation]


#: The algorithms of each operation.
_PARTS = {
    "allreduce": ("rail-rings", "rail-ring", "rail-halving"),
    "allgather": ("rail-rings", "rail-ring"),
    "reduce-scatter": ("rail-rings", "rail-ring"),
    "alltoall": ("rail-shift",),
}


def _fitting(operation: str, hosts: int, group: int) -> list[str]:
    """The algorithms of an operation that suit a number of hosts."""
    fitting = []
    for algorithm in _PARTS[operation]:
        if algorithm == "rail-rings" and group in (1, hosts):
            continue
        if algorithm == "rail-ring" and hosts > _SHORT_RING and group not in (1, hosts):
            continue
        if algorithm == "rail-halving" and hosts & (hosts - 1):
            continue
        fitting.append(algorithm)
    return fitting


def _group_of(hosts: int, near: int) -> int:
    """The divisor of a number of hosts, as large as possible up to `near`, and at least near the square root."""
    divisors = [count for count in range(1, hosts + 1) if hosts % count == 0]
    at_most = max(count for count in divisors if count <= max(1, near))
    return at_most if at_most**2 >= hosts else min(divisors, key=lambda count: abs(count - hosts**0.5))


def _fastest(
    topology: Topology,
    routing: Routing,
    operation: str,
    size: float,
    chosen: np.ndarray,
    ports: int,
    rates: NetworkTiming,
    settings: AppSettings,
    work: Work,
) -> tuple[str, float]:
    """The fastest algorithm, and its seconds on the slowest plane."""
    cases = [_PlaneCase.of(*planes, chosen, rates, settings) for planes in _distinct(topology, routing)]
    # What a rail carries: an equal share, or one in proportion to its rate.
    if rates.port_gbps is None:
        shares = [np.full(case.rail_gbps.size, 1 / ports) for case in cases]
    else:
        total = sum(_rail_gbps(plane, chosen).sum() for plane in planes_of(topology))
        shares = [case.rail_gbps / total for case in cases]
    times: dict[str, float] = {}
    for algorithm in _fitting(operation, chosen.size, cases[0].group):
        slowest = 0.0
        for case, share in zip(cases, shares, strict=True):
            work.check()
            parts = [_parts_of(operation, algorithm, size * each, case.group) for each in share.tolist()]
            slowest = max(slowest, case.seconds(parts, work))
        times[algorithm] = slowest
    best = min(times, key=lambda name: times[name])
    return best, times[best]


def _distinct(topology: Topology, routing: Routing) -> list[tuple[Plane, tuple[Routing, ...]]]:
    """The planes of a network that differ in links, hosts or tables, each with its tables."""
    planes: dict[tuple[str, bytes], tuple[Plane, tuple[Routing, ...]]] = {}
    if plane_count(topology) == 0:
        raise InputError(f"{topology.name}: its parts share no hosts")
    for plane, made in tables_of_planes(*((routing,) if routing.paths == 1 else routing.host_tables)):
        single = plane.topology.replace(endpoints=plane.topology.endpoints, host=None)
        tables = tuple(replace(table, topology=single, virtual_channels=None) for table in made)
        own = plane.topology.replace(labels={}, endpoints=plane.topology.endpoints, host=plane.topology.host)
        digest = hashlib.sha256()
        for table in tables:
            digest.update(np.ascontiguousarray(table.ports).data)
        planes.setdefault((own.digest, digest.digest()), (plane, tables))
    return list(planes.values())


def _taking(plane: Plane, chosen: np.ndarray) -> np.ndarray:
    """The ports, int[rails, hosts], with which hosts take part in a plane."""
    place = np.searchsorted(plane.hosts, chosen)
    if (place >= plane.hosts.size).any() or (plane.hosts[np.minimum(place, plane.hosts.size - 1)] != chosen).any():
        raise InputError(f"{plane.topology.name}: not every host has a port in this plane")
    return np.asarray(ports_by_host(plane.topology)[place].T)


def _rail_gbps(plane: Plane, chosen: np.ndarray) -> np.ndarray:
    """The lowest rate of the ports of each rail in a plane; 1 where rates are not given."""
    taking, own = _taking(plane, chosen), plane.topology.endpoint_rate_gbps
    return np.ones(len(taking)) if own is None else np.asarray(own[taking].min(axis=1))


@dataclass(frozen=True, eq=False)
class _PlaneCase:
    """A plane with its ports as ranks: rank r n + i is port r of the i-th host that takes part.

    Attributes
    ----------
    network : FlowNetwork
    homes : int64[rails n]
    groups : tuple of int64[rails n]
        By kind: all, the rail, the inner groups of a rail, the ranks with the same place in these.
    group : int
        Ranks of an inner group.
    rail_gbps : float64[rails]
        The lowest rate of the ports of each rail; 1 where rates are not given.
    """

    network: object
    homes: np.ndarray
    groups: tuple[np.ndarray, ...]
    group: int
    rail_gbps: np.ndarray

    @classmethod
    def of(
        cls, plane: Plane, tables: tuple[Routing, ...], chosen: np.ndarray, rates: NetworkTiming, settings: AppSettings
    ) -> "_PlaneCase":
        """The case of a plane."""
        taking = _taking(plane, chosen)
        rails, n = taking.shape
        # A rail's inner groups are the hosts of a switch, where these are as many on each.
        on_switch = np.unique(plane.topology.endpoints[taking[0]], return_counts=True)[1]
        group = _group_of(n, int(on_switch.max()))
        rail, number = np.repeat(np.arange(rails), n), np.tile(np.arange(n), rails)
        groups = (np.zeros_like(rail), rail, rail * (n // group) + number // group, rail * group + number % group)
        own = None if rates.port_gbps is None else plane.topology.endpoint_rate_gbps
        network = flow_network(
            tables,
            link_rate=(rates.rate_gbps if rates.link_gbps is None else rates.link_gbps[plane.links]) * _BYTES_PER_GBIT,
            host_rate=(rates.host_rate_gbps if own is None else own) * _BYTES_PER_GBIT,
            cable_s=rates.cable_s[plane.links],
            switch_s=rates.switch_s,
            host_s=rates.host_s,
            half_duplex=settings.duplex == "half",
        )
        return cls(network, taking.reshape(-1).astype(np.int64), groups, group, _rail_gbps(plane, chosen))

    def seconds(self, parts: list[_Parts], work: Work) -> float:
        """The simulated time of the parts of each rail, one after the other, on all rails at once."""
        distinct = list(dict.fromkeys(map(tuple, parts)))
        scripts = tuple(Script() for _ in distinct)
        for script, of_rail in zip(scripts, distinct, strict=True):
            for algorithm, size, kind in of_rail:
                script.collective(algorithm, size, kind)
        of = np.repeat([distinct.index(tuple(of_rail)) for of_rail in parts], self.homes.size // len(parts))
        programs = Programs(scripts, of.astype(np.int64), self.groups)
        schedule = Schedule("collective of rails", programs)
        return simulate_flows(self.network, schedule, self.homes, detached_bytes=DETACHED, work=work.step()).seconds  # type: ignore[arg-type]

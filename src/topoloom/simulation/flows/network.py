"""A routed network as the arrays for the kernels of flows."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.graph.host_ports import ports_by_host
from topoloom.graph.planes import plane_count
from topoloom.routing.choices import AnyShortest, NextHopGroups
from topoloom.routing.groups.making import next_hop_groups_of
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flows.state import FlowNetwork

#: The groups of tables with one next hop.
NO_GROUPS = NextHopGroups(
    np.zeros((0, 0, 0), np.int32), np.zeros(1, np.int64), np.zeros(0, np.uint16), np.zeros(0, np.uint8)
)
#: Destinations per call of the kernel that counts the channels of a message that splits.
_BLOCK = 16


def flow_network(
    routings: Sequence[Routing],
    *,
    link_rate: float | np.ndarray,
    host_rate: float | np.ndarray,
    cable_s: np.ndarray,
    switch_s: float = 0.0,
    host_s: float = 0.0,
    inside_rate: float = np.inf,
    inside_s: float = 0.0,
    half_duplex: bool = False,
) -> FlowNetwork:
    """Return the network of tables with its rates and delays, in seconds and bytes per second.

    A host with several ports, in planes or on rails, uses them in turn, one port per message, which arrives at the port in the
    same position of the other host. Where the tables have next-hop groups, or take any shortest path, a message follows the
    groups by hashes; `over_groups` has the seed, and an even split.

    Parameters
    ----------
    routings : sequence of Routing
        Tables for the first, the second, ... host of each switch, in turn; one table serves all. All are of one network.
    link_rate, host_rate : float, or float64[links] and float64[endpoints]
        Rates of a link between switches and of a host's link, in each direction.
    cable_s : float64[links]
        The delay of each cable.
    switch_s, host_s : float
        The delay of a switch, and of a host's link.
    inside_rate, inside_s : float
        The rate and the delay of a message between ranks of one host.
    half_duplex : bool
        Whether both directions of a link share its rate.

    Raises
    ------
    InputError
        Tables that choose paths by load or among tables, several tables with next-hop groups, tables of different networks, or
        incomplete tables; no hosts, or hosts that differ in their number of ports.
    """
    topology = routings[0].topology
    groups = _groups(routings) or NO_GROUPS
    for routing in routings:
        if routing.topology != topology:
            raise InputError(f"{topology.name}: one of the tables is of another network, {routing.topology.name}")
    hosts = topology.endpoints.size
    if not hosts:
        raise InputError(f"{topology.name}: no hosts; add hosts, as in {topology.spec or 'SPEC'},hosts=4")
    # Where hosts have one port each, a port has the number of its host.
    port = ports_by_host(topology) if topology.hosts < hosts else np.arange(hosts, dtype=np.int32)[:, None]
    switch = topology.endpoints.astype(np.int64)
    if topology.hosts == hosts:
        switch[topology.host] = topology.endpoints
    channels, link = routings[0].channels, topology.csr[2].astype(np.int64)
    table = _place_on_switch(switch) % len(routings)
    # Keep only what leads to hosts, one row per switch and table: a path stays in one row.
    (tables, goals), row = np.unique(np.stack([table, switch]), axis=1, return_inverse=True)
    ports = np.stack([routings[t].ports[d] for t, d in zip(tables.tolist(), goals.tolist(), strict=True)])
    for routing in routings:
        _refuse_dead_ends(routing)
    count, links = channels.to.size, len(topology.links)
    own = np.arange(hosts, dtype=np.int64)
    links_rate, ports_rate = np.full(links, link_rate, np.float64), np.full(hosts, host_rate, np.float64)
    if topology.hosts == hosts:
        ports_rate[topology.host] = ports_rate.copy()
    if half_duplex:
        resource = np.concatenate([link, links + own, links + own])
        capacity = np.concatenate([links_rate, ports_rate])
    else:
        resource = np.arange(count + 2 * hosts, dtype=np.int64)
        capacity = np.concatenate([links_rate[link], ports_rate, ports_rate])
    return FlowNetwork(
        first=channels.first.astype(np.int64),
        to=channels.to.astype(np.int32),
        ports=ports,
        resource=resource,
        delay=np.asarray(cable_s, np.float64)[link] + switch_s,
        capacity=capacity,
        switch=switch,
        row=row.reshape(-1).astype(np.int64),
        port=port,
        sent_from=np.full(hosts, -1, np.int32),
        group=groups.group,
        member=groups.first,
        member_port=groups.port,
        member_state=groups.next_state,
        split=0,
        hash_seed=1,
        host_delay=2 * host_s + switch_s,
        inside_rate=float(inside_rate),
        inside_delay=float(inside_s),
        top=float(ports_rate.max()),
    )


def over_groups(fabric: FlowNetwork, *, split: bool, hash_seed: int) -> FlowNetwork:
    """Return the network with another way through its next-hop groups; without groups, as it is.

    Parameters
    ----------
    fabric : FlowNetwork
    split : bool
        Whether every message splits evenly at every group, so that channels carry the loads of
        `topoloom.throughput.traffic.loads.expected_loads`; otherwise messages of two ranks take the same members, by a hash.
    hash_seed : int
    """
    grouped = bool(fabric.group.shape[0])
    return fabric._replace(split=int(split), hash_seed=hash_seed) if grouped else fabric


def _groups(routings: Sequence[Routing]) -> NextHopGroups | None:
    """Return the next-hop groups that messages follow; None if they follow tables of one next hop."""
    routing = routings[0]
    choice = next((other.choice for other in routings if other.choice is not None), None)
    if choice is None:
        return None
    name = f"{routing.topology.name}: engine {routing.engine}"
    if not isinstance(choice, NextHopGroups) and choice != AnyShortest():
        raise InputError(
            f"{name} chooses paths by load, but flows know no load; use an engine of next-hop groups, such as ecmp, or of"
            " tables, such as orders or minimal"
        )
    if len(routings) > 1:
        raise InputError(f"{name}: flows follow the next-hop groups of one routing, not of {len(routings)}; give one")
    if routing.topology.mixed and not isinstance(choice, NextHopGroups):
        raise InputError(
            f"{name} splits traffic by the rates of links, which differ; flows split evenly: use another engine, such as"
            " spraypoint or minimal"
        )
    return next_hop_groups_of(routing)


def _place_on_switch(switch: np.ndarray) -> np.ndarray:
    """Return how many hosts of the same switch come before each host, int64[hosts]."""
    order = np.argsort(switch, kind="stable")
    place = np.empty(switch.size, np.int64)
    counts = np.bincount(switch)
    place[order] = np.arange(switch.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return place


def _refuse_dead_ends(routing: Routing) -> None:
    """Refuse tables that do not lead from every switch with hosts to every other; `route`'s own tables are verified already."""
    verification = routing.verification
    planes = plane_count(routing.topology)
    if planes > 1 and verification is None:
        verification = verify_routing(routing)
    # Pairs in different planes need no path.
    apart = verification.apart_pairs if verification is not None and planes > 1 else 0
    if (
        verification is not None
        and verification.reached_pairs == verification.pairs - apart
        and verification.checked_destinations is None
    ):
        return
    if planes > 1:
        raise InputError(
            f"{routing.topology.name}: the tables of engine '{routing.engine}' do not lead from each switch of a plane to each"
            " other; `verify_routing` reports where they end"
        )
    from topoloom.throughput.traffic.loads import expected_loads
    from topoloom.throughput.traffic.making import uniform_remote

    expected_loads(routing, uniform_remote(routing.topology), 1)


def longest_walk(fabric: FlowNetwork, homes: np.ndarray) -> int:
    """Return the most channels on a path between two of the hosts, or on all paths of a message that splits.

    The hosts' own links do not count.

    Parameters
    ----------
    fabric : FlowNetwork
    homes : int64[k]
        The hosts.
    """
    from topoloom.simulation.flows.kernels.paths import longest

    if fabric.group.shape[0]:
        return _most_of_groups(fabric, np.unique(fabric.switch[fabric.port[np.unique(homes)]]))
    most = 0
    for ports in fabric.port[np.unique(homes)].T:  # ports in the same position, and so in one plane
        rows, first = np.unique(fabric.row[ports], return_index=True)
        goals = fabric.switch[ports][first]
        channels = longest(fabric.first, fabric.to, fabric.ports, rows, goals, np.unique(fabric.switch[ports]))
        most = max(most, int(channels))
    return most


def _most_of_groups(fabric: FlowNetwork, switches: np.ndarray) -> int:
    """Return `longest_walk` along next-hop groups between these switches."""
    from topoloom.simulation.flows.kernels.walks import longest_hops, most_channels

    members = fabric.group, fabric.member, fabric.member_port, fabric.member_state

    def count(numbers: Iterator[int]) -> int:
        kernel = most_channels if fabric.split else longest_hops
        ranges = ((b * _BLOCK, min((b + 1) * _BLOCK, switches.size)) for b in numbers)
        return max((int(kernel(fabric.first, fabric.to, *members, switches, *ends)) for ends in ranges), default=0)

    return max(over_cores(count, -(-switches.size // _BLOCK), None), default=0)

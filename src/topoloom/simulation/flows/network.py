"""A routed network as the arrays for the kernels of flows."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.host_ports import ports_by_host
from topoloom.graph.planes import plane_count
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verify import verify_routing
from topoloom.simulation.flows.state import FlowNetwork


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
    same position of the other host.

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
        Tables that choose among paths, tables of different networks, or incomplete tables; no hosts, or hosts that differ in
        their number of ports.
    """
    topology = routings[0].topology
    for routing in routings:
        if routing.choice is not None:
            raise InputError(
                f"engine {routing.engine} chooses paths by load, but paths of flows are fixed; use another engine, such as"
                " orders or minimal"
            )
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
        host_delay=2 * host_s + switch_s,
        inside_rate=float(inside_rate),
        inside_delay=float(inside_s),
        top=float(ports_rate.max()),
    )


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
    from topoloom.throughput.traffic.loads import table_loads
    from topoloom.throughput.traffic.making import uniform_remote

    table_loads(routing, uniform_remote(routing.topology), 1)


def longest_walk(fabric: FlowNetwork, homes: np.ndarray) -> int:
    """Return the most channels on a path between two of the hosts, without the hosts' own links.

    Parameters
    ----------
    fabric : FlowNetwork
    homes : int64[k]
        The hosts.
    """
    from topoloom.simulation.flows.kernels.paths import longest

    most = 0
    for ports in fabric.port[np.unique(homes)].T:  # ports in the same position, and so in one plane
        rows, first = np.unique(fabric.row[ports], return_index=True)
        goals = fabric.switch[ports][first]
        channels = longest(fabric.first, fabric.to, fabric.ports, rows, goals, np.unique(fabric.switch[ports]))
        most = max(most, int(channels))
    return most

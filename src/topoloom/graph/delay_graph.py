"""The directed graph in which the fastest path between the ends of two pairs is searched: switches, rates and hosts' ports."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.serialization import Serialization
from topoloom.model.link_rates import shown_rate
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class DelayGraph:
    """A directed graph whose fastest paths are those of packets between hosts or switches.

    Where rates differ, a further node is a switch that a packet reaches over a link of one rate. Where hosts have several
    ports, further nodes are the hosts with ports at the same places: at one the pairs start, at another they end.

    Attributes
    ----------
    offsets : int64[nodes + 1]
    neighbours : int32[arcs]
    cost : float64[arcs]
        In ns, in the order of `neighbours`.
    weight : int64[nodes]
        Ends of pairs at each node.
    start : int64[s]
        The nodes at which pairs start.
    own : int64[s]
        Starts of pairs at each of these nodes.
    origin : int64[s]
        Their switch; where hosts have several ports, the number of their group of hosts.
    near_ns : float64[s]
        The time between two ends at one start, without the switch and `all_ns`.
    near_pairs : int64[s]
        How often `near_ns` is added to the sum of the times from a start, which has it too often where this is negative.
    all_ns : float
        What every path takes in addition.
    end_of_port : int64[endpoints]
        The node of each host port.
    undirected : bool
        Whether the graph is that of the network, so that the costs of both directions are equal.
    """

    offsets: np.ndarray
    neighbours: np.ndarray
    cost: np.ndarray
    weight: np.ndarray
    start: np.ndarray
    own: np.ndarray
    origin: np.ndarray
    near_ns: np.ndarray
    near_pairs: np.ndarray
    all_ns: float
    end_of_port: np.ndarray
    undirected: bool


def delay_graph(topology: Topology, cost: np.ndarray, packet: Serialization | None, between: str) -> DelayGraph:
    """Return the graph of the delays of a network's links, with the time of a packet's bits.

    Parameters
    ----------
    topology : Topology
    cost : float64[2 m]
        The delay of each link and of the switch that it leads to, in the order of `topology.csr`, ns.
    packet : Serialization or None
        None, and 0 bytes: without its time.
    between : "hosts" or "switches"
        Packets between hosts also pass the hosts' links; a host with several ports uses the best pair of ports.

    Returns
    -------
    DelayGraph

    Raises
    ------
    InputError
        A packet where the network has no rates and the packet none, or both have.

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])
    >>> delay_graph(pair, np.zeros(2), Serialization(packet_bytes=4096, rate_gbps=100), "hosts").all_ns
    327.68
    """
    hosts = between == "hosts"
    if packet is None or not packet.packet_bytes:
        graph = _of_switches(topology, cost, hosts, 0.0)
    else:
        graph = _with_packet(topology, cost, packet, hosts)
    return _of_host_groups(topology, graph) if hosts and topology.endpoints.size > topology.hosts else graph


def _with_packet(topology: Topology, cost: np.ndarray, packet: Serialization, hosts: bool) -> DelayGraph:
    if topology.link_rate_gbps is not None and packet.rate_gbps is not None:
        raise InputError(
            f"rate_gbps: {topology.name} has links of {shown_rate(topology.rates_gbps)}, which count; omit rate_gbps"
        )
    if topology.mixed:
        return _by_rate(topology, cost, packet, hosts)
    rate = topology.uniform_rate_gbps if packet.rate_gbps is None else packet.rate_gbps
    if rate is None:
        raise InputError(
            f"{topology.name}: the time of a packet of {packet.packet_bytes:g} bytes needs the rate of the links; give"
            " rate_gbps"
        )
    flit, rest = (float(ns[0]) for ns in packet.at(np.array([rate])))
    return _of_switches(topology, cost + flit, hosts, 2 * flit + rest if hosts else rest)


def _of_switches(topology: Topology, cost: np.ndarray, hosts: bool, all_ns: float) -> DelayGraph:
    """The graph of the network itself."""
    offsets, neighbours, _ = topology.csr
    weight = topology.endpoints_at if hosts else np.ones(topology.switches, np.int64)
    start = np.flatnonzero(weight)
    own, near = weight[start], np.zeros(start.size)
    return DelayGraph(
        offsets, neighbours, cost, weight, start, own, start, near, own - 1, all_ns, topology.endpoints, True
    )


def _by_rate(topology: Topology, cost: np.ndarray, packet: Serialization, hosts: bool) -> DelayGraph:
    """As `delay_graph`, where rates differ: a switch is one node per rate of the links over which packets reach it.

    Parameters
    ----------
    topology : Topology
    cost : float64[2 m]
    packet : Serialization
    hosts : bool
        Whether pairs are of hosts; else of switches.
    """
    rates = topology.rates_gbps
    flit, rest = packet.at(rates)
    k, n = rates.size, topology.switches
    offsets, neighbours, link = topology.csr
    degree = np.diff(offsets)
    of_link = np.searchsorted(rates, np.asarray(topology.link_rate_gbps))
    of_slot = of_link[link]
    reached = neighbours.astype(np.int64) * k + of_slot
    if hosts:
        ports = topology.endpoints * k + np.searchsorted(rates, np.asarray(topology.endpoint_rate_gbps))
        ends, end_of_port, weight = np.unique(ports, return_inverse=True, return_counts=True)
        states = np.unique(np.concatenate([reached, ends]))
        end_switch, end_class = np.divmod(ends, k)
    else:
        end_switch, weight, states = np.arange(n), np.ones(n, np.int64), np.unique(reached)
        end_class, end_of_port = np.zeros(n, np.int64), topology.endpoints
    switch, arrived = np.divmod(states, k)
    first = end_switch.size

    def node(keys: np.ndarray) -> np.ndarray:
        return first + np.searchsorted(states, keys)

    # From each node of a switch over each of its links.
    slots = _ranges(offsets[switch], degree[switch])
    before = np.repeat(arrived, degree[switch])
    after = of_slot[slots]
    arcs = [
        (
            np.repeat(np.arange(first, first + states.size), degree[switch]),
            node(reached[slots]),
            cost[slots] + flit[after] + np.maximum(0.0, rest[before] - rest[after]),
        )
    ]
    if hosts:
        arcs.append((np.arange(first), node(ends), flit[end_class]))
        # From each node of a switch to each kind of its hosts' ports.
        begin = np.searchsorted(end_switch, switch)
        count = np.searchsorted(end_switch, switch, "right") - begin
        end = _ranges(begin, count)
        before, after = np.repeat(arrived, count), end_class[end]
        leaving = flit[after] + np.maximum(0.0, rest[before] - rest[after]) + rest[after]
        arcs.append((np.repeat(np.arange(first, first + states.size), count), end, leaving))
        near = 2 * flit[end_class] + rest[end_class]
    else:
        arcs.append((np.repeat(np.arange(n), degree), node(reached), cost + flit[of_slot]))
        arcs.append((np.arange(first, first + states.size), switch, rest[arrived]))
        near = np.zeros(n)
    tail, head, ns = (np.concatenate(parts) for parts in zip(*arcs, strict=True))
    nodes = first + states.size
    return DelayGraph(
        *_csr(tail, head, ns, nodes),
        np.concatenate([weight, np.zeros(states.size, np.int64)]),
        np.arange(first),
        weight,
        end_switch,
        near,
        weight - 1,
        0.0,
        end_of_port,
        False,
    )


def _of_host_groups(topology: Topology, graph: DelayGraph) -> DelayGraph:
    """Add the hosts, in groups with ports at the same nodes, so that each uses the best pair of ports.

    Paths enter the graph where the ports of a group send, and leave it where the ports of another group receive. No arc leads
    into a start or out of an end, so that no path passes a host.

    Parameters
    ----------
    topology : Topology
        With hosts of several ports.
    graph : DelayGraph
        Of the ports.
    """
    ends = graph.end_of_port.astype(np.int64)
    # The number of hosts of each group, by the nodes of its ports.
    hosts_of = Counter(np.unique(ends[ports]).tobytes() for ports in _ports_of_hosts(topology.host, topology.hosts))
    at = [np.frombuffer(nodes, np.int64) for nodes in hosts_of]
    groups, first = np.repeat(np.arange(len(at)), [nodes.size for nodes in at]), graph.weight.size
    port = np.concatenate(at)
    if graph.undirected:
        entered, entry_ns = port, np.zeros(port.size)
    else:  # the only arc of a port, to its switch as it is reached from the port
        entered, entry_ns = graph.neighbours[graph.offsets[port]].astype(np.int64), graph.cost[graph.offsets[port]]
    near_of = np.zeros(first)
    near_of[graph.start] = graph.near_ns
    count, weight = len(at), np.array(list(hosts_of.values()), np.int64)
    tails = np.repeat(np.arange(first), np.diff(graph.offsets))
    offsets, neighbours, ns = _csr(
        np.concatenate([tails, first + groups, port]),
        np.concatenate([graph.neighbours, entered, first + count + groups]),
        np.concatenate([graph.cost, entry_ns, np.zeros(port.size)]),
        first + 2 * count,
    )
    return replace(
        graph,
        offsets=offsets,
        neighbours=neighbours,
        cost=ns,
        weight=np.concatenate([np.zeros(first + count, np.int64), weight]),
        start=np.arange(first, first + count),
        own=weight,
        origin=np.arange(count),
        near_ns=np.minimum.reduceat(near_of[port], np.searchsorted(groups, np.arange(count))),
        near_pairs=np.full(count, -1),
        undirected=False,
    )


def _csr(tail: np.ndarray, head: np.ndarray, ns: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, neighbours and costs of arcs."""
    order = np.argsort(tail, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=nodes))]).astype(np.int64)
    return offsets, head[order].astype(np.int32), ns[order]


def _ports_of_hosts(host: np.ndarray, hosts: int) -> list[np.ndarray]:
    """The endpoints of each host."""
    return np.split(np.argsort(host, kind="stable"), np.cumsum(np.bincount(host, minlength=hosts))[:-1])


def _ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The numbers ``first[i] .. first[i] + count[i] - 1`` of every i, in order."""
    ends = np.cumsum(count)
    return np.asarray(np.arange(ends[-1] if ends.size else 0) + np.repeat(first - (ends - count), count))

"""The time of a packet's bits on the links of a path, each at its own rate."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom.model.link_rates import shown_rate
from topoloom.model.topology import Topology


class Serialization(Settings, frozen=True, kw_only=True):
    """A packet whose bits take time on every link, in switches that forward its first bits while the others come (cut-through).

    Over links of 1, 2, ... k in the order of the path, hosts' links included, a packet takes the sum of the times of a flit on
    each link, plus the time of the other flits on the last link, plus, at every link that is faster than the one before, the
    difference of the times of the other flits on both: the switch waits, so that it sends the packet without a gap. Both
    directions take the same time. With one rate everywhere the other flits count once. With ``flit_bytes = packet_bytes``,
    switches store a packet and forward it (store-and-forward).

    Raises
    ------
    InputError
        A size out of range, or a flit larger than the packet.

    Examples
    --------
    >>> Serialization(packet_bytes=4096).flit_bytes
    0.0
    """

    group = "serialization"

    packet_bytes: Annotated[
        float, setting("size of a packet whose time on the links counts; 0: none", unit="bytes", least=0.0, most=1e9)
    ] = 0.0
    flit_bytes: Annotated[
        float,
        setting(
            "what a switch receives before it forwards; 0: the delay of a switch includes it; the packet's size:"
            " store-and-forward",
            unit="bytes",
            least=0.0,
            most=1e9,
        ),
    ] = 0.0
    rate_gbps: (
        Annotated[
            float, setting("rate of every link, where the network has no rates", unit="Gb/s", above=0.0, most=1e9)
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.flit_bytes > self.packet_bytes:
            raise InputError(
                f"serialization: flit_bytes={self.flit_bytes:g} is above packet_bytes={self.packet_bytes:g}; a packet has at"
                " least one flit"
            )

    def settings(self) -> dict[str, Any]:
        """The settings of a result's provenance; empty if no packet counts."""
        if not self.packet_bytes:
            return {}
        sizes = {"packet_bytes": self.packet_bytes, "flit_bytes": self.flit_bytes}
        return sizes if self.rate_gbps is None else {**sizes, "rate_gbps": self.rate_gbps}

    def at(self, rates_gbps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The time of a flit, and of the packet's other flits, at each rate, in ns.

        Parameters
        ----------
        rates_gbps : float64[k]

        Returns
        -------
        float64[k], float64[k]
        """
        return 8 * self.flit_bytes / rates_gbps, 8 * (self.packet_bytes - self.flit_bytes) / rates_gbps


@dataclass(frozen=True, eq=False)
class PacketDelays:
    """A directed graph whose fastest paths are those of packets; its first nodes are the ends of pairs.

    Where rates differ, a further node is a switch that a packet reaches over a link of one rate.

    Attributes
    ----------
    offsets : int64[nodes + 1]
    neighbours : int32[arcs]
    cost : float64[arcs]
        In ns, in the order of `neighbours`.
    weight : int64[nodes]
        Ends of pairs at each node.
    near_ns : float64[nodes]
        The time between two ends at one node, without the switch and `all_ns`.
    all_ns : float
        What every path takes in addition.
    switch_of : int64[nodes]
    undirected : bool
        Whether the graph is that of the network, so that the costs of both directions are equal.
    """

    offsets: np.ndarray
    neighbours: np.ndarray
    cost: np.ndarray
    weight: np.ndarray
    near_ns: np.ndarray
    all_ns: float
    switch_of: np.ndarray
    undirected: bool

    def starts(self, switches: np.ndarray) -> np.ndarray:
        """The nodes at which pairs of these switches start.

        Parameters
        ----------
        switches : int64[s]

        Returns
        -------
        int64[nodes]
        """
        return np.flatnonzero((self.weight > 0) & np.isin(self.switch_of, switches))


def packet_delays(topology: Topology, cost: np.ndarray, packet: Serialization, between: str) -> PacketDelays:
    """Add the time of a packet's bits to the costs of the links.

    Parameters
    ----------
    topology : Topology
    cost : float64[2 m]
        The delay of each link and of the switch that it leads to, in the order of `topology.csr`, ns.
    packet : Serialization
    between : "hosts" or "switches"
        Packets between hosts also pass the hosts' links.

    Returns
    -------
    PacketDelays

    Raises
    ------
    InputError
        The network has no rates and the packet none, or both have.

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])
    >>> packet_delays(pair, np.zeros(2), Serialization(packet_bytes=4096, rate_gbps=100), "hosts").all_ns
    327.68
    """
    if topology.link_rate_gbps is not None and packet.rate_gbps is not None:
        raise InputError(
            f"rate_gbps: {topology.name} has links of {shown_rate(topology.rates_gbps)}, which count; omit rate_gbps"
        )
    if topology.mixed:
        return _by_rate(topology, cost, packet, between == "hosts")
    rate = topology.uniform_rate_gbps if packet.rate_gbps is None else packet.rate_gbps
    if rate is None:
        raise InputError(
            f"{topology.name}: the time of a packet of {packet.packet_bytes:g} bytes needs the rate of the links; give"
            " rate_gbps"
        )
    flit, rest = (float(ns[0]) for ns in packet.at(np.array([rate])))
    offsets, neighbours, _ = topology.csr
    hosts = between == "hosts"
    n = topology.switches
    weight = topology.endpoints_at if hosts else np.ones(n, np.int64)
    extra = 2 * flit + rest if hosts else rest
    return PacketDelays(offsets, neighbours, cost + flit, weight, np.zeros(n), extra, np.arange(n), True)


def _by_rate(topology: Topology, cost: np.ndarray, packet: Serialization, hosts: bool) -> PacketDelays:
    """As `packet_delays`, where rates differ: a switch is one node per rate of the links over which packets reach it.

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
        ends, weight = np.unique(ports, return_counts=True)
        states = np.unique(np.concatenate([reached, ends]))
        end_switch, end_class = np.divmod(ends, k)
    else:
        end_switch, weight, states = np.arange(n), np.ones(n, np.int64), np.unique(reached)
        end_class = np.zeros(n, np.int64)
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
    order = np.argsort(tail, kind="stable")
    nodes = first + states.size
    padded = np.zeros(states.size)
    return PacketDelays(
        np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=nodes))]).astype(np.int64),
        head[order].astype(np.int32),
        ns[order],
        np.concatenate([weight, padded.astype(np.int64)]),
        np.concatenate([near, padded]),
        0.0,
        np.concatenate([end_switch, switch]),
        False,
    )


def _ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The numbers ``first[i] .. first[i] + count[i] - 1`` of every i, in order."""
    ends = np.cumsum(count)
    return np.asarray(np.arange(ends[-1] if ends.size else 0) + np.repeat(first - (ends - count), count))

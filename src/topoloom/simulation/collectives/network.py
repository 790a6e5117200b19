"""A network for collectives: ranks, switches and channels with whole-number capacities; equivalent hosts form one class."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.capacities import whole_capacities
from topoloom.model.topology import Topology

#: The largest whole numbers for rates in proportion, such as 200 to 400; other rates are rounded up, so that bounds are valid.
_MOST_UNITS = 1 << 14


@dataclass(frozen=True, eq=False)
class ArcGraph:
    """Arcs in both directions, sorted by their origin, for `kernels.maxflow`.

    Attributes
    ----------
    first, to, back : int64[n + 1], int64[a], int64[a]
        Where the arcs of each node begin, the end of each arc, and its reverse.
    capacity : int64[a]
        The capacity; 0 where the network has no channel in this direction.
    """

    first: np.ndarray
    to: np.ndarray
    back: np.ndarray
    capacity: np.ndarray

    @property
    def origin(self) -> np.ndarray:
        """The origin of each arc, int64[a]."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    def arc(self, tail: int, head: int) -> int:
        """Return the arc from one node to another, which must be adjacent."""
        begin, end = int(self.first[tail]), int(self.first[tail + 1])
        return begin + int(np.searchsorted(self.to[begin:end], head))


def arc_graph(nodes: int, tail: np.ndarray, head: np.ndarray, capacity: np.ndarray) -> ArcGraph:
    """Return arcs as a graph; arcs between the same two nodes are merged.

    Parameters
    ----------
    nodes : int
    tail, head, capacity : int64[k]

    Returns
    -------
    ArcGraph
        The graph, with a reverse for every arc.
    """
    key = np.concatenate([tail * nodes + head, head * nodes + tail])
    amount = np.concatenate([capacity, np.zeros(capacity.size, np.int64)])
    keys, place = np.unique(key, return_inverse=True)
    total = np.zeros(keys.size, np.int64)
    np.add.at(total, place.reshape(-1), amount)
    origin, to = keys // nodes, keys % nodes
    first = np.searchsorted(origin, np.arange(nodes + 1))
    return ArcGraph(first, to, np.searchsorted(keys, to * nodes + origin), total)


@dataclass(frozen=True, eq=False)
class RankNetwork:
    """Switches 0 .. switches - 1, then one node per class of equivalent hosts: on the same switches, with as many ranks.

    Some smallest cut has all hosts of a class on one side, except perhaps a host in question: exchanging two of them changes
    nothing, and cuts are submodular. So classes give the same results as single hosts.

    Attributes
    ----------
    name : str
        The network's name.
    switches : int
    hosts : tuple of int64[k]
        The hosts of each class.
    weight : int64[c]
        The ranks on each host of a class.
    ports : tuple of dict of int to int
        For each class, the number of ports of a host on each switch; where rates differ, their units.
    tail, head, capacity : int64[a]
        Channels, merged between the same two switches; capacities in units.
    link_units, host_units : int
        The capacity of one link between switches, and of one port of a host, in units.
    unit_gbps : float
        The rate of one unit.
    """

    name: str
    switches: int
    hosts: tuple[np.ndarray, ...]
    weight: np.ndarray
    ports: tuple[dict[int, int], ...]
    tail: np.ndarray
    head: np.ndarray
    capacity: np.ndarray
    link_units: int
    host_units: int
    unit_gbps: float

    @property
    def classes(self) -> int:
        """The number of classes of hosts."""
        return len(self.hosts)

    @property
    def counts(self) -> np.ndarray:
        """Hosts of each class, int64[c]."""
        return np.array([hosts.size for hosts in self.hosts], np.int64)

    @property
    def ranks(self) -> int:
        """The ranks on all hosts."""
        return int((self.counts * self.weight).sum())

    @property
    def port_counts(self) -> np.ndarray:
        """Ports per host of each class, int64[c]."""
        return np.array([sum(ports.values()) for ports in self.ports], np.int64)

    def arcs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all channels, including those of the classes: tail, head, capacity, int64[b]."""
        tails, heads, capacities = [], [], []
        for number, (hosts, ports) in enumerate(zip(self.hosts, self.ports, strict=True)):
            for switch, count in ports.items():
                tails += [self.switches + number, switch]
                heads += [switch, self.switches + number]
                capacities += [hosts.size * count * self.host_units] * 2
        return (
            np.concatenate([self.tail, np.array(tails, np.int64)]),
            np.concatenate([self.head, np.array(heads, np.int64)]),
            np.concatenate([self.capacity, np.array(capacities, np.int64)]),
        )


def rank_network(
    topology: Topology,
    homes: np.ndarray,
    rate_gbps: float,
    host_rate_gbps: float,
    *,
    link_gbps: np.ndarray | None = None,
    port_gbps: np.ndarray | None = None,
    alike: bool = True,
    apart: int | None = None,
) -> RankNetwork:
    """Return the network between the hosts that run ranks.

    Parameters
    ----------
    topology : Topology
    homes : int64[ranks]
        The host of each rank.
    rate_gbps, host_rate_gbps : float
        Rates of a link between switches and of a host's port, in each direction.
    link_gbps, port_gbps : float64[links], float64[endpoints], optional
        The rate of each of them, where they differ, in place of these.
    alike : bool
        Whether equivalent hosts form one class; else each host is a class.
    apart : int, optional
        A host that forms its own class, the first one.

    Raises
    ------
    InputError
        Ranks that do not reach each other, or unknown hosts.
    """
    homes = np.asarray(homes, np.int64)
    if not homes.size or homes.min() < 0 or homes.max() >= topology.hosts:
        raise InputError(f"{topology.name}: ranks must run on hosts 0 to {topology.hosts - 1}")
    used, weight = np.unique(homes, return_counts=True)
    ports_of_host: dict[int, dict[int, int]] = {int(host): {} for host in used}
    amounts = np.ones(topology.endpoints.size, np.int64)
    if link_gbps is None or port_gbps is None:
        link_units, host_units, unit = _units(rate_gbps, host_rate_gbps)
        of_links = np.full(len(topology.links), link_units, np.int64)
    else:
        # Where rates differ, an endpoint counts as several ports of one unit.
        rates = np.concatenate([link_gbps, port_gbps])
        units = whole_capacities(rates)
        of_links, amounts = units[: len(link_gbps)], units[len(link_gbps) :]
        link_units, host_units, unit = 1, 1, float(rates[0] / units[0])
    for host, switch, amount in zip(topology.host.tolist(), topology.endpoints.tolist(), amounts.tolist(), strict=True):
        if host in ports_of_host:
            ports_of_host[host][switch] = ports_of_host[host].get(switch, 0) + amount
    groups: dict[object, list[int]] = {}
    weights: dict[object, int] = {}
    order = used.tolist() if apart is None else [apart, *(host for host in used.tolist() if host != apart)]
    ranks_on = dict(zip(used.tolist(), weight.tolist(), strict=True))
    for host in order:
        alone = not alike or host == apart
        key = host if alone else (tuple(sorted(ports_of_host[host].items())), ranks_on[host])
        groups.setdefault(key, []).append(host)
        weights[key] = ranks_on[host]
    u, v = topology.links[:, 0].astype(np.int64), topology.links[:, 1].astype(np.int64)
    joined, place = np.unique(
        np.concatenate([u * topology.switches + v, v * topology.switches + u]), return_inverse=True
    )
    capacity = np.zeros(joined.size, np.int64)
    np.add.at(capacity, place.reshape(-1), np.concatenate([of_links, of_links]))
    network = RankNetwork(
        name=topology.name,
        switches=topology.switches,
        hosts=tuple(np.array(members, np.int64) for members in groups.values()),
        weight=np.array([weights[key] for key in groups], np.int64),
        ports=tuple(ports_of_host[members[0]] for members in groups.values()),
        tail=joined // topology.switches,
        head=joined % topology.switches,
        capacity=capacity,
        link_units=link_units,
        host_units=host_units,
        unit_gbps=unit,
    )
    _check_joined(network)
    return network


def _units(rate_gbps: float, host_rate_gbps: float) -> tuple[int, int, float]:
    """Return both rates as whole numbers, and the unit in Gb/s; rates are rounded up."""
    ratio = Fraction(host_rate_gbps) / Fraction(rate_gbps)
    near = ratio.limit_denominator(_MOST_UNITS)
    if max(near.numerator, near.denominator) <= _MOST_UNITS and abs(float(near / ratio) - 1) < 1e-12:
        return near.denominator, near.numerator, rate_gbps / near.denominator
    unit = max(rate_gbps, host_rate_gbps) / _MOST_UNITS
    return -int(-rate_gbps // unit), -int(-host_rate_gbps // unit), unit


def _check_joined(network: RankNetwork) -> None:
    """Refuse ranks without a path between them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tail, head, _ = network.arcs()
    nodes = network.switches + network.classes
    part = connected_components(coo_array((np.ones(tail.size), (tail, head)), shape=(nodes, nodes)), directed=False)[1]
    apart = np.flatnonzero(part[network.switches :] != part[network.switches])
    if apart.size:
        first_host, second_host = int(network.hosts[0][0]), int(network.hosts[int(apart[0])][0])
        raise InputError(
            f"{network.name}: no path joins host {first_host} and host {second_host}; a collective needs ranks that"
            " reach each other"
        )

"""A network as collectives see it: ranks, switches and channels with whole-number capacities, hosts that are alike as one."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: Rates in proportion, as 200 to 400, are whole numbers up to this one; others are rounded up, so that bounds hold.
_MOST_UNITS = 1 << 14


@dataclass(frozen=True, eq=False)
class ArcGraph:
    """Arcs in both directions, by their origin, as `kernels.maxflow` takes them.

    Attributes
    ----------
    first, to, back : int64[n + 1], int64[a], int64[a]
    capacity : int64[a]
        0 where there is none that way.
    """

    first: np.ndarray
    to: np.ndarray
    back: np.ndarray
    capacity: np.ndarray

    @property
    def origin(self) -> np.ndarray:
        """Where each arc begins, int64[a]."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    def arc(self, tail: int, head: int) -> int:
        """The arc from one node to another, which there must be in one direction at least."""
        begin, end = int(self.first[tail]), int(self.first[tail + 1])
        return begin + int(np.searchsorted(self.to[begin:end], head))


def arc_graph(nodes: int, tail: np.ndarray, head: np.ndarray, capacity: np.ndarray) -> ArcGraph:
    """Arcs as a graph; those between the same two nodes are one.

    Parameters
    ----------
    nodes : int
    tail, head, capacity : int64[k]

    Returns
    -------
    ArcGraph
        With an arc back for every arc.
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
    """Switches 0 .. switches - 1, then a node for each class of hosts that are alike: on the same switches, with as many ranks.

    A smallest cut may be taken to have all hosts of a class on one side, or all but the one that is asked about: whoever
    exchanges two of them changes nothing, and of all smallest cuts the least is one. So the classes say the same as the hosts.

    Attributes
    ----------
    name : str
        Of the network, for people.
    switches : int
    hosts : tuple of int64[k]
        The hosts of each class.
    weight : int64[c]
        Ranks on each host of a class.
    ports : tuple of dict of int to int
        Of each class, how many ports a host has on which switch.
    tail, head, capacity : int64[a]
        Channels, those between the same two switches as one; capacities in units.
    link_units, host_units : int
        Of one link between switches, and of one port of a host.
    unit_gbps : float
        A unit.
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
        """How many classes of hosts there are."""
        return len(self.hosts)

    @property
    def counts(self) -> np.ndarray:
        """Hosts of each class, int64[c]."""
        return np.array([hosts.size for hosts in self.hosts], np.int64)

    @property
    def ranks(self) -> int:
        """Of all hosts."""
        return int((self.counts * self.weight).sum())

    @property
    def port_counts(self) -> np.ndarray:
        """Ports of a host of each class, int64[c]."""
        return np.array([sum(ports.values()) for ports in self.ports], np.int64)

    def arcs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All channels, those of the classes included: tail, head, capacity, int64[b]."""
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
    alike: bool = True,
    apart: int | None = None,
) -> RankNetwork:
    """The network between the hosts that run ranks.

    Parameters
    ----------
    topology : Topology
    homes : int64[ranks]
        The host of each rank.
    rate_gbps, host_rate_gbps : float
        Of a link between switches and of a host's port, in each direction.
    alike : bool
        Whether hosts that are alike are one class; else each is one.
    apart : int, optional
        A host that is a class of its own, and the first.

    Raises
    ------
    InputError
        Ranks that do not reach each other, or hosts that there are not.
    """
    homes = np.asarray(homes, np.int64)
    if not homes.size or homes.min() < 0 or homes.max() >= topology.hosts:
        raise InputError(f"{topology.name}: ranks run on hosts 0 to {topology.hosts - 1}; give each rank one of them")
    used, weight = np.unique(homes, return_counts=True)
    of_host: dict[int, dict[int, int]] = {int(host): {} for host in used}
    for host, switch in zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True):
        if host in of_host:
            of_host[host][switch] = of_host[host].get(switch, 0) + 1
    groups: dict[object, list[int]] = {}
    weights: dict[object, int] = {}
    order = used.tolist() if apart is None else [apart, *(host for host in used.tolist() if host != apart)]
    ranks_on = dict(zip(used.tolist(), weight.tolist(), strict=True))
    for host in order:
        alone = not alike or host == apart
        key = host if alone else (tuple(sorted(of_host[host].items())), ranks_on[host])
        groups.setdefault(key, []).append(host)
        weights[key] = ranks_on[host]
    link_units, host_units, unit = _units(rate_gbps, host_rate_gbps)
    u, v = topology.links[:, 0].astype(np.int64), topology.links[:, 1].astype(np.int64)
    joined, count = np.unique(
        np.concatenate([u * topology.switches + v, v * topology.switches + u]), return_counts=True
    )
    found = RankNetwork(
        name=topology.name,
        switches=topology.switches,
        hosts=tuple(np.array(members, np.int64) for members in groups.values()),
        weight=np.array([weights[key] for key in groups], np.int64),
        ports=tuple(of_host[members[0]] for members in groups.values()),
        tail=joined // topology.switches,
        head=joined % topology.switches,
        capacity=count.astype(np.int64) * link_units,
        link_units=link_units,
        host_units=host_units,
        unit_gbps=unit,
    )
    _check_joined(found)
    return found


def _units(rate_gbps: float, host_rate_gbps: float) -> tuple[int, int, float]:
    """Both rates as whole numbers, and the unit in Gb/s; what is rounded is rounded up."""
    ratio = Fraction(host_rate_gbps) / Fraction(rate_gbps)
    near = ratio.limit_denominator(_MOST_UNITS)
    if max(near.numerator, near.denominator) <= _MOST_UNITS and abs(float(near / ratio) - 1) < 1e-12:
        return near.denominator, near.numerator, rate_gbps / near.denominator
    unit = max(rate_gbps, host_rate_gbps) / _MOST_UNITS
    return -int(-rate_gbps // unit), -int(-host_rate_gbps // unit), unit


def _check_joined(network: RankNetwork) -> None:
    """Refuse ranks that no path joins."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tail, head, _ = network.arcs()
    nodes = network.switches + network.classes
    part = connected_components(coo_array((np.ones(tail.size), (tail, head)), shape=(nodes, nodes)), directed=False)[1]
    apart = np.flatnonzero(part[network.switches :] != part[network.switches])
    if apart.size:
        one, other = int(network.hosts[0][0]), int(network.hosts[int(apart[0])][0])
        raise InputError(
            f"{network.name}: no path joins host {one} and host {other}; a collective needs ranks that reach each other"
        )

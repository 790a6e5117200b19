"""What one loss does to the hosts: the loss of a port, of a switch with or without hosts, or of a whole plane."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.failures.largest_parts import largest_parts
from topoloom.graph.articulation import articulation_switches
from topoloom.graph.connectivity import components
from topoloom.graph.planes import Plane
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology

#: What can be lost, with descriptions for messages.
KINDS = {
    "port": "a port of a host, or its cable",
    "nic": "an interface of a host with all its ports",
    "leaf": "a switch with hosts",
    "spine": "a switch without hosts",
    "plane": "all switches of a plane",
    "cable": "a cable between two switches",
    "rack": "all switches in a rack",
    "group": "all switches of a group",
    "cord": "a cord between a port and a panel, or between panels",
    "trunk": "a trunk between panels",
    "panel": "a panel with all its cords and trunks",
}
#: The kinds that are compared unless others are asked for.
USUAL = ("port", "nic", "leaf", "spine", "plane")


@dataclass(frozen=True)
class Left:
    """What is left after one loss.

    Attributes
    ----------
    unit : int
        The endpoint, host (of an interface), switch, plane, cable, rack or group that is lost, by its number in the network.
    cut_off : int
        Hosts without a port that is connected.
    ports_mean, ports_least : float
        The share of its ports, by their rates, that a host keeps connected: mean over all hosts, and the least.
    uplinks_mean, uplinks_least : float
        The same, with each port weighted by the share of its switch's links, by their rates, that is left.
    """

    unit: int
    cut_off: int
    ports_mean: float
    ports_least: float
    uplinks_mean: float
    uplinks_least: float


class Hosts:
    """The hosts of a network, and the share of ports that they keep after a loss in one plane.

    Parameters
    ----------
    topology : Topology
        The whole network.
    nic_ports : int
        Ports of an interface.
    """

    def __init__(self, topology: Topology, nic_ports: int = 1) -> None:
        self.hosts, self.nic_ports = topology.hosts, nic_ports
        self.ports = np.bincount(topology.host, minlength=self.hosts)
        #: The rate of each port, and of all ports of each host, in multiples of the lowest rate.
        self.rate = capacities(topology).ports
        self.room = np.bincount(topology.host, self.rate, self.hosts)
        self._host = topology.host

    def without_nic(self) -> Left:
        """Return what is left when one host loses its fastest interface, which hurts most; other hosts keep everything."""
        order = np.lexsort((-self.rate, self._host))  # the ports of each host, the fastest first
        place = np.arange(order.size) - np.repeat(np.cumsum(self.ports) - self.ports, self.ports)
        alive = order[place >= self.nic_ports]
        shares = np.bincount(self._host[alive], self.rate[alive], self.hosts) / self.room
        host = int(np.lexsort((self.ports, shares))[0])
        share = float(shares[host])
        mean = (self.hosts - 1 + share) / self.hosts
        return Left(host, int(share == 0), mean, share, mean, share)

    def left(self, unit: int, plane: Plane, port: np.ndarray, uplinks: np.ndarray) -> Left:
        """Return what is left when only this plane has losses.

        Parameters
        ----------
        unit : int
            What was lost.
        plane : Plane
        port : bool[k]
            The plane's endpoints that are alive and connected.
        uplinks : float64[k]
            The weight of each of these endpoints, at most 1; 0 where it is not connected.
        """
        host, rate = plane.hosts[plane.topology.host], self.rate[plane.endpoints]
        affected = plane.hosts
        here, alive = (np.bincount(some, minlength=self.hosts)[affected] for some in (host, host[port]))
        room_here, room_alive, worth = (
            np.bincount(host, rate * weight, self.hosts)[affected] for weight in (1.0, port, uplinks)
        )
        room = self.room[affected]
        port_share, uplink_share = (room - room_here + room_alive) / room, (room - room_here + worth) / room
        unaffected = self.hosts - affected.size
        return Left(
            unit,
            int((self.ports[affected] - here + alive == 0).sum()),
            float((port_share.sum() + unaffected) / self.hosts),
            float(port_share.min()),
            float((uplink_share.sum() + unaffected) / self.hosts),
            float(uplink_share.min()),
        )


def losses_of(kind: str, hosts: Hosts, planes: Sequence[Plane], most: int = 1) -> Iterator[Left]:
    """Yield what each loss of a kind (but "rack" and "group") leaves, one loss after the other.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    hosts : Hosts
        Those of the whole network.
    planes : sequence of Plane
        The planes in which something is lost; of identical planes one is enough.
    most : int
        How many of the worst cables that do not disconnect anything are enough.

    Yields
    ------
    Left
    """
    if kind == "nic":
        yield hosts.without_nic()
        return
    for number, plane in enumerate(planes):
        k = plane.topology.endpoints.size
        if kind == "plane":
            yield hosts.left(number, plane, np.zeros(k, np.bool_), np.zeros(k))
        elif kind == "port":
            yield from _of_ports(hosts, plane)
        elif kind == "cable":
            yield from _of_cables(hosts, plane, most)
        else:
            yield from _of_switches(hosts, plane, kind == "leaf")


def _of_ports(hosts: Hosts, plane: Plane) -> Iterator[Left]:
    """Yield the loss of one port of each kind: by its rate, and by the number and the rate of all ports of its host."""
    host = plane.hosts[plane.topology.host]
    kinds = np.stack([hosts.ports[host], hosts.room[host], hosts.rate[plane.endpoints]])
    for lost in np.unique(kinds, axis=1, return_index=True)[1].tolist():
        alive = np.ones(host.size, np.bool_)
        alive[lost] = False
        yield hosts.left(int(plane.endpoints[lost]), plane, alive, alive.astype(float))


def _of_switches(hosts: Hosts, plane: Plane, leaves: bool) -> Iterator[Left]:
    """Yield the loss of each switch with hosts, or of each switch without."""
    topology = plane.topology
    relative = capacities(topology)
    at, capacity = topology.endpoints, relative.channels
    n = topology.switches
    room = np.bincount(topology.links.ravel(), np.repeat(relative.links, 2), n)
    offsets, neighbours, _ = topology.csr
    articulation = set(articulation_switches(topology).tolist())
    for switch in np.flatnonzero((topology.endpoints_at > 0) == leaves).tolist():
        alive = at != switch
        own = slice(offsets[switch], offsets[switch + 1])
        gone = np.bincount(neighbours[own], capacity[own], n)
        share = np.where(room > 0, (room - gone) / np.maximum(room, 1.0), 1.0)
        if switch in articulation:
            alive &= _in_main_part(topology, switch)[at]
        yield hosts.left(int(plane.switches[switch]), plane, alive, np.where(alive, share[at], 0.0))


def _of_cables(hosts: Hosts, plane: Plane, most: int) -> Iterator[Left]:
    """Yield the loss of each cable that disconnects switches, and of those that take most bandwidth of the others."""
    topology = plane.topology
    links, n, m = topology.links, topology.switches, len(topology.links)
    relative = capacities(topology)
    room = np.bincount(links.ravel(), np.repeat(relative.links, 2), n)
    share_of_host = hosts.rate[plane.endpoints] / hosts.room[plane.hosts[topology.host]]
    weight = np.bincount(topology.endpoints, share_of_host, n) / np.maximum(room, 1.0)
    taken = relative.links * weight[links].sum(axis=1)
    # A cable disconnects switches if a switch put into it would.
    halves = np.stack([links.ravel(), np.repeat(np.arange(m), 2) + n], axis=1)
    bridges = articulation_switches(Topology(links=halves, switches=n + m)) - n
    bridges = bridges[bridges >= 0]
    worst = np.argsort(-taken, kind="stable")
    for cable in np.unique(np.concatenate([bridges, worst[: most + bridges.size]])).tolist():
        share = np.ones(n)
        for switch in links[cable].tolist():
            share[switch] = 1 - relative.links[cable] / room[switch]
        alive = np.ones(n, np.bool_)
        if cable in bridges:
            whole = np.ones(n, np.bool_)
            own = Plane(topology, np.arange(n), np.arange(plane.endpoints.size), plane.hosts, np.arange(m))
            _, alive = largest_parts(topology, [own], whole, np.arange(m) != cable)
        port = alive[topology.endpoints]
        yield hosts.left(int(plane.links[cable]), plane, port, np.where(port, share[topology.endpoints], 0.0))


def losses_of_sets(
    hosts: Hosts, topology: Topology, planes: Sequence[Plane], unit_of_switch: np.ndarray
) -> Iterator[Left]:
    """Yield what the loss of all switches of each unit (a rack, a group) leaves.

    Parameters
    ----------
    hosts : Hosts
    topology : Topology
        The whole network.
    planes : sequence of Plane
        All its planes.
    unit_of_switch : int64[switches]

    Yields
    ------
    Left
    """
    links, n = topology.links, topology.switches
    shares_left = uplinks_left(topology)
    sizes = n, topology.endpoints.size, topology.hosts, len(links)
    whole = Plane(topology, *map(np.arange, sizes))
    for unit in np.unique(unit_of_switch).tolist():
        alive = unit_of_switch != unit
        if not alive.any():
            yield hosts.left(unit, whole, np.zeros(whole.endpoints.size, np.bool_), np.zeros(whole.endpoints.size))
            continue
        keep = alive[links].all(axis=1)
        share = shares_left(~keep)
        _, main = largest_parts(topology, planes, alive, keep)
        port = main[topology.endpoints]
        yield hosts.left(unit, whole, port, np.where(port, share[topology.endpoints], 0.0))


def uplinks_left(topology: Topology) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function (lost links: bool[links] or int64[...]) -> float64[switches]: the share of its links, by their rates,
    that each switch keeps; 1 for one without links.

    Parameters
    ----------
    topology : Topology
    """
    links, rates, n = topology.links, capacities(topology).links, topology.switches
    room = np.bincount(links.ravel(), np.repeat(rates, 2), n)

    def shares(lost: np.ndarray) -> np.ndarray:
        gone = np.bincount(links[lost].ravel(), np.repeat(rates[lost], 2), n)
        return np.where(room > 0, (room - gone) / np.maximum(room, 1.0), 1.0)

    return shares


def _in_main_part(topology: Topology, lost: int) -> np.ndarray:
    """Return the switches of the part with the most hosts after the loss of one switch, bool[n]; among equals the first."""
    links = topology.links[(topology.links != lost).all(axis=1)]
    part = components(topology.without_rates().replace(links=links))
    part_of_endpoint = part[topology.endpoints]
    alive = topology.endpoints != lost
    pairs = np.unique(np.stack([part_of_endpoint[alive], topology.host[alive]]), axis=1)
    hosts = np.bincount(pairs[0], minlength=int(part.max()) + 1)
    return np.asarray((part == int(hosts.argmax())) & (np.arange(topology.switches) != lost))

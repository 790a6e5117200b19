"""What one loss does to the hosts: of a port, of a switch with or without hosts, of a whole plane."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.graph.articulation import articulation_switches
from topoloom.graph.connectivity import components
from topoloom.graph.planes import Plane
from topoloom.model.topology import Topology

#: What can be lost, and what that is.
KINDS = {
    "port": "a port of a host, or its cable",
    "nic": "an interface of a host with all its ports",
    "leaf": "a switch with hosts",
    "spine": "a switch without hosts",
    "plane": "all switches of a plane",
}


@dataclass(frozen=True)
class Left:
    """What one loss leaves.

    Attributes
    ----------
    unit : int
        The endpoint, host (of an interface), switch or plane that is lost, as the whole network counts them.
    cut_off : int
        Hosts without a port that is connected.
    ports_mean, ports_least : float
        The share of its ports that a host keeps connected: the mean over all hosts, and the least.
    uplinks_mean, uplinks_least : float
        The same when a port counts as much as the share of the links of its switch that are left.
    """

    unit: int
    cut_off: int
    ports_mean: float
    ports_least: float
    uplinks_mean: float
    uplinks_least: float


class Hosts:
    """The hosts of a network, and what they keep of their ports when some of one plane are dead.

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

    def without_nic(self, host: int) -> Left:
        """What is left when a host loses an interface; all the others keep everything."""
        kept = max(0, int(self.ports[host]) - self.nic_ports) / int(self.ports[host])
        mean = (self.hosts - 1 + kept) / self.hosts
        return Left(host, int(kept == 0), mean, kept, mean, kept)

    def left(self, unit: int, plane: Plane, port: np.ndarray, uplinks: np.ndarray) -> Left:
        """What is left when all of the network but this plane is well.

        Parameters
        ----------
        unit : int
            What was lost.
        plane : Plane
        port : bool[k]
            The plane's endpoints that are alive and connected.
        uplinks : float64[k]
            What each of them is worth, at most 1; 0 where it is not connected.
        """
        host = plane.hosts[plane.topology.host]
        touched = plane.hosts
        here = np.bincount(host, minlength=self.hosts)[touched]
        alive = np.bincount(host[port], minlength=self.hosts)[touched]
        worth = np.bincount(host, uplinks, self.hosts)[touched]
        ports, elsewhere = self.ports[touched], self.ports[touched] - here
        kept, rate = (elsewhere + alive) / ports, (elsewhere + worth) / ports
        untouched = self.hosts - touched.size
        return Left(
            unit,
            int((elsewhere + alive == 0).sum()),
            float((kept.sum() + untouched) / self.hosts),
            float(kept.min()),
            float((rate.sum() + untouched) / self.hosts),
            float(rate.min()),
        )


def losses_of(kind: str, hosts: Hosts, planes: Sequence[Plane]) -> Iterator[Left]:
    """What each loss of a kind leaves, one after the other.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    hosts : Hosts
        Those of the whole network.
    planes : sequence of Plane
        Those in which something is lost; what is alike in several planes need be looked at in one of them only.

    Yields
    ------
    Left
    """
    if kind == "nic":
        yield hosts.without_nic(int(hosts.ports.argmin()))  # who has fewest ports loses most
        return
    for number, plane in enumerate(planes):
        k = plane.topology.endpoints.size
        if kind == "plane":
            yield hosts.left(number, plane, np.zeros(k, np.bool_), np.zeros(k))
        elif kind == "port":
            yield from _of_ports(hosts, plane)
        else:
            yield from _of_switches(hosts, plane, kind == "leaf")


def _of_ports(hosts: Hosts, plane: Plane) -> Iterator[Left]:
    """A host with the fewest ports loses most; all ports of hosts with as many are alike."""
    host = plane.hosts[plane.topology.host]
    for count in np.unique(hosts.ports[host]).tolist():
        lost = int(np.flatnonzero(hosts.ports[host] == count)[0])
        alive = np.ones(host.size, np.bool_)
        alive[lost] = False
        yield hosts.left(int(plane.endpoints[lost]), plane, alive, alive.astype(float))


def _of_switches(hosts: Hosts, plane: Plane, leaves: bool) -> Iterator[Left]:
    """Each switch with hosts, or each without."""
    topology = plane.topology
    at, degrees = topology.endpoints, topology.degrees
    offsets, neighbours, _ = topology.csr
    parting = set(articulation_switches(topology).tolist())
    for switch in np.flatnonzero((topology.endpoints_at > 0) == leaves).tolist():
        alive = at != switch
        gone = np.bincount(neighbours[offsets[switch] : offsets[switch + 1]], minlength=topology.switches)
        share = np.where(degrees > 0, (degrees - gone) / np.maximum(degrees, 1), 1.0)
        if switch in parting:
            alive &= _in_main_part(topology, switch)[at]
        yield hosts.left(int(plane.switches[switch]), plane, alive, np.where(alive, share[at], 0.0))


def _in_main_part(topology: Topology, lost: int) -> np.ndarray:
    """The switches of the part with most hosts when one switch is lost, bool[n]; of equal parts the first."""
    links = topology.links[(topology.links != lost).all(axis=1)]
    part = components(topology.without_rates().replace(links=links))
    on = part[topology.endpoints]
    kept = topology.endpoints != lost
    pairs = np.unique(np.stack([on[kept], topology.host[kept]]), axis=1)
    hosts = np.bincount(pairs[0], minlength=int(part.max()) + 1)
    return np.asarray((part == int(hosts.argmax())) & (np.arange(topology.switches) != lost))

"""What one loss does to the hosts: the loss of a port, of a switch with or without hosts, or of a whole plane."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topoloom.graph.articulation import articulation_switches
from topoloom.graph.connectivity import components
from topoloom.graph.planes import Plane
from topoloom.model.topology import Topology

#: What can be lost, with descriptions for messages.
KINDS = {
    "port": "a port of a host, or its cable",
    "nic": "an interface of a host with all its ports",
    "leaf": "a switch with hosts",
    "spine": "a switch without hosts",
    "plane": "all switches of a plane",
}


@dataclass(frozen=True)
class Left:
    """What is left after one loss.

    Attributes
    ----------
    unit : int
        The endpoint, host (of an interface), switch or plane that is lost, as numbered in the whole network.
    cut_off : int
        Hosts without a port that is connected.
    ports_mean, ports_least : float
        The share of its ports that a host keeps connected: mean over all hosts, and the least.
    uplinks_mean, uplinks_least : float
        The same, with each port weighted by the share of its switch's links that are left.
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

    def without_nic(self, host: int) -> Left:
        """Return what is left when one host loses an interface; all other hosts keep everything."""
        share = max(0, int(self.ports[host]) - self.nic_ports) / int(self.ports[host])
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
        host = plane.hosts[plane.topology.host]
        affected = plane.hosts
        here = np.bincount(host, minlength=self.hosts)[affected]
        alive = np.bincount(host[port], minlength=self.hosts)[affected]
        worth = np.bincount(host, uplinks, self.hosts)[affected]
        ports, elsewhere = self.ports[affected], self.ports[affected] - here
        port_share, uplink_share = (elsewhere + alive) / ports, (elsewhere + worth) / ports
        unaffected = self.hosts - affected.size
        return Left(
            unit,
            int((elsewhere + alive == 0).sum()),
            float((port_share.sum() + unaffected) / self.hosts),
            float(port_share.min()),
            float((uplink_share.sum() + unaffected) / self.hosts),
            float(uplink_share.min()),
        )


def losses_of(kind: str, hosts: Hosts, planes: Sequence[Plane]) -> Iterator[Left]:
    """Yield what each loss of a kind leaves, one loss after the other.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    hosts : Hosts
        Those of the whole network.
    planes : sequence of Plane
        The planes in which something is lost; of identical planes one is enough.

    Yields
    ------
    Left
    """
    if kind == "nic":
        yield hosts.without_nic(int(hosts.ports.argmin()))  # the host with the fewest ports loses the largest share
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
    """Yield the loss of one port for each number of ports per host: ports of hosts with as many ports are equivalent."""
    host = plane.hosts[plane.topology.host]
    for count in np.unique(hosts.ports[host]).tolist():
        lost = int(np.flatnonzero(hosts.ports[host] == count)[0])
        alive = np.ones(host.size, np.bool_)
        alive[lost] = False
        yield hosts.left(int(plane.endpoints[lost]), plane, alive, alive.astype(float))


def _of_switches(hosts: Hosts, plane: Plane, leaves: bool) -> Iterator[Left]:
    """Yield the loss of each switch with hosts, or of each switch without."""
    topology = plane.topology
    at, degrees = topology.endpoints, topology.degrees
    offsets, neighbours, _ = topology.csr
    articulation = set(articulation_switches(topology).tolist())
    for switch in np.flatnonzero((topology.endpoints_at > 0) == leaves).tolist():
        alive = at != switch
        gone = np.bincount(neighbours[offsets[switch] : offsets[switch + 1]], minlength=topology.switches)
        share = np.where(degrees > 0, (degrees - gone) / np.maximum(degrees, 1), 1.0)
        if switch in articulation:
            alive &= _in_main_part(topology, switch)[at]
        yield hosts.left(int(plane.switches[switch]), plane, alive, np.where(alive, share[at], 0.0))


def _in_main_part(topology: Topology, lost: int) -> np.ndarray:
    """Return the switches of the part with the most hosts after the loss of one switch, bool[n]; among equals the first."""
    links = topology.links[(topology.links != lost).all(axis=1)]
    part = components(topology.without_rates().replace(links=links))
    part_of_endpoint = part[topology.endpoints]
    alive = topology.endpoints != lost
    pairs = np.unique(np.stack([part_of_endpoint[alive], topology.host[alive]]), axis=1)
    hosts = np.bincount(pairs[0], minlength=int(part.max()) + 1)
    return np.asarray((part == int(hosts.argmax())) & (np.arange(topology.switches) != lost))

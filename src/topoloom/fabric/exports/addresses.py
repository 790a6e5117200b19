"""The address plan of an Ethernet fabric of routers: its ports with their addresses, and all shortest next hops.

The host ports of a switch share one prefix of 10.0.0.0/8; all switches' prefixes have the same length and follow each other.
In its prefix every host port has a /31, the switch's end first. Links have /31s of 172.16.0.0/12 in the order of the cable
list, the lower switch first. Links have no addresses if routing is unnumbered.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.interfaces import interfaces
from topoloom.fabric.fabric import Fabric

_HOSTS, _HOST_BITS = int(IPv4Address("10.0.0.0")), 24
_LINKS, _LINK_BITS = int(IPv4Address("172.16.0.0")), 20
#: Number of destinations whose distances are computed at a time.
_BLOCK = 256


class Addresses:
    """The address plan.

    Attributes
    ----------
    length : int
        Length of the prefix of a switch's hosts.
    prefix : int64[switches]
        First address of each prefix.
    endpoint : int64[endpoints]
        The switch's address on the cable of each endpoint; the host's is the next one.
    link : int64[links, 2]
        The addresses of both ends of each link.
    """

    def __init__(self, fabric: Fabric, *, numbered: bool = True) -> None:
        topology = fabric.topology
        if not topology.endpoints.size:
            raise InputError(f"{topology.name}: no hosts, so there is nothing to route to; add them, as in hosts=4")
        bits = max(1, int(2 * topology.endpoints_at.max() - 1).bit_length())
        if topology.switches << bits > 1 << _HOST_BITS:
            raise InputError(
                f"{topology.name}: 10.0.0.0/8 has no space for {topology.switches} prefixes of /{32 - bits}"
            )
        if numbered and 2 * len(topology.links) > 1 << _LINK_BITS:
            raise InputError(f"{topology.name}: {len(topology.links)} links; 172.16.0.0/12 has space for {1 << 19}")
        self.length = 32 - bits
        self.prefix = _HOSTS + (np.arange(topology.switches, dtype=np.int64) << bits)
        first = np.concatenate([[0], np.cumsum(topology.endpoints_at)])[:-1]
        place = np.arange(topology.endpoints.size) - first[topology.endpoints]
        self.endpoint = self.prefix[topology.endpoints] + 2 * place
        self.link = _LINKS + 2 * np.arange(len(topology.links))[:, None] + np.arange(2)

    def prefix_of(self, switch: int) -> str:
        """The prefix of a switch's hosts: ``10.0.0.4/30``."""
        return f"{IPv4Address(int(self.prefix[switch]))}/{self.length}"


@dataclass(frozen=True)
class Port:
    """A used port of a switch.

    Attributes
    ----------
    number : int
    interface : str
        Its name in Linux.
    description : str
        The other end, as text.
    address : int
        The switch's address on the cable.
    link : int
        The link, -1 for a host's cable.
    peer : int
        The switch or the host at the other end.
    """

    number: int
    interface: str
    description: str
    address: int
    link: int
    peer: int


def ports_of(fabric: Fabric, names: Sequence[str], plan: Addresses, switch: int) -> list[Port]:
    """The used ports of a switch, by number.

    Parameters
    ----------
    fabric : Fabric
    names : sequence of str
        Names of the switches in files and descriptions.
    plan : Addresses
    switch : int

    Returns
    -------
    list of Port
    """
    topology = fabric.topology
    offsets, to, link = topology.csr
    at_switch, at_host = interfaces(fabric)
    ports = []
    for e in np.flatnonzero(topology.endpoints == switch).tolist():
        host = int(topology.host[e])
        port, far_port = int(fabric.endpoint_ports[e]), int(fabric.host_ports[e])
        description = f"host {fabric.host_names[host]} port {_far(at_host(host, far_port), 'eth', far_port)}"
        ports.append(Port(port, at_switch(switch, port), description, int(plan.endpoint[e]), -1, host))
    for channel in range(int(offsets[switch]), int(offsets[switch + 1])):
        row, peer = int(link[channel]), int(to[channel])
        end = int(topology.links[row, 0] != switch)
        port, far_port = int(fabric.channel_ports[channel]), int(fabric.link_ports[row, 1 - end])
        description = f"switch {names[peer]} port {_far(at_switch(peer, far_port), 'swp', far_port)}"
        ports.append(Port(port, at_switch(switch, port), description, int(plan.link[row, end]), row, peer))
    return sorted(ports, key=lambda port: port.number)


def _far(interface: str, prefix: str, port: int) -> str:
    """The port at the other end in a description: its number, or its name if it has one of its own."""
    return str(port) if interface == f"{prefix}{port}" else interface


def shortest_next_hops(fabric: Fabric, names: Sequence[str], most: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """For every switch with hosts: the channels that lead nearer to it, as in `Topology.csr`, and their origins.

    Planes are separate networks: switches that are not connected to the switch have no channel to it.

    Parameters
    ----------
    fabric : Fabric
    names : sequence of str
        Names of the switches, for messages.
    most : int
        The greatest number of next hops of a switch to one destination.

    Yields
    ------
    home, channels, origins : int, int64[k], int64[k]

    Raises
    ------
    InputError
        The network is not connected, or a switch has too many next hops.
    """
    from topoloom.graph.distances import distances_from
    from topoloom.graph.planes import plane_count

    topology = fabric.topology
    _, to, _ = topology.csr
    origin = np.repeat(np.arange(topology.switches), topology.degrees)
    homes = np.flatnonzero(topology.endpoints_at)
    several = plane_count(topology) > 1
    for begin in range(0, homes.size, _BLOCK):
        block = homes[begin : begin + _BLOCK]
        for home, distance in zip(block.tolist(), distances_from(topology, block, 1), strict=True):
            lost = np.flatnonzero(distance < 0)
            if lost.size and not several:
                raise InputError(
                    f"{topology.name}: no path from {names[lost[0]]} to {names[home]}; add links between the parts first"
                )
            nearer = np.flatnonzero(distance[to] == distance[origin] - 1)
            ways = np.bincount(origin[nearer], minlength=topology.switches)
            if ways.max() > most:
                s = int(ways.argmax())
                raise InputError(f"{topology.name}: {ways[s]} next hops at {names[s]}; FRR takes {most}")
            yield home, nearer, origin[nearer]


def gateways(fabric: Fabric, plan: Addresses) -> list[str]:
    """The address at the far end of every channel, in the order of `Topology.csr`."""
    topology = fabric.topology
    _, _, link = topology.csr
    origin = np.repeat(np.arange(topology.switches), topology.degrees)
    far_end = (topology.links[link, 0] == origin).astype(np.int64)
    return [str(IPv4Address(int(address))) for address in plan.link[link, far_end]]


def node_names(names: Sequence[str], what: str) -> list[str]:
    """Names of machines for files and containers: each run of other characters than letters, digits, - and . becomes -.

    Raises
    ------
    InputError
        Two of the resulting names are the same, or one is empty.

    Examples
    --------
    >>> node_names(["MF0;leaf 1:MQM8700/U1", "S_7"], "switches")
    ['MF0-leaf-1-MQM8700-U1', 'S_7']
    """
    plain = [re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._") for name in names]
    seen: dict[str, str] = {}
    for name, word in zip(names, plain, strict=True):
        if not word:
            raise InputError(f"{name!a} has no letter or digit; {what} need names")
        # Names of machines are not case-sensitive.
        if word.lower() in seen:
            raise InputError(f"two {what} are called {word!a} ({seen[word.lower()]!a} and {name!a}); rename one")
        seen[word.lower()] = name
    return plain

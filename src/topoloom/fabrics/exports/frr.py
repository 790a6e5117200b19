"""FRR: static routes for an Ethernet fabric of routers, every shortest next hop in one ECMP group; a file a switch.

Addresses: the host ports of a switch share one prefix of 10.0.0.0/8, all switches' as long, switch after switch; in it every
host port has a /31, the switch's end first. Links have /31s of 172.16.0.0/12 in the order of the cable list, the lower switch
first. Port 7 is the interface swp7.
"""

from ipaddress import IPv4Address

import numpy as np

from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import Order, export, words
from topoloom.fabrics.fabric import Fabric

_HOSTS, _HOST_BITS = int(IPv4Address("10.0.0.0")), 24
_LINKS, _LINK_BITS = int(IPv4Address("172.16.0.0")), 20
#: As many next hops as FRR's own packages are built for.
_MOST_WAYS = 256
#: Destinations of distances at a time.
_BLOCK = 256


@export("frr", "static routes with ECMP groups for FRR, a file a switch, for Ethernet", tables=False)
def frr(order: Order) -> dict[str, str]:
    """NAME.conf for every switch, and addresses.csv with the address of every host port."""
    fabric = order.fabric
    names = words(fabric.switch_names, "switches")
    for name in names:
        if "/" in name or name.startswith("."):
            raise InputError(f"{fabric.topology.name}: switch {name!a} cannot be the name of a file")
    plan = Addresses(fabric)
    files = {f"{name}.conf": text for name, text in zip(names, _configs(fabric, names, plan), strict=True)}
    rows = ["host,host_port,switch,switch_port,address,gateway"]
    topology = fabric.topology
    for e, (switch, host) in enumerate(zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True)):
        gate = int(plan.endpoint[e])
        name = fabric.host_names[host].replace('"', '""')
        shown = f'"{name}"' if "," in name or '"' in name else name
        rows.append(
            f"{shown},{fabric.host_ports[e]},{names[switch]},{fabric.endpoint_ports[e]},"
            f"{IPv4Address(gate + 1)}/31,{IPv4Address(gate)}"
        )
    files["addresses.csv"] = "\n".join(rows) + "\n"
    return files


class Addresses:
    """The addressing plan.

    Attributes
    ----------
    length : int
        Of the prefix of a switch's hosts.
    prefix : int64[switches]
        Where it begins.
    endpoint : int64[endpoints]
        The switch's address on the cable of each endpoint; the host's is one more.
    link : int64[links, 2]
        The addresses of both ends of each link.
    """

    def __init__(self, fabric: Fabric) -> None:
        topology = fabric.topology
        if not topology.endpoints.size:
            raise InputError(f"{topology.name}: no hosts, so there is nothing to route to; add them, as in hosts=4")
        bits = max(1, int(2 * topology.endpoints_at.max() - 1).bit_length())
        if topology.switches << bits > 1 << _HOST_BITS:
            raise InputError(
                f"{topology.name}: 10.0.0.0/8 has no room for {topology.switches} prefixes of /{32 - bits}"
            )
        if 2 * len(topology.links) > 1 << _LINK_BITS:
            raise InputError(f"{topology.name}: {len(topology.links)} links; 172.16.0.0/12 has room for {1 << 19}")
        self.length = 32 - bits
        self.prefix = _HOSTS + (np.arange(topology.switches, dtype=np.int64) << bits)
        first = np.concatenate([[0], np.cumsum(topology.endpoints_at)])[:-1]
        place = np.arange(topology.endpoints.size) - first[topology.endpoints]
        self.endpoint = self.prefix[topology.endpoints] + 2 * place
        self.link = _LINKS + 2 * np.arange(len(topology.links))[:, None] + np.arange(2)


def _configs(fabric: Fabric, names: list[str], plan: Addresses) -> list[str]:
    """The configuration of every switch."""
    from topoloom.graph.distances import distances_from
    from topoloom.graph.planes import plane_count

    topology = fabric.topology
    n = topology.switches
    _, to, link = topology.csr
    origin = np.repeat(np.arange(n), topology.degrees)
    far_end = (topology.links[link, 0] == origin).astype(np.int64)
    gateway = [str(IPv4Address(int(address))) for address in plan.link[link, far_end]]
    prefixes = [f"{IPv4Address(int(start))}/{plan.length}" for start in plan.prefix]
    lines = [_interfaces(fabric, names, plan, s) for s in range(n)]
    homes = np.flatnonzero(topology.endpoints_at)
    # Planes are networks of their own: a switch knows the addresses of its own plane.
    several = plane_count(topology) > 1
    for begin in range(0, homes.size, _BLOCK):
        block = homes[begin : begin + _BLOCK]
        for home, distance in zip(block.tolist(), distances_from(topology, block, 1), strict=True):
            lost = np.flatnonzero(distance < 0)
            if lost.size and not several:
                raise InputError(
                    f"{topology.name}: no path from {names[lost[0]]} to {names[home]}; link the parts first"
                )
            nearer = np.flatnonzero(distance[to] == distance[origin] - 1)
            most = np.bincount(origin[nearer], minlength=n)
            if most.max() > _MOST_WAYS:
                s = int(most.argmax())
                raise InputError(f"{topology.name}: {most[s]} next hops at {names[s]}; FRR takes {_MOST_WAYS}")
            for channel, s in zip(nearer.tolist(), origin[nearer].tolist(), strict=True):
                lines[s].append(f"ip route {prefixes[home]} {gateway[channel]}")
    return ["\n".join([*own, "!"]) + "\n" for own in lines]


def _interfaces(fabric: Fabric, names: list[str], plan: Addresses, switch: int) -> list[str]:
    """The head of a switch's configuration: its name, its ports with their addresses, its own prefix."""
    topology = fabric.topology
    offsets, to, link = topology.csr
    ports: list[tuple[int, str, int]] = []
    for e in np.flatnonzero(topology.endpoints == switch).tolist():
        host = fabric.host_names[topology.host[e]]
        ports.append((int(fabric.endpoint_ports[e]), f"host {host} port {fabric.host_ports[e]}", int(plan.endpoint[e])))
    for channel in range(int(offsets[switch]), int(offsets[switch + 1])):
        row, far = int(link[channel]), int(to[channel])
        end = int(topology.links[row, 0] != switch)
        there = f"switch {names[far]} port {fabric.link_ports[row, 1 - end]}"
        ports.append((int(fabric.channel_ports[channel]), there, int(plan.link[row, end])))
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "!"]
    for port, there, address in sorted(ports):
        lines += [f"interface swp{port}", f" description {there}", f" ip address {IPv4Address(address)}/31", "!"]
    if topology.endpoints_at[switch]:
        # What is for a host port that is not there ends here, and does not go round.
        lines.append(f"ip route {IPv4Address(int(plan.prefix[switch]))}/{plan.length} blackhole")
    return lines

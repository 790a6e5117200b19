"""SRv6: hosts write the path of the tables into the packet, link by link; switches hold routes to their own links only.

With ``lists=switches`` the switches write the lists, of several paths or of detours (`segment_lists`).

Every end of a link is a segment (End.X, RFC 8986, 4.2): `fcbb:SWITCH:PORT::` forwards by that port of that switch, whatever
the destination. A packet gets the segments of its path in a routing header (RFC 8754), which ends with the destination, so
that no node has to unpack it. A host in several planes has one address per port, each with paths in its plane.
The commands are those of iproute2 on a Linux kernel; `net.ipv6.conf.*.seg6_enabled` lets hosts accept such packets.
"""

from collections.abc import Callable
from functools import cache
from ipaddress import IPv6Address

import numpy as np

from topoloom.core.csv_files import csv_table, texts
from topoloom.core.errors import InputError
from topoloom.fabric.exports.interfaces import interfaces
from topoloom.fabric.exports.lab import Lab, shell_script
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.routing import Routing
from topoloom.topologies.spec import Choice

SIDS, HOSTS, _LINKS = (int(IPv6Address(prefix)) for prefix in ("fcbb::", "fd00::", "fd01::"))
#: A path for every pair of host ports is written: more would fill a disk.
_MOST_PATHS = 1 << 22
#: A routing header has at most 127 segments (RFC 8754: its length is one byte in units of eight), including the destination.
MOST_HOPS = 126

LISTS = Choice(
    ("hosts", "switches"),
    "who writes the segments: hosts, one path of the tables; or their switches, all paths of ksp or the detours of vlb",
    default="hosts",
)


def sid(switch: int, port: int) -> str:
    """The segment of a switch's port."""
    return str(IPv6Address(SIDS | switch << 80 | port << 64))


def address_at_switch(switch: int, port: int) -> IPv6Address:
    """The switch's address on a host's cable; the host's is the next one."""
    return IPv6Address(HOSTS | switch << 80 | port << 64)


def address_at_link(link: int, end: int) -> IPv6Address:
    """The address of an end of a link."""
    return IPv6Address(_LINKS | link << 64 | end)


@export(
    "srv6",
    "static SRv6: the tables' paths as segments that hosts write into packets (iproute2)",
    tables=True,
    asked=True,
    lists=LISTS,
)
def srv6(request: ExportRequest, lists: str) -> dict[str, str]:
    """One script per switch and host, and addresses6.csv with the address of every host port."""
    lab = Lab(request)
    switches, hosts = commands_of(lab, lists)
    files = {f"switches/{name}.sh": shell_script(lines) for name, lines in zip(lab.switches, switches, strict=True)}
    files |= {f"hosts/{name}.sh": shell_script(lines) for name, lines in zip(lab.hosts, hosts, strict=True)}
    files["addresses6.csv"] = addresses6_csv(lab)
    return files


def commands_of(lab: Lab, lists: str) -> tuple[list[list[str]], list[list[str]]]:
    """The commands of each switch and of each host, with the segment lists at the hosts or at the switches.

    Parameters
    ----------
    lab : Lab
    lists : "hosts" or "switches"

    Returns
    -------
    switches, hosts : list of list of str

    Raises
    ------
    InputError
        As `host_commands`, or as `segment_lists.list_commands`.
    """
    if lists == "hosts":
        return link_commands(lab), host_commands(lab)
    from topoloom.fabric.exports.segment_lists import list_commands, plain_host_commands

    return list_commands(lab), plain_host_commands(lab)


def addresses6_csv(lab: Lab) -> str:
    """The table of host ports with their IPv6 addresses."""
    fabric, topology = lab.request.fabric, lab.topology
    pairs = list(zip(topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), strict=True))
    return csv_table(
        {
            "host": texts([lab.hosts[host] for host in topology.host.tolist()], guard=False),
            "host_port": [str(port) for port in fabric.host_ports.tolist()],
            "switch": texts([lab.switches[switch] for switch in topology.endpoints.tolist()], guard=False),
            "switch_port": [str(port) for port in fabric.endpoint_ports.tolist()],
            "address": [f"{address_at_switch(*pair) + 1}/127" for pair in pairs],
            "gateway": [str(address_at_switch(*pair)) for pair in pairs],
        }
    )


def link_commands(lab: Lab) -> list[list[str]]:
    """The commands of each switch: addresses on its cables, and a segment for every end of a link."""
    fabric, topology = lab.request.fabric, lab.topology
    at_switch, _ = interfaces(fabric)
    commands = [["sysctl -w net.ipv6.conf.all.forwarding=1"] for _ in range(topology.switches)]
    for s, p in zip(topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), strict=True):
        commands[s].append(f"ip -6 addr add {address_at_switch(s, p)}/127 dev {at_switch(s, p)} nodad")
    for k, (ends, ports) in enumerate(zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)):
        for end, (s, p) in enumerate(zip(ends, ports, strict=True)):
            device = at_switch(s, p)
            commands[s].append(f"ip -6 addr add {address_at_link(k, end)}/127 dev {device} nodad")
            commands[s].append(
                f"ip -6 route add {sid(s, p)}/128 encap seg6local action End.X nh6 {address_at_link(k, 1 - end)} dev {device}"
            )
    return commands


def host_commands(lab: Lab) -> list[list[str]]:
    """The commands of each host: its addresses, routes to its own switches, and a path to every port of every other host.

    A path from a host with several ports begins at the port with the destination's number, if that port is in the same plane.

    Raises
    ------
    InputError
        There are no tables, too many paths to write, or a path that the tables do not have.
    """
    from topoloom.graph.connectivity import components

    fabric, topology, routing = lab.request.fabric, lab.topology, lab.request.tables
    paths = topology.hosts * topology.endpoints.size
    if not paths:
        raise InputError(f"{topology.name}: no hosts, so there is nothing to route to; add them, as in hosts=4")
    if paths > _MOST_PATHS:
        raise InputError(f"{topology.name}: {paths} paths between host ports; at most {_MOST_PATHS} are written")
    if isinstance(routing.choice, NextHopGroups):
        raise InputError(
            f"{topology.name}: hosts write one path, and engine {routing.engine} has several; with ksp or vlb give"
            " lists=switches, else route by an engine of one path"
        )
    segments = _segments(routing, fabric.channel_ports)
    part = components(topology)[topology.endpoints].tolist()
    switch, port, number = topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), fabric.host_ports.tolist()
    endpoints_of: list[list[int]] = [[] for _ in range(topology.hosts)]
    for e, host in enumerate(topology.host.tolist()):
        endpoints_of[host].append(e)
    _, at_host = interfaces(fabric)
    commands = []
    for host, own in enumerate(endpoints_of):
        lines = ["sysctl -w net.ipv6.conf.all.seg6_enabled=1"]
        for e in own:
            device, gate = at_host(host, number[e]), address_at_switch(switch[e], port[e])
            lines.append(f"sysctl -w net.ipv6.conf.{device}.seg6_enabled=1")
            lines.append(f"ip -6 addr add {gate + 1}/127 dev {device} nodad")
        # The first segment belongs to the host's own switch; hosts on that switch need no segments.
        ways = {
            switch[e]: f"via {address_at_switch(switch[e], port[e])} dev {at_host(host, number[e])}"
            for e in reversed(own)
        }
        for home, way in ways.items():
            spaces = (IPv6Address(space | home << 80) for space in (SIDS, HOSTS))
            lines += [f"ip -6 route add {space}/48 {way}" for space in spaces]
        for e in range(topology.endpoints.size):
            if topology.host[e] == host:
                continue
            starts = [candidate for candidate in own if part[candidate] == part[e]]
            if not starts or switch[e] in ways:
                continue
            start = next((candidate for candidate in starts if number[candidate] == number[e]), starts[0])
            hops = ",".join(segments(switch[start], switch[e]))
            lines.append(
                f"ip -6 route add {address_at_switch(switch[e], port[e]) + 1}/128 encap seg6 mode inline segs {hops}"
                f" dev {at_host(host, number[start])}"
            )
        commands.append(lines)
    return commands


def _segments(routing: Routing, channel_ports: np.ndarray) -> Callable[[int, int], list[str]]:
    """A function that returns, and caches, the segments of the tables' path between two switches."""
    topology, ports = routing.topology, routing.ports
    offsets, to, _ = topology.csr
    none = np.iinfo(ports.dtype).max

    @cache
    def walk(source: int, target: int) -> list[str]:
        switch = source
        segments: list[str] = []
        while switch != target:
            way = ports[target, switch]
            if way == none or len(segments) == MOST_HOPS:
                raise InputError(
                    f"{topology.name}: the tables have no path from switch {source} to {target} of {MOST_HOPS} hops at most"
                )
            channel = int(offsets[switch]) + int(way)
            segments.append(sid(switch, int(channel_ports[channel])))
            switch = int(to[channel])
        return segments

    return walk

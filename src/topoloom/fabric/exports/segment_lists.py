"""SRv6 with the lists at the switches: next-hop groups whose paths or detours a packet's first switch writes into it.

Paths (engine ``ksp``): a route per destination over all paths. A path of several links is a list of the ends of its later links
(End.X) and of the destination's segment that unpacks (End.DT6); no other switch holds anything for it.
Detours (engine ``vlb``): packets from hosts take their own table, with the shortest next hops and, by weights, a list per
waypoint, whose segment unpacks there (End.DT6). From there, and between switches, packets take shortest paths.
Hosts are those of an ordinary network. The commands are those of iproute2; weights are those of the groups.
"""

from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv6Address
from math import gcd
from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.interfaces import interfaces
from topoloom.fabric.exports.lab import Lab
from topoloom.fabric.exports.srv6 import HOSTS, MOST_HOPS, SIDS, address_at_link, address_at_switch, link_commands, sid
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.groups.segments import follows_paths, waypoints
from topoloom.routing.routing import Routing

#: The segment of a switch that unpacks, as a port that no switch has; the table of packets from hosts; Linux's heaviest member.
_UNPACK, _TABLE, _HEAVIEST = 0xFFFF, 100, 256


class SourceWay(NamedTuple):
    """A way of packets from their first switch: its weight, first channel, and segments (none: packets stay as they are)."""

    weight: int
    channel: int
    segments: tuple[str, ...]


def source_ways(lab: Lab, home: int) -> Iterator[tuple[int, list[SourceWay]]]:
    """Yield every other switch with the ways of its hosts' packets to the hosts of a switch.

    Parameters
    ----------
    lab : Lab
        With tables of engine ``ksp`` or ``vlb``.
    home : int

    Yields
    ------
    switch, ways : int, list of SourceWay

    Raises
    ------
    InputError
        Tables of another engine, a path with too many segments, or weights that Linux does not take.
    """
    routing = lab.request.tables
    topology, groups, ends = routing.topology, *_groups(routing)
    begins, to, _ = topology.csr
    ports = lab.request.fabric.channel_ports
    for switch in np.flatnonzero(groups.group[0, home] >= 0).tolist():
        own = int(groups.group[0, home, switch])
        chosen = slice(int(groups.first[own]), int(groups.first[own + 1]))
        shares: Counter[tuple[int, tuple[str, ...]]] = Counter()
        for port, state in zip(groups.port[chosen].tolist(), groups.next_state[chosen].tolist(), strict=True):
            channel = int(begins[switch]) + port
            if ends is None:
                path = _rest(groups, begins, to, channel, state, home)
                # Linux keeps the first hop of a list for all flows: where links are parallel, the list begins with its own.
                twins = (to[begins[switch] : begins[switch + 1]] == to[channel]).sum() > 1
                passed = [(channel, switch), *path] if twins else path
                segments = (*(sid(at, int(ports[c])) for c, at in passed), sid(home, _UNPACK))
                key = channel, segments if path else ()
                if len(key[1]) > MOST_HOPS:
                    raise InputError(
                        f"{topology.name}: a path of {len(path) + 1} links; at most {MOST_HOPS} are written"
                    )
            elif ends[state, home] >= 0:
                waypoint = int(ends[state, home])
                several = groups.widths[groups.group[1, waypoint, switch]] > 1
                # As above: where several first hops are shortest, the list begins with its own.
                first = (sid(switch, int(ports[channel])),) if several else ()
                key = channel, (*first, sid(waypoint, _UNPACK))
            else:
                key = channel, ()
            shares[key] += 1
        common = gcd(*shares.values())
        heaviest = max(shares.values()) // common
        if heaviest > _HEAVIEST:
            raise InputError(
                f"{topology.name}: a next hop with weight {heaviest}; Linux takes {_HEAVIEST}: use a simpler share, as 0.25 or"
                " 0.5, or fewer detours"
            )
        yield switch, [SourceWay(count // common, *key) for key, count in shares.items()]


def _groups(routing: Routing) -> tuple[NextHopGroups, np.ndarray | None]:
    """Return the groups of tables that lists can carry, and the waypoints of their detours (None: paths)."""
    groups = routing.choice
    if isinstance(groups, NextHopGroups):
        if follows_paths(groups):
            return groups, None
        ends = waypoints(routing, groups)
        if ends is not None and (ends >= 0).any():
            return groups, ends
    raise InputError(
        f"{routing.topology.name}: lists=switches writes tables of engine ksp or vlb, and these are of engine {routing.engine};"
        " use topoloom export with --engine ksp, or route the network by it first"
    )


def _rest(
    groups: NextHopGroups, begins: np.ndarray, to: np.ndarray, channel: int, state: int, home: int
) -> list[tuple[int, int]]:
    """The channels of a path after the first one, each with the switch that it leaves."""
    path = []
    while to[channel] != home:
        at = int(to[channel])
        member = int(groups.first[groups.group[state, home, at]])
        channel, state = int(begins[at]) + int(groups.port[member]), int(groups.next_state[member])
        path.append((channel, at))
    return path


def list_commands(lab: Lab) -> list[list[str]]:
    """The commands of each switch: addresses, its segments, and routes with the lists.

    Parameters
    ----------
    lab : Lab

    Returns
    -------
    list of list of str

    Raises
    ------
    InputError
        As `source_ways`.
    """
    topology, fabric = lab.topology, lab.request.fabric
    groups, ends = _groups(lab.request.tables)
    at_switch, _ = interfaces(fabric)
    begins, _, _ = topology.csr
    devices = [
        at_switch(int(s), int(p)) for s, p in zip(lab.request.tables.channels.origin, fabric.channel_ports, strict=True)
    ]
    gateway = _far_ends(lab)
    commands = link_commands(lab)
    homed = topology.endpoints_at > 0
    for s, lines in enumerate(commands):
        lines.insert(0, "sysctl -w net.ipv6.seg6_flowlabel=1")
        if begins[s + 1] > begins[s]:
            device = devices[begins[s]]
            lines.append(
                f"ip -6 route add {sid(s, _UNPACK)}/128 encap seg6local action End.DT6 table main dev {device}"
            )
        if homed[s]:
            lines.append(f"ip -6 route add blackhole {_prefix(HOSTS, s)}")
    if ends is None:
        _neighbours(lab, commands, devices, gateway)
    else:
        _shortest(lab, groups, commands, devices, gateway)
    for home in np.flatnonzero(homed).tolist():
        for switch, ways in source_ways(lab, home):
            if not homed[switch]:
                continue
            prefix = _prefix(HOSTS, home) + ("" if ends is None else f" table {_TABLE}")
            hops = [
                (f"encap seg6 mode encap segs {','.join(way.segments)} " if way.segments else "")
                + f"via {gateway[way.channel]} dev {devices[way.channel]}"
                + (f" weight {way.weight}" if way.weight > 1 else "")
                for way in ways
            ]
            commands[switch].append(_route(prefix, hops))
    return commands


def _prefix(space: int, switch: int) -> str:
    return f"{IPv6Address(space | switch << 80)}/48"


def _route(prefix: str, hops: list[str]) -> str:
    """A route over one next hop, or over several."""
    return f"ip -6 route add {prefix} " + (hops[0] if len(hops) == 1 else " ".join(f"nexthop {hop}" for hop in hops))


def _far_ends(lab: Lab) -> list[str]:
    """The address at the far end of every channel, in the order of `Topology.csr`."""
    topology = lab.topology
    link, origin = topology.csr[2], np.repeat(np.arange(topology.switches), topology.degrees)
    end = (topology.links[link, 0] == origin).astype(int)
    return [str(address_at_link(int(k), int(e))) for k, e in zip(link, end, strict=True)]


def _neighbours(lab: Lab, commands: list[list[str]], devices: list[str], gateway: list[str]) -> None:
    """Routes to the segments of neighbours: a list begins with one of these."""
    topology = lab.topology
    begins, to, _ = topology.csr
    for s in range(topology.switches):
        channels: dict[int, list[int]] = {}
        for c in range(int(begins[s]), int(begins[s + 1])):
            channels.setdefault(int(to[c]), []).append(c)
        for peer, own in channels.items():
            commands[s].append(_route(_prefix(SIDS, peer), [f"via {gateway[c]} dev {devices[c]}" for c in own]))


def _shortest(
    lab: Lab, groups: NextHopGroups, commands: list[list[str]], devices: list[str], gateway: list[str]
) -> None:
    """Shortest paths to all hosts and segments, and the table of packets from the switch's own hosts."""
    topology, fabric = lab.topology, lab.request.fabric
    begins, homed = topology.csr[0], topology.endpoints_at > 0
    at_switch, _ = interfaces(fabric)
    for s, p in zip(topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), strict=True):
        device = at_switch(s, p)
        commands[s].append(f"ip -6 rule add iif {device} lookup {_TABLE}")
        commands[s].append(f"ip -6 route add {address_at_switch(s, p)}/127 dev {device} table {_TABLE}")
    for s in np.flatnonzero(homed).tolist():
        commands[s].append(f"ip -6 route add blackhole {_prefix(HOSTS, s)} table {_TABLE}")
    for goal in range(topology.switches):
        for s in np.flatnonzero(groups.group[1, goal] >= 0).tolist():
            own = int(groups.group[1, goal, s])
            channels = (int(begins[s]) + groups.port[groups.first[own] : groups.first[own + 1]]).tolist()
            hops = [f"via {gateway[c]} dev {devices[c]}" for c in channels]
            commands[s].append(_route(_prefix(SIDS, goal), hops))
            if homed[goal]:
                commands[s].append(_route(_prefix(HOSTS, goal), hops))


def plain_host_commands(lab: Lab) -> list[list[str]]:
    """The commands of each host: its address, and a route to all hosts by its switch.

    Parameters
    ----------
    lab : Lab

    Returns
    -------
    list of list of str

    Raises
    ------
    InputError
        A host with several ports.
    """
    fabric, topology = lab.request.fabric, lab.topology
    if topology.hosts < topology.endpoints.size:
        raise InputError(
            f"{topology.name}: lists=switches is for hosts with one port; omit it, so that hosts write the lists"
        )
    _, at_host = interfaces(fabric)
    commands: list[list[str]] = [[] for _ in range(topology.hosts)]
    rows = zip(topology.host, topology.endpoints, fabric.endpoint_ports, fabric.host_ports, strict=True)
    for host, switch, port, number in ((int(a), int(b), int(c), int(d)) for a, b, c, d in rows):
        gate, device = address_at_switch(switch, port), at_host(host, number)
        commands[host] = [
            f"ip -6 addr add {gate + 1}/127 dev {device} nodad",
            f"ip -6 route add {IPv6Address(HOSTS)}/16 via {gate} dev {device}",
        ]
    return commands

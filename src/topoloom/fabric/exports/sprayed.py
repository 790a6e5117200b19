"""Spraypoint on routers of Ethernet: two tables per switch, and no encapsulation.

Packets from a switch's own hosts take a default route over all its links. Packets from other switches take the main table,
which has a group of few next hops per prefix. The groups are those of the tables of engine ``spraypoint``.
"""

from collections.abc import Iterator
from ipaddress import IPv4Address

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, gateways, ports_of
from topoloom.fabric.exports.bgp import MOST_WAYS
from topoloom.fabric.fabric import Fabric
from topoloom.routing.choices import NextHopGroups
from topoloom.routing.routing import Routing

#: The table of packets from hosts.
_TABLE = 100


def sprayed_groups(fabric: Fabric, routing: Routing | None) -> NextHopGroups:
    """The groups of tables that spray packets over all links of their source switch.

    Parameters
    ----------
    fabric : Fabric
    routing : Routing or None

    Returns
    -------
    NextHopGroups

    Raises
    ------
    InputError
        There are no tables, or those of another engine; a group has more members than FRR takes.
    """
    name = fabric.topology.name
    choice = None if routing is None else routing.choice
    if not isinstance(choice, NextHopGroups) or not _sprays(choice, fabric.topology.degrees):
        raise InputError(
            f"{name}: routing=spraypoint writes tables of that engine, and there are others or none; use topoloom export with"
            " --engine spraypoint, or route the network by it first"
        )
    widest = int(choice.widths.max(initial=0))
    if widest > MOST_WAYS:
        raise InputError(f"{name}: a group of {widest} next hops; FRR takes {MOST_WAYS}")
    return choice


def _sprays(groups: NextHopGroups, degrees: np.ndarray) -> bool:
    """Whether state 0 of two is one group per switch with all its links, and state 1 is never left."""
    if groups.states != 2 or (groups.next_state != 1).any():
        return False
    own = groups.group[0].max(axis=0)
    same = (groups.group[0] == own) | (groups.group[0] < 0)
    linked = own >= 0
    return bool(same.all() and (groups.widths[own[linked]] == degrees[linked]).all())


def pointed_next_hops(fabric: Fabric, groups: NextHopGroups) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """For every switch with hosts: the channels that lead to it from other switches, and their origins.

    Parameters
    ----------
    fabric : Fabric
    groups : NextHopGroups
        Of `sprayed_groups`.

    Yields
    ------
    home, channels, origins : int, int64[k], int64[k]
        As `shortest_next_hops`.
    """
    begins, _, _ = fabric.topology.csr
    for home in np.flatnonzero(fabric.topology.endpoints_at).tolist():
        own = groups.group[1, home]
        switches = np.flatnonzero(own >= 0)
        origins = np.repeat(switches, groups.widths[own[switches]])
        yield home, begins[origins] + groups.port[groups.members_of(own[switches])], origins


def sprayed_configs(fabric: Fabric, names: list[str], plan: Addresses, groups: NextHopGroups) -> list[str]:
    """FRR's configuration of every switch: static routes in two tables, of which `sprayed_commands` choose.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses
        With addresses of links.
    groups : NextHopGroups
        Of `sprayed_groups`.

    Returns
    -------
    list of str
    """
    gateway = gateways(fabric, plan)
    begins, _, _ = fabric.topology.csr
    lines = [_head(fabric, names, plan, s, gateway[begins[s] : begins[s + 1]]) for s in range(len(names))]
    for home, channels, origins in pointed_next_hops(fabric, groups):
        prefix = plan.prefix_of(home)
        for channel, s in zip(channels.tolist(), origins.tolist(), strict=True):
            lines[s].append(f"ip route {prefix} {gateway[channel]}")
    return ["\n".join([*own, "!"]) + "\n" for own in lines]


def sprayed_commands(fabric: Fabric, names: list[str], plan: Addresses) -> list[list[str]]:
    """The commands of each switch (iproute2): packets from its hosts take their own table.

    Parameters
    ----------
    fabric : Fabric
    names : list of str
        Names of the switches.
    plan : Addresses

    Returns
    -------
    list of list of str
    """
    return [
        [
            f"ip rule add iif {port.interface} lookup {_TABLE}"
            for port in ports_of(fabric, names, plan, s)
            if port.link < 0
        ]
        for s in range(len(names))
    ]


def _head(fabric: Fabric, names: list[str], plan: Addresses, switch: int, neighbours: list[str]) -> list[str]:
    """The beginning of a switch's configuration: its name, its ports, its own prefix, and the table of its hosts."""
    own, ports = plan.prefix_of(switch), ports_of(fabric, names, plan, switch)
    lines = ["frr defaults datacenter", f"hostname {names[switch]}", "ip forwarding", "!"]
    for port in ports:
        lines += [f"interface {port.interface}", f" description {port.description}"]
        lines += [f" ip address {IPv4Address(port.address)}/31", "!"]
    if not fabric.topology.endpoints_at[switch]:
        return lines
    # Hosts of the same switch reach each other directly; addresses without a host end here.
    lines += [
        f"ip route {IPv4Address(port.address)}/31 {port.interface} table {_TABLE}" for port in ports if port.link < 0
    ]
    lines += [f"ip route {own} blackhole table {_TABLE}"]
    lines += [f"ip route 0.0.0.0/0 {address} table {_TABLE}" for address in neighbours]
    return [*lines, f"ip route {own} blackhole"]

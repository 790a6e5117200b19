"""A fabric as virtual machines or containers: their names, their cables, and the commands by which hosts get routes.

Port 7 of a switch is the interface ``swp7``, port 1 of a host ``eth1``, unless they have names that Linux takes (`interfaces`);
``eth0`` is for management in every lab.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, summarize_address_range

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, node_names
from topoloom.fabric.exports.interfaces import interfaces
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import host_names

#: The maximum length of the name of a network interface in Linux.
_MOST_INTERFACE_CHARACTERS = 15


def real_host_names(request: ExportRequest) -> list[str]:
    """The names of hosts: by the plan of their racks if they have separate racks, otherwise those of the fabric."""
    fabric, layout = request.fabric, request.layout
    if fabric.planned and layout is not None and layout.housing is not None:
        return host_names(layout.housing, fabric.topology.hosts)
    return list(fabric.host_names)


@dataclass(frozen=True, eq=False)
class Lab:
    """The machines of a lab.

    Attributes
    ----------
    request : ExportRequest
    """

    request: ExportRequest

    @property
    def topology(self) -> Topology:
        """The topology of the fabric."""
        return self.request.fabric.topology

    @cached_property
    def title(self) -> str:
        """The lab's name: the topology's, in letters, digits and hyphens."""
        plain = re.sub(r"[^A-Za-z0-9]+", "-", self.topology.name).strip("-")[:40].strip("-")
        return plain or "fabric"

    @cached_property
    def _names(self) -> list[str]:
        fabric = self.request.fabric
        names = node_names([*fabric.switch_names, *real_host_names(self.request)], "switches or hosts")
        longest = max(fabric.link_ports.max(initial=0), fabric.endpoint_ports.max(initial=0))
        if len(f"swp{longest}") > _MOST_INTERFACE_CHARACTERS:
            raise InputError(
                f"{self.topology.name}: port {longest}; an interface's name has at most {_MOST_INTERFACE_CHARACTERS} characters"
            )
        return names

    @property
    def switches(self) -> list[str]:
        """The name of each switch."""
        return self._names[: self.topology.switches]

    @property
    def hosts(self) -> list[str]:
        """The name of each host."""
        return self._names[self.topology.switches :]

    @cached_property
    def cables(self) -> list[tuple[tuple[str, str], tuple[str, str]]]:
        """Both ends of every cable, as machine and interface: links first, then hosts' cables."""
        fabric, topology = self.request.fabric, self.topology
        switches, hosts = self.switches, self.hosts
        at_switch, at_host = interfaces(fabric)
        links = [
            ((switches[u], at_switch(u, p)), (switches[v], at_switch(v, q)))
            for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
        ]
        ends = (topology.endpoints, fabric.endpoint_ports, topology.host, fabric.host_ports)
        return links + [
            ((switches[s], at_switch(s, p)), (hosts[h], at_host(h, q)))
            for s, p, h, q in zip(*(each.tolist() for each in ends), strict=True)
        ]

    def host_commands(self, plan: Addresses) -> list[list[str]]:
        """The commands of each host: its addresses, and its routes, which lead to the ports of each plane if there are several.

        Several ports in one network share the traffic as one ECMP group.
        """
        from topoloom.graph.connectivity import components

        fabric, topology = self.request.fabric, self.topology
        part = components(topology)
        reach = [["10.0.0.0/8"]] if part.max() == 0 else _prefixes(plan, part)
        ports: list[list[int]] = [[] for _ in range(topology.hosts)]
        for e, host in enumerate(topology.host.tolist()):
            ports[host].append(e)
        _, at_host = interfaces(fabric)
        commands = []
        for host, endpoints in enumerate(ports):
            device = {e: at_host(host, int(fabric.host_ports[e])) for e in endpoints}
            lines = [f"ip addr add {IPv4Address(int(plan.endpoint[e]) + 1)}/31 dev {device[e]}" for e in endpoints]
            own = {f"{IPv4Address(int(plan.endpoint[e]))}/31" for e in endpoints}
            ways: dict[int, list[str]] = {}
            for e in endpoints:
                way = f"via {IPv4Address(int(plan.endpoint[e]))} dev {device[e]}"
                ways.setdefault(int(part[topology.endpoints[e]]), []).append(way)
            if any(len(several) > 1 for several in ways.values()):
                # A reply may arrive at another port than the request left by.
                lines.append("sysctl -w net.ipv4.conf.all.rp_filter=2")
            for index, several in ways.items():
                way = several[0] if len(several) == 1 else " ".join(f"nexthop {gateway}" for gateway in several)
                # The kernel adds the route to the cable itself.
                lines += [f"ip route add {prefix} {way}" for prefix in reach[index] if prefix not in own]
            commands.append(lines)
        return commands


def _prefixes(plan: Addresses, part: np.ndarray) -> list[list[str]]:
    """The prefixes of the hosts in each part of a network, as few as possible."""
    size = 1 << (32 - plan.length)
    prefixes: list[list[str]] = []
    for index in range(int(part.max()) + 1):
        own = np.flatnonzero(part == index)
        runs = np.split(own, np.flatnonzero(np.diff(own) > 1) + 1)
        networks = (
            summarize_address_range(
                IPv4Address(int(plan.prefix[run[0]])), IPv4Address(int(plan.prefix[run[-1]]) + size - 1)
            )
            for run in runs
        )
        prefixes.append([str(network) for several in networks for network in several])
    return prefixes


def shell_script(commands: list[str]) -> str:
    """Commands as a shell script that stops at the first failure."""
    return "\n".join(["#!/bin/sh", "set -e", *commands]) + "\n"

"""A fabric as virtual machines or containers: what they are called, their cables, and what hosts run to have routes.

Port 7 of a switch is the interface ``swp7``, port 1 of a host ``eth1``: ``eth0`` is for management in every lab.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, summarize_address_range

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.addresses import Addresses, node_names
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import host_names

#: A network interface of Linux has at most so many letters.
_LONGEST_INTERFACE = 15


def real_host_names(order: ExportRequest) -> list[str]:
    """What hosts are called: by their racks' plan where hosts stand in racks of their own, else as the fabric has it."""
    fabric, layout = order.fabric, order.layout
    if fabric.planned and layout is not None and layout.housing is not None:
        return host_names(layout.housing.host, fabric.topology.hosts)
    return list(fabric.host_names)


@dataclass(frozen=True, eq=False)
class Lab:
    """The machines of a lab.

    Attributes
    ----------
    order : ExportRequest
    """

    order: ExportRequest

    @property
    def topology(self) -> Topology:
        """Of the fabric."""
        return self.order.fabric.topology

    @cached_property
    def title(self) -> str:
        """The lab's name: the topology's, in letters, digits and hyphens."""
        plain = re.sub(r"[^A-Za-z0-9]+", "-", self.topology.name).strip("-")[:40].strip("-")
        return plain or "fabric"

    @cached_property
    def _names(self) -> list[str]:
        fabric = self.order.fabric
        found = node_names([*fabric.switch_names, *real_host_names(self.order)], "switches or hosts")
        longest = max(fabric.link_ports.max(initial=0), fabric.endpoint_ports.max(initial=0))
        if len(f"swp{longest}") > _LONGEST_INTERFACE:
            raise InputError(
                f"{self.topology.name}: port {longest}; an interface's name has {_LONGEST_INTERFACE} letters"
            )
        return found

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
        """Both ends of every cable, machine and interface: links, then hosts' cables."""
        fabric, topology = self.order.fabric, self.topology
        switches, hosts = self.switches, self.hosts
        links = [
            ((switches[u], f"swp{p}"), (switches[v], f"swp{q}"))
            for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
        ]
        ends = (topology.endpoints, fabric.endpoint_ports, topology.host, fabric.host_ports)
        return links + [
            ((switches[s], f"swp{p}"), (hosts[h], f"eth{q}"))
            for s, p, h, q in zip(*(each.tolist() for each in ends), strict=True)
        ]

    def host_commands(self, plan: Addresses) -> list[list[str]]:
        """What each host runs: its addresses, and its routes, which in a network of planes lead to the ports of each plane.

        Several ports in one network share what is sent, as one ECMP group.
        """
        from topoloom.graph.connectivity import components

        fabric, topology = self.order.fabric, self.topology
        part = components(topology)
        reach = [["10.0.0.0/8"]] if part.max() == 0 else _prefixes(plan, part)
        ports: list[list[int]] = [[] for _ in range(topology.hosts)]
        for e, host in enumerate(topology.host.tolist()):
            ports[host].append(e)
        found = []
        for mine in ports:
            lines = [
                f"ip addr add {IPv4Address(int(plan.endpoint[e]) + 1)}/31 dev eth{fabric.host_ports[e]}" for e in mine
            ]
            own = {f"{IPv4Address(int(plan.endpoint[e]))}/31" for e in mine}
            ways: dict[int, list[str]] = {}
            for e in mine:
                way = f"via {IPv4Address(int(plan.endpoint[e]))} dev eth{fabric.host_ports[e]}"
                ways.setdefault(int(part[topology.endpoints[e]]), []).append(way)
            if any(len(several) > 1 for several in ways.values()):
                # An answer may come in by another port than the question left by.
                lines.append("sysctl -w net.ipv4.conf.all.rp_filter=2")
            for index, several in ways.items():
                way = several[0] if len(several) == 1 else " ".join(f"nexthop {one}" for one in several)
                # The kernel has a route to the cable itself.
                lines += [f"ip route add {prefix} {way}" for prefix in reach[index] if prefix not in own]
            found.append(lines)
        return found


def _prefixes(plan: Addresses, part: np.ndarray) -> list[list[str]]:
    """The prefixes of the hosts in each part of a network, as few as can be."""
    size = 1 << (32 - plan.length)
    found: list[list[str]] = []
    for index in range(int(part.max()) + 1):
        own = np.flatnonzero(part == index)
        runs = np.split(own, np.flatnonzero(np.diff(own) > 1) + 1)
        networks = (
            summarize_address_range(
                IPv4Address(int(plan.prefix[run[0]])), IPv4Address(int(plan.prefix[run[-1]]) + size - 1)
            )
            for run in runs
        )
        found.append([str(network) for several in networks for network in several])
    return found


def shell_script(commands: list[str]) -> str:
    """Commands as a shell script that ends at the first that fails."""
    return "\n".join(["#!/bin/sh", "set -e", *commands]) + "\n"

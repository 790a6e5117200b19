"""Switches that have a management port on their own network: in a plan a switch and a host of one name, in a discovery one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.fabric.diagnosis.evidence import PlanFacts
from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.fabric_parts import OF_LINKS, part_of, plane_of
from topoloom.fabric.port_names import UNKNOWN

_NOTHING = PlanFacts()


def with_own_switches(plan: Fabric, facts: PlanFacts = _NOTHING) -> tuple[Fabric, PlanFacts]:
    """A plan in which each device is one node: the ports of hosts that have the name of a switch are ports of that switch.

    A switch of a management network has a management port on this network. It is planned as a host of the same name, so that
    it has a cable and a place; a discovery shows one device.

    Parameters
    ----------
    plan : Fabric
    facts : PlanFacts, optional

    Returns
    -------
    (Fabric, PlanFacts)
        The same objects if no host has the name of a switch.
    """
    numbers = {name: switch for switch, name in enumerate(plan.switch_names)}
    twin = np.array([numbers.get(name, -1) for name in plan.host_names], np.int64)
    if not (twin >= 0).any():
        return plan, facts
    topology, n = plan.topology, plan.topology.switches
    own = twin[topology.host] >= 0
    rest = plane_of(topology, np.arange(n), np.flatnonzero(~own), np.arange(len(topology.links)), topology.name)
    sizes, names = plan.switch_ports.copy(), [dict(ports) for ports in each_node(plan.switch_port_names, n)]
    of_hosts = each_node(plan.host_port_names, topology.hosts)
    links, ports, loops, joined = [], [], [], []
    for end in np.flatnonzero(own).tolist():
        host, at = int(topology.host[end]), int(topology.endpoints[end])
        switch, port = int(twin[host]), int(plan.endpoint_ports[end])
        sizes[switch] += 1
        number = int(sizes[switch])
        names[switch][number] = of_hosts[host].get(int(plan.host_ports[end]), UNKNOWN)
        if at == switch:
            loops.append((switch, port, number))
            continue
        (low, low_port), (high, high_port) = sorted(((at, port), (switch, number)))
        links.append((low, high))
        ports.append((low_port, high_port))
        joined.append(end)
    fabric = replace(
        part_of(plan, rest),
        loops=np.concatenate([plan.loops, np.array(loops, np.int32).reshape(-1, 3)]),
        switch_ports=sizes,
        switch_port_names=tuple(names),
    )
    every = np.concatenate([topology.links, np.array(links, np.int32).reshape(-1, 2)])
    # As a topology sorts its links.
    order = np.lexsort((every[:, 1], every[:, 0]))
    of_links: dict[str, Any] = {
        name: np.concatenate([getattr(plan, name), getattr(plan, name.replace("link_", "endpoint_"))[joined]])[order]
        for name in OF_LINKS
        if name != "link_ports"
    }
    of_links["link_ports"] = np.concatenate([plan.link_ports, np.array(ports, np.int32).reshape(-1, 2)])[order]
    rates: dict[str, Any] = {}
    if rest.topology.link_rate_gbps is not None and topology.endpoint_rate_gbps is not None:
        of_own = np.concatenate([rest.topology.link_rate_gbps, topology.endpoint_rate_gbps[joined]])
        rates = {"link_rate_gbps": of_own}
    whole = rest.topology.replace(links=every, **rates)
    nodes = [*range(n), *(n + rest.hosts).tolist()]
    return replace(fabric, topology=whole, **of_links), replace(
        facts,
        racks=_of_nodes(facts.racks, nodes),
        units=_of_nodes(facts.units, nodes),
        length_m=_of_all(facts.length_m, len(joined), order),
        stock_m=_of_all(facts.stock_m, len(joined), order),
        product=[[*facts.product, *[""] * len(joined)][link] for link in order.tolist()] if facts.product else (),
    )


def _of_nodes(values: Sequence[str], nodes: list[int]) -> list[str]:
    return [values[node] for node in nodes if node < len(values)]


def _of_all(lengths: np.ndarray | None, more: int, order: np.ndarray) -> np.ndarray | None:
    return None if lengths is None else np.concatenate([lengths, np.full(more, np.nan)])[order]

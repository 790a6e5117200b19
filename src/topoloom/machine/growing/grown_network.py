"""A network of a machine with further devices and switches: existing names, ports and cables stay."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.fabric.fabric import Fabric, number_in_host
from topoloom.fabric.fabric_parts import OF_ENDPOINTS, OF_HOSTS, OF_LINKS, OF_SWITCHES
from topoloom.machine.devices import DeviceGroup
from topoloom.machine.growing.ports import NewPorts
from topoloom.model.topology import Topology
from topoloom.network import Network

#: The arrays of a fabric that follow from its topology, its layout or its devices' numbers.
_DERIVED = ("switch_guids", "host_guids", "port_guids", "switch_rack", "switch_unit", "host_rack", "host_unit")


def grown_topology(
    network: Network, groups: Sequence[DeviceGroup], ports: NewPorts, rate_gbps: float
) -> tuple[Topology, np.ndarray, np.ndarray]:
    """The network with its new switches, links and devices.

    Parameters
    ----------
    network : Network
        Of the existing machine.
    groups : sequence of DeviceGroup
        All devices; the hosts of the result are these, in order.
    ports : NewPorts
    rate_gbps : float
        Of the network, where its topology has no rates.

    Returns
    -------
    (Topology, int64[links], int64[endpoints])
        And where each of its links and endpoints comes from: the number of an existing one, or that of a new one after these.
        A new link is a copy of an existing one, in the order of the switches that are copied.
    """
    topology, first = network.topology, network.topology.switches
    number = {name: at for at, name in enumerate(name for group in groups for name in group.names)}
    of_existing = np.array([number[name] for name in network.fabric.host_names], np.int64)
    of_ends = topology.endpoint_rate_gbps
    at, host = [topology.endpoints.astype(np.int64)], [of_existing[topology.host]]
    rate = [np.full(topology.endpoints.size, rate_gbps) if of_ends is None else of_ends]
    for group in groups:
        for name in group.names:
            if name in ports.switches:
                own = ports.switches[name]
                at.append(own)
                host.append(np.full(own.size, number[name]))
                rate.append(np.full(own.size, group.rate_gbps))
    ends, end_rates = np.concatenate(at), np.concatenate(rate)
    copied = copied_links(topology, ports.copies)
    links = np.concatenate([topology.links, copied[:, :2]]) if len(copied) else topology.links
    of_links = topology.link_rate_gbps
    link_rates = np.full(len(topology.links), rate_gbps) if of_links is None else of_links
    link_rates = np.concatenate([link_rates, link_rates[copied[:, 2]]])
    order = np.argsort(ends, kind="stable")
    link_order = np.lexsort((links.max(axis=1), links.min(axis=1))) if len(links) else np.zeros(0, np.int64)
    copies = np.array(ports.copies, np.int64)
    rated = topology.rated or bool((end_rates != rate_gbps).any())
    grown = Topology(
        links=links,
        switches=first + copies.size,
        endpoints=ends,
        host=np.concatenate(host),
        labels={key: np.concatenate([values, values[copies]]) for key, values in topology.labels.items()},
        name=topology.name,
        link_rate_gbps=link_rates if rated else None,
        endpoint_rate_gbps=end_rates if rated else None,
    )
    return grown, link_order, order


def copied_links(topology: Topology, copies: Sequence[int]) -> np.ndarray:
    """The links of new switches, int64[links, 3]: the other end, the new switch, and the link that is copied."""
    rows = [np.zeros((0, 3), np.int64)]
    for new, switch in enumerate(copies, topology.switches):
        own = np.flatnonzero((topology.links == switch).any(axis=1))
        ends = topology.links[own].astype(np.int64)
        other = np.where(ends[:, 0] == switch, ends[:, 1], ends[:, 0])
        rows.append(np.stack([other, np.full(own.size, new), own], axis=1))
    return np.concatenate(rows)


def fabric_with_added(
    stands: Network, planned: Fabric, ports: NewPorts, link_order: np.ndarray, order: np.ndarray
) -> Fabric:
    """The names and ports of a grown network: existing cables stay in their ports, new ones take the lowest free ones.

    Parameters
    ----------
    stands : Network
        Of the existing machine.
    planned : Fabric
        Of the grown network as topoloom would number it.
    ports : NewPorts
    link_order : int64[links]
        As of `grown_topology`.
    order : int64[endpoints]
        Likewise.

    Returns
    -------
    Fabric
        A new switch has its links in the ports in which the switch that it is a copy of has them.
    """
    old, topology = stands.fabric, planned.topology
    host_of = {name: at for at, name in enumerate(old.host_names)}
    hosts = np.array([host_of.get(name, -1) for name in planned.host_names])
    copies = np.array(ports.copies, np.int64)
    copied = copied_links(stands.topology, ports.copies)
    columns: dict[str, Any] = {}
    for names, origin in (
        (OF_SWITCHES, np.concatenate([np.arange(stands.topology.switches), np.full(copies.size, -1)])),
        (OF_HOSTS, hosts),
        (OF_LINKS, np.where(link_order < len(stands.topology.links), link_order, -1)),
        (OF_ENDPOINTS, np.where(order < stands.topology.endpoints.size, order, -1)),
    ):
        for name in names:
            if name not in _DERIVED:
                columns[name] = _kept(getattr(old, name), getattr(planned, name), origin)
    columns["switch_ports"][stands.topology.switches :] = old.switch_ports[copies]
    used: list[set[int]] = [set() for _ in range(topology.switches)]
    for ends, at in ((stands.topology.links, old.link_ports), (stands.topology.endpoints, old.endpoint_ports)):
        for switch, port in zip(ends.ravel().tolist(), at.ravel().tolist(), strict=True):
            used[switch].add(port)
    is_new = np.flatnonzero(link_order >= len(stands.topology.links))
    for link in is_new.tolist():
        other, new, copy = copied[link_order[link] - len(stands.topology.links)].tolist()
        own_end = int(stands.topology.links[copy, 1] == ports.copies[new - stands.topology.switches])
        port = int(old.link_ports[copy, own_end])
        used[new].add(port)
        columns["link_ports"][link] = _lowest(used[other]), port
    for end in np.flatnonzero(order >= stands.topology.endpoints.size).tolist():
        columns["endpoint_ports"][end] = _lowest(used[int(topology.endpoints[end])])
    # Ports of a lower rate share cages, so that a switch may have more of them.
    highest = np.array([max(some, default=1) for some in used])
    columns["switch_ports"] = np.maximum(columns["switch_ports"], highest).astype(np.int32)
    own_number = number_in_host(topology)
    columns["host_ports"] = np.where(order < stands.topology.endpoints.size, columns["host_ports"], own_number).astype(
        np.int32
    )
    columns |= _guids(old, planned, hosts, order)
    return replace(planned, made=old.made, guids_given=old.guids_given, **columns)


def _kept(existing: np.ndarray, planned: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """The existing values, and the planned ones of what is new (-1)."""
    new = origin < 0
    out = np.array(planned, copy=True)
    if existing.dtype.kind == "U":
        out = out.astype(np.result_type(out.dtype, existing.dtype))
    out[~new] = existing[origin[~new]]
    return out


def _lowest(used: set[int]) -> int:
    """The lowest port that is not in use, which is used from now on."""
    port = 1
    while port in used:
        port += 1
    used.add(port)
    return port


def _guids(old: Fabric, planned: Fabric, hosts: np.ndarray, order: np.ndarray) -> Mapping[str, np.ndarray]:
    """GUIDs: those of existing devices and ports stay; new ones count on from the highest."""
    topology, first = planned.topology, len(old.switch_names)
    top = int(old.switch_guids.max())
    switches = np.concatenate([old.switch_guids, top + 1 + np.arange(topology.switches - first, dtype=np.uint64)])
    top = int(max(old.host_guids.max(), old.port_guids.max()))
    new_host = np.flatnonzero(hosts < 0)
    ends_of = np.bincount(topology.host, minlength=topology.hosts)
    base = top + 1 + np.concatenate([[0], np.cumsum(ends_of[new_host] + 1)])
    host_guids = np.zeros(topology.hosts, np.uint64)
    host_guids[hosts >= 0] = old.host_guids[hosts[hosts >= 0]]
    host_guids[new_host] = base[:-1]
    stays = order < old.port_guids.size
    port_guids = np.zeros(order.size, np.uint64)
    port_guids[stays] = old.port_guids[order[stays]]
    number = number_in_host(topology)
    port_guids[~stays] = host_guids[topology.host[~stays]] + number[~stays].astype(np.uint64)
    return {"switch_guids": switches.astype(np.uint64), "host_guids": host_guids, "port_guids": port_guids}

"""Installed tables on a fabric that has changed since: which entries still lead to the same ports, and which lead elsewhere."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import Routing, port_type


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes between which tables lead: the switches of a fabric and, if host ports have their own paths, these as leaves.

    Attributes
    ----------
    fabric : Fabric
    by_port : bool
        Whether host ports are nodes: endpoint e is node switches + e.
    """

    fabric: Fabric
    by_port: bool

    @cached_property
    def topology(self) -> Topology:
        """The nodes and their cables; data goes between nodes that have hosts, or that are host ports."""
        switches_only = self.fabric.topology
        if not self.by_port:
            return switches_only
        n, k = switches_only.switches, switches_only.endpoints.size
        cables = np.stack([switches_only.endpoints, n + np.arange(k)], axis=1)
        return Topology(np.concatenate([switches_only.links, cables]), n + k, n + np.arange(k), name=switches_only.name)

    @cached_property
    def channels(self) -> Channels:
        """The channels between the nodes."""
        return channels_of(self.topology)

    @cached_property
    def guids(self) -> list[tuple[bool, int]]:
        """The identity of each node: whether it is a switch, and its GUID or that of the host port."""
        identities = [(True, guid) for guid in self.fabric.switch_guids.tolist()]
        return identities + [(False, guid) for guid in self.fabric.port_guids.tolist()] if self.by_port else identities

    @cached_property
    def channel_ports(self) -> np.ndarray:
        """The real port by which each channel leaves its node, int64[2 m]."""
        fabric, topology = self.fabric, self.topology
        ports = fabric.link_ports.astype(np.int64)
        if self.by_port:
            links = fabric.topology.links.astype(np.int64)
            leaves = fabric.topology.switches + np.arange(fabric.topology.endpoints.size)
            ends = np.concatenate([links, np.stack([fabric.topology.endpoints, leaves], axis=1)])
            plugs = np.stack([fabric.endpoint_ports, fabric.host_ports], axis=1).astype(np.int64)
            # In the order of the topology's links.
            ports = np.concatenate([ports, plugs])[
                np.argsort(ends[:, 0] * topology.switches + ends[:, 1], kind="stable")
            ]
        link = topology.csr[2]
        at_first = topology.links[link, 0] == self.channels.origin
        return np.asarray(np.where(at_first, ports[link, 0], ports[link, 1]))

    def column(self, target: int) -> int:
        """The node that is the destination for a target; targets are the endpoints, then the switches."""
        k = self.fabric.topology.endpoints.size
        if target >= k:
            return target - k
        return self.fabric.topology.switches + target if self.by_port else int(self.fabric.topology.endpoints[target])


@dataclass(frozen=True, eq=False)
class Carried:
    """Tables of a fabric, translated to its current numbers.

    Attributes
    ----------
    nodes : Nodes
        The current nodes.
    meant : uint8 or uint16[n, n]
        Entries whose cable still joins the same ports; the type's highest value elsewhere.
    met : uint8 or uint16[n, n]
        The entries as packets meet them, including those whose port now has another cable, unless that leads to a wrong host.
    virtual_channels : uint8[n, n]
        ORPHAN where a pair has no virtual channel yet.
    """

    nodes: Nodes
    meant: np.ndarray
    met: np.ndarray
    virtual_channels: np.ndarray


def carried(routing: Routing, old: Fabric, new: Fabric) -> Carried:
    """The tables of an old fabric on the new one; nodes are matched by their GUIDs.

    Parameters
    ----------
    routing : Routing
        Of the old fabric, as `routing_from` returns it.
    old, new : Fabric
    """
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    old_nodes = Nodes(old, routing.topology.switches != old.topology.switches)
    new_nodes = Nodes(new, old_nodes.by_port)
    number = {guid: node for node, guid in enumerate(old_nodes.guids)}
    before = np.array([number.get(guid, -1) for guid in new_nodes.guids], np.int64)
    surviving = np.flatnonzero(before >= 0)
    after = np.full(len(old_nodes.guids), -1, np.int64)
    after[before[surviving]] = surviving
    meant_channel, met_channel = _channels(old_nodes, new_nodes, after)
    kind = port_type(new_nodes.topology)
    none = np.iinfo(kind).max
    tables = []
    for channel in (meant_channel, met_channel):
        port: np.ndarray = np.where(
            channel >= 0, channel - new_nodes.channels.first[after[old_nodes.channels.origin]], none
        ).astype(kind)
        table: np.ndarray = np.full((len(new_nodes.guids),) * 2, none, kind)
        for d in surviving.tolist():
            row = routing.ports[before[d], before[surviving]]
            has_port = row != routing.none
            table[d, surviving[has_port]] = port[old_nodes.channels.first[before[surviving[has_port]]] + row[has_port]]
        tables.append(_without_wrong_hosts(table, new_nodes))
    virtual_channels = np.full((len(new_nodes.guids),) * 2, ORPHAN, np.uint8)
    old_channels = (
        np.zeros((len(old_nodes.guids),) * 2, np.uint8)
        if routing.virtual_channels is None
        else routing.virtual_channels
    )
    # Virtual channels of pairs without data were chosen by the verifier and carry no meaning.
    data = old_nodes.topology.endpoints_at[before[surviving]] > 0
    carrying = surviving[data]
    virtual_channels[np.ix_(carrying, carrying)] = old_channels[np.ix_(before[carrying], before[carrying])]
    return Carried(new_nodes, tables[0], tables[1], virtual_channels)


def _without_wrong_hosts(table: np.ndarray, nodes: Nodes) -> np.ndarray:
    """A table without the entries that lead into a host port other than the destination: a host forwards nothing."""
    if nodes.by_port:
        none, channels = np.iinfo(table.dtype).max, nodes.channels
        destinations, at = np.nonzero(table != none)
        neighbours = channels.to[channels.first[at] + table[destinations, at]]
        wrong = (neighbours >= nodes.fabric.topology.switches) & (neighbours != destinations)
        table[destinations[wrong], at[wrong]] = none
    return table


def _channels(old_nodes: Nodes, new_nodes: Nodes, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each old channel: the same channel now, and the channel that leaves by the same port now, int64[2 m]; -1: none."""
    channel_at = {plug: channel for channel, plug in enumerate(_plugs(new_nodes))}
    new_plugs = _plugs(new_nodes)
    old = _plugs(old_nodes)
    back, now_back = old_nodes.channels.back.tolist(), new_nodes.channels.back.tolist()
    meant, met = np.full(len(old), -1, np.int64), np.full(len(old), -1, np.int64)
    for channel, plug in enumerate(old):
        channel_now = channel_at.get(plug)
        if channel_now is None or after[old_nodes.channels.origin[channel]] < 0:
            continue
        met[channel] = channel_now
        if new_plugs[now_back[channel_now]] == old[back[channel]]:
            meant[channel] = channel_now
    return meant, met


def _plugs(nodes: Nodes) -> list[tuple[tuple[bool, int], int]]:
    """The node and the port by which each channel leaves."""
    guids = nodes.guids
    return [(guids[s], p) for s, p in zip(nodes.channels.origin.tolist(), nodes.channel_ports.tolist(), strict=True)]


def by_target(nodes: Nodes, ports: np.ndarray) -> np.ndarray:
    """Tables between nodes as the real port by which each switch sends to each target, int32[n, k + n]; -1: none."""
    fabric = nodes.fabric
    n, k = fabric.topology.switches, fabric.topology.endpoints.size
    none = np.iinfo(ports.dtype).max
    table = np.full((n, k + n), -1, np.int32)
    first = nodes.channels.first
    toward = np.full((n, len(nodes.guids)), -1, np.int32)
    for switch in range(n):
        row = ports[:, switch]
        reached = np.flatnonzero(row != none)
        toward[switch, reached] = nodes.channel_ports[first[switch] + row[reached].astype(np.int64)]
        toward[switch, switch] = 0
    columns = np.array([nodes.column(target) for target in range(k + n)], np.int64)
    table[:] = toward[:, columns]
    if not nodes.by_port:
        table[fabric.topology.endpoints, np.arange(k)] = fabric.endpoint_ports
    return table

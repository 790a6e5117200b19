"""Tables in force on a fabric that has changed since: which entries still lead where they shall, and where others do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.routing import Routing, port_type


@dataclass(frozen=True, eq=False)
class Nodes:
    """What tables lead between: the switches of a fabric, and where its host ports have paths of their own these, as leaves.

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
        """The nodes and their cables; data goes between those that have hosts, or are host ports."""
        given = self.fabric.topology
        if not self.by_port:
            return given
        n, k = given.switches, given.endpoints.size
        cables = np.stack([given.endpoints, n + np.arange(k)], axis=1)
        return Topology(np.concatenate([given.links, cables]), n + k, n + np.arange(k), name=given.name)

    @cached_property
    def channels(self) -> Channels:
        """The channels between the nodes."""
        return channels_of(self.topology)

    @cached_property
    def guids(self) -> list[tuple[bool, int]]:
        """Who each node is: whether it is a switch, and its GUID, or that of the host port."""
        found = [(True, guid) for guid in self.fabric.switch_guids.tolist()]
        return found + [(False, guid) for guid in self.fabric.port_guids.tolist()] if self.by_port else found

    @cached_property
    def channel_ports(self) -> np.ndarray:
        """The real port that each channel leaves its node by, int64[2 m]."""
        fabric, topology = self.fabric, self.topology
        ports = fabric.link_ports.astype(np.int64)
        if self.by_port:
            links = fabric.topology.links.astype(np.int64)
            leaves = fabric.topology.switches + np.arange(fabric.topology.endpoints.size)
            ends = np.concatenate([links, np.stack([fabric.topology.endpoints, leaves], axis=1)])
            plugs = np.stack([fabric.endpoint_ports, fabric.host_ports], axis=1).astype(np.int64)
            # In the order in which the topology has them.
            ports = np.concatenate([ports, plugs])[
                np.argsort(ends[:, 0] * topology.switches + ends[:, 1], kind="stable")
            ]
        link = topology.csr[2]
        at_first = topology.links[link, 0] == self.channels.origin
        return np.asarray(np.where(at_first, ports[link, 0], ports[link, 1]))

    def column(self, target: int) -> int:
        """The node that what is for a target goes to; targets are the endpoints, and past these the switches."""
        k = self.fabric.topology.endpoints.size
        if target >= k:
            return target - k
        return self.fabric.topology.switches + target if self.by_port else int(self.fabric.topology.endpoints[target])


@dataclass(frozen=True, eq=False)
class Carried:
    """Tables of a fabric, in the numbers of what it is now.

    Attributes
    ----------
    nodes : Nodes
        What is there now.
    meant : uint8 or uint16[n, n]
        Entries whose cable still joins the same ports; the highest value of the type elsewhere.
    met : uint8 or uint16[n, n]
        The entries that packets meet: also those whose port has another cable now, unless that leads to a wrong host.
    virtual_channels : uint8[n, n]
        ORPHAN where a pair has none yet.
    """

    nodes: Nodes
    meant: np.ndarray
    met: np.ndarray
    virtual_channels: np.ndarray


def carried(routing: Routing, old: Fabric, new: Fabric) -> Carried:
    """The tables of an old fabric on the new one; nodes are known by their GUIDs.

    Parameters
    ----------
    routing : Routing
        As `routing_from` gives it, of the old fabric.
    old, new : Fabric
    """
    from topoloom.routing.trees.kernels.vc_trees import ORPHAN

    was = Nodes(old, routing.topology.switches != old.topology.switches)
    now = Nodes(new, was.by_port)
    number = {guid: node for node, guid in enumerate(was.guids)}
    before = np.array([number.get(guid, -1) for guid in now.guids], np.int64)
    known = np.flatnonzero(before >= 0)
    after = np.full(len(was.guids), -1, np.int64)
    after[before[known]] = known
    meant_channel, met_channel = _channels(was, now, after)
    kind = port_type(now.topology)
    none = np.iinfo(kind).max
    tables = []
    for channel in (meant_channel, met_channel):
        port: np.ndarray = np.where(
            channel >= 0, channel - now.channels.first[after[was.channels.origin]], none
        ).astype(kind)
        table: np.ndarray = np.full((len(now.guids),) * 2, none, kind)
        for d in known.tolist():
            row = routing.ports[before[d], before[known]]
            there = row != routing.none
            table[d, known[there]] = port[was.channels.first[before[known[there]]] + row[there]]
        tables.append(_without_wrong_hosts(table, now))
    virtual_channels = np.full((len(now.guids),) * 2, ORPHAN, np.uint8)
    given = np.zeros((len(was.guids),) * 2, np.uint8) if routing.virtual_channels is None else routing.virtual_channels
    # Virtual channels of pairs that no data took are the verifier's, and say nothing.
    data = was.topology.endpoints_at[before[known]] > 0
    carrying = known[data]
    virtual_channels[np.ix_(carrying, carrying)] = given[np.ix_(before[carrying], before[carrying])]
    return Carried(now, tables[0], tables[1], virtual_channels)


def _without_wrong_hosts(table: np.ndarray, nodes: Nodes) -> np.ndarray:
    """A table without the entries that lead into a host port other than the destination: a host forwards nothing."""
    if nodes.by_port:
        none, channels = np.iinfo(table.dtype).max, nodes.channels
        destinations, at = np.nonzero(table != none)
        neighbours = channels.to[channels.first[at] + table[destinations, at]]
        wrong = (neighbours >= nodes.fabric.topology.switches) & (neighbours != destinations)
        table[destinations[wrong], at[wrong]] = none
    return table


def _channels(was: Nodes, now: Nodes, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The channel that each old one is now, and the one that leaves by the same port, int64[2 m]; -1: none."""
    there = {plug: channel for channel, plug in enumerate(_plugs(now))}
    far = _plugs(now)
    old = _plugs(was)
    back, now_back = was.channels.back.tolist(), now.channels.back.tolist()
    meant, met = np.full(len(old), -1, np.int64), np.full(len(old), -1, np.int64)
    for channel, plug in enumerate(old):
        found = there.get(plug)
        if found is None or after[was.channels.origin[channel]] < 0:
            continue
        met[channel] = found
        if far[now_back[found]] == old[back[channel]]:
            meant[channel] = found
    return meant, met


def _plugs(nodes: Nodes) -> list[tuple[tuple[bool, int], int]]:
    """Who and by which port each channel leaves."""
    guids = nodes.guids
    return [(guids[s], p) for s, p in zip(nodes.channels.origin.tolist(), nodes.channel_ports.tolist(), strict=True)]


def by_target(nodes: Nodes, ports: np.ndarray) -> np.ndarray:
    """Tables between nodes as the real port that each switch sends through to each target, int32[n, k + n]; -1: none."""
    fabric = nodes.fabric
    n, k = fabric.topology.switches, fabric.topology.endpoints.size
    none = np.iinfo(ports.dtype).max
    found = np.full((n, k + n), -1, np.int32)
    first = nodes.channels.first
    toward = np.full((n, len(nodes.guids)), -1, np.int32)
    for switch in range(n):
        row = ports[:, switch]
        there = np.flatnonzero(row != none)
        toward[switch, there] = nodes.channel_ports[first[switch] + row[there].astype(np.int64)]
        toward[switch, switch] = 0
    columns = np.array([nodes.column(target) for target in range(k + n)], np.int64)
    found[:] = toward[:, columns]
    if not nodes.by_port:
        found[fabric.topology.endpoints, np.arange(k)] = fabric.endpoint_ports
    return found

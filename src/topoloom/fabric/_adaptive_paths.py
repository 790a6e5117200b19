"""Following tables with groups of ports: all paths that packets may take, their turns, and the loads of an even spread.

A path exists for every choice at every switch. A pair is reached if no choice leads astray, and takes the fewest hops if its
longest path does. So one table per question is enough for the verifier: of each group the port of the longest path, where a
path that never arrives is the longest.
"""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.port_groups import PortGroups
from topoloom.fabric.tables_from import NO_LINK
from topoloom.graph.distances import distances_from
from topoloom.routing.channels import Channels, channels_of, turn_rows

#: Scores of choices that never arrive: through another switch, and at once.
_ASTRAY, _AT_ONCE = 1 << 20, 1 << 21


@dataclass(frozen=True, eq=False)
class GroupPaths:
    """All paths of tables with groups of ports.

    Attributes
    ----------
    longest : Tables
        Without groups: each entry has the port of its longest path.
    load : float64[2 m]
        Pairs of host ports over each channel, if packets spread evenly over the ports of a group.
    turns : uint64[turns]
        The virtual channels (bits) that use each turn.
    shortest_only : bool
        Whether the ports of every entry that hosts use are those on all shortest paths.
    """

    longest: Tables
    load: np.ndarray
    turns: np.ndarray
    shortest_only: bool


def follow_groups(tables: Tables, groups: PortGroups, fabric: Fabric, levels: np.ndarray | None) -> GroupPaths:
    """Follow all paths to every host port.

    Parameters
    ----------
    tables : Tables
    groups : PortGroups
    fabric : Fabric
    levels : uint8[endpoints, endpoints] or None
        levels[to, from].

    Returns
    -------
    GroupPaths
    """
    topology, channels = fabric.topology, channels_of(fabric.topology)
    n = topology.switches
    walker = _Walker(tables, groups, fabric, channels)
    ports = tables.ports.copy()
    order = np.argsort(topology.endpoints, kind="stable")
    # Host ports with the same entries have the same paths; only their last entry differs.
    columns: dict[bytes, list[int]] = {}
    for target in order.tolist():
        column = walker.column(target)
        mask = b"" if levels is None else levels[target].tobytes()
        columns.setdefault(column.tobytes() + mask, []).append(target)
    for targets in columns.values():
        bits = None if levels is None else _bits(levels[targets[0]], topology.endpoints, n)
        chosen = walker.follow(targets[0], len(targets), bits)
        for target in targets:
            ports[chosen >= 0, target] = chosen[chosen >= 0]
            home = int(topology.endpoints[target])
            if groups.of[home, target] >= 0:
                # Some of these ports do not lead to the host.
                others = [p for p in groups.ports[groups.of[home, target]] if p != fabric.endpoint_ports[target]]
                ports[home, target] = others[0]
    return GroupPaths(replace(tables, ports=ports, groups=None), walker.load, walker.turns, walker.shortest_only)


def _bits(levels: np.ndarray, home: np.ndarray, n: int) -> np.ndarray:
    """The levels of the host ports of each switch, as bits, uint64[n]."""
    bits = np.zeros(n, np.uint64)
    np.bitwise_or.at(bits, home, np.uint64(1) << levels.astype(np.uint64))
    return bits


class _Walker:
    """Follows the paths to one home switch after the other, and adds up their loads and turns."""

    def __init__(self, tables: Tables, groups: PortGroups, fabric: Fabric, channels: Channels) -> None:
        topology = fabric.topology
        n = topology.switches
        self._topology, self._channels, self._n = topology, channels, n
        self._turn_row = turn_rows(channels)
        self._of, self._ports = groups.of, tables.ports
        highest = max([*(max(ports) for ports in groups.ports), int(tables.ports.max(initial=0)), 0])
        highest = max(highest, int(fabric.channel_ports.max(initial=0)))
        # The link of each real port; the last column stands for "no port".
        self._link_at = np.full((n, highest + 2), NO_LINK, np.int32)
        self._link_at[channels.origin, fabric.channel_ports] = (
            np.arange(channels.to.size) - channels.first[channels.origin]
        )
        width = max((len(ports) for ports in groups.ports), default=1)
        self._choices = np.full((len(groups.ports) + 1, width), -1, np.int64)
        for number, ports in enumerate(groups.ports):
            self._choices[number, : len(ports)] = ports
        self.load = np.zeros(channels.to.size)
        self.turns = np.zeros(int(channels.turn_first[-1]), np.uint64)
        self.shortest_only = True
        self._to_home = -1
        self._distance = self._shortest = np.empty(0, np.int64)

    def column(self, target: int) -> np.ndarray:
        """What decides the paths to a host port: the group or the port of every other switch, int64[n]; and its home."""
        group, port = self._of[:, target].astype(np.int64), self._ports[:, target].astype(np.int64)
        own = np.where(group >= 0, -2 - group, port)
        own[self._topology.endpoints[target]] = 1 << 20
        return own

    def follow(self, target: int, weight: int, bits: np.ndarray | None) -> np.ndarray:
        """Follow the paths to a host port, for `weight` host ports with the same entries.

        Parameters
        ----------
        target, weight : int
        bits : uint64[n] or None
            The virtual channels of the packets of each switch.

        Returns
        -------
        int64[n]
            The real port of the longest path at each switch; -1: no entry, or the home switch.
        """
        n, home = self._n, int(self._topology.endpoints[target])
        group = self._of[:, target]
        ports = np.where(group[:, None] >= 0, self._choices[group], -1)
        ports[:, 0] = np.where(group >= 0, ports[:, 0], self._ports[:, target])
        given = ports >= 0
        given[home] = False
        link = np.where(given, self._link_at[np.arange(n)[:, None], ports], NO_LINK)
        leads = link >= 0
        channel = np.where(leads, self._channels.first[:n, None] + link, 0)
        to = np.where(leads, self._channels.to[channel], -1)
        length = self._lengths(given, leads, to, home)
        score = np.where(leads, np.where(length[to] >= 0, 1 + length[to], _ASTRAY), _AT_ONCE)
        best = np.where(given, score, -1).argmax(axis=1)
        carried = self._add(home, weight, bits, leads, channel, to, length)
        self._compare_shortest(home, carried, leads, to)
        return np.where(given.any(axis=1), ports[np.arange(n), best], -1)

    def _lengths(self, given: np.ndarray, leads: np.ndarray, to: np.ndarray, home: int) -> np.ndarray:
        """The hops of the longest path from each switch, int64[n]; -1: not all its paths arrive."""
        length = np.full(self._n, -1, np.int64)
        length[home] = 0
        hops = 0
        waiting = given.any(axis=1) & ~(given & ~leads).any(axis=1)
        while True:
            hops += 1
            ready = waiting & ((length[to] >= 0) | ~leads).all(axis=1)
            if not ready.any():
                return length
            length[ready] = hops
            waiting &= ~ready

    def _add(
        self,
        home: int,
        weight: int,
        bits: np.ndarray | None,
        leads: np.ndarray,
        channel: np.ndarray,
        to: np.ndarray,
        length: np.ndarray,
    ) -> np.ndarray:
        """Add the loads and turns of the switches whose paths all arrive, those with the longest ones first.

        Returns
        -------
        bool[n]
            The switches that such paths leave.
        """
        at = self._topology.endpoints_at
        amount = np.where(length > 0, at * float(weight), 0.0)
        mask = np.where((length > 0) & (at > 0), np.uint64(1) if bits is None else bits, np.uint64(0))
        for hops in range(int(length.max()), 0, -1):
            rows = np.flatnonzero((length == hops) & (mask > 0))
            own = leads[rows]
            part = np.repeat(amount[rows] / own.sum(axis=1), own.sum(axis=1))
            over, onto = channel[rows][own], to[rows][own]
            self.load += np.bincount(over, part, self.load.size)
            amount += np.bincount(onto, part, self._n)
            carried = np.repeat(mask[rows], own.sum(axis=1))
            np.bitwise_or.at(mask, onto, np.where(onto == home, np.uint64(0), carried))
            onward = onto != home
            over, onto, carried = over[onward], onto[onward], carried[onward]
            turn = self._turn_row[over][:, None] + channel[onto] - self._channels.first[onto][:, None]
            used = leads[onto]
            np.bitwise_or.at(self.turns, turn[used], np.broadcast_to(carried[:, None], used.shape)[used])
        return np.asarray(mask > 0)

    def _compare_shortest(self, home: int, carried: np.ndarray, leads: np.ndarray, to: np.ndarray) -> None:
        """Note if the ports of a switch that packets leave are others than those on shortest paths to the home switch."""
        if not self.shortest_only:
            return
        if home != self._to_home:
            self._to_home = home
            self._distance = distances_from(self._topology, np.array([home]), 1)[0].astype(np.int64)
            nearer = self._distance[self._channels.to] == self._distance[self._channels.origin] - 1
            self._shortest = np.bincount(self._channels.origin[nearer], minlength=self._n)
        wrong = (leads & (self._distance[to] != self._distance[:, None] - 1)).any(axis=1)
        self.shortest_only = not (carried & (wrong | (leads.sum(axis=1) != self._shortest))).any()

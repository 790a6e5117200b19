"""Paths of a schedule's messages on a network, and the load of channels."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.chains import CHAINS
from topoloom.simulation.collectives.forest import Tree
from topoloom.simulation.collectives.rail_rings import RAIL_RING
from topoloom.simulation.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule
from topoloom.simulation.flows.schedule import Way
from topoloom.simulation.flows.state import FlowNetwork


class Ways:
    """Computes the paths of a schedule's messages: the schedule's own, spread over parallel channels, or those of the tables.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : FlowNetwork
        The network with its tables.
    back : int64[c]
        The reverse of each channel.

    Raises
    ------
    InputError
        Switches without a channel between them, or a host that is not attached to a switch.
    """

    def __init__(self, schedule: CollectiveSchedule, fabric: FlowNetwork, back: np.ndarray) -> None:
        self.schedule, self.fabric, self.back = schedule, fabric, back
        self.filled = [0.0] * fabric.to.size
        self.used = np.zeros((2, fabric.switch.size))
        self.joined: dict[tuple[int, int], list[int]] = {}

    def down(self, tree: Tree, number: int) -> Way:
        """Return the path of an edge from its sender to its receiver."""
        edge = tree.edges[number]
        source, goal = int(self.schedule.hosts[edge.sender]), int(self.schedule.hosts[edge.receiver])
        if self.schedule.algorithm == RAIL_RING:
            return self._on_rail(tree, edge.sender, edge.receiver)
        if self.schedule.paths == "tables":
            return self._by_tables(source, goal, self._own_port(tree))
        switches = edge.switches
        if not switches:
            raise InputError(f"the edge from rank {edge.sender} to {edge.receiver} has no path")
        channels = []
        for u, v in pairwise(switches):
            joined = self._joined(u, v)
            channel = joined[0]
            if len(joined) > 1:
                rates = self.fabric.capacity[self.fabric.resource[joined]].tolist()
                channel = min(
                    zip(joined, rates, strict=True), key=lambda one: (self.filled[one[0]] + tree.chunks) / one[1]
                )[0]
            self.filled[channel] += tree.chunks
            channels.append(channel)
        return Way(
            self._port(source, switches[0], 0, tree.chunks),
            tuple(channels),
            self._port(goal, switches[-1], 1, tree.chunks),
        )

    def up(self, tree: Tree, number: int, down: Way | None) -> Way:
        """Return the path of an edge from its receiver to its sender: that of the tables, or the reverse of `down`.

        Parameters
        ----------
        tree : Tree
        number : int
            The number of the edge.
        down : Way or None
            The path in the other direction, if known.
        """
        if self.schedule.algorithm == RAIL_RING:
            return self._on_rail(tree, tree.edges[number].receiver, tree.edges[number].sender)
        if self.schedule.paths == "tables":
            edge = tree.edges[number]
            ends = int(self.schedule.hosts[edge.receiver]), int(self.schedule.hosts[edge.sender])
            return self._by_tables(*ends, self._own_port(tree))
        down = self.down(tree, number) if down is None else down
        return Way(down.into, tuple(int(self.back[channel]) for channel in down.channels[::-1]), down.out)

    def _joined(self, u: int, v: int) -> list[int]:
        """The channels from a switch to another."""
        if (u, v) not in self.joined:
            begin, end = self._slots(u)
            self.joined[u, v] = (begin + np.flatnonzero(self.fabric.to[begin:end] == v)).tolist()
            if not self.joined[u, v]:
                raise InputError(f"the schedule uses a link from switch {u} to {v}, which the network does not have")
        return self.joined[u, v]

    def _slots(self, switch: int) -> tuple[int, int]:
        if not 0 <= switch < self.fabric.first.size - 1:
            raise InputError(f"the schedule uses switch {switch}, which the network does not have")
        return int(self.fabric.first[switch]), int(self.fabric.first[switch + 1])

    def _port(self, host: int, switch: int, side: int, chunks: int) -> int:
        ports = [int(candidate) for candidate in self.fabric.port[host] if self.fabric.switch[candidate] == switch]
        if not ports:
            raise InputError(
                f"the schedule's path begins or ends at switch {switch}, to which host {host} is not attached"
            )
        if len(ports) == 1:
            return ports[0]
        first = self.fabric.to.size
        rate = self.fabric.capacity[self.fabric.resource[first : first + self.fabric.switch.size]]
        port = min(ports, key=lambda candidate: (self.used[side, candidate] + chunks) / rate[candidate])
        self.used[side, port] += chunks
        return port

    def _on_rail(self, tree: Tree, sender: int, receiver: int) -> Way:
        """The path on the port of the tree's root; inside a host, over the scale-up network (`rail_rings.with_scale_up`)."""
        source, goal = int(self.schedule.hosts[sender]), int(self.schedule.hosts[receiver])
        ports = self.fabric.port
        if source == goal:
            return Way(ports.size + sender, (), ports.size + receiver)
        each = self.schedule.chunks // self.schedule.ranks
        accelerators = self.schedule.ranks // np.unique(self.schedule.hosts).size
        return self._by_tables(source, goal, (tree.root % accelerators * each + tree.first % each) % ports.shape[1])

    def _own_port(self, tree: Tree) -> int | None:
        """The port of each host that a chain uses; None for trees of other algorithms."""
        return tree.first % self.fabric.port.shape[1] if self.schedule.algorithm == CHAINS else None

    def _by_tables(self, source: int, goal: int, place: int | None = None) -> Way:
        f = self.fabric
        place = (source + goal) % f.port.shape[1] if place is None else place
        out, into = int(f.port[source, place]), int(f.port[goal, place])
        at, channels = int(f.switch[out]), []
        while at != f.switch[into]:
            channels.append(int(f.first[at] + f.ports[f.row[into], at]))
            at = int(f.to[channels[-1]])
        return Way(out, tuple(channels), into)


def way_switches(way: Way, fabric: FlowNetwork) -> tuple[int, ...]:
    """Return the switches of a path."""
    return (int(fabric.switch[way.out]), *(int(fabric.to[channel]) for channel in way.channels))


def ways_of(
    schedule: CollectiveSchedule, fabric: FlowNetwork, back: np.ndarray
) -> Iterator[tuple[Tree, list[Way | None], list[Way | None]]]:
    """Yield each tree with the paths of its edges, down and up; None where the operation sends nothing in that direction.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : FlowNetwork
    back : int64[c]
        The reverse of each channel.

    Yields
    ------
    Tree, list of Way, list of Way
    """
    ways = Ways(schedule, fabric, back)
    gathers, reduces = schedule.operation in GATHERS, schedule.operation in REDUCES
    for tree in schedule.trees:
        down: list[Way | None] = []
        up: list[Way | None] = []
        for number in range(len(tree.edges)):
            down_path = ways.down(tree, number)
            down.append(down_path if gathers else None)
            up.append(ways.up(tree, number, down_path) if reduces else None)
        yield tree, down, up


def fullest_seconds(schedule: CollectiveSchedule, fabric: FlowNetwork, back: np.ndarray) -> float:
    """Return the time that the most loaded channel, or host's link, needs for its part of the schedule, in seconds.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : FlowNetwork
    back : int64[c]

    Returns
    -------
    float
        The time in seconds.
    """
    load, channels, hosts = np.zeros(fabric.capacity.size), fabric.to.size, fabric.switch.size
    for tree, down, up in ways_of(schedule, fabric, back):
        for way in (*down, *up):
            if way is not None:
                passed = [channels + way.out, *way.channels, channels + hosts + way.into]
                load[fabric.resource[passed]] += tree.chunks * schedule.chunk_bytes
    return float((load / fabric.capacity).max(initial=0.0))

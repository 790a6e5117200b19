"""A schedule as flows: a plan of agents, one for each rank of each tree, on ports that have the schedule's paths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from topoloom.collectives.forest import Tree
from topoloom.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule
from topoloom.errors import InputError
from topoloom.flows.plan import Plan, Script
from topoloom.flows.simulate import FlowTimes, simulate_plan
from topoloom.flows.state import Fabric
from topoloom.work import Work

#: Pieces that a rank waits for at a time, so that delays do not stand between them.
AHEAD = 2
#: Partners of an all-to-all at a time.
AT_ONCE = 64
#: Edges up to which trees of several chunks are simulated a chunk a tree, so that each has its even share of a channel.
_MOST_SINGLE = 24_000
#: Edges that are simulated, and bytes of their tables.
_MOST_EDGES, _MOST_BYTES = 200_000, 1 << 30


@dataclass(frozen=True)
class Way:
    """How a message goes: the ports of both hosts (numbers of the fabric's), and the channels between their switches."""

    out: int
    channels: tuple[int, ...]
    into: int


class Ways:
    """The ways of a schedule's messages on a fabric: its own, spread over parallel channels, or those of the tables.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : Fabric
        With the tables.
    back : int64[c]
        The channel that leads the other way.

    Raises
    ------
    InputError
        Switches that no channel joins, or that a host does not hang on.
    """

    def __init__(self, schedule: CollectiveSchedule, fabric: Fabric, back: np.ndarray) -> None:
        self.schedule, self.fabric, self.back = schedule, fabric, back
        self.filled = np.zeros(fabric.to.size)
        self.used = np.zeros((2, fabric.switch.size))

    def down(self, tree: Tree, number: int) -> Way:
        """Of an edge, from its sender to its receiver."""
        edge = tree.edges[number]
        source, goal = int(self.schedule.hosts[edge.sender]), int(self.schedule.hosts[edge.receiver])
        if self.schedule.paths == "tables":
            return self._by_tables(source, goal)
        switches = edge.switches
        if not switches:
            raise InputError(f"the edge from rank {edge.sender} to {edge.receiver} has no path")
        channels = []
        for u, v in pairwise(switches):
            begin, end = self._slots(u)
            joined = begin + np.flatnonzero(self.fabric.to[begin:end] == v)
            if not joined.size:
                raise InputError(f"the schedule goes from switch {u} to {v}, which no link joins")
            channel = int(joined[np.argmin(self.filled[joined])])
            self.filled[channel] += tree.chunks
            channels.append(channel)
        return Way(
            self._port(source, switches[0], 0, tree.chunks),
            tuple(channels),
            self._port(goal, switches[-1], 1, tree.chunks),
        )

    def up(self, tree: Tree, number: int, down: Way | None) -> Way:
        """Of an edge, from its receiver to its sender: by tables their own path, else the way back.

        Parameters
        ----------
        tree : Tree
        number : int
            The edge's.
        down : Way or None
            The other way, where it is known.

        Returns
        -------
        Way
        """
        if self.schedule.paths == "tables":
            edge = tree.edges[number]
            return self._by_tables(int(self.schedule.hosts[edge.receiver]), int(self.schedule.hosts[edge.sender]))
        down = self.down(tree, number) if down is None else down
        return Way(down.into, tuple(int(self.back[one]) for one in down.channels[::-1]), down.out)

    def _slots(self, switch: int) -> tuple[int, int]:
        if not 0 <= switch < self.fabric.first.size - 1:
            raise InputError(f"the schedule names switch {switch}, which there is not")
        return int(self.fabric.first[switch]), int(self.fabric.first[switch + 1])

    def _port(self, host: int, switch: int, side: int, chunks: int) -> int:
        ports = [int(one) for one in self.fabric.port[host] if self.fabric.switch[one] == switch]
        if not ports:
            raise InputError(
                f"the schedule's path begins or ends at switch {switch}, on which host {host} does not hang"
            )
        port = min(ports, key=lambda one: self.used[side, one])
        self.used[side, port] += chunks
        return port

    def _by_tables(self, source: int, goal: int) -> Way:
        f = self.fabric
        place = (source + goal) % f.port.shape[1]
        out, into = int(f.port[source, place]), int(f.port[goal, place])
        at, channels = int(f.switch[out]), []
        while at != f.switch[into]:
            channels.append(int(f.first[at] + f.ports[f.row[into], at]))
            at = int(f.to[channels[-1]])
        return Way(out, tuple(channels), into)


def switches_of(way: Way, fabric: Fabric) -> tuple[int, ...]:
    """The switches of a way."""
    return (int(fabric.switch[way.out]), *(int(fabric.to[one]) for one in way.channels))


def ways_of(
    schedule: CollectiveSchedule, fabric: Fabric, back: np.ndarray
) -> Iterator[tuple[Tree, list[Way | None], list[Way | None]]]:
    """Each tree with the ways of its edges, down and up; None where nothing goes that way.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : Fabric
    back : int64[c]
        The channel that leads the other way.

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
            one = ways.down(tree, number)
            down.append(one if gathers else None)
            up.append(ways.up(tree, number, one) if reduces else None)
        yield tree, down, up


def fullest_seconds(schedule: CollectiveSchedule, fabric: Fabric, back: np.ndarray) -> float:
    """What the busiest channel, or host's link, needs for what the schedule sends over it.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : Fabric
    back : int64[c]

    Returns
    -------
    float
        Seconds.
    """
    load, channels, hosts = np.zeros(fabric.capacity.size), fabric.to.size, fabric.switch.size
    for tree, down, up in ways_of(schedule, fabric, back):
        for way in (*down, *up):
            if way is not None:
                passed = [channels + way.out, *way.channels, channels + hosts + way.into]
                load[fabric.resource[passed]] += tree.chunks * schedule.chunk_bytes
    return float((load / fabric.capacity).max(initial=0.0))


def is_single(schedule: CollectiveSchedule) -> bool:
    """Whether each chunk of a tree goes by itself, so that it has its even share of a channel."""
    return sum(tree.chunks * len(tree.edges) for tree in schedule.trees) <= _MOST_SINGLE


def run_schedule(
    schedule: CollectiveSchedule, fabric: Fabric, back: np.ndarray, *, window: float = 0.0, work: Work | None = None
) -> FlowTimes:
    """Simulate a schedule as flows that share channels by max-min fairness.

    Parameters
    ----------
    schedule : CollectiveSchedule
    fabric : Fabric
        The network with its tables, rates and delays.
    back : int64[c]
        The channel that leads the other way.
    window : float
        As `topoloom.flows.simulate.simulate_plan` has it.
    work : Work, optional

    Returns
    -------
    FlowTimes

    Raises
    ------
    InputError
        A schedule that is too large, or that does not fit the network.
    Stopped
        `work` was stopped.
    """
    if schedule.operation == "alltoall":
        return _run_pairs(schedule, fabric, window, work)
    if not schedule.trees:
        nothing = np.zeros(schedule.ranks)
        return FlowTimes(0.0, nothing, nothing[:, None], nothing, np.zeros(fabric.to.size), 0, 0, 0.0)
    agents = _Agents(fabric)
    single = is_single(schedule)
    if not single and schedule.edges > _MOST_EDGES:
        raise InputError(f"a schedule of {schedule.edges} messages is too large to be simulated; {_MOST_EDGES} at most")
    for tree, down, up in ways_of(schedule, fabric, back):
        for _ in range(tree.chunks if single else 1):
            size = schedule.chunk_bytes * (1 if single else tree.chunks)
            _act(agents, schedule, tree, down, up, size)
    return agents.run(schedule.operation, window, work)


def _act(
    agents: "_Agents",
    schedule: CollectiveSchedule,
    tree: Tree,
    down: list[Way | None],
    up: list[Way | None],
    size: float,
) -> None:
    """The agents of one tree."""
    home = int(agents.fabric.port[schedule.hosts[tree.root], 0])
    root = agents.add(home)
    falls, rises = {tree.root: root}, {tree.root: root}
    kids: dict[int, list[int]] = {root: []}
    comes: dict[int, list[int]] = {root: []}
    for edge, one, other in zip(tree.edges, down, up, strict=True):
        if one is not None:
            falls[edge.receiver] = agents.add(agents.receiver(one))
            kids[falls[edge.receiver]] = []
            comes[falls[edge.receiver]] = [falls[edge.sender]]
            kids[falls[edge.sender]].append(falls[edge.receiver])
        if other is not None:
            rises[edge.receiver] = agents.add(agents.sender(other))
            kids[rises[edge.receiver]] = [rises[edge.sender]]
            comes[rises[edge.receiver]] = []
            comes[rises[edge.sender]].append(rises[edge.receiver])
    for agent, to in kids.items():
        agents.scripts[agent] = _relay(comes[agent], to, schedule.pieces, size / schedule.pieces)


def _relay(sources: Sequence[int], to: Sequence[int], pieces: int, size: float) -> Script:
    """Receive each piece from all of some agents, then send it to all of others, a few pieces ahead."""
    script, ahead = Script(), min(AHEAD, pieces)
    behind = len(sources) * ahead
    for piece in range(ahead):
        for i, source in enumerate(sources):
            script.post_receive(i * ahead + piece, source)
    for piece in range(pieces):
        slot = piece % ahead
        for i in range(len(sources)):
            script.wait(i * ahead + slot)
        for i, goal in enumerate(to):
            script.wait(behind + i * ahead + slot)
            script.post_send(behind + i * ahead + slot, goal, size)
        if piece + ahead < pieces:
            for i, source in enumerate(sources):
                script.post_receive(i * ahead + slot, source)
    for i in range(len(to) * ahead):
        script.wait(behind + i)
    return script


class _Agents:
    """Agents with their scripts and ports, and a fabric with the ports' paths."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        channels, hosts = fabric.to.size, fabric.switch.size
        self.switch, self.row = fabric.switch.tolist(), [0] * hosts
        self.out, self.into = (
            fabric.resource[channels : channels + hosts].tolist(),
            fabric.resource[channels + hosts :].tolist(),
        )
        self.sends_to, self.sent_from = [-1] * hosts, [-1] * hosts
        self.rows: dict[tuple[int, ...], int] = {}
        self.homes: list[int] = []
        self.scripts: dict[int, Script] = {}
        self.origin = np.repeat(np.arange(fabric.first.size - 1), np.diff(fabric.first))

    def add(self, home: int) -> int:
        """An agent at a port."""
        self.homes.append(home)
        return len(self.homes) - 1

    def receiver(self, way: Way) -> int:
        """A port to which everything comes by a way."""
        return self._port(way.into, way, sent_from=way.out)

    def sender(self, way: Way) -> int:
        """A port from which everything goes by a way."""
        return self._port(way.out, way, sends_to=self._port(way.into, way))

    def _port(self, like: int, way: Way, *, sends_to: int = -1, sent_from: int = -1) -> int:
        self.switch.append(self.switch[like])
        self.row.append(self.rows.setdefault(way.channels, len(self.rows)))
        self.out.append(self.out[like])
        self.into.append(self.into[like])
        self.sends_to.append(sends_to)
        self.sent_from.append(sent_from)
        return len(self.switch) - 1

    def run(self, name: str, window: float, work: Work | None) -> FlowTimes:
        """Simulate all agents."""
        f, n = self.fabric, self.fabric.first.size - 1
        if max(1, len(self.rows)) * n * f.ports.itemsize > _MOST_BYTES:
            raise InputError(f"a schedule of {len(self.rows)} paths over {n} switches is too large to be simulated")
        ports = np.zeros((max(1, len(self.rows)), n), f.ports.dtype)
        for channels, row in self.rows.items():
            for channel in channels:
                ports[row, self.origin[channel]] = channel - f.first[self.origin[channel]]
        resource = np.concatenate([f.resource[: f.to.size], np.array(self.out + self.into, np.int64)])
        own = f._replace(
            ports=ports,
            resource=resource,
            switch=np.array(self.switch, np.int64),
            row=np.array(self.row, np.int64),
            port=np.arange(len(self.switch), dtype=np.int32)[:, None],
            sends_to=np.array(self.sends_to, np.int32),
            sent_from=np.array(self.sent_from, np.int32),
        )
        count = len(self.homes)
        plan = Plan(name, tuple(self.scripts[i] for i in range(count)), np.arange(count), (np.zeros(count, np.int64),))
        longest = max(map(len, self.rows), default=0)
        return simulate_plan(
            own, plan, np.array(self.homes), window=window, detached_bytes=0.0, longest=longest, work=work
        )


def _run_pairs(schedule: CollectiveSchedule, fabric: Fabric, window: float, work: Work | None) -> FlowTimes:
    """An all-to-all by the tables: to the ranks further on in their order, so many at a time."""
    n = schedule.ranks
    at_once = min(AT_ONCE, max(1, n - 1))
    scripts = []
    for rank in range(n):
        script = Script()
        for step in range(1, n):
            slot = (step - 1) % at_once
            script.wait(slot)
            script.wait(at_once + slot)
            script.post_receive(slot, (rank - step) % n)
            script.post_send(at_once + slot, (rank + step) % n, schedule.bytes)
        for slot in range(2 * at_once):
            script.wait(slot)
        scripts.append(script)
    plan = Plan("alltoall", tuple(scripts), np.arange(n), (np.zeros(n, np.int64),))
    homes = np.asarray(schedule.hosts, np.int64)
    return simulate_plan(fabric, plan, homes, window=window, detached_bytes=0.0, work=work)

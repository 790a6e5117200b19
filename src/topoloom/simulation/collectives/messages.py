"""A collective's trees as a schedule of messages: what each rank sends and receives, piece by piece, and along which paths."""

from array import array
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.forest import Tree
from topoloom.simulation.collectives.rail_rings import RAIL_RING
from topoloom.simulation.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule
from topoloom.simulation.collectives.ways import ways_of
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.programs import Programs, Script
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import OwnPaths, Schedule, schedule_of
from topoloom.simulation.flows.state import FlowNetwork

#: Pieces for which a rank waits at a time, so that delays overlap.
AHEAD = 2
#: Partners of a rank at a time in an all-to-all.
AT_ONCE = 64
#: Edges up to which trees with several chunks are simulated as one tree per chunk, for fair shares of channels.
_MOST_SINGLE = 24_000
#: The most messages of trees, which are listed one by one.
_MOST_MESSAGES = 4_000_000
#: One end of a message: the other rank, the tag, and the number of its path.
_End = tuple[int, int, int]


def schedule_of_trees(
    trees: CollectiveSchedule, fabric: FlowNetwork | None = None, back: np.ndarray | None = None
) -> Schedule:
    """Return the operations of each rank, piece by piece, with their dependencies.

    A rank forwards a piece when it has received it from all its sources. At most two pieces are in progress along an edge, and
    a rank does not receive more than it forwards. Messages of a tree and a direction have their own tag. In an all-to-all a
    rank exchanges messages with up to 64 others at a time, in the order of ranks after its own.

    Parameters
    ----------
    trees : CollectiveSchedule
    fabric : FlowNetwork, optional
        The network with its tables; needed for paths.
    back : int64[c], optional
        The reverse of each channel.

    Returns
    -------
    Schedule
        Path number 2 k is that of edge k, counted over all trees; 2 k + 1 leads from the edge's receiver to its sender. An
        all-to-all uses the paths of the tables.

    Raises
    ------
    InputError
        Only one rank; too many messages; paths that the network does not have.

    Examples
    --------
    >>> from topoloom import build, collective
    >>> schedule = collective(build("ring:n=3,hosts=1"), "allgather", 3000, algorithm="ring", pieces=1).schedule
    >>> messages = schedule_of_trees(schedule)
    >>> messages.messages, messages.sent_bytes, messages.operations.kind.tolist()[:3]
    (6, 6000.0, [1, 2, 2])
    """
    n = trees.ranks
    if trees.operation == "alltoall" and n > 1 and trees.paths == "tables":
        groups = (np.zeros(n, np.int64),)
        scripts = tuple(_exchange(rank, n, trees.bytes) for rank in range(n))
        return Schedule(trees.operation, Programs(scripts, np.arange(n), groups))
    single = sum(tree.chunks * len(tree.edges) for tree in trees.trees) <= _MOST_SINGLE
    directions = 2 if trees.operation == "allreduce" else 1
    count = directions * trees.pieces * sum((tree.chunks if single else 1) * len(tree.edges) for tree in trees.trees)
    if not count:
        raise InputError(f"{trees.operation}: {n} ranks have nothing to send; use at least 2")
    if count > _MOST_MESSAGES:
        raise InputError(
            f"{trees.operation}: {count:,} messages; at most {_MOST_MESSAGES:,} are simulated one by one; use fewer ranks or"
            " pieces"
        )
    if trees.operation == "alltoall" and trees.trees:
        return _on_paths(_exchanged(trees), trees, fabric, back)
    stepped = any(tree.turns for tree in trees.trees)
    # Steps keep messages apart. A limit of what a rank receives before it forwards might let ranks wait in a cycle.
    book = _Book(n, trees.pieces if stepped else AHEAD)
    edge, copy = 0, 0
    for tree in trees.trees:
        for _ in range(tree.chunks if single else 1):
            size = trees.chunk_bytes * (1 if single else tree.chunks)
            _write(book, trees, tree, 2 * edge, 2 * copy, size)
            copy += 1
        edge += len(tree.edges)
    if trees.algorithm == RAIL_RING and trees.operation in REDUCES:
        _in_turn(book, trees)
    if stepped:
        _in_steps(book, trees)
    return _on_paths(book, trees, fabric, back)


def _on_paths(
    book: "_Book", trees: CollectiveSchedule, fabric: FlowNetwork | None, back: np.ndarray | None
) -> Schedule:
    """Return the collected operations, with their paths if the network is known."""
    schedule = schedule_of(trees.operation, book.ranks)
    if fabric is None or back is None:
        return schedule
    ways = [
        path for _, down, up in ways_of(trees, fabric, back) for pair in zip(down, up, strict=True) for path in pair
    ]
    of = np.concatenate([np.asarray(way, np.int64) for way in book.way])
    return Schedule(schedule.name, schedule.content, paths=OwnPaths(tuple(ways), of, trees.paths == "tables"))


def _write(book: "_Book", schedule: CollectiveSchedule, tree: Tree, way: int, tag: int, size: float) -> None:
    """Add the operations of all ranks of a tree; way: its first path; tag: the tag of messages down; size: bytes."""
    gathers, reduces = schedule.operation in GATHERS, schedule.operation in REDUCES
    up: dict[int, _End] = {}
    down: dict[int, _End] = {}
    kids: dict[int, list[_End]] = {tree.root: []}
    for edge in tree.edges:
        down[edge.receiver] = (edge.sender, tag, way)
        kids[edge.sender].append((edge.receiver, tag, way))
        kids[edge.receiver] = []
        up[edge.receiver] = (edge.sender, tag + 1, way + 1)
        way += 2
    for rank, below in kids.items():
        from_below = [(kid, tag + 1, way_down + 1) for kid, _, way_down in below] if reduces else []
        to_below = below if gathers else []
        if rank == tree.root:
            book.relay(rank, from_below, to_below, schedule.pieces, size / schedule.pieces)
            continue
        if reduces:
            book.relay(rank, from_below, [up[rank]], schedule.pieces, size / schedule.pieces)
        if gathers:
            book.relay(rank, [down[rank]], to_below, schedule.pieces, size / schedule.pieces)


def _in_turn(book: "_Book", schedule: CollectiveSchedule) -> None:
    """Let each host add up its accelerators' data tree by tree, in the order in which the rings of rails come to it.

    Otherwise all trees share the scale-up network from the beginning, and the rings wait until it has finished all of them.
    """
    turns: dict[int, list[tuple[int, int]]] = {}  # of the last accelerator of a chain: the depth of a tree, and its tag
    for number, tree in enumerate(schedule.trees):
        depth = {tree.root: 0}
        senders = {edge.sender for edge in tree.edges}
        for edge in tree.edges:
            depth[edge.receiver] = depth[edge.sender] + 1
            if edge.receiver not in senders:
                turns.setdefault(edge.receiver, []).append((-depth[edge.receiver], 2 * number + 1))
    for rank, trees in turns.items():
        sends: dict[int, list[int]] = {}
        operations = book.ranks[rank]
        for number, (kind, tag) in enumerate(zip(operations.kind, operations.tag, strict=True)):
            if kind == SEND:
                sends.setdefault(tag, []).append(number)
        order = [tag for _, tag in sorted(trees)]
        for before, after in pairwise(order):
            operations.requires(sends[after][0], sends[before][-1])


def _in_steps(book: "_Book", schedule: CollectiveSchedule) -> None:
    """Let each rank send, and receive, in the order of steps, as many messages at a time as in its fullest step.

    Reduces take the steps in reverse order, before all steps of a gather.
    """
    turns: dict[tuple[int, int], list[tuple[int, int, int]]] = {}  # of a rank: steps of messages, tags, other ranks
    for number, tree in enumerate(schedule.trees):
        for edge, step in zip(tree.edges, tree.turns, strict=True):
            if schedule.operation in GATHERS:
                turns.setdefault((edge.sender, SEND), []).append((step, 2 * number, edge.receiver))
                turns.setdefault((edge.receiver, RECV), []).append((step, 2 * number, edge.sender))
            if schedule.operation in REDUCES:
                turns.setdefault((edge.receiver, SEND), []).append((-1 - step, 2 * number + 1, edge.sender))
                turns.setdefault((edge.sender, RECV), []).append((-1 - step, 2 * number + 1, edge.receiver))
    posted: list[dict[tuple[int, int, int], list[int]]] = [{} for _ in book.ranks]
    for rank, operations in enumerate(book.ranks):
        for number, key in enumerate(zip(operations.kind, operations.tag, operations.peer, strict=True)):
            posted[rank].setdefault(key, []).append(number)
    for (rank, kind), messages in turns.items():
        messages.sort()
        _, per_step = np.unique([step for step, _, _ in messages], return_counts=True)
        for before, after in zip(messages, messages[int(per_step.max()) :], strict=False):
            book.ranks[rank].requires(posted[rank][kind, *after[1:]][0], posted[rank][kind, *before[1:]][-1])


class _Book:
    """The operations of all ranks, and the path of each operation."""

    def __init__(self, ranks: int, ahead: int = AHEAD) -> None:
        self.ahead = ahead
        self.ranks = [Rank() for _ in range(ranks)]
        self.way = [array("q") for _ in range(ranks)]

    def post(self, rank: int, kind: int, end: _End, size: float) -> int:
        """Add an operation; return its number."""
        peer, tag, way = end
        self.way[rank].append(way)
        return self.ranks[rank].add(kind, peer, size, tag)

    def relay(self, rank: int, sources: Sequence[_End], to: Sequence[_End], pieces: int, size: float) -> None:
        """Receive each piece from all sources, then send it to all of `to`, a few pieces ahead."""
        operations, received, forwarded = self.ranks[rank], list[list[int]](), list[list[int]]()
        for piece in range(pieces):
            arrivals, old = [], piece - self.ahead
            for end in sources:
                number = self.post(rank, RECV, end, size)
                if old >= 0 and to:
                    operations.follows(number, forwarded[old][-1])
                elif old >= 0:
                    operations.requires(number, *received[old])
                arrivals.append(number)
            received.append(arrivals)
            sent: list[int] = []
            for place, end in enumerate(to):
                number = self.post(rank, SEND, end, size)
                if place:
                    operations.follows(number, sent[-1])
                else:
                    operations.requires(number, *arrivals)
                    if forwarded:
                        operations.follows(number, forwarded[-1][-1])
                if old >= 0:
                    operations.requires(number, forwarded[old][place])
                sent.append(number)
            forwarded.append(sent)


def _exchanged(schedule: CollectiveSchedule) -> _Book:
    """The operations of `_exchange`, each with its number of a path, for pairs that have their own."""
    n, book = schedule.ranks, _Book(schedule.ranks)
    of = {(tree.edges[0].sender, tree.edges[0].receiver): number for number, tree in enumerate(schedule.trees)}
    for rank in range(n):
        posted: list[tuple[int, int]] = []
        for step in range(1, n):
            source, to = (rank - step) % n, (rank + step) % n
            pair = [
                book.post(rank, kind, (peer, 0, 2 * of[ends]), schedule.bytes)
                for kind, peer, ends in ((RECV, source, (source, rank)), (SEND, to, (rank, to)))
            ]
            if step > AT_ONCE:
                for number in pair:
                    book.ranks[rank].requires(number, *posted[step - 1 - AT_ONCE])
            posted.append((pair[0], pair[1]))
    return book


def _exchange(rank: int, ranks: int, size: float) -> Script:
    """Send to all other ranks and receive from them: step i sends to the rank i after this one, and receives from i before."""
    script, at_once = Script(), min(AT_ONCE, ranks - 1)
    for step in range(1, ranks):
        slot = (step - 1) % at_once
        script.wait(slot)
        script.wait(at_once + slot)
        script.post_receive(slot, (rank - step) % ranks)
        script.post_send(at_once + slot, (rank + step) % ranks, size)
    for slot in range(2 * at_once):
        script.wait(slot)
    return script

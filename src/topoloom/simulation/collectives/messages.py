"""A collective's trees as a schedule: what each rank sends and receives, piece by piece, and along which paths."""

from array import array
from collections.abc import Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.forest import Tree
from topoloom.simulation.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule
from topoloom.simulation.collectives.ways import ways_of
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.programs import Programs, Script
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import OwnPaths, Schedule, schedule_of
from topoloom.simulation.flows.state import FlowNetwork

#: Pieces that a rank waits for at a time, so that delays do not stand between them.
AHEAD = 2
#: Partners of an all-to-all at a time.
AT_ONCE = 64
#: Edges up to which trees of several chunks are simulated a chunk a tree, so that each has its even share of a channel.
_MOST_SINGLE = 24_000
#: Messages of trees, which are written down one by one.
_MOST_MESSAGES = 4_000_000
#: What a message comes by, and to: the other rank, the tag, and the number of its way.
_End = tuple[int, int, int]


def schedule_of_trees(
    trees: CollectiveSchedule, fabric: FlowNetwork | None = None, back: np.ndarray | None = None
) -> Schedule:
    """What each rank sends and receives, piece by piece, and what each operation waits for.

    A rank sends a piece on when it has received it, from all that it comes from; two pieces at a time are open along an
    edge, and a rank receives no more than it passes on. Messages of a tree and a direction have a tag of their own. In an
    all-to-all a rank has messages with 64 others open, and these are further on in the order of ranks.

    Parameters
    ----------
    trees : CollectiveSchedule
    fabric : FlowNetwork, optional
        The network with its tables, where paths are wanted.
    back : int64[c], optional
        The channel that leads the other way.

    Returns
    -------
    Schedule
        Its way of number 2 k is that of edge k, counted through all trees, 2 k + 1 the one from the edge's receiver to its
        sender. An all-to-all goes by the tables.

    Raises
    ------
    InputError
        One rank, which sends nothing; too many messages; paths that the network does not have.

    Examples
    --------
    >>> from topoloom import build, collective
    >>> made = collective(build("ring:n=3,hosts=1"), "allgather", 3000, algorithm="ring", pieces=1).schedule
    >>> messages = schedule_of_trees(made)
    >>> messages.messages, messages.sent_bytes, messages.operations.kind.tolist()[:3]
    (6, 6000.0, [1, 2, 2])
    """
    n = trees.ranks
    if trees.operation == "alltoall" and n > 1:
        groups = (np.zeros(n, np.int64),)
        scripts = tuple(_exchange(rank, n, trees.bytes) for rank in range(n))
        return Schedule(trees.operation, Programs(scripts, np.arange(n), groups))
    single = sum(tree.chunks * len(tree.edges) for tree in trees.trees) <= _MOST_SINGLE
    both = 2 if trees.operation == "allreduce" else 1
    count = both * trees.pieces * sum((tree.chunks if single else 1) * len(tree.edges) for tree in trees.trees)
    if not count:
        raise InputError(f"{trees.operation}: {n} ranks have nothing to send; take 2 or more")
    if count > _MOST_MESSAGES:
        raise InputError(
            f"{trees.operation}: {count:,} messages; {_MOST_MESSAGES:,} at most are played one by one; take fewer ranks or"
            " pieces"
        )
    book = _Book(n)
    edge, copy = 0, 0
    for tree in trees.trees:
        for _ in range(tree.chunks if single else 1):
            size = trees.chunk_bytes * (1 if single else tree.chunks)
            _write(book, trees, tree, 2 * edge, 2 * copy, size)
            copy += 1
        edge += len(tree.edges)
    found = schedule_of(trees.operation, book.ranks)
    if fabric is None or back is None:
        return found
    ways = [one for _, down, up in ways_of(trees, fabric, back) for pair in zip(down, up, strict=True) for one in pair]
    of = np.concatenate([np.asarray(way, np.int64) for way in book.way])
    return Schedule(found.name, found.content, paths=OwnPaths(tuple(ways), of, trees.paths == "tables"))


def _write(book: "_Book", schedule: CollectiveSchedule, tree: Tree, way: int, tag: int, size: float) -> None:
    """All that the ranks of a tree do; its first way, the tag of what goes down, and bytes."""
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
        from_below = [(kid, tag + 1, one + 1) for kid, _, one in below] if reduces else []
        to_below = below if gathers else []
        if rank == tree.root:
            book.relay(rank, from_below, to_below, schedule.pieces, size / schedule.pieces)
            continue
        if reduces:
            book.relay(rank, from_below, [up[rank]], schedule.pieces, size / schedule.pieces)
        if gathers:
            book.relay(rank, [down[rank]], to_below, schedule.pieces, size / schedule.pieces)


class _Book:
    """The operations of all ranks, and the way of each."""

    def __init__(self, ranks: int) -> None:
        self.ranks = [Rank() for _ in range(ranks)]
        self.way = [array("q") for _ in range(ranks)]

    def post(self, rank: int, kind: int, end: _End, size: float) -> int:
        """One more operation; its number."""
        peer, tag, way = end
        self.way[rank].append(way)
        return self.ranks[rank].add(kind, peer, size, tag)

    def relay(self, rank: int, sources: Sequence[_End], to: Sequence[_End], pieces: int, size: float) -> None:
        """Receive each piece from all of some ranks, then send it to all of others, a few pieces ahead."""
        mine, came, went = self.ranks[rank], list[list[int]](), list[list[int]]()
        for piece in range(pieces):
            here, old = [], piece - AHEAD
            for end in sources:
                one = self.post(rank, RECV, end, size)
                if old >= 0 and to:
                    mine.follows(one, went[old][-1])
                elif old >= 0:
                    mine.requires(one, *came[old])
                here.append(one)
            came.append(here)
            sent: list[int] = []
            for place, end in enumerate(to):
                one = self.post(rank, SEND, end, size)
                if place:
                    mine.follows(one, sent[-1])
                else:
                    mine.requires(one, *here)
                    if went:
                        mine.follows(one, went[-1][-1])
                if old >= 0:
                    mine.requires(one, went[old][place])
                sent.append(one)
            went.append(sent)


def _exchange(rank: int, ranks: int, size: float) -> Script:
    """Send to all others and receive from them: step i to the rank i further on, from the one i before."""
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

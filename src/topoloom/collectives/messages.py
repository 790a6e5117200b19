"""A schedule's messages as operations of ranks that wait for each other: what other simulators and GOAL take."""

from array import array
from collections.abc import Sequence

import numpy as np

from topoloom.collectives.flows import AHEAD, AT_ONCE, is_single
from topoloom.collectives.forest import Tree
from topoloom.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule
from topoloom.errors import InputError
from topoloom.flows.operations import RECV, SEND
from topoloom.flows.schedule import Rank, Schedule, schedule_of

#: Messages of a schedule that is written down one by one.
_MOST_MESSAGES = 2_000_000
#: What a message comes by, and to: the other rank, the tag, and `ways[k]` of a send.
_End = tuple[int, int, int]


def messages_of(schedule: CollectiveSchedule) -> tuple[Schedule, np.ndarray]:
    """What each rank sends and receives, piece by piece, and what each operation waits for.

    A rank sends a piece on when it has received it, from all that it comes from; two pieces at a time are under way along an
    edge, and a rank receives no more than it passes on. Those are the programs that flows run, so that both take the same time
    where both go by tables. Messages of a tree and a direction have a tag of their own.

    Parameters
    ----------
    schedule : CollectiveSchedule

    Returns
    -------
    Schedule
    way : int64[operations]
        Of each send: twice the number of its edge, counted through all trees, and one more where it goes from the edge's
        receiver to its sender; -1 for receives, and in an all-to-all, whose messages go by the tables.

    Raises
    ------
    InputError
        One rank, which sends nothing; or too many messages.

    Examples
    --------
    >>> from topoloom import build, collective
    >>> made = collective(build("ring:n=3,hosts=1"), "allgather", 3000, algorithm="ring", pieces=1).schedule
    >>> messages, way = messages_of(made)
    >>> messages.messages, messages.sent_bytes, messages.kind.tolist()[:3]
    (6, 6000.0, [1, 2, 2])
    """
    n, pairs = schedule.ranks, schedule.operation == "alltoall"
    single = is_single(schedule)
    both = 2 if schedule.operation == "allreduce" else 1
    edges = sum((tree.chunks if single else 1) * len(tree.edges) for tree in schedule.trees)
    count = n * (n - 1) if pairs else both * edges * schedule.pieces
    if not count:
        raise InputError(f"{schedule.operation}: {n} ranks have nothing to send; take 2 or more")
    if count > _MOST_MESSAGES:
        raise InputError(
            f"{schedule.operation}: {count:,} messages; {_MOST_MESSAGES:,} at most are played one by one; take fewer ranks or"
            " pieces, or --simulator flows"
        )
    book = _Book(n)
    if pairs:
        for rank in range(n):
            book.exchange(rank, n, schedule.bytes)
    else:
        edge, copy = 0, 0
        for tree in schedule.trees:
            for _ in range(tree.chunks if single else 1):
                size = schedule.chunk_bytes * (1 if single else tree.chunks)
                _write(book, schedule, tree, 2 * edge, 2 * copy, size)
                copy += 1
            edge += len(tree.edges)
    found = schedule_of(schedule.operation, book.ranks)
    return found, np.concatenate([np.asarray(way, np.int64) for way in book.way])


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
        self.way[rank].append(way if kind == SEND else -1)
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

    def exchange(self, rank: int, ranks: int, size: float) -> None:
        """Send to all others and receive from them, so many at a time: step i to the rank i further on."""
        mine, came, went = self.ranks[rank], list[int](), list[int]()
        for step in range(1, ranks):
            receive = self.post(rank, RECV, ((rank - step) % ranks, 0, -1), size)
            send = self.post(rank, SEND, ((rank + step) % ranks, 0, -1), size)
            mine.follows(send, receive)
            if went:
                mine.follows(receive, went[-1])
            if step > AT_ONCE:
                mine.requires(receive, came[-AT_ONCE], went[-AT_ONCE])
            came.append(receive)
            went.append(send)

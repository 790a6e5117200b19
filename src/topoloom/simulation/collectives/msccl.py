"""A schedule as MSCCL's XML: per rank, thread blocks with one peer each, and their steps on chunks of buffers."""

from collections import Counter
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.msccl_program import (
    MOST_BLOCKS,
    MOST_CHANNELS,
    MOST_COUNT,
    MOST_OF_CHANNEL,
    MOST_STEPS,
)
from topoloom.simulation.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule

_COLLECTIVES = {
    "allreduce": "allreduce",
    "allgather": "allgather",
    "reduce-scatter": "reducescatter",
    "broadcast": "broadcast",
    "alltoall": "alltoall",
}


@dataclass
class _Step:
    """A step of a thread block."""

    kind: str
    source: tuple[str, int]
    goal: tuple[str, int]
    count: int
    waits: "tuple[_Block, int] | None" = None
    waited: bool = False


@dataclass
class _Block:
    """A thread block: the peers that it sends to and receives from (-1: none), its channel, its number, and its steps."""

    send: int
    receive: int
    channel: int
    number: int
    steps: list[_Step] = field(default_factory=list)


class _Rank:
    """The blocks of a rank, and the step that last wrote each chunk of a buffer."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[int, int], _Block] = {}
        self.writer: dict[tuple[str, int], tuple[_Block, int]] = {}

    def block(self, send: int, receive: int, channel: int) -> _Block:
        """Return the block with these peers, created if needed."""
        return self.blocks.setdefault((send, receive), _Block(send, receive, channel, len(self.blocks)))

    def step(self, block: _Block, step: _Step, buffer: tuple[str, int], *, writes: bool) -> None:
        """Add a step, which waits for the steps of other blocks that last wrote its chunks."""
        name, begin = buffer
        last = [self.writer[name, chunk] for chunk in range(begin, begin + step.count) if (name, chunk) in self.writer]
        others = list(dict.fromkeys((id(of), at) for of, at in last if of is not block))
        writers = {(id(of), at): (of, at) for of, at in last}
        for key in others[:-1]:
            of, at = writers[key]
            of.steps[at].waited = True
            block.steps.append(_Step("nop", ("i", -1), ("o", -1), 0, (of, at)))
        if others:
            of, at = writers[others[-1]]
            of.steps[at].waited = True
            step.waits = (of, at)
        block.steps.append(step)
        if writes:
            for chunk in range(begin, begin + step.count):
                self.writer[name, chunk] = block, len(block.steps) - 1


def msccl_xml(schedule: CollectiveSchedule) -> str:
    """Return a schedule in the XML that MSCCL's executors read.

    Every message is a step ``s`` of a block of its sender, and a step ``r`` of a block of its receiver, or ``rrc`` where it is
    added up; both blocks have the messages between two ranks in the same order. Local copies (``cpy``) are in a block without
    peers. A step waits (``depid``, ``deps``) for the step of another block that wrote its chunk last. Pieces are left to the
    executor, which loops over all chunks; paths are left to the network.

    Raises
    ------
    InputError
        A schedule without trees.

    Notes
    -----
    The elements and attributes are those that ``msccl-tools`` writes (github.com/microsoft/msccl-tools, msccl/language/ir.py)
    and the parser of ``msccl-executor-nccl`` reads (github.com/Azure/msccl-executor-nccl, src/misc/msccl/msccl_parser.cc). The
    output has not been run on GPUs. A step has at most 71 chunks; `over_limits` reports other exceeded limits of that executor.
    """
    ranks = _filled(schedule)
    n, chunks = schedule.ranks, schedule.chunks
    each = chunks // n
    sizes = {
        "allreduce": (chunks, chunks, 0),
        "allgather": (each, chunks, 0),
        "reduce-scatter": (chunks, each, chunks),
        "broadcast": (chunks, chunks, 0),
        "alltoall": (n, n, 0),
    }[schedule.operation]
    channels = 1 + max((block.channel for rank in ranks for block in rank.blocks.values()), default=0)
    name = f"topoloom {schedule.operation} {schedule.algorithm} {schedule.provenance.name}".strip()
    lines = [
        f'<algo name={quoteattr(name)} proto="Simple" nchannels="{channels}" nchunksperloop="{max(sizes[:2])}" ngpus="{n}"'
        f' coll="{_COLLECTIVES[schedule.operation]}" inplace="0" outofplace="1" minBytes="0" maxBytes="{(1 << 63) - 1}">'
    ]
    for number, rank in enumerate(ranks):
        lines.append(f'  <gpu id="{number}" i_chunks="{sizes[0]}" o_chunks="{sizes[1]}" s_chunks="{sizes[2]}">')
        for block in rank.blocks.values():
            lines.append(
                f'    <tb id="{block.number}" send="{block.send}" recv="{block.receive}" chan="{block.channel}">'
            )
            for at, step in enumerate(block.steps):
                depid, deps = (-1, -1) if step.waits is None else (step.waits[0].number, step.waits[1])
                lines.append(
                    f'      <step s="{at}" type="{step.kind}" srcbuf="{step.source[0]}" srcoff="{step.source[1]}"'
                    f' dstbuf="{step.goal[0]}" dstoff="{step.goal[1]}" cnt="{step.count}" depid="{depid}" deps="{deps}"'
                    f' hasdep="{int(step.waited)}"/>'
                )
            lines.append("    </tb>")
        lines.append("  </gpu>")
    return "\n".join([*lines, "</algo>", ""])


def over_limits(schedule: CollectiveSchedule) -> str:
    """Return the limits of MSCCL's executor for NCCL that the XML of a schedule exceeds, in words; empty if none."""
    blocks = [rank.blocks.values() for rank in _filled(schedule)]
    steps = max((len(block.steps) for rank_blocks in blocks for block in rank_blocks), default=0)
    channels = 1 + max((block.channel for rank_blocks in blocks for block in rank_blocks), default=0)
    most = max(map(len, blocks), default=0)
    values = (
        (steps, MOST_STEPS, "steps of a block"),
        (most, MOST_BLOCKS, "blocks of a rank"),
        (channels, MOST_CHANNELS, "channels"),
    )
    return ", ".join(f"{value} {what} ({limit} at most)" for value, limit, what in values if value > limit)


def _filled(schedule: CollectiveSchedule) -> list[_Rank]:
    """Return the ranks with all their steps."""
    if not schedule.trees:
        raise InputError(f"a schedule of {schedule.ranks} ranks without trees cannot be written")
    n = schedule.ranks
    each = schedule.chunks // n
    operation = schedule.operation
    ranks = [_Rank() for _ in range(n)]
    for number, rank in enumerate(ranks):
        _begin(schedule, rank, number, each)
    channels = _channels(schedule)
    # Messages in an order in which none waits for a later one.
    for reduces, _, sender, receiver, first, chunks in sorted(_messages(schedule)):
        for begin in range(first, first + chunks, MOST_COUNT):
            count = min(MOST_COUNT, first + chunks - begin)
            source, goal = _places(operation, n, each, sender, begin, reduces=reduces == 0)
            sender_rank, receiver_rank = ranks[sender], ranks[receiver]
            channel = channels[sender, receiver]
            sender_rank.step(
                sender_rank.block(receiver, -1, channel), _Step("s", source, goal, count), source, writes=False
            )
            kind = "rrc" if reduces == 0 else "r"
            step = _Step(kind, goal if reduces == 0 else source, goal, count)
            receiver_rank.step(receiver_rank.block(-1, sender, channel), step, goal, writes=True)
    if operation == "reduce-scatter":
        for number, rank in enumerate(ranks):
            _copy(rank, ("s", number * each), ("o", 0), each)
    return ranks


def _begin(schedule: CollectiveSchedule, rank: _Rank, number: int, each: int) -> None:
    """Add the initial copies of a rank."""
    operation = schedule.operation
    if operation == "allgather":
        _copy(rank, ("i", 0), ("o", number * each), each)
    elif operation == "alltoall":
        _copy(rank, ("i", number), ("o", number), 1)
    elif operation == "broadcast":
        if number == schedule.trees[0].root:
            _copy(rank, ("i", 0), ("o", 0), schedule.chunks)
    else:
        _copy(rank, ("i", 0), ("s" if operation == "reduce-scatter" else "o", 0), schedule.chunks)


def _copy(rank: _Rank, source: tuple[str, int], goal: tuple[str, int], count: int) -> None:
    block = rank.block(-1, -1, 0)
    for begin in range(0, count, MOST_COUNT):
        some = min(MOST_COUNT, count - begin)
        from_place, to_place = (source[0], source[1] + begin), (goal[0], goal[1] + begin)
        rank.step(block, _Step("cpy", from_place, to_place, some), from_place, writes=False)
        for chunk in range(some):
            rank.writer[to_place[0], to_place[1] + chunk] = block, len(block.steps) - 1


def _places(
    operation: str, n: int, each: int, sender: int, first: int, *, reduces: bool
) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return the buffer and place of chunks at the sender and at the receiver."""
    if operation == "alltoall":
        return ("i", first % n), ("o", first // n)
    if operation == "reduce-scatter" and reduces:
        return ("s", first), ("s", first)
    if operation == "allgather" and first // each == sender:
        return ("i", first % each), ("o", first)
    return ("o", first), ("o", first)


def _messages(schedule: CollectiveSchedule) -> list[tuple[int, tuple[int, int, int], int, int, int, int]]:
    """Return (0 if added up else 1, (level, tree, edge), sender, receiver, first chunk, chunks) for each message."""
    messages = []
    for number, tree in enumerate(schedule.trees):
        level = {tree.root: 0}
        for place, edge in enumerate(tree.edges):
            level[edge.receiver] = level[edge.sender] + 1
            if schedule.operation in REDUCES:
                key = -level[edge.receiver], number, place
                messages.append((0, key, edge.receiver, edge.sender, tree.first, tree.chunks))
            if schedule.operation in GATHERS:
                key = level[edge.receiver], number, place
                messages.append((1, key, edge.sender, edge.receiver, tree.first, tree.chunks))
    return messages


def _channels(schedule: CollectiveSchedule) -> dict[tuple[int, int], int]:
    """Return the channel between each two ranks: the first with room at both."""
    out: Counter[tuple[int, int]] = Counter()
    into: Counter[tuple[int, int]] = Counter()
    channels: dict[tuple[int, int], int] = {}
    for _, _, sender, receiver, _, _ in _messages(schedule):
        if (sender, receiver) in channels:
            continue
        channel = 0
        while out[sender, channel] >= MOST_OF_CHANNEL or into[receiver, channel] >= MOST_OF_CHANNEL:
            channel += 1
        out[sender, channel] += 1
        into[receiver, channel] += 1
        channels[sender, receiver] = channel
    return channels

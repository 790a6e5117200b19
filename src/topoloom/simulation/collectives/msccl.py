"""A schedule as MSCCL's XML: for each rank thread blocks, each with one peer, and their steps on chunks of buffers."""

from collections import Counter
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.schedule import GATHERS, REDUCES, CollectiveSchedule

#: What MSCCL's executor for NCCL takes: steps of a block, blocks of a rank, those of a channel, channels, chunks of a step.
MOST_STEPS, MOST_BLOCKS, MOST_OF_CHANNEL, MOST_CHANNELS, MOST_COUNT = 256, 216, 32, 32, 71
_COLLECTIVES = {
    "allreduce": "allreduce",
    "allgather": "allgather",
    "reduce-scatter": "reducescatter",
    "broadcast": "broadcast",
    "alltoall": "alltoall",
}


@dataclass
class _Step:
    """A line of a thread block."""

    kind: str
    source: tuple[str, int]
    goal: tuple[str, int]
    count: int
    waits: "tuple[_Block, int] | None" = None
    waited: bool = False


@dataclass
class _Block:
    """A thread block."""

    send: int
    receive: int
    channel: int
    number: int
    steps: list[_Step] = field(default_factory=list)


class _Rank:
    """The blocks of a rank, and which step wrote each chunk of a buffer last."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[int, int], _Block] = {}
        self.writer: dict[tuple[str, int], tuple[_Block, int]] = {}

    def block(self, send: int, receive: int, channel: int) -> _Block:
        """The block with these peers."""
        return self.blocks.setdefault((send, receive), _Block(send, receive, channel, len(self.blocks)))

    def step(self, block: _Block, step: _Step, buffer: tuple[str, int], *, writes: bool) -> None:
        """One more step, after whatever wrote first what it is about."""
        name, begin = buffer
        last = [self.writer[name, one] for one in range(begin, begin + step.count) if (name, one) in self.writer]
        others = list(dict.fromkeys((id(of), at) for of, at in last if of is not block))
        found = {(id(of), at): (of, at) for of, at in last}
        for key in others[:-1]:
            of, at = found[key]
            of.steps[at].waited = True
            block.steps.append(_Step("nop", ("i", -1), ("o", -1), 0, (of, at)))
        if others:
            of, at = found[others[-1]]
            of.steps[at].waited = True
            step.waits = (of, at)
        block.steps.append(step)
        if writes:
            for one in range(begin, begin + step.count):
                self.writer[name, one] = block, len(block.steps) - 1


def msccl_xml(schedule: CollectiveSchedule) -> str:
    """A schedule in the XML that MSCCL's executors read.

    Every message is a step ``s`` of a block of its sender and a step ``r`` of one of its receiver, or ``rrc`` where it is added
    up; what goes between two ranks goes in one order at both. Local copies (``cpy``) stand in a block without peers. A step
    waits (``depid``, ``deps``) for the step of another block that wrote its chunk last. Pieces are left to the executor, which
    takes all chunks in loops; so are paths, which are the network's affair.

    Raises
    ------
    InputError
        A schedule without trees.

    Notes
    -----
    The elements and attributes are those that ``msccl-tools`` writes (github.com/microsoft/msccl-tools, msccl/language/ir.py)
    and the parser of ``msccl-executor-nccl`` reads (github.com/Azure/msccl-executor-nccl, src/misc/msccl/msccl_parser.cc). No
    run on GPUs has been made. A step has at most 71 chunks; what is over other limits of that executor says `over_limits`.
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
    """Which limits of MSCCL's executor for NCCL the XML of a schedule passes, in words; empty where none."""
    blocks = [rank.blocks.values() for rank in _filled(schedule)]
    steps = max((len(block.steps) for one in blocks for block in one), default=0)
    channels = 1 + max((block.channel for one in blocks for block in one), default=0)
    most = max(map(len, blocks), default=0)
    found = (
        (steps, MOST_STEPS, "steps of a block"),
        (most, MOST_BLOCKS, "blocks of a rank"),
        (channels, MOST_CHANNELS, "channels"),
    )
    return ", ".join(f"{value} {what} ({limit} at most)" for value, limit, what in found if value > limit)


def _filled(schedule: CollectiveSchedule) -> list[_Rank]:
    """All steps of all ranks."""
    if not schedule.trees:
        raise InputError(f"a schedule of {schedule.ranks} ranks without trees cannot be written")
    n = schedule.ranks
    each = schedule.chunks // n
    operation = schedule.operation
    ranks = [_Rank() for _ in range(n)]
    for number, rank in enumerate(ranks):
        _begin(schedule, rank, number, each)
    channels = _channels(schedule)
    # Who sends, who receives, the first chunk and how many, in an order in which nothing waits for what comes later.
    for reduces, _, sender, receiver, first, chunks in sorted(_messages(schedule)):
        for begin in range(first, first + chunks, MOST_COUNT):
            count = min(MOST_COUNT, first + chunks - begin)
            source, goal = _places(operation, n, each, sender, begin, reduces=reduces == 0)
            one, other = ranks[sender], ranks[receiver]
            channel = channels[sender, receiver]
            one.step(one.block(receiver, -1, channel), _Step("s", source, goal, count), source, writes=False)
            kind = "rrc" if reduces == 0 else "r"
            step = _Step(kind, goal if reduces == 0 else source, goal, count)
            other.step(other.block(-1, sender, channel), step, goal, writes=True)
    if operation == "reduce-scatter":
        for number, rank in enumerate(ranks):
            _copy(rank, ("s", number * each), ("o", 0), each)
    return ranks


def _begin(schedule: CollectiveSchedule, rank: _Rank, number: int, each: int) -> None:
    """What a rank copies before all else."""
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
        here, there = (source[0], source[1] + begin), (goal[0], goal[1] + begin)
        rank.step(block, _Step("cpy", here, there, some), here, writes=False)
        for one in range(some):
            rank.writer[there[0], there[1] + one] = block, len(block.steps) - 1


def _places(
    operation: str, n: int, each: int, sender: int, first: int, *, reduces: bool
) -> tuple[tuple[str, int], tuple[str, int]]:
    """The buffer and place of chunks at who sends, and at who receives."""
    if operation == "alltoall":
        return ("i", first % n), ("o", first // n)
    if operation == "reduce-scatter" and reduces:
        return ("s", first), ("s", first)
    if operation == "allgather" and first // each == sender:
        return ("i", first % each), ("o", first)
    return ("o", first), ("o", first)


def _messages(schedule: CollectiveSchedule) -> list[tuple[int, tuple[int, int, int], int, int, int, int]]:
    """(0 where it is added up, (level, tree, edge), sender, receiver, first chunk, chunks), each after what it waits for."""
    found = []
    for number, tree in enumerate(schedule.trees):
        level = {tree.root: 0}
        for place, edge in enumerate(tree.edges):
            level[edge.receiver] = level[edge.sender] + 1
            if schedule.operation in REDUCES:
                key = -level[edge.receiver], number, place
                found.append((0, key, edge.receiver, edge.sender, tree.first, tree.chunks))
            if schedule.operation in GATHERS:
                key = level[edge.receiver], number, place
                found.append((1, key, edge.sender, edge.receiver, tree.first, tree.chunks))
    return found


def _channels(schedule: CollectiveSchedule) -> dict[tuple[int, int], int]:
    """The channel between each two ranks: the first on which neither has too many."""
    out: Counter[tuple[int, int]] = Counter()
    into: Counter[tuple[int, int]] = Counter()
    found: dict[tuple[int, int], int] = {}
    for _, _, sender, receiver, _, _ in _messages(schedule):
        if (sender, receiver) in found:
            continue
        channel = 0
        while out[sender, channel] >= MOST_OF_CHANNEL or into[receiver, channel] >= MOST_OF_CHANNEL:
            channel += 1
        out[sender, channel] += 1
        into[receiver, channel] += 1
        found[sender, receiver] = channel
    return found

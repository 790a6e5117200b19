"""MscclProgram: a collective as in MSCCL's XML, read and checked against the limits of MSCCL's executor."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from topoloom.core.errors import InputError
from topoloom.core.files import open_to_read, read_text
from topoloom.core.text_parts import whole_in
from topoloom.core.xml_files import local_name, parse_xml
from topoloom.simulation.collectives.bound import collective_operation

#: Limits of MSCCL's executor for NCCL: steps per block, blocks per rank, blocks per channel, channels, chunks per step.
MOST_STEPS, MOST_BLOCKS, MOST_OF_CHANNEL, MOST_CHANNELS, MOST_COUNT = 256, 216, 32, 32, 71
#: The algorithm of a result that such a program gives.
MSCCL = "msccl"
#: Kinds of steps: whether they receive, add up, store and send, and whether they read their own buffer.
SENDS, RECEIVES = ("s", "rcs", "rrs", "rrcs"), ("r", "rcs", "rrs", "rrc", "rrcs")
ADDS, STORES, READS = ("rrs", "rrc", "rrcs", "re"), ("r", "rcs", "rrc", "rrcs", "cpy", "re"), ("s", "cpy")
KINDS = ("s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop")
#: The most ranks, and the most characters of a file.
_MOST_RANKS, _MOST_CHARACTERS = 4096, 1 << 28


class MscclStep(NamedTuple):
    """A step of a thread block: `chunks` chunks from `source` (a buffer and its first chunk) to `goal`.

    ``waits`` is the block of the same rank and its step that must be done before, if any.
    """

    kind: str
    source: tuple[str, int]
    goal: tuple[str, int]
    chunks: int
    waits: tuple[int, int] | None
    awaited: bool


class MscclBlock(NamedTuple):
    """A thread block: the ranks that it sends to and receives from (-1: none), its channel, and its steps in order."""

    send: int
    receive: int
    channel: int
    steps: tuple[MscclStep, ...]


@dataclass(frozen=True, eq=False)
class MscclProgram:
    """A collective as MSCCL's executor runs it: per rank, thread blocks with steps on chunks of buffers.

    Attributes
    ----------
    name, source : str
        Its name, and the file's, for messages.
    operation : "allreduce", "allgather", "reduce-scatter", "broadcast" or "alltoall"
    ranks : int
    chunks : int
        ``nchunksperloop``: chunks of the vector, or of all ranks' data together; for an all-to-all, of a rank's data.
    in_place, out_of_place : bool
        Whether input and output are the same memory; a program may be for both.
    scratch : tuple of int
        Chunks of the scratch buffer of each rank.
    bytes_from, bytes_to : int or None
        The sizes for which the executor selects it, if the file states them.
    blocks : tuple of tuple of MscclBlock
        The blocks of each rank.
    """

    name: str
    source: str
    operation: str
    ranks: int
    chunks: int
    in_place: bool
    out_of_place: bool
    scratch: tuple[int, ...]
    bytes_from: int | None
    bytes_to: int | None
    blocks: tuple[tuple[MscclBlock, ...], ...]

    @property
    def share(self) -> int:
        """Chunks per rank: of an all-gather's input, a reduce-scatter's output, and an all-to-all's messages."""
        return self.chunks // self.ranks

    def steps(self) -> Iterator[tuple[int, int, int, MscclBlock, MscclStep]]:
        """Yield rank, block, place, the block and the step, in order."""
        for rank, blocks in enumerate(self.blocks):
            for number, block in enumerate(blocks):
                for place, step in enumerate(block.steps):
                    yield rank, number, place, block, step

    def wrong(self, rank: int, block: int, step: int, why: str) -> InputError:
        """Return the error of a step.

        Parameters
        ----------
        rank, block, step : int
        why : str
        """
        return InputError(f"{self.source}: gpu {rank} tb {block} step {step}: {why}")


def begins_as_xml(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as XML; False also if it cannot be read."""
    try:
        with open_to_read(path) as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    except (OSError, InputError):
        return False


def read_msccl(path: str | os.PathLike[str]) -> MscclProgram:
    """Return the program in a file of MSCCL's XML, within the limits of MSCCL's executor, but not checked for its result.

    Raises
    ------
    InputError
        ``file: gpu 0 tb 1 step 2: reason``.
    """
    return msccl_of(read_text(path, _MOST_CHARACTERS), os.fspath(path))


def msccl_of(text: str, source: str) -> MscclProgram:
    """Return the program in a text; see `read_msccl`.

    Parameters
    ----------
    text : str
    source : str
        The file's name, for messages.

    Raises
    ------
    InputError
        As for `read_msccl`.
    """
    algo = _Element(parse_xml(text, source), source, "algo")
    if local_name(algo.node.tag) != "algo":
        raise InputError(f"{source}: this is no MSCCL schedule: its first element is no algo")
    ranks, chunks = algo.number("ngpus", 1, _MOST_RANKS), algo.number("nchunksperloop", 1, 1 << 20)
    try:
        operation = collective_operation(algo.text("coll").lower().replace("_", "-"))
    except InputError:
        raise InputError(
            f"{source}: algo: coll is {_quoted(algo.text('coll'))}: only the results of allreduce, allgather,"
            " reduce_scatter, broadcast and alltoall are known"
        ) from None
    if operation in ("allgather", "reduce-scatter", "alltoall") and chunks % ranks:
        raise InputError(f"{source}: algo: nchunksperloop {chunks} of {operation} is no multiple of ngpus {ranks}")
    gpus = algo.children("gpu", ranks)
    if len(gpus) != ranks:
        raise InputError(f"{source}: algo: it has {len(gpus)} gpu elements, but ngpus is {ranks}")
    channels = algo.number("nchannels", 1, MOST_CHANNELS)
    in_place = bool(algo.number("inplace", 0, 1, default=0))
    out_of_place = bool(algo.number("outofplace", 0, 1, default=0 if in_place else 1))
    if not in_place and not out_of_place:
        raise InputError(f"{source}: algo: neither inplace nor outofplace is 1, so that the executor never selects it")
    sizes = {"i_chunks": chunks, "o_chunks": chunks}
    if operation in ("allgather", "reduce-scatter"):
        sizes["i_chunks" if operation == "allgather" else "o_chunks"] = chunks // ranks
    scratch = []
    for gpu in gpus:
        for name, size in sizes.items():
            stated = gpu.number(name, 0, 1 << 20)
            if stated not in (0, size):
                raise InputError(f"{source}: {gpu.place}: {name} is {stated}; for nchunksperloop {chunks} it is {size}")
        scratch.append(gpu.number("s_chunks", 0, 1 << 20))
    program = MscclProgram(
        name=algo.text("name", ""),
        source=source,
        operation=operation,
        ranks=ranks,
        chunks=chunks,
        in_place=in_place,
        out_of_place=out_of_place,
        scratch=tuple(scratch),
        bytes_from=algo.number("minBytes", 0, 1 << 63, default=None),
        bytes_to=algo.number("maxBytes", 0, 1 << 64, default=None),
        blocks=tuple(_blocks(gpu, rank, ranks, channels) for rank, gpu in enumerate(gpus)),
    )
    _check_connections(program)
    for rank, number, place, _, step in program.steps():
        _check_wait(program, rank, number, place, step)
        for what, (buffer, first) in (("srcoff", step.source), ("dstoff", step.goal)):
            size = program.scratch[rank] if buffer == "s" else sizes[f"{buffer}_chunks"]
            if _touches(step.kind, what) and not 0 <= first <= size - step.chunks:
                raise program.wrong(
                    rank, number, place, f"{what} {first} and cnt {step.chunks} exceed buffer {buffer} of {size} chunks"
                )
    return program


def _touches(kind: str, what: str) -> bool:
    """Return whether a step uses its own source or goal; the other end of a message is the other rank's."""
    return kind in (*READS, *ADDS) if what == "srcoff" else kind in STORES


def _blocks(gpu: "_Element", rank: int, ranks: int, channels: int) -> tuple[MscclBlock, ...]:
    blocks = []
    elements = gpu.children("tb", MOST_BLOCKS)
    for block in elements:
        send, receive = block.number("send", -1, ranks - 1), block.number("recv", -1, ranks - 1)
        if rank in (send, receive):
            raise InputError(f"{gpu.source}: {block.place}: it sends to or receives from its own rank")
        steps = []
        for step in block.children("step", MOST_STEPS, number="s"):
            kind = step.text("type")
            if kind not in KINDS:
                supported = ", ".join(KINDS)
                raise InputError(f"{gpu.source}: {step.place}: type {_quoted(kind)} is not supported; {supported} are")
            if (kind in SENDS and send < 0) or (kind in RECEIVES and receive < 0):
                missing = "send" if kind in SENDS and send < 0 else "recv"
                raise InputError(f"{gpu.source}: {step.place}: type {kind}, but its tb has no {missing}")
            count = step.number("cnt", 0 if kind == "nop" else 1, MOST_COUNT)
            block_waited, step_waited = (
                step.number("depid", -1, len(elements) - 1),
                step.number("deps", -1, MOST_STEPS - 1),
            )
            steps.append(
                MscclStep(
                    kind,
                    (step.buffer("srcbuf"), step.number("srcoff", -1, 1 << 20)),
                    (step.buffer("dstbuf"), step.number("dstoff", -1, 1 << 20)),
                    count,
                    (block_waited, step_waited) if block_waited >= 0 else None,
                    bool(step.number("hasdep", 0, 1)),
                )
            )
        blocks.append(MscclBlock(send, receive, block.number("chan", 0, channels - 1), tuple(steps)))
    return tuple(blocks)


def _check_connections(program: MscclProgram) -> None:
    """Refuse two blocks of a rank with one connection, more blocks of a channel than possible, and unmatched messages."""
    for rank, blocks in enumerate(program.blocks):
        owner: dict[tuple[str, int, int], int] = {}
        used: dict[tuple[str, int], int] = {}
        for number, block in enumerate(blocks):
            for way, peer in (("send", block.send), ("recv", block.receive)):
                if peer < 0:
                    continue
                before = owner.setdefault((way, peer, block.channel), number)
                used[way, block.channel] = used.get((way, block.channel), 0) + 1
                if before != number:
                    raise InputError(
                        f"{program.source}: gpu {rank} tb {number}: {way} {peer} on channel {block.channel} belongs to tb"
                        f" {before}, too; a connection has one tb"
                    )
                if used[way, block.channel] > MOST_OF_CHANNEL:
                    raise InputError(
                        f"{program.source}: gpu {rank} tb {number}: channel {block.channel} has more than"
                        f" {MOST_OF_CHANNEL} {way} peers"
                    )
    counts: dict[tuple[int, int, int], list[list[tuple[int, int, int, int]]]] = {}
    for rank, number, place, block, step in program.steps():
        if step.kind in SENDS:
            ends = counts.setdefault((rank, block.send, block.channel), [[], []])
            ends[0].append((rank, number, place, step.chunks))
        if step.kind in RECEIVES:
            ends = counts.setdefault((block.receive, rank, block.channel), [[], []])
            ends[1].append((rank, number, place, step.chunks))
    for (sender, receiver, channel), (sent, received) in counts.items():
        where = f"from gpu {sender} to gpu {receiver} on channel {channel}"
        for (*_, out), (rank, number, place, into) in zip(sent, received, strict=False):
            if out != into:
                raise program.wrong(rank, number, place, f"it receives {into} chunks, but {out} are sent {where}")
        if len(sent) != len(received):
            at, ending = (sent, "is never received") if len(sent) > len(received) else (received, "is never sent")
            rank, number, place, _ = at[min(len(sent), len(received))]
            raise program.wrong(
                rank, number, place, f"its message {ending}: {len(sent)} sends and {len(received)} receives {where}"
            )


def _check_wait(program: MscclProgram, rank: int, number: int, place: int, step: MscclStep) -> None:
    if step.waits is None:
        return
    block, other = step.waits
    steps = program.blocks[rank][block].steps
    if block == number or not 0 <= other < len(steps):
        raise program.wrong(
            rank, number, place, f"it waits for tb {block} step {other}, which is no step of another tb"
        )
    if not steps[other].awaited:
        raise program.wrong(
            rank, number, place, f"it waits for tb {block} step {other}, whose hasdep is 0: it would wait forever"
        )


def _quoted(text: str) -> str:
    return f"'{text[:40]}'"


class _Element:
    """An element with its place in the file, for errors: ``gpu 0 tb 1 step 2``."""

    def __init__(self, node: Any, source: str, place: str) -> None:
        self.node, self.source, self.place = node, source, place

    def text(self, name: str, default: str | None = None) -> str:
        """Return an attribute."""
        value = self.node.get(name, default)
        if value is None:
            raise InputError(f"{self.source}: {self.place}: it has no {name}")
        return str(value)

    def number(self, name: str, least: int, most: int, default: Any = ...) -> Any:
        """Return an attribute that is a whole number."""
        if default is not ... and self.node.get(name) is None:
            return default
        text = self.text(name).strip()
        value = whole_in(text.removeprefix("-"), 1 << 64)
        if value is not None and text.startswith("-"):
            value = -value
        if value is None or not least <= value <= most:
            raise InputError(
                f"{self.source}: {self.place}: {name} is {_quoted(text)}; a number from {least} to {most} is expected"
            )
        return value

    def buffer(self, name: str) -> str:
        """Return the attribute of a buffer: i, o or s."""
        text = self.text(name)
        if text not in ("i", "o", "s"):
            raise InputError(f"{self.source}: {self.place}: {name} is {_quoted(text)}; buffers are i, o and s")
        return text

    def children(self, name: str, most: int, number: str = "id") -> "list[_Element]":
        """Return the elements of a name, which are numbered from 0 in order."""
        children: list[_Element] = []
        above = "" if self.place == "algo" else f"{self.place} "
        for node in self.node:
            if not local_name(node.tag):
                continue
            if local_name(node.tag) != name:
                raise InputError(
                    f"{self.source}: {self.place}: an element {_quoted(local_name(node.tag))}; {name} is expected"
                )
            child = _Element(node, self.source, f"{above}{name} {len(children)}")
            if child.number(number, 0, 1 << 20) != len(children):
                raise InputError(
                    f"{self.source}: {child.place}: its {number} is {node.get(number)}; they count from 0, in order"
                )
            children.append(child)
        if len(children) > most:
            raise InputError(
                f"{self.source}: {self.place}: {len(children)} {name} elements; at most {most} are possible"
            )
        return children

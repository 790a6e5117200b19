"""The result of an MSCCL program on symbols: every chunk in its place, sums complete, nothing added twice, no block stuck."""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.msccl_program import (
    ADDS,
    READS,
    RECEIVES,
    SENDS,
    STORES,
    MscclBlock,
    MscclProgram,
    MscclStep,
)

#: Blocks up to which the order of all accesses to a chunk is checked.
MOST_ORDERED = 4096


class _Value(NamedTuple):
    """The sum of chunk `chunk` of the inputs of the ranks in a bit mask."""

    chunk: int
    ranks: int


@dataclass(frozen=True)
class MscclFindings:
    """What the check of a program says.

    Attributes
    ----------
    root : int
        The rank whose data all others get, for a broadcast; else 0.
    depth : int
        The most messages in a row, of which each waits for the one before.
    ordered : bool
        Whether the order of all accesses to each chunk was checked, too: it depends on no block being faster than another.
    """

    root: int
    depth: int
    ordered: bool


@lru_cache(4)
def check_msccl(program: MscclProgram) -> MscclFindings:
    """Carry out a program on symbols, for input and output in place, or apart, or both, as it states.

    Returns
    -------
    MscclFindings

    Raises
    ------
    InputError
        ``file: gpu 0 tb 1 step 2: reason``: a step reads a chunk without data, adds a part twice, adds different chunks, or
        accesses a chunk that another block changes at any time; blocks wait for each other in a cycle; an output is wrong.
    """
    ways = [way for way, stated in ((True, program.in_place), (False, program.out_of_place)) if stated]
    return [_Run(program, in_place=way).finish() for way in ways][-1]


class _Run:
    """The buffers, blocks and messages of a program while it is carried out."""

    def __init__(self, program: MscclProgram, *, in_place: bool) -> None:
        self.program, self.in_place = program, in_place
        self.data: dict[tuple[int, str, int], _Value] = {}
        for rank in range(program.ranks):
            count = program.share if program.operation == "allgather" else program.chunks
            for chunk in range(count):
                self.data[self._place(rank, "i", chunk)] = _Value(chunk, 1 << rank)
        self.first: list[int] = np.cumsum([0, *map(len, program.blocks)]).tolist()
        blocks = self.first[-1]
        self.done = [0] * blocks
        self.ordered = blocks <= MOST_ORDERED
        self.clock = np.zeros((blocks, blocks if self.ordered else 0), np.int32)
        self.depth = [0] * blocks
        self.past: dict[tuple[int, int], tuple[np.ndarray, int]] = {}
        self.mail: dict[tuple[int, int, int], deque[tuple[list[_Value], np.ndarray, int]]] = {}
        self.written: dict[tuple[int, str, int], tuple[int, int]] = {}
        self.read: dict[tuple[int, str, int], dict[int, int]] = {}

    def finish(self) -> MscclFindings:
        """Run all blocks to their ends; check the output."""
        program = self.program
        receiver = {
            (block.receive, rank, block.channel): self.first[rank] + number
            for rank, blocks in enumerate(program.blocks)
            for number, block in enumerate(blocks)
            if block.receive >= 0
        }
        ranks = [rank for rank, blocks in enumerate(program.blocks) for _ in blocks]
        waiting = deque(range(self.first[-1]))
        while waiting:
            number = waiting.popleft()
            rank = ranks[number]
            block = program.blocks[rank][number - self.first[rank]]
            while self.done[number] < len(block.steps):
                step = block.steps[self.done[number]]
                if self._blocker(rank, block, step):
                    break
                self._take(rank, number, block, step)
                if step.kind in SENDS:
                    waiting.append(receiver[rank, block.send, block.channel])
                if step.awaited:
                    waiting.extend(range(self.first[rank], self.first[rank + 1]))
        self._check_ends(ranks)
        return MscclFindings(self._root(), max(self.depth, default=0), self.ordered)

    def _blocker(self, rank: int, block: MscclBlock, step: MscclStep) -> str:
        """Return what a step waits for, in words; empty if it can go on."""
        if step.waits is not None and self.done[self.first[rank] + step.waits[0]] <= step.waits[1]:
            return f"tb {step.waits[0]} step {step.waits[1]}"
        if step.kind in RECEIVES and not self.mail.get((block.receive, rank, block.channel)):
            return f"a message from gpu {block.receive}"
        return ""

    def _take(self, rank: int, number: int, block: MscclBlock, step: MscclStep) -> None:
        place, clock = self.done[number], self.clock[number]
        if step.waits is not None:
            before, depth = self.past[self.first[rank] + step.waits[0], step.waits[1]]
            np.maximum(clock, before, out=clock)
            self.depth[number] = max(self.depth[number], depth)
        values: list[_Value] = []
        if step.kind in RECEIVES:
            values, before, depth = self.mail[block.receive, rank, block.channel].popleft()
            np.maximum(clock, before, out=clock)
            self.depth[number] = max(self.depth[number], depth)
        if self.ordered:
            clock[number] = place + 1
        if step.kind in READS:
            values = [self._get(rank, number, step, step.source, i) for i in range(step.chunks)]
        if step.kind in ADDS:
            own = [self._get(rank, number, step, step.source, i) for i in range(step.chunks)]
            if step.kind == "re":
                values = [self._get(rank, number, step, step.goal, i) for i in range(step.chunks)]
            values = [self._sum(rank, number, a, b) for a, b in zip(values, own, strict=True)]
        if step.kind in STORES:
            for i, value in enumerate(values):
                self._put(rank, number, step.goal, i, value)
        if step.kind in SENDS:
            message = (values, clock.copy(), self.depth[number] + 1)
            self.mail.setdefault((rank, block.send, block.channel), deque()).append(message)
        if step.awaited:
            self.past[number, place] = (clock.copy(), self.depth[number])
        self.done[number] = place + 1

    def _place(self, rank: int, buffer: str, chunk: int) -> tuple[int, str, int]:
        """Return where a chunk of a buffer is: in place, the smaller buffer is a part of the larger one."""
        if not self.in_place or buffer == "s":
            return rank, buffer, chunk
        operation, own = self.program.operation, rank * self.program.share
        part = {"allgather": "i", "reduce-scatter": "o"}.get(operation)
        return rank, "io", chunk + (own if buffer == part else 0)

    def _get(self, rank: int, number: int, step: MscclStep, where: tuple[str, int], i: int) -> _Value:
        place = self._place(rank, where[0], where[1] + i)
        value = self.data.get(place)
        if value is None:
            raise self._wrong(rank, number, f"it reads {where[0]} {where[1] + i}, in which there are no data yet")
        if self.ordered:
            self._check_order(
                rank, number, place, f"reads {where[0]} {where[1] + i}", self.written.get(place), "changes"
            )
            self.read.setdefault(place, {})[number] = self.done[number] + 1
        return value

    def _put(self, rank: int, number: int, where: tuple[str, int], i: int, value: _Value) -> None:
        place = self._place(rank, where[0], where[1] + i)
        self.data[place] = value
        if self.ordered:
            doing = f"changes {where[0]} {where[1] + i}"
            self._check_order(rank, number, place, doing, self.written.get(place), "changes")
            for reader in self.read.pop(place, {}).items():
                self._check_order(rank, number, place, doing, reader, "reads")
            self.written[place] = (number, self.done[number] + 1)

    def _check_order(
        self, rank: int, number: int, place: tuple[int, str, int], doing: str, before: tuple[int, int] | None, what: str
    ) -> None:
        """Refuse an access after which another block's access to the same chunk could come, or before which it could."""
        if before is not None and before[0] != number and self.clock[number, before[0]] < before[1]:
            raise self._wrong(
                rank,
                number,
                f"it {doing}, which tb {before[0] - self.first[rank]} step {before[1] - 1} {what}, and neither waits for the"
                " other: the result depends on which is faster",
            )

    def _sum(self, rank: int, number: int, value: _Value, own: _Value) -> _Value:
        if value.chunk != own.chunk:
            raise self._wrong(rank, number, f"it adds chunk {value.chunk} of the input to chunk {own.chunk}")
        if twice := value.ranks & own.ranks:
            raise self._wrong(
                rank, number, f"it adds the part of rank {_lowest(twice)} of chunk {value.chunk} a second time"
            )
        return _Value(value.chunk, value.ranks | own.ranks)

    def _wrong(self, rank: int, number: int, why: str) -> InputError:
        apart = (
            ""
            if not (self.program.in_place and self.program.out_of_place)
            else (" (in place)" if self.in_place else " (not in place)")
        )
        return self.program.wrong(rank, number - self.first[rank], self.done[number], why + apart)

    def _check_ends(self, ranks: list[int]) -> None:
        """Refuse blocks that did not come to their ends: they wait for each other."""
        for number, rank in enumerate(ranks):
            block = self.program.blocks[rank][number - self.first[rank]]
            if self.done[number] < len(block.steps):
                waits = self._blocker(rank, block, block.steps[self.done[number]])
                raise self._wrong(rank, number, f"it waits for {waits} forever: blocks wait for each other in a cycle")

    def _root(self) -> int:
        """Check the output of all ranks; return the root of a broadcast."""
        program, everybody = self.program, (1 << self.program.ranks) - 1
        root = 0
        if program.operation == "broadcast":
            first = self.data.get(self._place(0, "o", 0))
            root = _lowest(first.ranks) if first is not None and first.ranks else 0
        for rank in range(program.ranks):
            count = program.share if program.operation == "reduce-scatter" else program.chunks
            for chunk in range(count):
                due = self._due(rank, chunk, root, everybody)
                value = self.data.get(self._place(rank, "o", chunk))
                if value != due:
                    raise InputError(
                        f"{program.source}: gpu {rank}: chunk {chunk} of the output {self._said(value, due)}"
                    )
        return root

    def _due(self, rank: int, chunk: int, root: int, everybody: int) -> _Value:
        """Return what a chunk of a rank's output must hold."""
        operation, share = self.program.operation, self.program.share
        if operation == "allreduce":
            return _Value(chunk, everybody)
        if operation == "reduce-scatter":
            return _Value(rank * share + chunk, everybody)
        if operation == "allgather":
            return _Value(chunk % share, 1 << chunk // share)
        if operation == "broadcast":
            return _Value(chunk, 1 << root)
        return _Value(rank * share + chunk % share, 1 << chunk // share)

    def _said(self, value: _Value | None, due: _Value) -> str:
        if value is None:
            return "never gets data"
        if value.chunk == due.chunk and due.ranks & ~value.ranks and not value.ranks & ~due.ranks:
            return f"misses the part of rank {_lowest(due.ranks & ~value.ranks)}"
        return (
            f"holds chunk {value.chunk} of the input of {_ranks(value.ranks)};"
            f" chunk {due.chunk} of {_ranks(due.ranks)} is due there"
        )


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _ranks(mask: int) -> str:
    ranks = [rank for rank in range(mask.bit_length()) if mask >> rank & 1]
    text = ", ".join(map(str, ranks[:4]))
    return f"rank{'s' if len(ranks) > 1 else ''} {text}{', ...' if len(ranks) > 4 else ''}"

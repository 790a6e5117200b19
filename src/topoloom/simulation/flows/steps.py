"""Programs operation by operation: the operations of each rank in order, with collectives step by step."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.collectives import ALGORITHMS, algorithm_on
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.programs import Programs, laid
from topoloom.simulation.flows.rank_operations import Operations, Rank, operations_of
from topoloom.simulation.flows.state import (
    ALGORITHM,
    CLOCK,
    COLLECTIVE,
    COMPUTE,
    GROUP,
    IRECV,
    ISEND,
    PEER,
    SLOT,
    TAG,
    TIMES,
    WAIT,
)
from topoloom.simulation.flows.state import RECV as TAKE
from topoloom.simulation.flows.state import SEND as GIVE

#: The most operations that are created here.
MOST_OPERATIONS = 100_000_000
#: The tag of collectives' messages.
_COLLECTIVE = -1
_NAMES = {algorithm.number: name for name, algorithm in ALGORITHMS.items()}


def operations_of_programs(name: str, programs: Programs) -> Operations:
    """Return the messages and the computation of programs as operations, which take as long as the programs.

    Parameters
    ----------
    name : str
        The name of the schedule, for messages.
    programs : Programs

    Returns
    -------
    Operations
        The operations, on one CPU per rank, without labels and clocks.

    Raises
    ------
    InputError
        More operations than memory can hold, or a collective on an unsupported number of ranks.
    """
    steps = laid(programs, name).steps
    if steps > MOST_OPERATIONS // 2:
        raise InputError(
            f"{name}: {steps:,} steps are more than {MOST_OPERATIONS:,} operations; use fewer ranks or repetitions"
        )
    members = [
        {g: np.flatnonzero(numbers == g).tolist() for g in np.unique(numbers).tolist()} for numbers in programs.groups
    ]
    # Tags of programs belong to a kind of group, and may be any numbers; tags of a schedule count from 0.
    tags: dict[tuple[int, int], int] = {}
    ranks = [_Writer(programs, rank, members, tags).rank for rank in range(programs.ranks)]
    operations = operations_of(name, ranks)
    return replace(operations, amount=_received(operations))


def _received(operations: Operations) -> np.ndarray:
    """Return the amounts, where a receive has the bytes of its send: programs omit them, but LogGOPSim reads them."""
    s, amount = operations, operations.amount.copy()
    sends, receives = np.flatnonzero(s.kind == SEND), np.flatnonzero(s.kind == RECV)
    out = np.stack([s.rank[sends], s.peer[sends], s.tag[sends]])
    into = np.stack([s.peer[receives], s.rank[receives], s.tag[receives]])
    first, second = np.lexsort(out[::-1]), np.lexsort(into[::-1])
    # For one pair and tag, both sides are in the order of the program.
    if np.array_equal(out[:, first], into[:, second]):
        amount[receives[second]] = s.amount[sends[first]]
    return amount


def collective_steps(
    rank: Rank,
    algorithm: str,
    size: float,
    members: Sequence[int],
    place: int,
    tag: int,
    before: Sequence[int],
    cpu: int = 0,
) -> list[int]:
    """Add the steps of a rank in a collective, each after the previous one.

    Parameters
    ----------
    rank : Rank
        The rank to which they are added.
    algorithm : str
        One of `topoloom.simulation.flows.collectives.ALGORITHMS`.
    size : float
        Bytes, as defined by the algorithm.
    members : sequence of int
        The ranks of the group.
    place : int
        The position of this rank among them.
    tag : int
        The tag of all its messages.
    before : sequence of int
        The operations that must be done before.
    cpu : int

    Returns
    -------
    list of int
        The operations after which the collective is done; those of `before` if the rank has nothing to do.

    Raises
    ------
    InputError
        The algorithm does not support this number of ranks.
    """
    from topoloom.simulation.flows.kernels.steps import step_of

    algorithm_record = algorithm_on(algorithm, len(members))
    last = list(before)
    for step in range(algorithm_record.steps(len(members))):
        to, out, source, into = step_of(algorithm_record.number, step, place, len(members), size)
        both = []
        if source >= 0:
            both.append(rank.add(RECV, members[source], into, tag, cpu))
        if to >= 0:
            both.append(rank.add(SEND, members[to], out, tag, cpu))
        for operation in both:
            rank.requires(operation, *last)
        last = both or last
    return last


class _Writer:
    """Creates the operations of a rank: the next one starts when `done` are done and `begun` have started."""

    def __init__(
        self, programs: Programs, number: int, members: list[dict[int, list[int]]], tags: dict[tuple[int, int], int]
    ) -> None:
        self.rank, self.flops, self.number, self.tags = Rank(), programs.flops, number, tags
        self.done: list[int] = []
        self.begun: list[int] = []
        self.open: dict[int, int] = {}
        self.members = [kind[int(programs.groups[k][number])] for k, kind in enumerate(members)]
        script = programs.scripts[programs.of[number]]
        for code, argument, amount in zip(script.code, script.argument, script.amount, strict=True):
            self._write(code, argument, amount)

    def _write(self, code: int, argument: tuple[int, int, int, int, int], amount: float) -> None:
        if code == CLOCK:
            return
        if code == WAIT:
            posted = self.open.pop(argument[SLOT], None)
            if posted is not None:
                self.done.append(posted)
            return
        if code == COMPUTE:
            self._next(self.rank.calc(amount / self.flops * 1e9))
            return
        group = self.members[argument[GROUP]]
        if code == COLLECTIVE:
            place, tag = group.index(self.number), self._tag(_COLLECTIVE, argument[GROUP])
            for _ in range(argument[TIMES]):
                # All first steps follow the start of what was posted before; an empty operation in between ensures this.
                if self.begun:
                    self._next(self.rank.calc(0.0))
                self.done = collective_steps(
                    self.rank, _NAMES[argument[ALGORITHM]], amount, group, place, tag, self.done
                )
            return
        peer, tag = group[argument[PEER]], self._tag(argument[TAG], argument[GROUP])
        kind = SEND if code in (GIVE, ISEND) else RECV
        number = self.rank.add(kind, peer, amount, tag)
        if code in (TAKE, GIVE):
            self._next(number)
        elif code in (ISEND, IRECV):
            self._after(number)
            self.open[argument[SLOT]] = number
            self.done, self.begun = [], [number]

    def _tag(self, tag: int, kind: int) -> int:
        return self.tags.setdefault((tag, kind), len(self.tags))

    def _after(self, number: int) -> None:
        self.rank.requires(number, *self.done)
        self.rank.follows(number, *self.begun)

    def _next(self, number: int) -> None:
        """Add an operation for which the rank blocks."""
        self._after(number)
        self.done, self.begun = [number], []

"""Programs operation by operation: what each rank does, one after the other, and its collectives step by step."""

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

#: Operations that are written down here.
MOST_OPERATIONS = 100_000_000
#: The tag of collectives' messages.
_COLLECTIVE = -1
_NAMES = {found.number: name for name, found in ALGORITHMS.items()}


def operations_of_programs(name: str, programs: Programs) -> Operations:
    """The same messages and the same computing, which take as long.

    Parameters
    ----------
    name : str
        For messages.
    programs : Programs

    Returns
    -------
    Operations
        On one cpu a rank. Labels and clocks are not in them.

    Raises
    ------
    InputError
        More operations than memory has room for, or a collective on ranks that it does not serve.
    """
    steps = laid(programs, name).steps
    if steps > MOST_OPERATIONS // 2:
        raise InputError(
            f"{name}: {steps:,} steps would be more than {MOST_OPERATIONS:,} operations; make the program smaller"
        )
    members = [
        {g: np.flatnonzero(numbers == g).tolist() for g in np.unique(numbers).tolist()} for numbers in programs.groups
    ]
    # Tags of programs are of a kind of group each, and may be any numbers; those of a schedule count from 0.
    tags: dict[tuple[int, int], int] = {}
    ranks = [_Writer(programs, rank, members, tags).rank for rank in range(programs.ranks)]
    found = operations_of(name, ranks)
    return replace(found, amount=_received(found))


def _received(operations: Operations) -> np.ndarray:
    """The amounts, of each receive the bytes of the send that it meets: a program does not say them, and LogGOPSim looks."""
    s, amount = operations, operations.amount.copy()
    sends, receives = np.flatnonzero(s.kind == SEND), np.flatnonzero(s.kind == RECV)
    out = np.stack([s.rank[sends], s.peer[sends], s.tag[sends]])
    into = np.stack([s.peer[receives], s.rank[receives], s.tag[receives]])
    first, second = np.lexsort(out[::-1]), np.lexsort(into[::-1])
    # Of one pair and tag both sides are in the order of the program.
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
    """Write down the steps of a rank in a collective, each after the one before.

    Parameters
    ----------
    rank : Rank
        Where they are written.
    algorithm : str
        One of `topoloom.simulation.flows.collectives.ALGORITHMS`.
    size : float
        Bytes, as the algorithm has them.
    members : sequence of int
        The group's ranks.
    place : int
        Which of them this one is.
    tag : int
        Of all its messages.
    before : sequence of int
        The operations that must be done first.
    cpu : int

    Returns
    -------
    list of int
        The operations that must be done for it to be over: those before, where the rank has nothing to do.

    Raises
    ------
    InputError
        The algorithm is not for this number of ranks.
    """
    from topoloom.simulation.flows.kernels.steps import step_of

    found = algorithm_on(algorithm, len(members))
    last = list(before)
    for step in range(found.steps(len(members))):
        to, out, source, into = step_of(found.number, step, place, len(members), size)
        both = []
        if source >= 0:
            both.append(rank.add(RECV, members[source], into, tag, cpu))
        if to >= 0:
            both.append(rank.add(SEND, members[to], out, tag, cpu))
        for one in both:
            rank.requires(one, *last)
        last = both or last
    return last


class _Writer:
    """Writes the operations of a rank: the next one starts when `done` are done and `begun` have started."""

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
                # What is posted before has started: an operation that stands between says so to all first steps.
                if self.begun:
                    self._next(self.rank.calc(0.0))
                self.done = collective_steps(
                    self.rank, _NAMES[argument[ALGORITHM]], amount, group, place, tag, self.done
                )
            return
        peer, tag = group[argument[PEER]], self._tag(argument[TAG], argument[GROUP])
        kind = SEND if code in (GIVE, ISEND) else RECV
        one = self.rank.add(kind, peer, amount, tag)
        if code in (TAKE, GIVE):
            self._next(one)
        elif code in (ISEND, IRECV):
            self._after(one)
            self.open[argument[SLOT]] = one
            self.done, self.begun = [], [one]

    def _tag(self, tag: int, kind: int) -> int:
        return self.tags.setdefault((tag, kind), len(self.tags))

    def _after(self, one: int) -> None:
        self.rank.requires(one, *self.done)
        self.rank.follows(one, *self.begun)

    def _next(self, one: int) -> None:
        """An operation that the rank stands still for."""
        self._after(one)
        self.done, self.begun = [one], []

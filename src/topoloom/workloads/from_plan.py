"""Our own programs as schedules: what each rank of a plan does, one after the other, with its messages beside."""

from dataclasses import replace

import numpy as np

from topoloom.errors import InputError
from topoloom.flows.collectives import ALGORITHMS
from topoloom.flows.operations import RECV, SEND
from topoloom.flows.plan import Plan, laid
from topoloom.flows.schedule import Rank, Schedule, schedule_of
from topoloom.flows.state import (
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
from topoloom.flows.state import RECV as TAKE
from topoloom.flows.state import SEND as GIVE
from topoloom.workloads.steps import collective

#: Operations of a schedule that is made here.
MOST_OPERATIONS = 100_000_000
#: The tag of collectives' messages.
_COLLECTIVE = -1
_NAMES = {found.number: name for name, found in ALGORITHMS.items()}


def schedule_of_plan(plan: Plan, flops: float) -> Schedule:
    """A plan as a schedule of the same messages and the same computing, which takes as long.

    Parameters
    ----------
    plan : Plan
    flops : float
        Operations a second of a rank: a schedule has nanoseconds.

    Returns
    -------
    Schedule
        On one cpu a rank. Labels and clocks are not in it.

    Raises
    ------
    InputError
        More operations than memory has room for, or a collective on ranks that it does not serve.
    """
    steps = laid(plan).steps
    if steps > MOST_OPERATIONS // 2:
        raise InputError(
            f"{plan.name}: {steps:,} steps would be more than {MOST_OPERATIONS:,} operations; make the program smaller"
        )
    members = [
        {g: np.flatnonzero(numbers == g).tolist() for g in np.unique(numbers).tolist()} for numbers in plan.groups
    ]
    # A plan's tags are of a kind of group each, and may be any numbers; those of a schedule count from 0.
    tags: dict[tuple[int, int], int] = {}
    ranks = [_Writer(plan, rank, members, flops, tags).rank for rank in range(plan.ranks)]
    found = schedule_of(plan.name, ranks)
    return replace(found, amount=_received(found))


def _received(schedule: Schedule) -> np.ndarray:
    """The amounts, of each receive the bytes of the send that it meets: a plan does not say them, and LogGOPSim looks."""
    s, amount = schedule, schedule.amount.copy()
    sends, receives = np.flatnonzero(s.kind == SEND), np.flatnonzero(s.kind == RECV)
    out = np.stack([s.rank[sends], s.peer[sends], s.tag[sends]])
    into = np.stack([s.peer[receives], s.rank[receives], s.tag[receives]])
    first, second = np.lexsort(out[::-1]), np.lexsort(into[::-1])
    # Of one pair and tag both sides are in the order of the program.
    if np.array_equal(out[:, first], into[:, second]):
        amount[receives[second]] = s.amount[sends[first]]
    return amount


class _Writer:
    """Writes the operations of a rank: the next one starts when `done` are done and `begun` have started."""

    def __init__(
        self,
        plan: Plan,
        number: int,
        members: list[dict[int, list[int]]],
        flops: float,
        tags: dict[tuple[int, int], int],
    ) -> None:
        self.rank, self.flops, self.number, self.tags = Rank(), flops, number, tags
        self.done: list[int] = []
        self.begun: list[int] = []
        self.under_way: dict[int, int] = {}
        self.members = [kind[int(plan.groups[k][number])] for k, kind in enumerate(members)]
        script = plan.scripts[plan.of[number]]
        for code, argument, amount in zip(script.code, script.argument, script.amount, strict=True):
            self._write(code, argument, amount)

    def _write(self, code: int, argument: tuple[int, int, int, int, int], amount: float) -> None:
        if code == CLOCK:
            return
        if code == WAIT:
            posted = self.under_way.pop(argument[SLOT], None)
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
                self.done = collective(self.rank, _NAMES[argument[ALGORITHM]], amount, group, place, tag, self.done)
            return
        peer, tag = group[argument[PEER]], self._tag(argument[TAG], argument[GROUP])
        kind = SEND if code in (GIVE, ISEND) else RECV
        one = self.rank.add(kind, peer, amount, tag)
        if code in (TAKE, GIVE):
            self._next(one)
        elif code in (ISEND, IRECV):
            self._after(one)
            self.under_way[argument[SLOT]] = one
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

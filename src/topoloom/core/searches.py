"""Searches side by side: each goes on step by step, on all cores, until its budget is used up, or it is asked to stop."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from topoloom.core.threads import over_cores
from topoloom.core.work import Work

log = logging.getLogger("topoloom")

ENDLESS = float("inf")
#: Seconds between two looks at what is done, and at whether to stop.
_SLICE_SECONDS = 0.1


class Budget:
    """How far a search goes: so many moves, or until a time, whichever comes first.

    Parameters
    ----------
    moves : int
    until : float
        By time.monotonic().
    spent, seconds : int, float
        What an earlier session that this one goes on from has used up of it.
    work : Work, optional
        Steps that take long ask it in between whether to go on.
    """

    def __init__(
        self, moves: int, until: float = ENDLESS, spent: int = 0, seconds: float = 0.0, work: Work | None = None
    ) -> None:
        self.moves = moves
        self.work = work
        self.spent = spent
        self._until = until
        self._started = time.monotonic() - seconds

    @property
    def stopped(self) -> bool:
        """Whether the search shall end before its budget is used up."""
        return self.work is not None and self.work.stopped

    def run(self, moves: int) -> "Budget":
        """A budget of its own for so many moves, and no more than are left, that ends when this one does."""
        return Budget(max(1, min(moves, self.moves - self.spent)), self._until, work=self.work)

    @property
    def share(self) -> float:
        """What is used up of it: 1 when nothing is left."""
        used = self.spent / max(1, self.moves)
        if self._until < ENDLESS:
            used = max(used, (time.monotonic() - self._started) / max(1e-9, self._until - self._started))
        return min(1.0, used)


class Budgeted:
    """Base of searches that end with their one budget."""

    _budget: Budget

    @property
    def moves(self) -> int:
        """What is used up of the budget, in moves."""
        return self._budget.spent

    @property
    def share(self) -> float:
        """What is used up of the budget, as a share of it."""
        return self._budget.share

    @property
    def done(self) -> bool:
        """Whether the budget is used up."""
        return self._budget.share >= 1


@dataclass(frozen=True)
class Effort:
    """What searches after each other may spend together.

    Attributes
    ----------
    seed : int
    seconds : float or None
        Wall time of all of them; None: so many tries as the size of the problem asks for.
    jobs : int or None
        Threads; None: every core.
    work : Work
        Told how far they are; once it is stopped, the searches that are still to come leave things as they are.
    moves, runs : int or None
        Of each search, and how many of them, the best of which counts; None: as the size of the problem asks for.
    """

    seed: int = 1
    seconds: float | None = None
    jobs: int | None = None
    work: Work = field(default_factory=Work, compare=False)
    moves: int | None = None
    runs: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether the searches shall end."""
        return self.work.stopped

    def part(self, share: float, number: int = 0) -> "Effort":
        """A share of the time, with a seed of its own for each `number`."""
        return replace(self, seed=self.seed + number, seconds=None if self.seconds is None else self.seconds * share)


def metropolis_table() -> np.ndarray:
    """float32[4096]: -log of uniform draws; temperature times a random one is what a change may cost (Metropolis).

    The bins' middles, rounded, so that every machine has the same table.
    """
    return np.round(-np.log((np.arange(4096) + 0.5) / 4096), 6).astype(np.float32)


def cooled(hot: float, cold: float, share: float) -> float:
    """The temperature when `share` of a budget is used up: from `hot` to `cold` by the same factor in equal shares.

    Rounded to six digits, for powers differ in their last one between machines.

    Parameters
    ----------
    hot, cold : float
        The temperatures at first and at last, above 0.
    share : float
        How much of the budget is used up, from 0 to 1.

    Returns
    -------
    float
        In the unit of `hot`.

    Examples
    --------
    >>> cooled(1.0, 0.01, 0.5)
    0.1
    """
    return float(f"{hot * (cold / hot) ** share:.6g}")


class Search(Protocol):
    """A search running.

    `best` is its best answer so far, `cost` that answer's, `share` what is used up of its budget. Steps change nothing once
    it is `done`. Costs of the searches of one run are compared: numbers, or tuples of them.
    """

    @property
    def best(self) -> np.ndarray: ...

    @property
    def cost(self) -> Any: ...

    @property
    def share(self) -> float: ...

    @property
    def done(self) -> bool: ...

    def step(self) -> None:
        """Go on for some milliseconds, most of the time without the interpreter's lock."""


def run_searches(
    start: Callable[[int], Search],
    count: int,
    jobs: int,
    until: float = ENDLESS,
    *,
    what: str = "searches",
    watch: Callable[[Mapping[int, Search]], bool] | None = None,
    work: Work | None = None,
) -> np.ndarray:
    """The best answer that the searches start(0), start(1) ... find.

    Parameters
    ----------
    start : callable (int) -> Search
        Starts the search of a number.
    count : int
        Searches that run side by side.
    jobs : int
        Threads.
    until : float
        A deadline (time.monotonic()); until then other searches start in place of those that end.
    what : str
        What `work` is told that is being counted; seconds where there is a deadline.
    watch : callable, optional
        Sees the searches running, by number, some times a second; when it says so, all end. It tells `work` of the
        progress itself.
    work : Work, optional
        Once it is stopped, the best so far is the answer.

    Returns
    -------
    ndarray
        `best` of the search with the least cost; of equals that with the lowest number, whichever ended first.
    """
    work = Work() if work is None else work
    active: dict[int, Search] = {}
    for number in range(count):
        if not (active and work.stopped):
            active[number] = start(number)
    started = count
    found: list[tuple[Any, int, np.ndarray]] = []
    began = time.monotonic()
    if watch is None:
        work.begin(count if until == ENDLESS else until - began, what if until == ENDLESS else f"seconds of {what}")

    def go_on(turns: Iterator[int]) -> None:
        searches = list(active.values())
        for turn in turns:
            pause = time.monotonic() + _SLICE_SECONDS
            while not searches[turn].done and time.monotonic() < pause and not work.stopped:
                searches[turn].step()

    def keep(searches: dict[int, Search]) -> None:
        now = [(search.cost, number, search.best) for number, search in searches.items()]
        found[:] = [min(found + now, key=lambda result: result[:2])]

    with work.interruptible():
        while active and not work.stopped:
            over_cores(go_on, len(active), jobs)
            if watch is None:
                done = count - len(active) + sum(search.share for search in active.values())
                work.reach(done if until == ENDLESS else min(until, time.monotonic()) - began)
            elif watch(active):
                keep(active)
                break
            ended = {number: search for number, search in active.items() if search.done}
            if ended:
                # Only these: what others have so far depends on when one looks.
                keep(ended)
            active = {number: search for number, search in active.items() if number not in ended}
            while until < ENDLESS and len(active) < count and time.monotonic() < until:
                active[started] = start(started)
                started += 1
    if work.stopped and active:
        log.warning("%s: the best so far is kept", "interrupted" if work.ended == "interrupted" else "the time is over")
        keep(active)
    return found[0][2]

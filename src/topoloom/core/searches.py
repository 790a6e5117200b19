"""Parallel searches on all cores: each runs step by step until its budget is used up, or it is stopped."""

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
#: Seconds between two checks of the progress and of a stop.
_SLICE_SECONDS = 0.1


class Budget:
    """The budget of a search: a number of moves, or a time, whichever comes first.

    Parameters
    ----------
    moves : int
    until : float
        The end, by time.monotonic().
    spent, seconds : int, float
        The moves and seconds that an earlier session, which this one continues, has used up.
    work : Work, optional
        Long steps check in between whether it is stopped.
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
        """Whether the search must end before its budget is used up."""
        return self.work is not None and self.work.stopped

    def run(self, moves: int) -> "Budget":
        """A separate budget for `moves` moves, at most those that are left; it ends at the same time as this one."""
        return Budget(max(1, min(moves, self.moves - self.spent)), self._until, work=self.work)

    @property
    def share(self) -> float:
        """The used share of the budget: 1 when nothing is left."""
        used = self.spent / max(1, self.moves)
        if self._until < ENDLESS:
            used = max(used, (time.monotonic() - self._started) / max(1e-9, self._until - self._started))
        return min(1.0, used)


class Budgeted:
    """Base class of searches with one budget."""

    _budget: Budget

    @property
    def moves(self) -> int:
        """The used moves of the budget."""
        return self._budget.spent

    @property
    def share(self) -> float:
        """The used share of the budget."""
        return self._budget.share

    @property
    def done(self) -> bool:
        """Whether the budget is used up."""
        return self._budget.share >= 1


@dataclass(frozen=True)
class Effort:
    """The common budget of several searches that run one after another.

    Attributes
    ----------
    seed : int
    seconds : float or None
        Wall time of all searches; None: the number of moves follows from the size of the problem.
    jobs : int or None
        Threads; None: every core.
    work : Work
        Receives their progress; once it is stopped, the remaining searches change nothing.
    moves, runs : int or None
        Moves per search, and the number of searches, of which the best counts; None: from the size of the problem.
    """

    seed: int = 1
    seconds: float | None = None
    jobs: int | None = None
    work: Work = field(default_factory=Work, compare=False)
    moves: int | None = None
    runs: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether the searches must end."""
        return self.work.stopped

    def part(self, share: float, number: int = 0) -> "Effort":
        """A share of the time, with a different seed for each `number`."""
        return replace(self, seed=self.seed + number, seconds=None if self.seconds is None else self.seconds * share)


def metropolis_table() -> np.ndarray:
    """float32[4096]: -log of uniform draws; the temperature times a random entry is the most that a change may cost
    (Metropolis).

    The middles of the bins, rounded, so that every machine has the same table.
    """
    return np.round(-np.log((np.arange(4096) + 0.5) / 4096), 6).astype(np.float32)


def median_change(change: Callable[[], int], count: int) -> float:
    """The median of the changes that are not 0 among `count` calls of `change`, absolute; 1 if all are.

    Examples
    --------
    >>> median_change(iter([0, -4, 2, 6]).__next__, 4)
    4.0
    """
    changes = np.abs([change() for _ in range(count)])
    changed = changes[changes > 0]
    return float(np.median(changed)) if changed.size else 1.0


def cooled(hot: float, cold: float, share: float) -> float:
    """The temperature when `share` of a budget is used up: `hot` at the start, `cold` at the end.

    In equal shares of the budget it falls by equal factors.
    Rounded to six digits, because the last digits of powers differ between machines.

    Parameters
    ----------
    hot, cold : float
        The first and the last temperature, above 0.
    share : float
        The used share of the budget, from 0 to 1.

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
    """A running search.

    `best` is its best answer so far, `cost` the cost of that answer, `share` the used share of its budget. Steps change nothing
    once it is `done`. Costs are comparable within one run: numbers, or tuples of numbers.
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
        """Continue for some milliseconds, mostly without the interpreter's lock."""


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
        Starts the search with a number.
    count : int
        Searches that run in parallel.
    jobs : int
        Threads.
    until : float
        A deadline (time.monotonic()); until then new searches replace those that end.
    what : str
        The name of the counted items, for the progress; with a deadline, seconds are counted.
    watch : callable, optional
        Receives the running searches, by number, several times per second; all end when it returns True. It then reports the
        progress to `work`.
    work : Work, optional
        Once it is stopped, the best answer so far is returned.

    Returns
    -------
    ndarray
        `best` of the search with the lowest cost; among equal costs, of the lowest number, independent of which ended first.
    """
    work = Work() if work is None else work
    active: dict[int, Search] = {}
    for number in range(count):
        if not (active and work.stopped):
            active[number] = start(number)
    started = count
    best: list[tuple[Any, int, np.ndarray]] = []
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
        best[:] = [min(best + now, key=lambda result: result[:2])]

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
                # Only the ended ones: the state of the others depends on the time.
                keep(ended)
            active = {number: search for number, search in active.items() if number not in ended}
            while until < ENDLESS and len(active) < count and time.monotonic() < until:
                active[started] = start(started)
                started += 1
    if work.stopped and active:
        log.warning("%s: the best so far is kept", "interrupted" if work.ended == "interrupted" else "the time is over")
        keep(active)
    return best[0][2]

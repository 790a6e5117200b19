"""Successive halving: all candidates run briefly, the best of them run again and longer, and so on."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import ENDLESS, Budget, Search
from topoloom.core.work import Work

#: One in this many candidates goes on to the next round, but at least this number.
_KEPT_OF, _LEAST_KEPT = 3, 2
#: Moves of a run with a time budget: more than it can try.
MOST_MOVES = 2**50


@dataclass(frozen=True)
class SearchMethod:
    """A search method: its name, and a function that starts a run with draws and a budget, or returns None if it cannot.

    `again` starts a repeated run, if this differs from `start`.
    """

    name: str
    start: Callable[[Draws, Budget], Search | None]
    again: Callable[[Draws, Budget], Search | None] | None = None

    def rebuilt(self, draws: Draws, budget: Budget) -> Search | None:
        """Start a repeated run."""
        return (self.again or self.start)(draws, budget)


class SuccessiveHalving:
    """Candidates that run one after the other, combined into one search; `structure` is the name of the one that found `best`.

    `leaders` are the best candidates of the last finished round, the best one first.

    Rounds share the budget equally, and so do the candidates of a round; each run starts from the beginning with new random
    numbers.

    Parameters
    ----------
    candidates : list of SearchMethod
        At least one.
    seed, number : int
        Seed and number of the random stream.
    least : tuple
        No cost is lower; the search ends when it is reached.
    moves : int, optional
        Moves of all runs together; omit it if `until` is given.
    until : float
        The end, as a time of time.monotonic().
    work : Work, optional
        If it is stopped, long steps end.

    Source: successive halving: Karnin, Koren and Somekh, ICML 2013.
    """

    def __init__(
        self,
        candidates: list[SearchMethod],
        seed: int,
        number: int,
        least: tuple[float, ...],
        moves: int | None = None,
        until: float = ENDLESS,
        work: Work | None = None,
    ) -> None:
        self.best, self.structure = np.empty((0, 2), np.int32), candidates[0].name
        self.cost: tuple[float, ...] = (np.inf, np.inf)
        self._spent = 0
        self._running = Budget(0)
        self._most, self._until, self._least = moves or MOST_MOVES, until, least
        self._seed, self._stream = seed, number << 32
        self.leaders = candidates[:_LEAST_KEPT]
        self._began, self._work = time.monotonic(), work
        self._steps = self._run(candidates)
        self._ended = False

    @property
    def moves(self) -> int:
        """Moves tried by all runs so far."""
        return self._spent + self._running.spent

    @property
    def share(self) -> float:
        if self._until < ENDLESS:
            return min(1.0, (time.monotonic() - self._began) / max(1e-9, self._until - self._began))
        return min(1.0, self.moves / self._most)

    @property
    def done(self) -> bool:
        return self._ended or self.cost <= self._least

    def step(self) -> None:
        """A step of the run running."""
        self._ended = not next(self._steps, False)

    def _run(self, candidates: list[SearchMethod]) -> Iterator[bool]:
        """Make all runs, step by step."""
        rounds = 1 + max(0, math.ceil(math.log(len(candidates) / _LEAST_KEPT, _KEPT_OF)))
        for left in range(rounds, 0, -1):
            moves, until = self._spent + (self._most - self._spent) // left, self._part(self._until, left)
            ranked = []
            for place, candidate in enumerate(candidates):
                runs = len(candidates) - place
                budget = Budget(max(1, (moves - self._spent) // runs), self._part(until, runs), work=self._work)
                self._stream += 1
                self._running = budget
                search = candidate.start(Draws(self._seed, self._stream), budget)
                yield True
                if search is None:
                    continue
                while not search.done:
                    search.step()
                    self._keep(search, candidate)
                    yield True
                self._keep(search, candidate)
                self._spent, self._running = self._spent + budget.spent, Budget(0)
                ranked.append((search.cost, place))
            survivors = max(_LEAST_KEPT, len(candidates) // _KEPT_OF)
            self.leaders = candidates = [candidates[place] for _, place in sorted(ranked)[:survivors]]

    def _keep(self, search: Search, candidate: SearchMethod) -> None:
        if search.cost < self.cost:
            self.best, self.cost, self.structure = search.best, search.cost, candidate.name

    @staticmethod
    def _part(until: float, parts: int) -> float:
        """The end of the first of `parts` equal parts of the remaining time."""
        now = time.monotonic()
        return until if until == ENDLESS else now + max(0.0, until - now) / parts

"""Successive halving: all searches run a little, the best of them again and longer, and the best of these longer still."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import ENDLESS, Budget, Search
from topoloom.core.work import Work

#: Of so many candidates one goes on to the next round, but two at least.
_KEPT_OF, _LEAST_KEPT = 3, 2
#: Moves of a run that is given time: more than it will ever try.
MOST_MOVES = 2**50


@dataclass(frozen=True)
class SearchMethod:
    """One method of search: its name, and what starts a run of it, with draws and a budget; None: it leads nowhere.

    `again` starts a run beside others that began in the same way, where that is to be done otherwise.
    """

    name: str
    start: Callable[[Draws, Budget], Search | None]
    again: Callable[[Draws, Budget], Search | None] | None = None

    def rebuilt(self, draws: Draws, budget: Budget) -> Search | None:
        """A run beside others."""
        return (self.again or self.start)(draws, budget)


class SuccessiveHalving:
    """Candidates run one after the other; together they are a search. `structure` is the name of the one that found `best`.

    `leaders` are the candidates of the last round that ended, the best first.

    Every round has the same share of what is left of the budget, and every candidate the same share of its round; each run
    begins again, with other draws.

    Parameters
    ----------
    candidates : list of SearchMethod
        At least one.
    seed, number : int
        The random draws; those of one seed with different numbers draw differently.
    least : tuple
        No cost is lower; the search ends when it is reached.
    moves : int, optional
        Moves of all runs together; omitted where `until` is given.
    until : float
        When to end, by time.monotonic().
    work : Work, optional
        Steps that take long ask it in between whether to go on.

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
        """All runs, step by step."""
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
            kept = max(_LEAST_KEPT, len(candidates) // _KEPT_OF)
            self.leaders = candidates = [candidates[place] for _, place in sorted(ranked)[:kept]]

    def _keep(self, search: Search, candidate: SearchMethod) -> None:
        if search.cost < self.cost:
            self.best, self.cost, self.structure = search.best, search.cost, candidate.name

    @staticmethod
    def _part(until: float, parts: int) -> float:
        """The end of the first of so many equal parts of the time from now."""
        now = time.monotonic()
        return until if until == ENDLESS else now + max(0.0, until - now) / parts

"""Chains on all cores: independent ones, or replicas that exchange their temperatures; progress, and when to end."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from topoloom.draws import Draws
from topoloom.optimizer.result import Progress
from topoloom.optimizer.searches.hop_search import COLD, HOT, HopSearch
from topoloom.optimizer.searches.successive_halving import Race
from topoloom.searches import Budget, Search, cooled
from topoloom.threads import over_cores

#: Seconds between two looks at how far the chains are.
_WATCH_SECONDS = 0.2
#: Moves of a replica between two exchanges, in links.
_EXCHANGE_LINKS = 0.5


class Chain(Search, Protocol):
    """A search that counts its moves."""

    @property
    def moves(self) -> int: ...


class Watch:
    """Tells of the best so far some times a second, and ends the chains once `least` is reached: a proved bound.

    `how` is the structure of the best so far, if it has one, whether its chain has ended or not. `moves` of all chains, or
    `seconds`, are the whole budget; `spent` is what earlier sessions used of it, `counted` what each chain counts of that.
    """

    def __init__(
        self,
        tell: Callable[[Progress], None] | None,
        least: tuple[float, ...] | None,
        moves: int,
        seconds: float | None,
        spent: tuple[int, float] = (0, 0.0),
        counted: int = 0,
    ) -> None:
        self._tell, self._least, self._spent, self._counted = tell, least, spent, counted
        self._budget = moves, seconds
        self._started = time.monotonic()
        self._told = self._started
        self._moves: dict[int, int] = {}  # of each chain by its number, ended ones too
        self._best: tuple[float, ...] = (math.inf,)
        self._links = np.empty((0, 2), np.int32)
        self.reached = False
        self.how = ""

    @property
    def moves(self) -> int:
        """Moves of all chains, ended ones and those of earlier sessions included."""
        return self._spent[0] + sum(moves - self._counted for moves in self._moves.values())

    @property
    def seconds(self) -> float:
        """Of wall time, earlier sessions included."""
        return self._spent[1] + time.monotonic() - self._started

    def __call__(self, chains: Mapping[int, Any]) -> bool:
        self._moves.update({number: chain.moves for number, chain in chains.items()})
        best = min(chains.values(), key=lambda chain: chain.cost)
        self.reached = getattr(best, "proved", False) or (self._least is not None and best.cost <= self._least)
        if best.cost < self._best:
            self._best, self._links, self.how = best.cost, best.best, getattr(best, "how", "")
        now = time.monotonic()
        # A race of structures has nothing to show until its first run has made a step.
        if (
            self._tell is not None
            and math.isfinite(self._best[0])
            and (self.reached or now - self._told >= _WATCH_SECONDS)
        ):
            self._told = now
            moves, seconds = self._budget
            share = min(1.0, self.moves / moves if seconds is None else self.seconds / seconds)
            self._tell(Progress(self._links, self._best, self.moves, self.seconds, share))
        return self.reached


class Phases:
    """A search among graphs with structure, and then one without from its best; together they are one search.

    Symmetry makes a move worth several and a search as much shorter; what it forbids, the second phase may still find.
    """

    def __init__(self, first: Chain, then: Callable[[np.ndarray], HopSearch], how: str = "") -> None:
        self._now: Chain = first
        self._then = then
        self._race = first if isinstance(first, Race) else None
        self._how = how
        self._earlier = 0
        self._first: Chain | None = first

    @property
    def best(self) -> np.ndarray:
        return self._now.best

    @property
    def cost(self) -> tuple[float, ...]:
        cost: tuple[float, ...] = self._now.cost
        return cost

    @property
    def how(self) -> str:
        """The structure that the first phase found, or that it was told to have."""
        return self._race.how if self._race is not None else self._how

    @property
    def moves(self) -> int:
        """Moves tried in both phases."""
        return self._earlier + self._now.moves

    @property
    def done(self) -> bool:
        return self._first is None and self._now.done

    def step(self) -> None:
        """A step of the phase that is on; or the next phase begins."""
        if self._first is not None and self._first.done:
            self._earlier, self._first = self._first.moves, None
            self._now = self._then(self._now.best)
        else:
            self._now.step()


class Tempering:
    """Replicas of a hop search, each at a temperature of its own; neighbours exchange theirs by Metropolis' rule.

    It is one search: `best` and `cost` are those of the best replica. Replicas run side by side on `jobs` threads; between
    two exchanges each tries a fixed number of moves, so the answer does not depend on how many threads there are.

    Source: Swendsen and Wang, Physical Review Letters 57, 1986 (replica exchange).
    """

    def __init__(
        self, begin: Callable[[int, Budget], HopSearch], count: int, jobs: int, draws: Draws, budget: Budget
    ) -> None:
        self._budget, self._draws, self._jobs = budget, draws, jobs
        self._replicas = [begin(number, Budget(budget.moves)) for number in range(count)]
        for number, replica in enumerate(self._replicas):
            replica.hold(cooled(HOT, COLD, number / max(1, count - 1)))
        self._turn = 0

    @property
    def _leader(self) -> HopSearch:
        return min(self._replicas, key=lambda replica: replica.cost)

    @property
    def best(self) -> np.ndarray:
        return self._leader.best

    @property
    def cost(self) -> tuple[float, ...]:
        return self._leader.cost

    @property
    def moves(self) -> int:
        """Moves tried by all replicas, those of an earlier session included."""
        return self._budget.spent

    @property
    def done(self) -> bool:
        return self._budget.share >= 1 or self._leader.done

    def step(self) -> None:
        """A round of moves of every replica, and exchanges between neighbours in temperature."""
        share = self._budget.share
        moves = max(16, int(_EXCHANGE_LINKS * self._replicas[0].links))
        moves = min(moves, max(1, (self._budget.moves - self._budget.spent) // len(self._replicas)))

        def work(numbers: Iterator[int]) -> None:
            for number in numbers:
                self._replicas[number].advance(moves, share)

        over_cores(work, len(self._replicas), self._jobs)
        self._budget.spent += moves * len(self._replicas)
        order = sorted(self._replicas, key=lambda replica: -replica.held)
        for hot, cold in zip(order[self._turn :: 2], order[self._turn + 1 :: 2], strict=False):
            gain = (1 / hot.temperature(share) - 1 / cold.temperature(share)) * (hot.energy - cold.energy)
            if math.log(max(1e-300, float(self._draws.uniform(1)[0]))) < -gain:
                held = hot.held
                hot.hold(cold.held)
                cold.hold(held)
        self._turn = 1 - self._turn

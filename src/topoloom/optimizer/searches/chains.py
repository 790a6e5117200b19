"""Chains on all cores: independent ones, or replicas that exchange temperatures; progress, and the end of a search."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, Search, cooled
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.optimizer.result import BestSoFar
from topoloom.optimizer.searches.hop_search import COLD, HOT, HopSearch

#: Seconds between two reports of progress.
_REPORT_SECONDS = 0.2
#: Share of a budget for a search of structures, before plain search continues from its best graph.
FIRST_SHARE = 0.8
#: Moves of a replica between two exchanges, per link.
_EXCHANGE_LINKS = 0.5


class Chain(Search, Protocol):
    """A search that counts its moves."""

    @property
    def moves(self) -> int: ...


class Reporter:
    """Report the best graph to `work` a few times per second, and end the chains once a bound is reached.

    Parameters
    ----------
    work : Work
        Receives a `BestSoFar`, and the used share of the budget.
    switches : int
    least : tuple of float, optional
        A lower bound on the cost.
    moves : int
        The budget of all chains together.
    seconds : float, optional
        The time budget, if there is one.
    spent : (int, float)
        Moves and seconds of the budget that earlier sessions used.
    counted : int
        The share of these moves that each chain counts.

    Attributes
    ----------
    reached : bool
        Whether the bound was reached.
    structure : str
        The structure of the best graph so far, if it has one.
    """

    def __init__(
        self,
        work: Work,
        switches: int,
        least: tuple[float, ...] | None,
        moves: int,
        seconds: float | None,
        spent: tuple[int, float] = (0, 0.0),
        counted: int = 0,
    ) -> None:
        self._work, self._least, self._spent, self._counted = work, least, spent, counted
        self._pairs = max(1, switches * (switches - 1))
        self._budget = moves, seconds
        self._started = time.monotonic()
        self._reported = self._started
        self._moves: dict[int, int] = {}  # moves of each chain by its number, including ended ones
        self._best: tuple[float, ...] = (math.inf,)
        self._links = np.empty((0, 2), np.int32)
        self.reached = False
        self.structure = ""
        work.begin(moves if seconds is None else seconds, "moves" if seconds is None else "seconds of search")

    @property
    def moves(self) -> int:
        """Moves of all chains, including ended ones and earlier sessions."""
        return self._spent[0] + sum(moves - self._counted for moves in self._moves.values())

    @property
    def seconds(self) -> float:
        """Seconds of wall time, including earlier sessions."""
        return self._spent[1] + time.monotonic() - self._started

    def __call__(self, chains: Mapping[int, Any]) -> bool:
        self._moves.update({number: chain.moves for number, chain in chains.items()})
        best = min(chains.values(), key=lambda chain: chain.cost)
        self.reached = getattr(best, "optimal", False) or (self._least is not None and best.cost <= self._least)
        if best.cost < self._best:
            self._best, self._links, self.structure = best.cost, best.best, getattr(best, "structure", "")
        now = time.monotonic()
        # A search of structures has no result until the first step of its first run.
        if math.isfinite(self._best[0]) and (self.reached or now - self._reported >= _REPORT_SECONDS):
            self._reported = now
            moves, seconds = self._budget
            self._work.reach(
                min(moves, self.moves) if seconds is None else min(seconds, self.seconds),
                cost_in_words(self._best, self._pairs),
            )
            share = min(1.0, self.moves / moves if seconds is None else self.seconds / seconds)
            self._work.deliver(BestSoFar(self._links, self._best, self.moves, self.seconds, share))
        return self.reached


def cost_in_words(cost: tuple[float, ...], pairs: int) -> str:
    """The cost of a search as text.

    Parameters
    ----------
    cost : tuple of float
        As in `BestSoFar`.
    pairs : int
        Ordered pairs of switches.

    Examples
    --------
    >>> cost_in_words((2, 30), 20), cost_in_words((0.0, 12.0, 340.5), 20)
    ('diameter 2, ASPL 1.500000', '12 ns beyond the cap, value 340.5')
    """
    if len(cost) == 1:  # of a `FunctionSearch` whose smallest value is best
        return f"value {cost[0]:.6g}"
    if cost[0] == 0 and len(cost) == 2:  # of a `PriceSearch`, or of a function whose largest value is best
        return f"value {-cost[1]:.6g}"
    if cost[0] == 0.5:  # of an `EvenSearch`
        return f"loads of links {cost[1]:.6g}"
    if len(cost) == 2:
        return f"diameter {cost[0]:g}, ASPL {cost[1] / pairs:.6f}"
    apart, beyond_ns, value = cost
    penalty = f"{apart:,g} pairs out of reach, " if apart else f"{beyond_ns:g} ns beyond the cap, " if beyond_ns else ""
    return f"{penalty}value {value:.6g}"


class TwoPhases:
    """A search of graphs with structure, then a plain search from its best graph, combined into one search.

    With symmetry, one move acts as several, so the first phase is shorter; the second phase may find graphs without symmetry.
    """

    def __init__(
        self, first: Chain, second: Callable[[np.ndarray], Chain], structure: str = "", first_share: float = FIRST_SHARE
    ) -> None:
        self._phase: Chain = first
        self._make_second = second
        self._structure, self._first_share = structure, first_share
        self._earlier_moves = 0
        self._first: Chain | None = first

    @property
    def best(self) -> np.ndarray:
        return self._phase.best

    @property
    def cost(self) -> tuple[float, ...]:
        cost: tuple[float, ...] = self._phase.cost
        return cost

    @property
    def structure(self) -> str:
        """The structure that the first phase found, or the given one."""
        first_phase: str = getattr(self._phase, "structure", "")
        return first_phase or self._structure

    @property
    def moves(self) -> int:
        """Moves tried in both phases."""
        return self._earlier_moves + self._phase.moves

    @property
    def share(self) -> float:
        share = self._phase.share
        return (
            self._first_share * share
            if self._first is not None
            else self._first_share + (1 - self._first_share) * share
        )

    @property
    def done(self) -> bool:
        return self._first is None and self._phase.done

    def step(self) -> None:
        """Make a step of the current phase, or begin the next phase."""
        if self._first is not None and self._first.done:
            self._structure = self.structure
            self._earlier_moves, self._first = self._first.moves, None
            self._phase = self._make_second(self._phase.best)
        else:
            self._phase.step()


class Tempering(Budgeted):
    """Replicas of a hop search at different temperatures; neighbours exchange temperatures by the Metropolis rule.

    `best` and `cost` are those of the best replica. Replicas run in parallel on `jobs` threads; between two exchanges each
    tries a fixed number of moves, so the result does not depend on the number of threads.

    Source: Swendsen and Wang, Physical Review Letters 57, 1986 (replica exchange).
    """

    def __init__(
        self, make_replica: Callable[[int, Budget], HopSearch], count: int, jobs: int, draws: Draws, budget: Budget
    ) -> None:
        self._budget, self._draws, self._jobs = budget, draws, jobs
        self._replicas = [make_replica(number, Budget(budget.moves, work=budget.work)) for number in range(count)]
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
    def done(self) -> bool:
        return super().done or self._leader.done

    def step(self) -> None:
        """Make a round of moves of every replica, and exchange temperatures of neighbours."""
        share = self._budget.share
        moves = max(16, int(_EXCHANGE_LINKS * self._replicas[0].links))
        moves = min(moves, max(1, (self._budget.moves - self._budget.spent) // len(self._replicas)))

        def advance(numbers: Iterator[int]) -> None:
            for number in numbers:
                self._replicas[number].advance(moves, share)

        over_cores(advance, len(self._replicas), self._jobs)
        self._budget.spent += moves * len(self._replicas)
        order = sorted(self._replicas, key=lambda replica: -replica.held)
        for hot, cold in zip(order[self._turn :: 2], order[self._turn + 1 :: 2], strict=False):
            gain = (1 / hot.temperature(share) - 1 / cold.temperature(share)) * (hot.energy - cold.energy)
            if math.log(max(1e-300, float(self._draws.uniform(1)[0]))) < -gain:
                held = hot.held
                hot.hold(cold.held)
                cold.hold(held)
        self._turn = 1 - self._turn

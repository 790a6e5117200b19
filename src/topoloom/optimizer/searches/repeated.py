"""Repeated runs of the best search methods with new random numbers, after a run that continues from the best graph so far."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Search
from topoloom.optimizer.searches.successive_halving import SearchMethod


class Repeated:
    """A sequence of runs, each with a limited number of moves, combined into one search; `best` is the best of all runs.

    The result of one long run from a graph with structure depends on its first few thousand moves. Runs with other random
    numbers give other results, and a few in a hundred are better than the long run.

    Parameters
    ----------
    first : Search
        The first run.
    first_budget : Budget
        The budget of the first run.
    candidates : sequence of SearchMethod
        The methods of later runs, in turn, until the budget is used.
    seed, stream : int
        Random numbers of run k come from stream `stream` + k.
    least : tuple
        A lower bound on the cost; the search ends when it is reached.
    budget : Budget
        The budget of all runs together.
    round_moves : int
        Most moves per run.
    structure : str
        Name of the structure of the first run.

    Attributes
    ----------
    structure : str
        Name of the structure from which the best run started.
    """

    def __init__(
        self,
        first: Search,
        first_budget: Budget,
        candidates: Sequence[SearchMethod],
        seed: int,
        stream: int,
        least: tuple[float, ...],
        budget: Budget,
        round_moves: int,
        structure: str = "",
    ) -> None:
        self.best, self.cost, self.structure = first.best, first.cost, structure
        self._candidates, self._seed, self._stream = list(candidates), seed, stream
        self._least, self._budget, self._round = least, budget, round_moves
        self._running = first_budget
        self._steps = self._run(first)

    @property
    def moves(self) -> int:
        """Moves tried by all runs so far."""
        return self._budget.spent + self._running.spent

    @property
    def share(self) -> float:
        return max(self._budget.share, min(1.0, self.moves / max(1, self._budget.moves)))

    @property
    def done(self) -> bool:
        return self.share >= 1 or self._budget.stopped or self.cost <= self._least

    def step(self) -> None:
        """Make a step of the current run."""
        next(self._steps)

    def _run(self, first: Search) -> Iterator[None]:
        search: Search | None = first
        name, turn = self.structure, 0
        while True:
            while search is not None and not search.done:
                search.step()
                if search.cost < self.cost:
                    self.best, self.cost, self.structure = np.array(search.best), search.cost, name
                yield
            # A run that cannot start counts as a whole one, so that every search ends.
            self._budget.spent += self._running.spent or self._running.moves
            self._running.spent = 0
            yield
            self._running = self._budget.run(self._round)
            candidate = self._candidates[turn % len(self._candidates)]
            turn += 1
            search, name = candidate.rebuilt(Draws(self._seed, self._stream + turn), self._running), candidate.name
            yield

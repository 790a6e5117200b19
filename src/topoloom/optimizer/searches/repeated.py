"""The methods that did best, again and again with other draws, after the best graph so far was gone on from."""

from collections.abc import Iterator, Sequence

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Search
from topoloom.optimizer.searches.successive_halving import SearchMethod


class Repeated:
    """Searches one after the other, each with a round of moves; together they are a search, whose best is that of them all.

    One long run from a graph with structure ends where its first few thousand moves led it. Other draws lead elsewhere, and a
    few runs in a hundred lead lower than the long one ends.

    Parameters
    ----------
    first : Search
        The first run.
    first_budget : Budget
        Its own.
    candidates : sequence of SearchMethod
        What begins again, by turns, until the budget is used up.
    seed, stream : int
        The random draws: those of run k come from stream + k.
    least : tuple
        No cost is lower; the search ends when it is reached.
    budget : Budget
        Of all runs together.
    round_moves : int
        Of one run, at most.
    structure : str
        Name of what the first run began with.

    Attributes
    ----------
    structure : str
        Name of what the best began with.
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
        """A step of the run running."""
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
            # A run that leads nowhere counts as a whole one, so that every search ends.
            self._budget.spent += self._running.spent or self._running.moves
            self._running.spent = 0
            yield
            self._running = self._budget.run(self._round)
            candidate = self._candidates[turn % len(self._candidates)]
            turn += 1
            search, name = candidate.rebuilt(Draws(self._seed, self._stream + turn), self._running), candidate.name
            yield

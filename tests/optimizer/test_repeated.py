"""What is begun again and again: by turns, with other draws, a round of moves each, and the best of all is kept."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget
from topoloom.optimizer.searches.repeated import Repeated
from topoloom.optimizer.searches.successive_halving import SearchMethod


class Fake:
    """A search that costs so much, uses up its budget move by move, and has its cost as its links."""

    def __init__(self, cost: float, budget: Budget) -> None:
        self.cost, self.best = (cost, cost), np.array([[int(cost), 0]])
        self._budget = budget

    @property
    def done(self) -> bool:
        return self._budget.share >= 1

    def step(self) -> None:
        self._budget.spent += 1


def run_to_its_end(
    costs: list[float | None], moves: int, bound: float = 0
) -> tuple[Repeated, list[tuple[int, int, int]]]:
    """A first run that costs 9, then candidates with these costs by turns; (candidate, moves, a draw) of their runs."""
    runs = []

    def candidate(number: int, cost: float | None) -> SearchMethod:
        def begin(draws: Draws, budget: Budget) -> Fake | None:
            runs.append((number, budget.moves, draws.below(1 << 30, 1)[0]))
            return None if cost is None else Fake(cost, budget)

        return SearchMethod(f"candidate {number}", begin)

    whole = Budget(moves)
    first = whole.run(10)
    found = Repeated(
        Fake(9, first), first, [candidate(*one) for one in enumerate(costs)], 1, 0, (bound, bound), whole, 10, "given"
    )
    while not found.done:
        found.step()
    return found, runs


def test_candidates_take_turns_with_other_draws_each() -> None:
    """After the first run rounds of ten moves, the last what is left; the best is named, and no draw comes twice."""
    found, runs = run_to_its_end([7, 5, 8], moves=55)
    assert [(number, moves) for number, moves, _ in runs] == [(0, 10), (1, 10), (2, 10), (0, 10), (1, 5)]
    assert len({draw for *_, draw in runs}) == len(runs)
    assert (found.cost, found.best.tolist(), found.structure, found.moves) == ((5, 5), [[5, 0]], "candidate 1", 55)


def test_what_the_first_run_found_is_kept_where_nothing_is_better() -> None:
    """Its links and what they began with."""
    found, _ = run_to_its_end([12], moves=40)
    assert (found.cost, found.structure) == ((9, 9), "given")


def test_runs_that_lead_nowhere_use_up_the_budget() -> None:
    """Every search ends, though no candidate begins."""
    _, runs = run_to_its_end([None], moves=40)
    assert len(runs) == 3


def test_a_bound_that_is_reached_ends_all() -> None:
    """No further run begins."""
    found, runs = run_to_its_end([7, 5, 8], moves=1000, bound=5)
    assert found.cost == (5, 5)
    assert [number for number, *_ in runs] == [0, 1]

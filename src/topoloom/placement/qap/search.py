"""Searches for the quadratic assignment problem, in steps: simulated annealing and robust tabu search."""

from collections.abc import Callable

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, metropolis_table
from topoloom.graph.aligned import aligned_zeros
from topoloom.placement.qap.problem import Problem

#: First and last temperature of annealing, in units of the median absolute change (without zeros).
HOT, COLD = 0.25, 0.02
#: Least number of temperatures between them.
_TEMPERATURES = 200
#: Most iterations of one tabu search, which are counted in int32.
MOST_ITERATIONS = 2**30
#: Exchanges that are sampled for the median change.
_SAMPLE = 1000
#: Work of one step, in multiplications: about 10 ms.
_STEP = 40_000_000


class _QapSearch(Budgeted):
    """Common state of both searches: the places of facilities, the best ones found, and half the cost of each."""

    def __init__(self, problem: Problem, place: np.ndarray, budget: Budget) -> None:
        self.best = place.astype(np.int32)
        self._budget = budget
        self._problem = problem
        self._place = self.best.copy()
        self._costs = np.full(2, problem.half_cost(place))

    @property
    def cost(self) -> float:
        return float(self._costs[1])


class Annealing(_QapSearch):
    """Simulated annealing; the temperature falls linearly from `HOT` to `COLD` as the budget is used.

    Parameters
    ----------
    problem : Problem
    place : int[places]
        The place of each facility at the start.
    draws : Draws
        The random stream.
    budget : Budget
        Its moves are the exchanges that are tried.
    """

    def __init__(self, problem: Problem, place: np.ndarray, draws: Draws, budget: Budget) -> None:
        super().__init__(problem, place, budget)
        #: The facility whose exchanges are tried next, and the number of facilities.
        self._sweep = np.array([0, problem.facilities], np.int64)
        self._median_change = _median_change(problem, draws)
        kind = problem.flow.dtype
        self._thresholds = metropolis_table().astype(kind)
        self._near = problem.distances_at(place) if problem.sparse is None else np.empty((0, 0), kind)
        self._state = draws.state()
        self._moves = max(1, min(budget.moves // _TEMPERATURES, _STEP // problem.places))

    def step(self) -> None:
        from topoloom.placement.qap.kernels.annealing import anneal_dense, anneal_sparse

        problem = self._problem
        temperature = problem.flow.dtype.type(self._median_change * (HOT + (COLD - HOT) * self._budget.share))
        if problem.sparse is None:
            self._budget.spent += anneal_dense(
                problem.flow,
                self._near,
                self._place,
                self.best,
                self._costs,
                self._sweep,
                self._state,
                self._thresholds,
                temperature,
                self._moves,
            )
        else:
            offsets, others, flows = problem.sparse
            self._budget.spent += anneal_sparse(
                offsets,
                others,
                flows,
                problem.distance,
                self._place,
                self.best,
                self._costs,
                self._sweep,
                self._state,
                self._thresholds,
                temperature,
                self._moves,
            )


class Tabu(_QapSearch):
    """Robust tabu search; a move is an iteration."""

    def __init__(self, problem: Problem, place: np.ndarray, draws: Draws, budget: Budget) -> None:
        from topoloom.placement.qap.kernels.tabu import NEVER

        super().__init__(problem, place, budget)
        self._near = problem.distances_at(place)
        m, flow, near = problem.places, problem.flow, self._near
        both = flow[:m, :m].astype(np.float64) @ near[:m, :m].astype(np.float64)
        own = np.diag(both)
        self._changes = aligned_zeros((m, flow.shape[1]), flow.dtype)
        self._changes[:, :m] = both + both.T - own - own[:, None] + 2.0 * flow[:m, :m] * near[:m, :m]
        self._changes[:, m:] = self._changes[np.arange(m), np.arange(m)] = NEVER
        # No place was visited before; the times differ, so that overdue exchanges occur one after another.
        self._returns = -draws.permutation(m * m).reshape(m, m).astype(np.int32)
        self._tabu_until = np.zeros(self._changes.shape, np.int32)
        self._work = aligned_zeros((6, flow.shape[1]), flow.dtype)
        self._work[2, :m] = own
        self._clock = np.zeros(1, np.int64)
        self._state = draws.state()
        self._iterations = 1 + _STEP // (10 * m * m)

    def step(self) -> None:
        from topoloom.placement.qap.kernels.tabu import tabu

        iterations = min(self._iterations, self._budget.moves - self._budget.spent)
        tabu(
            self._problem.flow,
            self._near,
            self._changes,
            self._tabu_until,
            self._returns,
            self._work,
            self._place,
            self.best,
            self._costs,
            self._clock,
            self._state,
            self._problem.facilities,
            iterations,
        )
        self._budget.spent += iterations


class AnnealingThenTabu:
    """Annealing, then robust tabu search from its result."""

    def __init__(self, problem: Problem, place: np.ndarray, draws: Draws, annealing: Budget, tabu: Budget) -> None:
        self._annealing = Annealing(problem, place, draws, annealing)
        self._tabu: Tabu | None = None
        self._make_tabu: Callable[[], Tabu] = lambda: Tabu(problem, self._annealing.best, draws, tabu)

    @property
    def best(self) -> np.ndarray:
        return self._annealing.best if self._tabu is None else self._tabu.best

    @property
    def cost(self) -> float:
        return self._annealing.cost if self._tabu is None else self._tabu.cost

    @property
    def share(self) -> float:
        return self._annealing.share / 2 if self._tabu is None else (1 + self._tabu.share) / 2

    @property
    def done(self) -> bool:
        return self._tabu is not None and self._tabu.done

    def step(self) -> None:
        if self._tabu is not None:
            self._tabu.step()
        elif self._annealing.done:
            self._tabu = self._make_tabu()
        else:
            self._annealing.step()


def _median_change(problem: Problem, draws: Draws) -> float:
    """The median absolute change of random exchanges in a random assignment, of those that change anything."""
    m = problem.places
    near, flow = problem.distances_at(draws.permutation(m)), problem.flow
    u, v = draws.below(m, _SAMPLE), draws.below(m, _SAMPLE)
    products = (flow[u] - flow[v]) * (near[v] - near[u])
    changes = np.abs(products.sum(axis=1, dtype=np.float64) + 2.0 * flow[u, v] * near[u, v])
    return float(np.median(changes[changes > 0])) if changes.any() else 1.0

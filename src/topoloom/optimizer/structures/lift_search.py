"""One annealing chain over graphs with a given symmetry group: voltage lifts, Cayley graphs, circulants."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, cooled, median_change, metropolis_table
from topoloom.optimizer.structures.groups import Group

#: The first and the last temperature, in units of the median change of a random move.
HOT, COLD = 0.12, 0.02
#: Fewest temperatures between them.
_TEMPERATURES = 200
#: Largest share of pairs at the diameter for which one hop less becomes the target.
_AIM = 0.004
#: Number of moves for the median change.
_SAMPLE = 100
#: Links visited per step: about 10 ms.
_STEP = 4_000_000
#: More than any cost.
_NEVER = 1 << 62


class LiftSearch(Budgeted):
    """Simulated annealing on orbits; `cost` is (diameter, hops) of the best graph so far, hops the sum over ordered pairs.

    A disconnected graph has the diameter n, and a pair without a path counts n hops. If no simple graph was found for the group
    and classes, the search is done at once, with infinite cost and no links.

    Parameters
    ----------
    group : Group
        Its elements are the switches of a class; with one class, the graph is a Cayley graph; with the cyclic group, it has
        rotational symmetry of the group's order.
    classes, degree : int
        The graph has classes * group.order switches of `degree` links (see `lifts.drawn_lift` for odd numbers).
    draws : Draws
    budget : Budget
    least : (int, int)
        A lower bound on the cost; the search ends when it is reached.

    Attributes
    ----------
    switches : int
        classes * group.order.

    Source: Gross and Tucker, Topological Graph Theory, 1987, 2.1 (voltage graphs).
    """

    def __init__(
        self, group: Group, classes: int, degree: int, draws: Draws, budget: Budget, least: tuple[float, ...] = (1, 0)
    ) -> None:
        from topoloom.optimizer.kernels import lifts as kernels
        from topoloom.optimizer.structures.lifts import drawn_lift

        self._kernels, self._group, self._degree, self._budget, self._least = kernels, group, degree, budget, least
        self.switches = n = classes * group.order
        self._state, self._thresholds = draws.state(), metropolis_table()
        lift = drawn_lift(group, classes, degree, self._state)
        self._found = lift is not None
        if lift is None:
            return
        self._lift = lift
        row = np.uint16 if classes <= 128 else np.uint32 if classes <= 256 else np.uint64
        self._scratch = np.zeros(8 * n, row), np.zeros(8 * n, row)
        self._target = n
        self._totals = np.array(self._hops(), np.int64)
        self._best = np.stack([self._lift.head, self._lift.voltage])
        self._aim()
        self._unit = self._median_change()
        blocks = -(-classes // 512)
        self._chunk = max(16, min(budget.moves // _TEMPERATURES, _STEP // (n * degree * blocks)))

    @property
    def best(self) -> np.ndarray:
        from topoloom.optimizer.structures.lifts import links_of_darts

        if not self._found:
            return np.empty((0, 2), np.int32)
        return links_of_darts(self._group, self._best[0], self._best[1], self._degree)

    @property
    def cost(self) -> tuple[float, ...]:
        if not self._found:
            return np.inf, np.inf
        _, lost, diameter, _, hops = self._totals.tolist()
        n = self.switches
        return n if lost else diameter, self._group.order * (hops + lost * n)

    @property
    def share(self) -> float:
        return 1.0 if not self._found else self._budget.share

    @property
    def done(self) -> bool:
        return not self._found or self._budget.share >= 1 or self.cost <= self._least

    def step(self) -> None:
        """Try moves for a few milliseconds at one temperature."""
        self._aim()
        temperature = self._unit * cooled(HOT, COLD, self._budget.share)
        moves = max(1, min(self._chunk, self._budget.moves - self._budget.spent))
        self._anneal(temperature, moves)
        self._budget.spent += moves

    def _anneal(self, temperature: float, moves: int) -> None:
        self._kernels.anneal_lift(
            self._lift,
            self._target,
            self._totals,
            self._best,
            self._state,
            self._thresholds,
            temperature,
            moves,
            *self._scratch,
        )

    def _hops(self) -> tuple[int, ...]:
        """`orbit_hops` of the current lift."""
        totals: tuple[int, ...] = self._kernels.orbit_hops(
            self._lift.table, self._group.order, self._target, _NEVER, *self._scratch
        )
        return totals

    def _aim(self) -> None:
        """Set the target to the diameter of the best, or to one hop less if few pairs are at the diameter."""
        _, lost, diameter, farthest, _ = self._totals.tolist()
        pairs = self.switches * self.switches // self._group.order
        target = max(int(self._least[0]), diameter - (farthest <= _AIM * pairs))
        if not lost and target != self._target:
            self._target = target
            self._totals[0] = self._hops()[0]

    def _median_change(self) -> float:
        """The median absolute change of cost of random moves from the start."""

        def change() -> int:
            before = self._totals[0]
            self._anneal(1e15, 1)
            return int(self._totals[0] - before)

        return median_change(change, _SAMPLE)

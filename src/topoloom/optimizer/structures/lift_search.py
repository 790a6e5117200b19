"""One chain of annealing among graphs with a given group of symmetries: voltage lifts, Cayley graphs, circulants."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, cooled, metropolis_table
from topoloom.optimizer.structures.groups import Group

#: The first and the last temperature, in units of the median change of a random move.
HOT, COLD = 0.12, 0.02
#: Temperatures between them, at least.
_TEMPERATURES = 200
#: Share of pairs at the diameter up to which one hop less is worth aiming at.
_AIM = 0.004
#: Moves whose changes make the median.
_SAMPLE = 100
#: Links followed in one step: some 10 ms.
_STEP = 4_000_000
#: No cost is higher.
_NEVER = 1 << 62


class LiftSearch(Budgeted):
    """Simulated annealing on orbits; `cost` is (diameter, hops) of the best graph so far, hops the sum over ordered pairs.

    A disconnected graph has the diameter n, and a pair that does not reach each other counts n hops. A group and classes
    for which no simple graph was found make a search that is done at once, with infinite cost and no links.

    Parameters
    ----------
    group : Group
        Its elements are the switches of a class; with one class the graph is a Cayley graph, with the cyclic group one
        with so many-fold rotational symmetry.
    classes, degree : int
        The graph has classes * group.order switches of `degree` links (see `lifts.drawn_lift` for odd numbers).
    draws : Draws
    budget : Budget
    least : (int, int)
        No graph has a lower cost; the search ends when it is reached.

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
        """Some milliseconds of moves at one temperature."""
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
        """`orbit_hops` of the lift running."""
        found: tuple[int, ...] = self._kernels.orbit_hops(
            self._lift.table, self._group.order, self._target, _NEVER, *self._scratch
        )
        return found

    def _aim(self) -> None:
        """Aim at the diameter of the best, or at one hop less when few pairs are so far apart."""
        _, lost, diameter, farthest, _ = self._totals.tolist()
        pairs = self.switches * self.switches // self._group.order
        target = max(int(self._least[0]), diameter - (farthest <= _AIM * pairs))
        if not lost and target != self._target:
            self._target = target
            self._totals[0] = self._hops()[0]

    def _median_change(self) -> float:
        """The median change of cost, without sign, that random moves from the start make."""
        changes = np.empty(_SAMPLE, np.int64)
        for i in range(_SAMPLE):
            before = self._totals[0]
            self._anneal(1e15, 1)
            changes[i] = abs(self._totals[0] - before)
        changed = changes[changes > 0]
        return float(np.median(changed)) if changed.size else 1.0

"""One annealing chain for throughput: few hops, and even link loads of uniform traffic."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, cooled, metropolis_table
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels.lifts import Lift
from topoloom.optimizer.rules import GraphRules
from topoloom.optimizer.structures.groups import Group
from topoloom.optimizer.structures.lifts import links_of_darts

#: The first and the last temperature, in units of the median change of a random move.
HOT, COLD = 0.1, 0.01
#: The exponent of the power mean of loads: high enough that loaded links count, low enough that no single link dominates.
POWER = 8.0
#: Fewest temperatures between them; number of moves for the median change.
_TEMPERATURES, _SAMPLE = 200, 30
#: Arcs visited per step: about 20 ms.
_STEP = 6_000_000


class EvenSearch(Budgeted):
    """Simulated annealing of a lift for the least power mean of link loads; `cost` is (0.5, the best power mean so far).

    Loads are of uniform traffic, split evenly over all shortest paths (`kernels.even_loads`); a disconnected graph has inf.

    Parameters
    ----------
    lift : Lift
        It changes in place.
    group : Group
        The group of the lift; with one element (`lift_of`), the lift can be any graph.
    weight : float64[n]
        Hosts of each switch, equal in a class.
    draws : Draws
    budget : Budget
    rules : GraphRules, optional
        The rules of moves; only over the group of one element.
    hot, cold : float
        The first and the last temperature.
    each : int
        The budget that one move uses.

    Source of the loads: Newman, Physical Review E 64, 2001 (edge betweenness); of the moves, as `LiftSearch`.
    """

    def __init__(
        self,
        lift: Lift,
        group: Group,
        weight: np.ndarray,
        draws: Draws,
        budget: Budget,
        rules: GraphRules | None = None,
        hot: float = HOT,
        cold: float = COLD,
        each: int = 1,
    ) -> None:
        from topoloom.optimizer.kernels import even_loads

        self._kernels, self._lift, self._group, self._budget = even_loads, lift, group, budget
        self._weight = np.asarray(weight, np.float64)
        self._hot, self._cold, self._each = hot, cold, each
        rules = rules or GraphRules()
        offsets, near = rules.near or (np.zeros(1, np.int64), np.zeros(0, np.int32))
        rack = np.zeros(0, np.int64) if rules.rack is None else rules.rack
        budgeted = rules.spending_on(links_of_darts(group, lift.head, lift.voltage, lift.table.shape[1]))
        fixed = np.zeros(0, np.bool_) if rules.fixed is None else _darts_that_stay(rules, lift)
        self._rules = offsets.astype(np.int64), near.astype(np.int32), rack, *budgeted, fixed
        self._state, self._thresholds = draws.state(), metropolis_table()
        cost = even_loads.even_cost(lift, self._weight, POWER, np.inf, np.zeros(lift.head.size))
        self._costs = np.array([cost, cost])
        self._best = np.stack([lift.head, lift.voltage])
        slots = lift.table.size * (lift.table.shape[0] // group.order)
        self._chunk = max(1, min(budget.moves // each // _TEMPERATURES, _STEP // slots))
        self._unit = self._median_change()

    @property
    def best(self) -> np.ndarray:
        return links_of_darts(self._group, self._best[0], self._best[1], self._lift.table.shape[1])

    @property
    def cost(self) -> tuple[float, ...]:
        return 0.5, float(self._costs[1])

    def step(self) -> None:
        """Try moves for a few milliseconds at one temperature."""
        temperature = self._unit * cooled(self._hot, self._cold, self._budget.share)
        moves = max(1, min(self._chunk, (self._budget.moves - self._budget.spent) // self._each))
        self._anneal(temperature, moves)
        self._budget.spent += moves * self._each

    def _anneal(self, temperature: float, moves: int) -> int:
        accepted: int = self._kernels.anneal_even(
            self._lift,
            self._weight,
            *self._rules,
            POWER,
            self._costs,
            self._best,
            self._state,
            self._thresholds,
            temperature,
            moves,
        )
        return accepted

    def _median_change(self) -> float:
        """The median absolute change of cost of random moves from the start."""
        if not np.isfinite(self._costs[0]):
            return 1.0
        lift, saved = self._lift, [array.copy() for array in self._lift[4:]]
        changes = []
        spent = self._rules[-2]
        paid = spent.copy()
        for _ in range(_SAMPLE):
            before = self._costs[0]
            self._anneal(1e300, 1)
            changes.append(abs(self._costs[0] - before))
            for array, old in zip(lift[4:], saved, strict=True):
                array[:] = old
            self._costs[0], spent[:] = before, paid
        changed = [change for change in changes if 0 < change < np.inf]
        return float(np.median(changed)) if changed else 1e-3 * self._costs[0]


def _darts_that_stay(rules: GraphRules, lift: Lift) -> np.ndarray:
    """The darts of fixed links, bool[darts], over the group of one element."""
    origin = np.arange(lift.head.size) // lift.table.shape[1]
    return np.asarray((lift.head >= 0) & rules.stay(origin, lift.head))


def lift_of(topology: Topology) -> tuple[Lift, Group]:
    """Represent any graph as a lift over the group of one element.

    Examples
    --------
    >>> ring = Topology(links=[(0, 1), (1, 2), (0, 2)], switches=3)
    >>> lift, group = lift_of(ring)
    >>> lift.head.tolist(), lift.back.tolist(), group.order
    ([1, 2, 0, 2, 0, 1], [2, 4, 0, 5, 1, 3], 1)
    """
    n, degree = topology.switches, int(topology.degrees.max())
    offsets, neighbours, _ = topology.csr
    origin = np.repeat(np.arange(n), topology.degrees)
    dart = origin * degree + np.arange(neighbours.size) - offsets[origin]
    head, back = np.full(n * degree, -1, np.int32), np.full(n * degree, -1, np.int32)
    head[dart] = neighbours
    # Sorted by the other end, the reverse darts are in the order of the darts.
    by_other_end = np.lexsort((origin, neighbours))
    back[dart[by_other_end]] = dart
    table = np.repeat(np.arange(n, dtype=np.int32)[:, None], degree, axis=1)
    table.ravel()[dart] = neighbours
    times = np.zeros((1, 1), np.int32)
    group = Group("one element", times)
    nothing = np.zeros(0, np.int32)
    voltage = np.zeros(head.size, np.int32)
    return Lift(
        times, np.zeros(1, np.int32), nothing, topology.degrees.astype(np.int32), head, voltage, back, table
    ), group

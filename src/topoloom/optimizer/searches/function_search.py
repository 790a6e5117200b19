"""Annealing for an objective of one's own: 2-opt moves, each evaluated by a call of the function, and kept or undone."""

import math
import time

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, cooled, metropolis_table
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels.hop_state import MOST_DRAWS
from topoloom.optimizer.objective_register import Objective
from topoloom.optimizer.rules import GraphRules, links_of, moves_of
from topoloom.optimizer.searches.hop_search import COLD, HOT, moves_per_step

#: Fewest and most moves for the median change, and their share of the budget of moves.
_SAMPLE, _SAMPLE_SHARE = (20, 300), 0.1
#: With a time budget: seconds at one temperature, and the share of the budget for the median change.
_STEP_SECONDS, _SAMPLE_TIME = 0.05, 0.05


class FunctionSearch(Budgeted):
    """Simulated annealing for any function of a graph; a connected network stays connected.

    Moves, temperatures and the rule that keeps a move are those of `HopSearch`: with the hops of all pairs as the function, and
    a target diameter that no pair exceeds, both make the same moves.

    Parameters
    ----------
    topology : Topology
    rules : GraphRules
    objective : Objective
    draws : Draws
    budget : Budget
    timed : bool
        Whether the budget is a time; then steps are short, and the result depends on the machine.

    Raises
    ------
    InputError
        The network is not connected, or the objective returns no finite number for it.
    """

    def __init__(
        self,
        topology: Topology,
        rules: GraphRules,
        objective: Objective,
        draws: Draws,
        budget: Budget,
        *,
        timed: bool = False,
    ) -> None:
        from topoloom.optimizer.kernels import single_moves

        self._kernels = single_moves
        self._topology, self._objective, self._budget, self._timed = topology, objective, budget, timed
        self._moves = moves_of(topology, rules)
        self._state, self._thresholds = draws.state(), metropolis_table()
        n = topology.switches
        self._drawn, self._waiting, self._seen = np.zeros(6, np.int64), np.zeros(n, np.int32), np.zeros(n, np.uint8)
        if not single_moves.is_connected(self._moves, self._waiting, self._seen):
            raise InputError(
                f"{topology.name}: the objective '{objective.name}' needs a connected network, and this one is not; connect"
                " it, or use objective='hops' first"
            )
        self._now = self._value()
        if not math.isfinite(self._now):
            raise InputError(
                f"{topology.name}: the objective '{objective.name}' returned {self._objective_value(self._now)} for the"
                " network to start from; it must return a finite number there"
            )
        self._best, self._best_value = self._moves.table.copy(), self._now
        self._chunk = moves_per_step(budget.moves, *self._moves.table.shape)
        self._unit = self._median_change()

    @property
    def best(self) -> np.ndarray:
        """The links of the best graph so far, int32[m, 2]."""
        return links_of(self._best, self._moves.degree)

    @property
    def table(self) -> np.ndarray:
        """The current graph, int32[n, K], as in `topoloom.optimizer.kernels.moves`."""
        return self._moves.table

    @property
    def cost(self) -> tuple[float, ...]:
        """The value of the best graph; for an objective whose largest value is best, as that of a `PriceSearch`."""
        return (0.0, self._best_value) if self._objective.most else (self._best_value,)

    def step(self) -> None:
        """Try moves at one temperature."""
        budget = self._budget
        temperature = self._unit * cooled(HOT, COLD, budget.share)
        count = min(self._chunk, budget.moves - budget.spent)
        tried, draws, until = 0, MOST_DRAWS * count, time.monotonic() + _STEP_SECONDS
        while tried < count and draws > 0 and not budget.stopped:
            drawn, connected = self._make(draws)
            draws -= abs(drawn)
            if drawn < 0:
                break
            tried += 1
            room = temperature * float(self._thresholds[self._kernels.next_threshold(self._state)])
            value = self._value() if connected else math.inf
            if value - self._now <= room:
                self._kernels.keep_one(self._moves, self._drawn)
                self._now = value
                if value < self._best_value:
                    self._best, self._best_value = self._moves.table.copy(), value
            else:
                self._kernels.take_back(self._moves, self._drawn)
            if self._timed and time.monotonic() > until:
                break
        # If no move is valid, draws count as moves, so that every search ends.
        budget.spent += tried or count

    def _make(self, draws: int) -> tuple[int, bool]:
        drawn, connected = self._kernels.make_one(
            self._moves, self._state, draws, self._drawn, self._waiting, self._seen
        )
        return int(drawn), bool(connected)

    def _value(self) -> float:
        """The value of the current graph, negative if the largest is best; infinite: never kept."""
        objective, topology = self._objective, self._topology
        if objective.of_table:
            # Copies, because the function may change its arguments.
            value = objective.of(topology, self._moves.table.copy(), self._moves.degree.copy())
        else:
            changed = topology.replace(links=links_of(self._moves.table, self._moves.degree))
            value = objective.of(changed, self._moves.table, self._moves.degree)
        return math.inf if math.isinf(value) else self._objective_value(value)

    def _objective_value(self, value: float) -> float:
        return -value if self._objective.most else value

    def _median_change(self) -> float:
        """The median absolute change of random moves from the start, which are not kept."""
        count = max(_SAMPLE[0], min(int(_SAMPLE_SHARE * self._budget.moves), _SAMPLE[1]))
        changes: list[float] = []
        draws = MOST_DRAWS * count
        while len(changes) < count and draws > 0 and not self._budget.stopped:
            drawn, connected = self._make(draws)
            draws -= abs(drawn)
            if drawn < 0:
                break
            changes.append(self._value() - self._now if connected else math.inf)
            self._kernels.take_back(self._moves, self._drawn)
            if self._timed and self._budget.share > _SAMPLE_TIME:
                break
        changed = np.abs([change for change in changes if change])
        middle = float(np.median(changed)) if changed.size else 1.0
        finite = changed[np.isfinite(changed)]
        return middle if math.isfinite(middle) else float(np.median(finite)) if finite.size else 1.0

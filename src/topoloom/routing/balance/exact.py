"""The most even choice of shortest paths, with a proof of optimality: an integer programme, solved by HiGHS.

One binary variable per path: whether it is chosen. Two variables per load: the load, and its squared distance from the whole
part of the mean. The square lies above the chords between neighbouring whole numbers, which is exact for whole loads, so the
programme is linear.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from topoloom.core.work import Work
from topoloom.routing.balance.shortest_paths import Path, ShortestPaths

#: The tolerance of the solver's numbers; sums of squares are whole.
_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class ExactLoads:
    """The solver's result.

    Attributes
    ----------
    paths : dict of (int, int) to path, or None
        The path of every ordered pair; None if no solution was found in time.
    load : int64, or None
    least_squares : int
        A lower bound on the sum of squares.
    """

    paths: dict[tuple[int, int], Path] | None
    load: np.ndarray | None
    least_squares: int


class Programme:
    """The choice of a shortest path for every pair that minimises the sum of the squared loads.

    Parameters
    ----------
    paths : ShortestPaths
    by_channels : bool
        Whether loads are of channels (links where not directed); otherwise of the switches between the ends.
    directed : bool
        Whether every ordered pair chooses; otherwise each unordered pair chooses one path for both directions.
    trees : bool
        Whether the rest of a chosen path after its first hop must be the chosen path of that pair, so that the choice fits into
        tables with one next hop per destination.
    """

    def __init__(self, paths: ShortestPaths, *, by_channels: bool, directed: bool, trees: bool) -> None:
        self._paths, self._by_channels, self._directed = paths, by_channels, directed
        self._pairs = [pair for pair in paths.paths if directed or pair[0] < pair[1]]
        size = paths.sizes(by_channels, directed)
        self._fixed, self._many = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._options: list[Path] = []
        self._number: dict[Path, int] = {}
        groups, effects = [], []
        for pair in self._pairs:
            choices = paths.paths[pair]
            loaded = [paths.loaded(path, by_channels, directed) for path in choices]
            if len(choices) == 1:
                np.add.at(self._fixed, loaded[0], 1)
                continue
            groups.append(range(len(self._options), len(self._options) + len(choices)))
            for path in choices:
                self._number[path] = len(self._options)
                self._options.append(path)
            effects += loaded
            self._many[list(set().union(*loaded))] += 1
        self.total = int(self._fixed.sum()) + sum(len(effects[group[0]]) for group in groups)
        self._count, self._size, self._origin = len(self._options), size, self.total // max(1, size)
        self._rows = _Rows()
        for group in groups:
            self._rows.add([(z, 1) for z in group], 1, 1)
        if trees:
            self._keep_trees()
        self._count_loads(effects)

    def _keep_trees(self) -> None:
        """Require the rest of each chosen path: the path without its first hop and, if not directed, without its last hop."""
        for path, z in self._number.items():
            for rest in [path[1:]] if self._directed else [path[1:], path[:-1]]:
                other = self._number.get(rest)
                if other is None and not self._directed:
                    other = self._number.get(self._paths.back(rest))
                if other is not None:
                    self._rows.add([(z, 1), (other, -1)], -np.inf, 0)

    def _count_loads(self, effects: list[list[int]]) -> None:
        users: list[list[tuple[int, int]]] = [[] for _ in range(self._size)]
        for z, items in enumerate(effects):
            for item in items:
                users[item].append((z, -1))
        for item, using in enumerate(users):
            load, square = self._count + item, self._count + self._size + item
            fixed = int(self._fixed[item])
            self._rows.add([(load, 1), *using], fixed, fixed)
            for x in range(fixed, fixed + int(self._many[item])):
                # Above the chord from (x, y^2) to (x + 1, (y + 1)^2), y = x - origin.
                y = x - self._origin
                self._rows.add([(square, 1), (load, -(2 * y + 1))], y * y - (2 * y + 1) * x, np.inf)
        self._rows.add([(self._count + item, 1) for item in range(self._size)], self.total, self.total)

    def solve(self, seconds: float, work: Work) -> ExactLoads:
        """Return the best choice found in about that time, and a bound on every choice.

        Among the most even choices, one with the smallest largest load is taken as far as the time allows. If `work` is
        stopped, the search ends.
        """
        if not self._options:  # every pair has one shortest path
            return ExactLoads(self._chosen(np.empty(0, np.int64)), self._fixed, int(self._fixed @ self._fixed))
        end = time.monotonic() + seconds
        answer = self._ask(seconds, np.inf, None, work)
        # The squares are measured from the origin: add the difference. Sums of squares with the same total differ by even
        # numbers.
        shift = self._origin * (2 * self.total - self._origin * self._size)
        floor = int(np.ceil(answer.bound - _TOLERANCE)) + shift
        least = floor + (floor - self.total) % 2
        if answer.load is None:
            return ExactLoads(None, None, least)
        squares = int(answer.load @ answer.load)
        even = max(-(-self.total // self._size), int(self._fixed.max()))
        while answer.done and int(answer.load.max()) > even:
            lower = self._ask(end - time.monotonic(), squares - shift, int(answer.load.max()) - 1, work)
            if lower.load is None:
                break
            answer = lower
        return ExactLoads(self._chosen(answer.taken), answer.load, min(least, squares))

    def _chosen(self, taken: np.ndarray) -> dict[tuple[int, int], Path]:
        """The path of every ordered pair."""
        origin, to = self._paths.channels.origin, self._paths.channels.to
        chosen = {pair: options[0] for pair, options in self._paths.paths.items() if len(options) == 1}
        for z in taken.tolist():
            path = self._options[z]
            begin, stop = int(origin[path[0]]), int(to[path[-1]])
            chosen[begin, stop] = path
            if not self._directed:
                chosen[stop, begin] = self._paths.back(path)
        return chosen

    def _ask(self, seconds: float, most_squares: float, most: int | None, work: Work) -> "_Answer":
        """Run the solver once, with a sum of squares of at most `most_squares` and no load above `most`."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        count, size = self._count, self._size
        highest = self._fixed + self._many
        if most is not None:
            highest = np.minimum(highest, most)
        if seconds <= 0 or work.stopped:
            return _Answer(False, None, np.empty(0, np.int64), 0.0)
        if (highest < self._fixed).any():
            return _Answer(True, None, np.empty(0, np.int64), np.inf)
        # A load whose whole range is away from the origin has a least square even without a chord.
        nearest = np.clip(self._origin, self._fixed, self._fixed + self._many) - self._origin
        matrix, low, high = self._rows.matrix(count + 2 * size)
        cost = np.concatenate([np.zeros(count + size), np.ones(size)])
        solver = partial(
            milp,
            cost,
            integrality=np.concatenate([np.ones(count), np.zeros(2 * size)]),
            bounds=Bounds(
                np.concatenate([np.zeros(count), self._fixed, nearest * nearest]),
                np.concatenate([np.ones(count), highest, np.full(size, np.inf)]),
            ),
            constraints=[LinearConstraint(matrix, low, high), LinearConstraint(cost[None, :], -np.inf, most_squares)],
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        solution = _until_stopped(work, solver)
        if solution is None:
            return _Answer(False, None, np.empty(0, np.int64), 0.0)
        done = solution.status in (0, 2)
        # If no branches remain, the solver gives no bound; no sum of squares is below 0.
        bound = solution.fun if solution.status == 0 else solution.mip_dual_bound
        bound = 0.0 if bound is None or not np.isfinite(bound) else bound
        if solution.x is None:
            return _Answer(done, None, np.empty(0, np.int64), bound)
        taken = np.flatnonzero(solution.x[:count] > 0.5)
        load = self._fixed.copy()
        for z in taken.tolist():
            np.add.at(load, self._paths.loaded(self._options[z], self._by_channels, self._directed), 1)
        return _Answer(done, load, taken, bound)


def _until_stopped(work: Work, solver: Callable[[], Any]) -> Any:
    """Return the solver's result; None if the work is stopped first. The solver then runs on until its time limit."""
    answers: list[Any] = []

    def solve() -> None:
        try:
            answers.append(solver())
        except Exception as error:  # raised again in the thread that waits
            answers.append(error)

    thread = threading.Thread(target=solve, daemon=True)
    thread.start()
    while thread.is_alive() and not work.stopped:
        thread.join(0.1)
    if not answers:
        return None
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]


@dataclass(frozen=True, eq=False)
class _Answer:
    """The solver's answer: whether it finished, the loads, the options taken, and a lower bound on the sum of squares."""

    done: bool
    load: np.ndarray | None
    taken: np.ndarray
    bound: float


class _Rows:
    """The rows of a programme's constraints, added one by one."""

    def __init__(self) -> None:
        self._row: list[int] = []
        self._column: list[int] = []
        self._value: list[int] = []
        self._low: list[float] = []
        self._high: list[float] = []

    def add(self, entries: list[tuple[int, int]], low: float, high: float) -> None:
        """low <= sum of value * variable <= high, for entries (variable, value)."""
        self._row += [len(self._low)] * len(entries)
        self._column += [column for column, _ in entries]
        self._value += [value for _, value in entries]
        self._low.append(low)
        self._high.append(high)

    def matrix(self, columns: int) -> tuple[Any, np.ndarray, np.ndarray]:
        """The matrix of all rows, and the lower and upper limit of each."""
        from scipy.sparse import csr_array

        shape = len(self._low), columns
        return (
            csr_array((self._value, (self._row, self._column)), shape=shape),
            np.array(self._low),
            np.array(self._high),
        )

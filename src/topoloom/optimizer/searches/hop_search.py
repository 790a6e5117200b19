"""One annealing chain for the fewest hops: moves, temperature, target diameter, and the choice of the fastest method."""

import time
from typing import TYPE_CHECKING

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, cooled, metropolis_table
from topoloom.graph.aligned import aligned_zeros
from topoloom.optimizer.kernels.moves import Moves
from topoloom.optimizer.rules import links_of

if TYPE_CHECKING:
    from topoloom.optimizer.kernels.hop_state import Batch, Hops, Rows

#: The first and the last temperature, in units of the median change of a random move.
HOT, COLD = 0.12, 0.02
#: Fewest temperatures between them.
_TEMPERATURES = 400
#: Additional cost of a hop beyond the target diameter, at the start and at the end.
WEIGHT, LAST_WEIGHT = 8, 64
#: The same for graphs of few links per switch, where a high cost keeps the search from leaving poor graphs.
SOFT = (1, 8)
#: From this share of the budget on, the target is a diameter that was reached; the rest is for the hops.
_SETTLED = 0.8
#: Largest share of pairs beyond a diameter for which it becomes the target.
_AIM = 0.004
#: How often the target is chosen again.
_AIMS = 40
#: Most switches for which distances are stored, n x n bytes; larger graphs are always evaluated in full.
_MOST_FILTERED = 8192
#: Largest share of accepted moves for which distances are stored, because accepted moves are then expensive.
_MOST_ACCEPTED = 0.2
#: Most moves per step.
_MOST_STEP_MOVES = 20_000
#: Nanoseconds per call of a kernel, and the model of a move's time (constant, and per slot and block of sources); and random
#: moves per call.
_PIECE_NS, _MOVE_NS, _SLOT_NS = 200_000_000, 2_000, 2.0
_MIXED = 200_000
#: Steps after which every method is timed again; earlier if the share of accepted moves halved or doubled.
_TIMED = 300
#: Fewest and most moves for the median change, and the slots times blocks of sources that all of them may take.
_SAMPLE, _SAMPLE_WORK = (20, 300), 200_000_000


def moves_per_step(moves: int, switches: int, slots: int) -> int:
    """Moves at one temperature.

    Parameters
    ----------
    moves : int
        The budget.
    switches, slots : int
        The size of the table of neighbours.

    Returns
    -------
    int
    """
    return max(16, min(moves // _TEMPERATURES, 4_000_000 // (switches * slots), _MOST_STEP_MOVES))


class HopSearch(Budgeted):
    """Simulated annealing by 2-opt; `cost` is (diameter, hops) of the best graph so far, hops the sum over ordered pairs.

    A disconnected graph has the diameter n, and a pair without a path counts n hops.

    Parameters
    ----------
    moves : Moves
        The graph and its rules; it changes in place.
    draws : Draws
    budget : Budget
    least : (int, int)
        A lower bound on the cost; the search ends when it is reached.
    target : int, optional
        The target diameter; when omitted, it is chosen, and lowered during the search.
    hot, cold : float
        The first and the last temperature, in units of the median change of a random move from a random start.
    images : int32[g, n], optional
        Symmetries of the graph and its rules (`structures.mirror_symmetry`), the identity first; moves keep them.
    sweeps : int
        Random moves per link that are made first, regardless of cost (Nakano 2016, III, step 2).
    weights : (int, int)
        The additional cost of a hop beyond the target, at the start and at the end.
    """

    def __init__(
        self,
        moves: Moves,
        draws: Draws,
        budget: Budget,
        least: tuple[float, float] = (1, 0),
        target: int | None = None,
        hot: float = HOT,
        cold: float = COLD,
        images: np.ndarray | None = None,
        sweeps: int = 0,
        weights: tuple[int, int] = (WEIGHT, LAST_WEIGHT),
    ) -> None:
        from topoloom.optimizer.kernels import batches, filter, rows
        from topoloom.optimizer.kernels import hops as kernels
        from topoloom.optimizer.kernels.hop_state import FARTHEST

        self._kernels, self._rows, self._filter = kernels, rows, filter
        self._together = batches
        self._moves, self._budget = moves, budget
        self._least, self._given, self._hot, self._cold, self._held = least, target, hot, cold, 0.0
        n = moves.degree.size
        self._farthest = min(n - 1, FARTHEST)
        self._images = np.arange(n, dtype=np.int32)[None] if images is None else images
        self._hops, self._kept = _room(self._images, moves.table.shape[1])
        self._batch = _batch(len(self._images), moves.table.shape[1])
        self._state, self._thresholds = draws.state(), metropolis_table()
        self.target = target or int(least[0])
        self._method, self._without_rows = kernels.FULL, (kernels.FILTERED, kernels.TOGETHER)
        self._rows_kept, self._distances_kept = False, False
        self._timed: list[tuple[float, int]] = []  # seconds per move, and the method
        self._measured_at = 1.0
        self._accepted = 1.0
        self._next_aim = 0.0
        self._weights, self._weight = weights, weights[0]
        slots = moves.table.size * -(-self._hops.origins.size // 512)
        self._piece = max(1, int(_PIECE_NS / (_MOVE_NS + _SLOT_NS * slots)))
        left = sweeps * self.links
        while left and not budget.stopped:
            kernels.mix(moves, self._hops, self._state, min(left, _MIXED))
            left -= min(left, _MIXED)
        self._evaluate()
        self._best = moves.table.copy()
        self._best_totals = self._hops.totals[[2, 0]].copy()
        self.unit = self._median_change()
        self._chunk = moves_per_step(budget.moves, *moves.table.shape)

    @property
    def best(self) -> np.ndarray:
        return links_of(self._best, self._moves.degree)

    @property
    def cost(self) -> tuple[float, ...]:
        return int(self._best_totals[0]), int(self._best_totals[1]) * len(self._images)

    @property
    def done(self) -> bool:
        return super().done or self.cost <= self._least

    @property
    def links(self) -> int:
        """The number of links."""
        return int(self._moves.degree.sum()) // 2

    @property
    def energy(self) -> int:
        """The cost of the current graph: hops, and hops beyond the target with their weight."""
        return int(self._hops.totals[0] + self._weight * self._hops.totals[1])

    @property
    def held(self) -> float:
        """The fixed temperature, in units of the median change; 0 if it falls with the budget."""
        return self._held

    def hold(self, temperature: float) -> None:
        """Fix the temperature from now on, in units of the median change."""
        self._held = temperature

    def step(self) -> None:
        """Try moves for a few milliseconds at one temperature."""
        self.advance(self._chunk, self._budget.share)

    def advance(self, moves: int, share: float) -> None:
        """Try up to `moves` moves at the temperature for a used share `share` of the budget."""
        if share >= self._next_aim:
            self._aim(share)
            self._next_aim += 1 / _AIMS
        self._weight = round(cooled(*self._weights, share))
        timed = self._choose_method()
        count = min(moves, self._budget.moves - self._budget.spent)
        accepted = int(self._hops.totals[3])
        started = time.thread_time()
        tried = self._anneal(self.temperature(share), count)
        seconds = time.thread_time() - started
        # If no move is valid, draws count as moves, so that every search ends.
        self._budget.spent += tried or count
        if not tried:
            return
        if self._method == self._kernels.FULL:
            self._distances_kept = False
        elif self._method in self._without_rows:
            self._rows_kept = False
        self._accepted = 0.9 * self._accepted + 0.1 * (int(self._hops.totals[3]) - accepted) / tried
        if timed:
            self._timed.append((seconds / tried, self._method))

    def temperature(self, share: float) -> float:
        """The temperature at a used share of the budget; it falls geometrically unless it is fixed."""
        return self.unit * (self._held or cooled(self._hot, self._cold, share))

    def compile_kernels(self, mixed: bool = False) -> None:
        """Compile every kernel that a search may call, for rows of this width; mixed: also the kernel for sweeps."""
        self._pairs_within()
        if mixed:
            self._kernels.mix(self._moves, self._hops, self._state, 0)
        self._filter.keep_distances(self._moves.table, self._hops, self.target)
        for method in (self._kernels.TOGETHER, self._kernels.FULL):
            self._method = method
            self._anneal(1.0, 0)

    def _anneal(self, temperature: float, count: int) -> int:
        """Try up to `count` moves by the chosen method; return how many were tried.

        Large graphs need seconds for a few moves: the kernel gets them in pieces, which does not change the result, and the
        search can be stopped between pieces.
        """
        tried = 0
        while True:
            piece = min(count - tried, self._piece)
            made = self._anneal_piece(temperature, piece)
            tried += made
            if made < piece or tried >= count or self._budget.stopped:
                return tried

    def _anneal_piece(self, temperature: float, count: int) -> int:
        arguments = (
            self._best,
            self._best_totals,
            self._state,
            self._thresholds,
            temperature,
            int(self.target),
            self._weight,
        )
        if self._method == self._kernels.TOGETHER:
            tried: int = self._together.anneal_together(self._moves, self._hops, self._batch, *arguments, count)
        else:
            tried = self._kernels.anneal(self._moves, self._hops, self._kept, *arguments, self._method, count)
        return tried

    def _evaluate(self) -> None:
        """Compute hops and other totals again from the table."""
        self._keep_rows()
        totals = self._hops.totals
        totals[:3] = self._rows.evaluate(
            self._moves.table, self._hops, self._kept, self.target, 0, int(self._kernels.NEVER)
        )
        self._distances_kept = False

    def _keep_rows(self) -> None:
        if not self._rows_kept:
            self._rows.enter_all(self._moves.table, self._hops, self._kept)
            self._rows_kept = True

    def _aim(self, share: float) -> None:
        """Choose the target: the smallest diameter with few pairs beyond it, but not below the lower bound."""
        if self._given is not None or self._hops.totals[2] >= self._moves.degree.size:
            return
        within = self._pairs_within()
        few = np.flatnonzero(within[:-1] >= (1 - _AIM) * within[-1])
        target = max(int(self._least[0]), int(few[0]) if few.size else within.size - 1)
        if share >= _SETTLED:
            target = max(target, int(self._best_totals[0]))
        if target != self.target:
            self.target = target
            self._rows_kept = False
            self._evaluate()

    def _pairs_within(self) -> np.ndarray:
        """Pairs of an origin and a switch within 0, 1, 2 ... hops, itself included: int64[diameter + 1]; connected graphs."""
        within = np.zeros(self._hops.totals[2] + 1, np.int64)
        within[0] = self._hops.origins.size
        self._rows.count_within(self._moves.table, self._hops.origins, self._hops.wide, within)
        return within

    def _choose_method(self) -> bool:
        """Choose the method with the fastest step so far; all are timed again from time to time. Return whether to time this
        step.
        """
        kernels, totals = self._kernels, self._hops.totals
        n = self._moves.degree.size
        timed = self._accepted <= _MOST_ACCEPTED and n <= _MOST_FILTERED and totals[2] <= self._farthest
        if not timed:
            self._method = kernels.FULL
        else:
            if not 0.5 < self._accepted / self._measured_at < 2 or len(self._timed) >= _TIMED:
                self._timed, self._measured_at = [], max(1e-6, self._accepted)
            methods = kernels.FULL, kernels.FILTERED, kernels.SHALLOW, kernels.TOGETHER
            turn = len(self._timed)
            if turn < len(methods):
                self._method = methods[turn]
            elif turn < len(methods) + 2:  # the two best once more, because a measurement may be disturbed
                self._method = sorted(self._timed[: len(methods)])[turn - len(methods)][1]
            else:
                self._method = min(self._timed)[1]
        if self._method not in self._without_rows:
            self._keep_rows()
        if self._method != kernels.FULL and not self._distances_kept:
            self._filter.keep_distances(self._moves.table, self._hops, self.target)
            self._distances_kept = True
        return timed

    def _median_change(self) -> float:
        """The median absolute change of hops of random moves from the start."""
        work = self._moves.table.size * len(self._kept.first)
        count = max(_SAMPLE[0], min(_SAMPLE_WORK // work, _SAMPLE[1]))
        changes = np.zeros(count, np.int64)
        for first in range(0, count, self._piece):
            piece = changes[first : first + self._piece]
            count_sampled = self._kernels.sample_changes(
                self._moves, self._hops, self._kept, self._state, self.target, 0, piece
            )
            if count_sampled < piece.size or self._budget.stopped:
                break
        changed = np.abs(changes[changes != 0])
        return float(np.median(changed)) if changed.size else 1.0


def _room(images: np.ndarray, degree: int) -> "tuple[Hops, Rows]":
    """Allocate arrays for a graph with these symmetries and `degree` slots per switch, with rows aligned to cache lines."""
    from topoloom.optimizer.kernels.hop_state import Hops, Rows

    symmetries, n = images.shape
    origins = np.flatnonzero(images.min(axis=0) == np.arange(n)).astype(np.int32)
    number = np.full(n, -1, np.int32)
    number[origins] = np.arange(origins.size)
    words = np.uint16 if origins.size <= 128 else np.uint32 if origins.size <= 256 else np.uint64
    blocks = -(-origins.size // (64 * np.dtype(words).itemsize))
    stride = -(-origins.size // 64) * 64 if n <= _MOST_FILTERED else 0
    changed = 4 * symmetries * (degree + 1)
    hops = Hops(
        images=images,
        origins=origins,
        number=number,
        totals=np.zeros(8, np.int64),
        ends=np.zeros(4 * symmetries, np.int64),
        done=np.zeros((symmetries, 4), np.int64),
        marked=np.zeros(n, np.bool_),
        distances=aligned_zeros((n, stride), np.uint8),
        row_hops=np.zeros(origins.size, np.int64),
        row_beyond=np.zeros(origins.size, np.int64),
        row_far=np.zeros(origins.size, np.int64),
        up=np.zeros((4 * symmetries, stride // 64), np.uint64),
        down=np.zeros(stride // 64, np.uint64),
        sources=np.zeros(origins.size, np.int32),
        starts=np.zeros(origins.size, np.int32),
        wide=aligned_zeros((2, 8 * (n + 1)), np.uint64),
        narrow=aligned_zeros((2, 8 * (n + 1)), np.uint16),
    )
    rows = Rows(
        first=aligned_zeros((blocks, 8 * n), words),
        second=aligned_zeros((blocks, 8 * n), words),
        saved=aligned_zeros((blocks, 8 * changed), words),
        changed=np.zeros(changed, np.int32),
        distinct=np.zeros(n, np.int64),
        reach=aligned_zeros((8 * (n + 1),), words),
        ahead=aligned_zeros((8 * (n + 1),), words),
    )
    return hops, rows


def _batch(symmetries: int, degree: int) -> "Batch":
    """Allocate scratch for moves that are searched together."""
    from topoloom.optimizer.kernels.hop_state import Batch

    return Batch(
        drawn=np.zeros((8, 6), np.int64),
        jobs=np.zeros((8, 13), np.int64),
        ends=np.zeros((8, 4 * symmetries), np.int32),
        fresh=np.zeros((8, 4 * symmetries, degree), np.int32),
        lanes=np.zeros(8, np.uint64),
    )

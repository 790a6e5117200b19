"""One chain of annealing for the fewest hops: moves, temperature, target diameter, and which method is fastest just now."""

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
#: Temperatures between them, at least.
_TEMPERATURES = 400
#: What a hop beyond the target diameter costs more than any other, at first and at last.
WEIGHT, LAST_WEIGHT = 8, 64
#: From this share of the budget on the target is a diameter that was reached: what is left is for the hops.
_SETTLED = 0.8
#: Share of pairs beyond a diameter up to which it is worth aiming at.
_AIM = 0.004
#: How often the aim is looked at again.
_AIMS = 40
#: Distances are kept as bytes, n x n of them: more switches are always evaluated in full.
_MOST_FILTERED = 8192
#: Accepted moves cost most when distances are kept: above this share they are not.
_MOST_ACCEPTED = 0.2
#: Moves of one step, at most.
_MOST_STEP_MOVES = 20_000
#: A kernel is called for about so many nanoseconds at a time by this model of a move (of each slot and block of sources);
#: and random moves that are made in one call.
_PIECE_NS, _MOVE_NS, _SLOT_NS = 200_000_000, 2_000, 2.0
_MIXED = 200_000
#: Turns after which every method is timed again; sooner when the share of accepted moves has halved or doubled.
_TIMED = 300
#: Moves whose changes make the median: as many as this number of slots and blocks of sources allows, within these.
_SAMPLE, _SAMPLE_WORK = (20, 300), 200_000_000


class HopSearch(Budgeted):
    """Simulated annealing by 2-opt; `cost` is (diameter, hops) of the best graph so far, hops the sum over ordered pairs.

    A disconnected graph has the diameter n, and a pair that does not reach each other counts n hops.

    Parameters
    ----------
    moves : Moves
        The graph and its rules; the search works on it in place.
    draws : Draws
    budget : Budget
    least : (int, int)
        No graph has a lower cost; the search ends when it is reached.
    target : int, optional
        The diameter to aim at; chosen and lowered as the search goes on when omitted.
    hot, cold : float
        The first and the last temperature, in units of the median change of a random move from a random start.
    images : int32[g, n], optional
        Symmetries of the graph and its rules (`structures.mirror_symmetry`), the identity first; they are kept.
    sweeps : int
        Random moves that are made first, whatever comes of them, as often as there are links (Nakano 2016, III, step 2).
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
        self._timed: list[tuple[float, int]] = []  # seconds a move, and the method
        self._measured_at = 1.0
        self._accepted = 1.0
        self._next_aim = 0.0
        self._weight = WEIGHT
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
        self._chunk = max(16, min(budget.moves // _TEMPERATURES, 4_000_000 // (n * moves.table.shape[1]), _MOST_STEP_MOVES))

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
        """How many links there are."""
        return int(self._moves.degree.sum()) // 2

    @property
    def energy(self) -> int:
        """What the graph running costs: hops, and those beyond the target with their weight."""
        return int(self._hops.totals[0] + self._weight * self._hops.totals[1])

    @property
    def held(self) -> float:
        """The temperature that is held, in units of the median change; 0 when it falls with the budget."""
        return self._held

    def hold(self, temperature: float) -> None:
        """Keep to one temperature from now on, in units of the median change."""
        self._held = temperature

    def step(self) -> None:
        """Some milliseconds of moves at one temperature."""
        self.advance(self._chunk, self._budget.share)

    def advance(self, moves: int, share: float) -> None:
        """Up to so many moves at the temperature of a budget of which `share` is used up."""
        if share >= self._next_aim:
            self._aim(share)
            self._next_aim += 1 / _AIMS
        self._weight = round(cooled(WEIGHT, LAST_WEIGHT, share))
        timed = self._choose_method()
        count = min(moves, self._budget.moves - self._budget.spent)
        accepted = int(self._hops.totals[3])
        started = time.thread_time()
        tried = self._anneal(self.temperature(share), count)
        seconds = time.thread_time() - started
        # Where no move is valid, draws that found none count, so that every search ends.
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
        """The temperature when `share` of the budget is used up: it falls by the same factor in equal times, unless held."""
        return self.unit * (self._held or cooled(self._hot, self._cold, share))

    def compile_kernels(self, mixed: bool = False) -> None:
        """Compile every kernel that a search may call, for rows as wide as these; mixed: one that makes sweeps, too."""
        self._pairs_within()
        if mixed:
            self._kernels.mix(self._moves, self._hops, self._state, 0)
        self._filter.keep_distances(self._moves.table, self._hops, self.target)
        for method in (self._kernels.TOGETHER, self._kernels.FULL):
            self._method = method
            self._anneal(1.0, 0)

    def _anneal(self, temperature: float, count: int) -> int:
        """Try up to `count` moves by the method that was chosen; how many were tried.

        Large graphs take seconds for a few moves: they are given to the kernel a piece at a time, which changes nothing, and
        the search asks in between whether to go on.
        """
        tried = 0
        while True:
            piece = min(count - tried, self._piece)
            made = self._anneal_piece(temperature, piece)
            tried += made
            if made < piece or tried >= count or self._budget.stopped:
                return tried

    def _anneal_piece(self, temperature: float, count: int) -> int:
        given = (
            self._best,
            self._best_totals,
            self._state,
            self._thresholds,
            temperature,
            int(self.target),
            self._weight,
        )
        if self._method == self._kernels.TOGETHER:
            tried: int = self._together.anneal_together(self._moves, self._hops, self._batch, *given, count)
        else:
            tried = self._kernels.anneal(self._moves, self._hops, self._kept, *given, self._method, count)
        return tried

    def _evaluate(self) -> None:
        """Count hops and the rest again, from the table."""
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
        """Choose the target: the least diameter that few pairs are beyond, but none that is known to be impossible."""
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
        """Choose the fastest method, by its best turn; all are timed again now and then. Whether this turn is to be timed."""
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
            elif turn < len(methods) + 2:  # the two best once more, for a turn may be disturbed
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
        """The median change of hops, without sign, that random moves from the start make."""
        work = self._moves.table.size * len(self._kept.first)
        count = max(_SAMPLE[0], min(_SAMPLE_WORK // work, _SAMPLE[1]))
        changes = np.zeros(count, np.int64)
        for first in range(0, count, self._piece):
            piece = changes[first : first + self._piece]
            found = self._kernels.sample_changes(
                self._moves, self._hops, self._kept, self._state, self.target, 0, piece
            )
            if found < piece.size or self._budget.stopped:
                break
        changed = np.abs(changes[changes != 0])
        return float(np.median(changed)) if changed.size else 1.0


def _room(images: np.ndarray, degree: int) -> "tuple[Hops, Rows]":
    """Arrays for a graph with these symmetries and `degree` slots a switch, rows on cache lines' boundaries."""
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
    """Room for moves that are searched together."""
    from topoloom.optimizer.kernels.hop_state import Batch

    return Batch(
        drawn=np.zeros((8, 6), np.int64),
        jobs=np.zeros((8, 13), np.int64),
        ends=np.zeros((8, 4 * symmetries), np.int32),
        fresh=np.zeros((8, 4 * symmetries, degree), np.int32),
        lanes=np.zeros(8, np.uint64),
    )

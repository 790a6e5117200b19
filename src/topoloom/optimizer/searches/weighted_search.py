"""Annealing for goals other than hops: latency, and power and cost of cables, for thousands of switches."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted, metropolis_table
from topoloom.optimizer.goals import Goal, latency_bounds
from topoloom.optimizer.kernels.moves import Moves
from topoloom.optimizer.kernels.repair import FAR, RepairScratch
from topoloom.optimizer.kernels.weighted import BEST, LINKS, PAIRS, Weighted
from topoloom.optimizer.link_lengths import LinkLengths
from topoloom.optimizer.rules import links_of
from topoloom.optimizer.searches.energy import Energy

#: The first and the last temperature, in units of the median change (without sign, without zeros).
HOT, COLD = 0.1, 0.005
#: Number of moves for the median change.
_SAMPLE = 64
#: Work per step, see `anneal`: about 10 ms.
_EFFORT = 100_000
#: Sources searched, and random moves made, per call of a kernel.
_FILLED = 200
_MIXED = 200_000
#: Fewest temperatures of a search.
_TEMPERATURES = 200
#: Most delays that one move may change, 8 bytes each; and the same while the graph is disconnected.
_MOST_CHANGES, _MOST_JOINING = 1 << 22, 1 << 27
#: The share of its budget in which a search cools down before the cap is met.
_BEFORE_CAP = 0.5


class WeightedSearch(Budgeted):
    """Simulated annealing by 2-opt moves; a `topoloom.core.searches.Search`.

    Parameters
    ----------
    moves : Moves
        The graph and its allowed moves; it changes in place.
    lengths : LinkLengths
    goal : Goal
    draws : Draws
    budget : Budget
        Moves or time. The same draws and number of moves give the same graph on every machine.
    images : int32[g, n], optional
        Symmetries of the graph and of the lengths, the identity first (`structures.mirror_symmetry`). Every move is made with
        its images, and only one source per orbit is evaluated, so a move is worth g moves.
    sweeps : int
        Random moves per link that are made first, regardless of cost (Nakano 2016, III, step 2).

    Raises
    ------
    InputError
        Lengths for a different number of switches, or symmetries that the graph or the lengths do not have.
    """

    def __init__(
        self,
        moves: Moves,
        lengths: LinkLengths,
        goal: Goal,
        draws: Draws,
        budget: Budget,
        images: np.ndarray | None = None,
        sweeps: int = 0,
    ) -> None:
        n, slots = moves.table.shape
        if n != len(lengths):
            raise InputError(
                f"lengths for {len(lengths)} switches, but the network has {n}; give the lengths of this network"
            )
        self._moves, self._budget = moves, budget
        self._energy = Energy(goal, lengths, _least_worst_ns(moves, lengths, goal) if goal.worst else 0.0)
        images = np.arange(n, dtype=np.int32)[None] if images is None else np.ascontiguousarray(images, np.int32)
        _check_symmetries(moves.table, lengths, images)
        sources = np.flatnonzero(images.min(axis=0) == np.arange(n)).astype(np.int32)
        orbits = np.sort(images[:, sources], axis=0)
        switch = np.arange(n)[:, None]
        filled = np.arange(slots) < moves.degree[:, None]
        self._graph = Weighted(
            delay=np.where(filled, self._energy.kind_delay[lengths.kind[switch, moves.table]], FAR).astype(np.uint16),
            sources=sources,
            shares=1 + (orbits[1:] != orbits[:-1]).sum(axis=0),
            rows=np.empty((sources.size, n), np.uint16),
            images=images,
            kind=lengths.kind,
            kind_delay=self._energy.kind_delay,
            link_cost=self._energy.link_cost,
            pair_cost=self._energy.pair_cost,
            totals=np.zeros(5, np.int64),
            counts=np.zeros(FAR + 1, np.int64),
            best=moves.table.copy(),
            best_counts=np.zeros(FAR + 1, np.int64),
            journal=np.empty((min(sources.size * n, _MOST_CHANGES), 2), np.uint32),
            journal_rows=np.empty((sources.size, 2), np.int32),
        )
        waiting = n * (slots + 2) + 64
        self._work = RepairScratch(
            heads=np.full(FAR + 1, -1, np.int32),
            entry=np.empty(waiting, np.int32),
            after=np.empty(waiting, np.int32),
            mark=np.zeros(n, np.uint8),
            changed=np.empty(n, np.int32),
            before=np.empty(n, np.uint16),
        )
        self._state = draws.state()
        self._thresholds = metropolis_table()
        self._stride = _stride(sources.size)
        self._links = int(moves.degree.sum()) // 2
        #: Whether the energy leads to the goal, but is not the goal itself.
        self._steers = goal.worst > 0
        self._plain_sum = not (goal.mean or goal.worst)
        self._since = 0.0
        self._start(sweeps)

    @property
    def best(self) -> np.ndarray:
        """The links of the best graph so far, int32[m, 2]."""
        return links_of(self._best, self._moves.degree)

    @property
    def cost(self) -> tuple[float, float, float]:
        """The cost of the best graph: ordered pairs without path, nanoseconds beyond the cap, weighted sum."""
        return self._cost

    @property
    def optimal(self) -> bool:
        """Whether the links have the lowest possible price, and nothing else counts."""
        graph = self._graph
        return bool(self._plain_sum and self._aims_at_goal and graph.totals[LINKS] <= self._energy.least(self._links))

    @property
    def done(self) -> bool:
        """Whether the budget is used, or the best graph is verified to be optimal."""
        return super().done or self.optimal

    def step(self) -> None:
        """Try moves for about 10 ms."""
        from topoloom.optimizer.kernels.weighted import anneal

        graph, budget = self._graph, self._budget
        until = 1.0 if self._aims_at_goal else _BEFORE_CAP
        cooled = min(1.0, (budget.share - self._since) / max(1e-9, until - self._since))
        # Rounded, because the last digit of powers differs between machines.
        temperature = min(self._unit * HOT * round((COLD / HOT) ** cooled, 9), self._energy.hottest)
        tries = max(1, min(budget.moves // _TEMPERATURES, budget.moves - budget.spent))
        best = graph.totals[BEST]
        tried = anneal(
            self._moves, graph, self._work, self._stride, self._state, self._thresholds, temperature, tries, _EFFORT
        )
        # If no move is valid, attempts count as moves, so that every search ends.
        budget.spent += tried or tries
        if graph.totals[BEST] < best:
            self._keep(graph.best, graph.best_counts)
        if self._steers or not self._aims_at_goal:
            self._keep(self._moves.table, graph.counts)
        if self._energy.reached(graph.counts):
            self._aim()

    def _start(self, sweeps: int) -> None:
        from topoloom.optimizer.kernels.weighted import mix

        graph = self._graph
        left = sweeps * self._links
        while left and not self._budget.stopped:
            mix(self._moves, graph, self._state, min(left, _MIXED))
            left -= min(left, _MIXED)
        self._best, self._cost = self._moves.table.copy(), (np.inf, np.inf, np.inf)
        self._aims_at_goal, self._unit = False, 1.0
        if not self._fill():
            return
        if graph.counts[FAR]:
            journal = np.empty((min(graph.rows.size, _MOST_JOINING), 2), np.uint32)
            self._graph = graph = graph._replace(journal=journal)
        self._cost = self._energy.cost(graph.counts, self._moves.table)
        self._aim()

    def _fill(self) -> bool:
        """Compute all rows in pieces; return False if the work was stopped."""
        from topoloom.optimizer.kernels.weighted import fill

        graph = self._graph
        graph.counts[:] = 0
        for first in range(0, graph.sources.size, _FILLED):
            part = slice(first, first + _FILLED)
            piece = graph._replace(
                sources=graph.sources[part],
                shares=graph.shares[part],
                rows=graph.rows[part],
                counts=np.zeros_like(graph.counts),
            )
            fill(self._moves.table, piece, self._work)
            graph.counts[:] += piece.counts
            if self._budget.stopped:
                return False
        return True

    def _keep(self, table: np.ndarray, counts: np.ndarray) -> None:
        cost = self._energy.cost(counts, table)
        if cost < self._cost:
            self._best, self._cost = table.copy(), cost

    def _aim(self) -> None:
        """Set the next aim: energies, and the median change as the unit of temperature."""
        from topoloom.optimizer.kernels.weighted import changes

        graph, table = self._graph, self._moves.table
        at_goal = self._energy.aim(graph.counts)
        if at_goal and not self._aims_at_goal:
            self._since = self._budget.share
        self._aims_at_goal = at_goal
        graph.totals[PAIRS] = graph.counts @ graph.pair_cost
        graph.totals[LINKS] = self._energy.links_energy(table)
        graph.totals[BEST] = graph.totals[PAIRS] + graph.totals[LINKS]
        graph.best[:], graph.best_counts[:] = table, graph.counts
        sample = np.zeros(_SAMPLE, np.int64)
        count = changes(self._moves, graph, self._work, self._stride, self._state, sample)
        self._unit = float(np.median(sample[:count])) if count else 1.0


def _least_worst_ns(moves: Moves, lengths: LinkLengths, goal: Goal) -> float:
    """The bound on the worst latency for the highest degree and the longest allowed link."""
    longest_m = math.inf
    if moves.near_offsets.size > 1:
        switch = np.repeat(np.arange(len(lengths)), np.diff(moves.near_offsets))
        longest_m = float(lengths.between_m(switch, moves.near).max(initial=0.0))
    return latency_bounds(lengths, int(moves.degree.max()), longest_m, goal.delays, both_ends=goal.both_ends).worst_ns


def _stride(count: int) -> int:
    """The stride between visited sources: a golden section, so that the first ones are spread over all."""
    return next(s for s in range(int(0.618 * count) + 1, 2 * count) if math.gcd(s, count) == 1) % max(2, count)


def _check_symmetries(table: np.ndarray, lengths: LinkLengths, images: np.ndarray) -> None:
    """Raise an error for images that change the graph or a length."""
    n = len(table)
    if not np.array_equal(images[0], np.arange(n)):
        raise InputError("images: the first one must be the identity")
    linked = np.sort(np.arange(n)[:, None] * n + table, axis=1)
    for image in images[1:]:
        moved = np.empty_like(linked)
        moved[image] = image[:, None].astype(np.int64) * n + image[table]
        if not np.array_equal(np.sort(moved, axis=1), linked):
            raise InputError("images: a symmetry does not map links onto links; give a graph with this symmetry")
        for u in range(n):
            if not np.array_equal(lengths.kind[image[u]][image], lengths.kind[u]):
                raise InputError(
                    f"images: a symmetry changes the length of links of switch {u}; give symmetries that keep lengths"
                )

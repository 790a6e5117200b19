"""A goal as whole numbers that annealing adds up: what a pair costs by its delay, and a link by its length."""

import numpy as np

from topoloom.optimizer.goals import Goal
from topoloom.optimizer.kernels.repair import FAR
from topoloom.optimizer.link_lengths import LinkLengths

#: Delays are whole numbers of the first of these in which those of all links are whole.
_UNITS_NS = (5.0, 1.0, 0.5, 0.25, 0.1)
#: Hops that a delay has room for, were every link the longest one.
_ROOM_HOPS = 32
#: The energy of a nanosecond of all pairs, and that of a watt or dollar where no latency is weighed: sums fit 63 bits.
_PER_NS, _PER_PRICE = 1 << 34, 1_000_000
#: While the cap is not met: what a nanosecond below it counts, where one beyond it counts 1.
_BELOW_CAP = 0.02
#: By which share of the worst latency a search aims below it.
_AIM = 0.02


class Energy:
    """What a search minimises, and what it aims at.

    Attributes
    ----------
    unit_ns : float
        Delays are whole numbers of it: exactly, where lengths and delays allow; else a link's is at most half a unit off,
        0.05 ns or a four-thousandth of the longest link's.
    kind_delay : uint16[kinds]
        The delay of a link of each kind.
    pair_cost : int64[FAR + 1]
        The energy of an ordered pair by its delay; never falls.
    link_cost : int64[kinds]
        The energy of a link.
    hottest : float
        The highest temperature at which no move beyond the cap is accepted.

    The aims, one after the other: with a cap, first what is beyond it (Nakano 2016, VIII.B, phase 1), then the weighted
    sum, with a
    pair beyond the cap dearer than all links. The worst latency is no sum over pairs: in its place stand the pairs within
    some per cent of it, so dear that all of them together weigh what the worst latency does; once they are gone, the next.
    When the worst latency is `least_ns`, a proved bound, that becomes a cap.
    """

    def __init__(self, goal: Goal, lengths: LinkLengths, least_ns: float = 0.0) -> None:
        n = len(lengths)
        self._goal, self._least_ns, self._pairs = goal, least_ns + 1e-6, max(1, n * (n - 1))
        link_ns = goal.delays.link_ns(lengths.length_m)
        if goal.hops:
            link_ns = link_ns + goal.hops / goal.mean
        self.unit_ns = _unit_ns(link_ns)
        self.kind_delay = np.maximum(1, np.rint(link_ns / self.unit_ns)).astype(np.uint16)
        self._extra_ns = goal.extra_ns
        self._prices = goal.link_prices(lengths)
        self._kind = lengths.kind
        # No sum over all pairs overflows.
        self._highest_cost = (1 << 62) // self._pairs
        self.hottest = np.inf
        self.pair_cost, self.link_cost = np.zeros(FAR + 1, np.int64), np.zeros(link_ns.size, np.int64)
        self._below_ns = -np.inf

    def worst_ns(self, counts: np.ndarray) -> float:
        """The worst latency of a graph, from how many pairs have each delay (int64[FAR + 1])."""
        return float(np.flatnonzero(counts).max(initial=0)) * self.unit_ns + self._extra_ns

    def cost(self, counts: np.ndarray, table: np.ndarray) -> tuple[float, float, float]:
        """A graph's (pairs that do not reach each other, nanoseconds beyond the cap, weighted sum), to compare."""
        goal, delays = self._goal, np.flatnonzero(counts)
        worst_ns = float(delays.max(initial=0)) * self.unit_ns + self._extra_ns
        # Whole numbers until the last: the same on every machine.
        mean_ns = int((counts[delays] * delays).sum()) / self._pairs * self.unit_ns + self._extra_ns
        total = goal.mean * mean_ns + goal.worst * worst_ns
        if goal.power or goal.cost:
            switch = np.arange(len(table))[:, None]
            total += float(self._prices[self._kind[switch, table]][switch < table].sum())
        return float(counts[FAR]), max(0.0, worst_ns - (goal.cap_ns or np.inf)), total

    def reached(self, counts: np.ndarray) -> bool:
        """Whether a graph is as good as what is aimed at, so that it is time for the next aim."""
        return self.worst_ns(counts) <= self._below_ns

    def aim(self, counts: np.ndarray) -> bool:
        """Set the energies for a graph; whether they are the goal's, not those that lead below the cap."""
        goal, ns = self._goal, np.arange(FAR + 1) * self.unit_ns + self._extra_ns
        worst_ns = self.worst_ns(counts)
        if goal.cap_ns is not None and worst_ns > goal.cap_ns:
            self._below_ns = goal.cap_ns
            self._set(np.maximum(0.0, ns - goal.cap_ns) + _BELOW_CAP * ns, np.zeros(self._prices.size))
            return False
        pair = goal.mean * ns
        cap_ns, self._below_ns = goal.cap_ns or np.inf, -np.inf
        if goal.worst and worst_ns <= self._least_ns:
            cap_ns = min(cap_ns, self._least_ns)
        elif goal.worst:
            self._below_ns = max(self._least_ns, worst_ns - max(self.unit_ns, _AIM * worst_ns))
            beyond = ns > self._below_ns
            near = max(1, int(counts[beyond].sum()))
            pair += goal.worst * (self._pairs / near) * np.maximum(0.0, ns - self._below_ns)
        if cap_ns < np.inf:
            pair[ns > cap_ns] = np.inf
            self.hottest = self._highest_cost / 20
        self._set(pair, self._prices * (_PER_NS if goal.mean or goal.worst else _PER_PRICE))
        return True

    def _set(self, pair_ns: np.ndarray, link: np.ndarray) -> None:
        self.pair_cost[:] = np.minimum(np.rint(pair_ns * (_PER_NS / self._pairs)), self._highest_cost)
        # A link that no product makes is as dear as can be summed over any number of links.
        self.link_cost[:] = np.minimum(np.rint(link), 1 << 45)

    def links_energy(self, table: np.ndarray) -> int:
        """The energy of a graph's links."""
        switch = np.arange(len(table))[:, None]
        return int(self.link_cost[self._kind[switch, table]][switch < table].sum())

    def least(self, links: int) -> int:
        """No graph of so many links has less energy, where no latency is weighed."""
        return links * int(self.link_cost.min())


def _unit_ns(link_ns: np.ndarray) -> float:
    """The unit of delays: exact where it can be, with room for the delays of `_ROOM_HOPS` of the longest links."""
    least = float(link_ns.max()) * _ROOM_HOPS / FAR
    for unit in _UNITS_NS:
        if unit >= least and np.allclose(link_ns / unit, np.rint(link_ns / unit), rtol=0, atol=1e-6):
            return unit
    return max(least, _UNITS_NS[-1])

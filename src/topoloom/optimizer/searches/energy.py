"""A goal as sums of whole numbers for annealing: the energy of a pair by its delay, and of a link by its length."""

import numpy as np

from topoloom.optimizer.goals import Goal
from topoloom.optimizer.kernels.repair import FAR
from topoloom.optimizer.link_lengths import LinkLengths

#: Candidate units of delays: the first one in which the delays of all links are whole numbers is used.
_UNITS_NS = (5.0, 1.0, 0.5, 0.25, 0.1)
#: Number of hops over longest links that a delay can hold.
_ROOM_HOPS = 32
#: The energy per nanosecond of all pairs, and per watt or US dollar if latency has no weight: sums fit into 63 bits.
_PER_NS, _PER_PRICE = 1 << 34, 1_000_000
#: While the cap is not met: the weight of a nanosecond below it, relative to one beyond it.
_BELOW_CAP = 0.02
#: How far below the worst latency a search aims, as a share.
_AIM = 0.02


class Energy:
    """The energy that a search minimises, and its current aim.

    Attributes
    ----------
    unit_ns : float
        Delays are whole numbers of this unit: exactly if lengths and delays allow; otherwise a link's delay is rounded by at
        most half a unit, 0.05 ns or 1/4000 of the longest link's delay.
    kind_delay : uint16[kinds]
        The delay of a link of each kind.
    pair_cost : int64[FAR + 1]
        The energy of an ordered pair by its delay; never decreases.
    link_cost : int64[kinds]
        The energy of a link.
    hottest : float
        The highest temperature at which no move beyond the cap is accepted.

    The aims follow one another. With a cap, the first aim is the excess over it (Nakano 2016, VIII.B, phase 1); then follows
    the weighted sum, where a pair beyond the cap costs more than all links. The worst latency is not a sum over pairs, so the
    pairs within a few per cent of it replace it, with a total weight equal to that of the worst latency; once there are none,
    the next aim follows. When the worst latency reaches `least_ns`, a lower bound, this becomes a cap.
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
        # The highest cost of a pair, so that no sum over all pairs overflows.
        self._highest_cost = (1 << 62) // self._pairs
        self.hottest = np.inf
        self.pair_cost, self.link_cost = np.zeros(FAR + 1, np.int64), np.zeros(link_ns.size, np.int64)
        self._below_ns = -np.inf

    def worst_ns(self, counts: np.ndarray) -> float:
        """The worst latency of a graph, from the number of pairs with each delay (int64[FAR + 1])."""
        return float(np.flatnonzero(counts).max(initial=0)) * self.unit_ns + self._extra_ns

    def cost(self, counts: np.ndarray, table: np.ndarray) -> tuple[float, float, float]:
        """The cost of a graph: (pairs without path, nanoseconds beyond the cap, weighted sum)."""
        goal, delays = self._goal, np.flatnonzero(counts)
        worst_ns = float(delays.max(initial=0)) * self.unit_ns + self._extra_ns
        # Whole numbers up to the last step: the same on every machine.
        mean_ns = int((counts[delays] * delays).sum()) / self._pairs * self.unit_ns + self._extra_ns
        total = goal.mean * mean_ns + goal.worst * worst_ns
        if goal.power or goal.cost:
            switch = np.arange(len(table))[:, None]
            total += float(self._prices[self._kind[switch, table]][switch < table].sum())
        return float(counts[FAR]), max(0.0, worst_ns - (goal.cap_ns or np.inf)), total

    def reached(self, counts: np.ndarray) -> bool:
        """Whether a graph reaches the current aim, so that the next one follows."""
        return self.worst_ns(counts) <= self._below_ns

    def aim(self, counts: np.ndarray) -> bool:
        """Set the energies for a graph; return whether they are those of the goal, and not those that lead below the cap."""
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
        # A link that no product can make gets the highest price whose sum over links fits.
        self.link_cost[:] = np.minimum(np.rint(link), 1 << 45)

    def links_energy(self, table: np.ndarray) -> int:
        """The energy of a graph's links."""
        switch = np.arange(len(table))[:, None]
        return int(self.link_cost[self._kind[switch, table]][switch < table].sum())

    def least(self, links: int) -> int:
        """A lower bound on the energy of a graph with `links` links, if latency has no weight."""
        return links * int(self.link_cost.min())


def _unit_ns(link_ns: np.ndarray) -> float:
    """The unit of delays: exact if possible, and large enough for `_ROOM_HOPS` longest links."""
    least = float(link_ns.max()) * _ROOM_HOPS / FAR
    for unit in _UNITS_NS:
        if unit >= least and np.allclose(link_ns / unit, np.rint(link_ns / unit), rtol=0, atol=1e-6):
            return unit
    return max(least, _UNITS_NS[-1])

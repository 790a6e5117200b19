"""One chain of exchanges of links' ends, chosen by dual prices and tested by measurement."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted
from topoloom.model.topology import Topology
from topoloom.optimizer.rules import GraphRules
from topoloom.optimizer.traffic_goals import Measured, TrafficGoal

#: Exchanges that are drawn and estimated together, and the most promising of them that are measured before new prices.
_DRAWN, _MEASURED = 4000, 40
#: One of the two links is drawn from this share of links with the lowest prices.
_CHEAP = 0.5


class PriceSearch(Budgeted):
    """Exchanges of two links' ends, the most promising by prices first; each is measured, and kept if it is better.

    `cost` is (0, -value) of the current graph, which is the best so far.

    Parameters
    ----------
    topology : Topology
    rules : GraphRules
        The rules of exchanges.
    goal : TrafficGoal
        The measure, and its prices.
    draws : Draws
    budget : Budget
    each : int
        The budget that one measurement uses.

    Notes
    -----
    Prices are the lengths l of the dual of the flow's linear program. They remain a solution of the dual if a link is removed,
    and if a link is added whose length is that of the shortest path d between its ends. So replacing u-u', v-v' with u-v, u'-v'
    raises the upper bound by at most d(u, v) + d(u', v') - l(u, u') - l(v, v'), in both directions. Exchanges with no possible
    gain are skipped; the others are measured in order of their possible gain, and kept if they are better.
    """

    def __init__(
        self, topology: Topology, rules: GraphRules, goal: TrafficGoal, draws: Draws, budget: Budget, each: int = 1
    ) -> None:
        self._topology, self._rules, self._goal, self._draws, self._budget = topology, rules, goal, draws, budget
        self._each = each
        self._now: Measured = goal.measure(topology)
        self._waiting: list[np.ndarray] = []
        self._dry = 0

    @property
    def best(self) -> np.ndarray:
        return self._topology.links

    @property
    def cost(self) -> tuple[float, ...]:
        return 0.0, -self._now.value

    @property
    def done(self) -> bool:
        return super().done or self._dry > 1 or self._budget.stopped

    def step(self) -> None:
        """Measure one exchange."""
        if not self._waiting:
            self._waiting = self._promising()
            self._dry = self._dry + 1 if not self._waiting else 0
            if not self._waiting:
                return
        changed = self._topology.replace(links=self._waiting.pop())
        self._budget.spent += self._each
        measured = self._goal.measure(changed, self._now.value)
        if measured.value > self._now.value or (measured.plateau and measured.value == self._now.value):
            self._topology, self._now, self._waiting = changed, measured, []

    def _promising(self) -> list[np.ndarray]:
        """Return the links after the most promising exchanges, the most promising one last."""
        links = self._topology.links.astype(np.int64)
        m = len(links)
        price = self._now.link_prices
        # Links with high prices are needed by much flow, so draws among them would be wasted; without prices, all links are
        # equal.
        cheap = np.argsort(price, kind="stable")[: max(2, int(_CHEAP * m))] if price.any() else np.arange(m)
        first = cheap[self._draws.below(cheap.size, _DRAWN)]
        second = self._draws.below(m, _DRAWN).astype(np.int64)
        turned = self._draws.below(2, _DRAWN).astype(bool)
        u, u2 = links[first].T
        v, v2 = np.where(turned[:, None], links[second][:, ::-1], links[second]).T
        stays = self._rules.stay(*links.T)
        ok = ~stays[first] & ~stays[second]
        ok &= (first != second) & (u != v) & (u2 != v2) & (u != v2) & (u2 != v)
        ok[ok] &= self._allowed(u[ok], u2[ok], v[ok], v2[ok])
        first, second, u, u2, v, v2 = (array[ok] for array in (first, second, u, u2, v, v2))
        if not first.size:
            return []
        gain = self._now.promise(first, second, u, u2, v, v2)
        order = np.argsort(gain, kind="stable")[-_MEASURED:]
        out = []
        for i in order[gain[order] > 0].tolist():
            new = self._topology.links.copy()
            new[first[i]] = sorted((u[i], v[i]))
            new[second[i]] = sorted((u2[i], v2[i]))
            out.append(new)
        return out

    def _allowed(self, u: np.ndarray, u2: np.ndarray, v: np.ndarray, v2: np.ndarray) -> np.ndarray:
        """Whether each exchange makes no parallel link, and keeps the rules and the budget."""
        n = self._topology.switches
        ends = np.sort(self._topology.links.astype(np.int64), axis=1)
        linked = np.unique(ends[:, 0] * n + ends[:, 1])

        def among(keys: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            key = np.minimum(a, b) * n + np.maximum(a, b)
            place = np.minimum(np.searchsorted(keys, key), max(0, keys.size - 1))
            return np.asarray(keys[place] == key) if keys.size else np.zeros(key.size, bool)

        ok = ~among(linked, u, v) & ~among(linked, u2, v2)
        ok &= np.minimum(u, v) * n + np.maximum(u, v) != np.minimum(u2, v2) * n + np.maximum(u2, v2)
        if self._rules.near is not None:
            offsets, near = self._rules.near
            origin = np.repeat(np.arange(n), np.diff(offsets))
            keys = np.sort(origin[origin < near] * n + near[origin < near])
            ok &= among(keys, u, v) & among(keys, u2, v2)
        if self._rules.spending is not None:
            kind, price, (spent, most) = self._rules.spending_on(self._topology.links)
            more = price[kind[u, v]] + price[kind[u2, v2]] - price[kind[u, u2]] - price[kind[v, v2]]
            ok &= spent + more <= most
        if self._rules.rack is not None:
            rack = self._rules.rack
            # u-u', v-v' and u-v, u'-v' link the same racks if u and v', or u' and v, share a rack.
            ok &= (rack[u] == rack[v2]) | (rack[u2] == rack[v])
        return np.asarray(ok)

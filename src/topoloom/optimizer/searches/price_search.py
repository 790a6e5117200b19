"""One chain of exchanges that prices point at: which two links to give other ends, and whether that was right."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.searches import Budget, Budgeted
from topoloom.model.topology import Topology
from topoloom.optimizer.rules import GraphRules
from topoloom.optimizer.traffic_goals import Measured, TrafficGoal

#: Exchanges that are drawn and priced at a time, and the most promising of them that are measured before prices count again.
_DRAWN, _MEASURED = 4000, 40
#: One of the two links is drawn among those of the lowest prices, this share of all.
_CHEAP = 0.5


class PriceSearch(Budgeted):
    """Exchanges of two links' ends, the most promising by the prices first; each is measured, and stays if it is better.

    `cost` is (0, -value) of the graph running, of which none before was better.

    Parameters
    ----------
    topology : Topology
    rules : GraphRules
        What exchanges must keep.
    goal : TrafficGoal
        What is measured, and its prices.
    draws : Draws
    budget : Budget
    each : int
        What one measurement counts of the budget.

    Notes
    -----
    Prices are the lengths l of the dual of the flow's linear program. They stay a solution of the dual when a link is taken
    away, and when one is added whose length is that of the shortest path d between its ends: so exchanging u-u', v-v' for u-v,
    u'-v' raises the upper bound by no more than d(u, v) + d(u', v') - l(u, u') - l(v, v'), in both directions. What promises
    nothing need not be tried; of the others those first that promise most, and what is measured to be better is kept.
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
        found = self._goal.measure(changed, self._now.value)
        if found.value > self._now.value or (found.plateau and found.value == self._now.value):
            self._topology, self._now, self._waiting = changed, found, []

    def _promising(self) -> list[np.ndarray]:
        """Links after the most promising exchanges, that of most promise last."""
        links = self._topology.links.astype(np.int64)
        m = len(links)
        price = self._now.link_prices
        # Every other draw would be lost on links that much flow needs; where no link has a price, all are alike.
        cheap = np.argsort(price, kind="stable")[: max(2, int(_CHEAP * m))] if price.any() else np.arange(m)
        one = cheap[self._draws.below(cheap.size, _DRAWN)]
        other = self._draws.below(m, _DRAWN).astype(np.int64)
        turned = self._draws.below(2, _DRAWN).astype(bool)
        u, u2 = links[one].T
        v, v2 = np.where(turned[:, None], links[other][:, ::-1], links[other]).T
        stays = self._rules.stay(*links.T)
        ok = ~stays[one] & ~stays[other]
        ok &= (one != other) & (u != v) & (u2 != v2) & (u != v2) & (u2 != v)
        ok[ok] &= self._allowed(u[ok], u2[ok], v[ok], v2[ok])
        one, other, u, u2, v, v2 = (array[ok] for array in (one, other, u, u2, v, v2))
        if not one.size:
            return []
        gain = self._now.promise(one, other, u, u2, v, v2)
        order = np.argsort(gain, kind="stable")[-_MEASURED:]
        out = []
        for i in order[gain[order] > 0].tolist():
            new = self._topology.links.copy()
            new[one[i]] = sorted((u[i], v[i]))
            new[other[i]] = sorted((u2[i], v2[i]))
            out.append(new)
        return out

    def _allowed(self, u: np.ndarray, u2: np.ndarray, v: np.ndarray, v2: np.ndarray) -> np.ndarray:
        """Which exchanges make no doubled link and keep the rules and the budget."""
        n = self._topology.switches
        ends = np.sort(self._topology.links.astype(np.int64), axis=1)
        there = np.unique(ends[:, 0] * n + ends[:, 1])

        def among(keys: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
            key = np.minimum(one, other) * n + np.maximum(one, other)
            place = np.minimum(np.searchsorted(keys, key), max(0, keys.size - 1))
            return np.asarray(keys[place] == key) if keys.size else np.zeros(key.size, bool)

        ok = ~among(there, u, v) & ~among(there, u2, v2)
        ok &= np.minimum(u, v) * n + np.maximum(u, v) != np.minimum(u2, v2) * n + np.maximum(u2, v2)
        if self._rules.near is not None:
            offsets, near = self._rules.near
            here = np.repeat(np.arange(n), np.diff(offsets))
            keys = np.sort(here[here < near] * n + near[here < near])
            ok &= among(keys, u, v) & among(keys, u2, v2)
        if self._rules.spending is not None:
            kind, price, (spent, most) = self._rules.spending_on(self._topology.links)
            more = price[kind[u, v]] + price[kind[u2, v2]] - price[kind[u, u2]] - price[kind[v, v2]]
            ok &= spent + more <= most
        if self._rules.rack is not None:
            rack = self._rules.rack
            # u-u', v-v' and u-v, u'-v' join the same racks when u and v', or u' and v, stand in one.
            ok &= (rack[u] == rack[v2]) | (rack[u2] == rack[v])
        return np.asarray(ok)

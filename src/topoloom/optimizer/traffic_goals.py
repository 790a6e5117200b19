"""Traffic goals: throughput of uniform traffic, the worst permutation or any traffic, measured with bounds, and its prices."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from topoloom.graph.connectivity import components
from topoloom.graph.distances import distance_matrix
from topoloom.graph.moore import moore_within
from topoloom.graph.symmetry import symmetries
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import Bracket, approximate_flow, priced_flow
from topoloom.throughput.flow import arcs
from topoloom.throughput.symmetric import symmetric_flow
from topoloom.throughput.traffic import hosts_on, uniform_remote
from topoloom.throughput.tub import tub, uniform_bound

#: The names of the maximised throughputs.
TrafficName = Literal["all-to-all", "permutation", "worst-case"]
NAMES: tuple[TrafficName, ...] = ("all-to-all", "permutation", "worst-case")
#: The gap between bounds of a measurement in the search, and of the final one; and its most iterations.
_GAP, PROVED_GAP, _TURNS = 0.003, 0.005, 400
#: Most switches for the search of symmetries.
_MOST_SYMMETRIC = 20_000


@dataclass(frozen=True, eq=False)
class Measured:
    """The value of a graph, and the prices of its links.

    Attributes
    ----------
    value : float
        The maximised value: a verified throughput, or a bound, depending on the goal.
    link_prices : float64[m]
        The price of each link: a lower bound on the loss without it.
    promise : callable
        The estimated gain, float64, of replacing links `one` and `other`, u-u2 and v-v2, with u-v and u2-v2; exchanges with a
        gain of 0 or less need not be measured.
    plateau : bool
        Whether many graphs have exactly the same value, so that the search may move between them.
    """

    value: float
    link_prices: np.ndarray = field(default_factory=lambda: np.empty(0))
    promise: Callable[..., np.ndarray] = lambda *_: np.empty(0)
    plateau: bool = False


@dataclass(frozen=True, eq=False)
class TrafficGoal:
    """A traffic goal.

    Attributes
    ----------
    name : "all-to-all", "permutation" or "worst-case"
        The maximum concurrent flow of uniform traffic; the throughput upper bound (TUB) of the worst permutation; or both, as
        upper and lower bound for the worst traffic (`worst_case`).
    """

    name: TrafficName

    def of(self, values: dict[str, float]) -> float:
        """The maximised value, from `traffic_values`; 0 without any."""
        if not values:
            return 0.0
        if self.name == "all-to-all":
            return values["throughput"]
        return values["tub"] if self.name == "permutation" else math.sqrt(values["worst_case"] * values["tub"])

    def measure(self, topology: Topology, beaten: float = 0.0) -> Measured:
        """Measure a graph; one that is worse than `beaten` need not be measured completely."""
        if (components(topology) > 0).any():
            return Measured(0.0)
        if self.name == "all-to-all":
            return _uniform(topology, beaten)
        upper = _farthest(topology)
        if self.name == "permutation" or upper.value == 0:
            return upper
        flow = _uniform(topology, 0.0)
        low = flow.value * _share(topology)
        value = math.sqrt(low * upper.value)

        def promise(*exchange: np.ndarray) -> np.ndarray:
            return flow.promise(*exchange) / flow.value + upper.promise(*exchange) / upper.value

        return Measured(value, flow.link_prices, promise)


def uniform_certificate(topology: Topology, jobs: int | None = None) -> Bracket:
    """The throughput of uniform traffic between two verified bounds: exact if the network has symmetries, otherwise within a
    gap.

    Parameters
    ----------
    topology : Topology
    jobs : int, optional

    Raises
    ------
    InputError
        Some hosts do not reach each other.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = uniform_certificate(build("hypercube:n=6"))
    >>> round(found.lower, 6), round(found.upper, 6)
    (1.96875, 1.96875)
    """
    sent = uniform_remote(topology)
    if topology.switches <= _MOST_SYMMETRIC:
        maps = symmetries(topology)
        bracket = symmetric_flow(topology, sent, known=maps) if len(maps.maps) else None
        if bracket is not None and bracket.gap <= PROVED_GAP:
            return bracket
    return approximate_flow(topology, sent, gap=PROVED_GAP, turns=_TURNS, jobs=jobs)


def traffic_values(topology: Topology, aspl_bound: float, jobs: int | None) -> dict[str, float]:
    """The throughputs of a network with their bounds, and the upper bound for its order and degree.

    Parameters
    ----------
    topology : Topology
    aspl_bound : float
        The least ASPL under the rules of the search.
    jobs : int or None

    Returns
    -------
    dict
        ``throughput`` and ``throughput_upper`` (uniform traffic: a flow, and the dual bound), ``hops_bound`` (2 m / the hops of
        all demand), ``throughput_bound`` (the same with the least hops of any network), ``tub`` (an upper bound for the worst
        permutation), and ``worst_case`` (a lower bound for any traffic, by Valiant's detours). Empty if the network is not
        connected.
    """
    if (components(topology) > 0).any():
        return {}
    flow = uniform_certificate(topology, jobs=jobs)
    return {
        "throughput": flow.lower,
        "throughput_upper": flow.upper,
        "hops_bound": uniform_bound(topology, jobs),
        "throughput_bound": order_bound(topology, aspl_bound),
        "tub": tub(topology, jobs).value,
        "worst_case": flow.lower * _share(topology),
    }


def order_bound(topology: Topology, aspl_bound: float) -> float:
    """An upper bound on the throughput of uniform traffic for the order, degrees and hosts of a network.

    Parameters
    ----------
    topology : Topology
    aspl_bound : float
        The least ASPL; if switches have different numbers of hosts, Moore's bound is used instead.

    Returns
    -------
    float
        2 m / the least hops of all demand.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> round(order_bound(build("petersen"), 5 / 3), 9)  # which the Petersen graph reaches
    1.8
    """
    hosts = hosts_on(topology)
    demand = uniform_remote(topology)
    room = 2.0 * len(topology.links)
    if (hosts == hosts[0]).all():
        total = (
            float(hosts[0]) ** 2 * topology.switches * (topology.switches - 1) / max(1, demand.hosts - int(hosts[0]))
        )
        return room / (total * aspl_bound) if total else math.inf
    # Assume that each switch's largest demands go to the nearest switches.
    within = np.array(moore_within(topology.switches, int(topology.degrees.max())))
    nearest_hops = np.searchsorted(within, np.arange(2, topology.switches + 1))
    walked = sum(float(np.sort(row)[::-1][: nearest_hops.size] @ nearest_hops) for row in demand.dense())
    return room / walked if walked else math.inf


def _share(topology: Topology) -> float:
    """The guaranteed throughput of any traffic, relative to uniform traffic: every flow is spread evenly over all hosts first.

    In each of two phases, a host sends theta / N to each of N hosts, where those on its own switch use no channel; uniform
    traffic at t sends t / (N - least). Source: Valiant and Brebner, STOC 1981.
    """
    hosts = hosts_on(topology)
    count = int(hosts.sum())
    others = count - int(hosts[hosts > 0].min(initial=count))
    return count / (2.0 * others) if others else math.inf


def _uniform(topology: Topology, beaten: float) -> Measured:
    bracket, prices = priced_flow(topology, uniform_remote(topology), gap=_GAP, turns=_TURNS, beaten=beaten, jobs=1)
    origin, to, _ = arcs(topology)
    n = topology.switches

    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    length = np.zeros((n, n))
    length[origin, to] = prices
    both = length + length.T
    links = topology.links.astype(np.int64)
    cost = both[links[:, 0], links[:, 1]]
    apart: list[np.ndarray] = []

    def promise(
        one: np.ndarray, other: np.ndarray, u: np.ndarray, u2: np.ndarray, v: np.ndarray, v2: np.ndarray
    ) -> np.ndarray:
        if not apart:
            first = np.searchsorted(origin, np.arange(n + 1))
            distances = dijkstra(csr_array((np.maximum(prices, 1e-300), to, first), shape=(n, n)))
            apart.append(distances + distances.T)
        # An exchange gains at most the upper bound plus this difference, because the prices remain a solution of the dual.
        gain = apart[0][u, v] + apart[0][u2, v2] - cost[one] - cost[other]
        return np.asarray(bracket.upper + gain - bracket.lower)

    return Measured(bracket.lower, cost, promise)


def _farthest(topology: Topology) -> Measured:
    """The throughput upper bound (TUB), with gains estimated from the hops that its pairs would save."""
    upper = tub(topology, 1)
    partner = upper.partner
    hops = distance_matrix(topology, 1).astype(np.int32)
    pairs = np.flatnonzero(partner != np.arange(topology.switches))
    now = hops[pairs, partner[pairs]]
    links = topology.links.astype(np.int64)

    def saved(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        out = np.empty(u.size)
        for i, (a, b) in enumerate(zip(u.tolist(), v.tolist(), strict=True)):
            through = np.minimum(
                hops[pairs, a] + 1 + hops[b, partner[pairs]], hops[pairs, b] + 1 + hops[a, partner[pairs]]
            )
            out[i] = np.maximum(0, now - through).sum()
        return out

    def promise(
        one: np.ndarray, other: np.ndarray, u: np.ndarray, u2: np.ndarray, v: np.ndarray, v2: np.ndarray
    ) -> np.ndarray:
        volume = max(1.0, float(now.sum()))
        return np.asarray(upper.value * (1.0 + saved(u, v) + saved(u2, v2)) / volume)

    return Measured(upper.value if math.isfinite(upper.value) else 0.0, np.zeros(len(links)), promise, plateau=True)

"""Goals of traffic: what uniform traffic, the worst permutation or any traffic gets, measured with a proof, and its prices."""

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

#: What is made most, by its name.
TrafficName = Literal["all-to-all", "permutation", "worst-case"]
NAMES: tuple[TrafficName, ...] = ("all-to-all", "permutation", "worst-case")
#: The gap of a measurement in the search, of the proof at the end, and turns for it.
_GAP, PROVED_GAP, _TURNS = 0.003, 0.005, 400
#: Larger networks are not looked through for symmetries.
_MOST_SYMMETRIC = 20_000


@dataclass(frozen=True, eq=False)
class Measured:
    """What a graph is worth, and where more room would help.

    Attributes
    ----------
    value : float
        What is made most: a throughput that was proved to be reached, or a bound, as the goal says.
    link_prices : float64[m]
        Of each link: what a link less costs, at least.
    promise : callable
        Of exchanges of links `one` and `other`, u-u2 and v-v2 for u-v and u2-v2: what they promise, float64; those that
        promise 0 or less are not worth measuring.
    plateau : bool
        Whether many graphs are worth exactly the same, so that one of these is to be gone on from.
    """

    value: float
    link_prices: np.ndarray = field(default_factory=lambda: np.empty(0))
    promise: Callable[..., np.ndarray] = lambda *_: np.empty(0)
    plateau: bool = False


@dataclass(frozen=True, eq=False)
class TrafficGoal:
    """A goal of traffic.

    Attributes
    ----------
    name : "all-to-all", "permutation" or "worst-case"
        The maximum concurrent flow of uniform traffic; the throughput upper bound (TUB) of the worst permutation; both, as the
        two ends of what the worst traffic gets (`worst_case`).
    """

    name: TrafficName

    def of(self, values: dict[str, float]) -> float:
        """What is made most, from `traffic_values`; 0 without any."""
        if not values:
            return 0.0
        if self.name == "all-to-all":
            return values["throughput"]
        return values["tub"] if self.name == "permutation" else math.sqrt(values["worst_case"] * values["tub"])

    def measure(self, topology: Topology, beaten: float = 0.0) -> Measured:
        """What a graph is worth; a worse one than `beaten` need not be measured to the end."""
        if (components(topology) > 0).any():
            return Measured(0.0)
        if self.name == "all-to-all":
            return _uniform(topology, beaten)
        far = _farthest(topology)
        if self.name == "permutation" or far.value == 0:
            return far
        flow = _uniform(topology, 0.0)
        low = flow.value * _share(topology)
        value = math.sqrt(low * far.value)

        def promise(*exchange: np.ndarray) -> np.ndarray:
            return flow.promise(*exchange) / flow.value + far.promise(*exchange) / far.value

        return Measured(value, flow.link_prices, promise)


def uniform_certificate(topology: Topology, jobs: int | None = None) -> Bracket:
    """The throughput of uniform traffic between two proved bounds: exactly where the network has symmetries, else within a gap.

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
        known = symmetries(topology)
        found = symmetric_flow(topology, sent, known=known) if len(known.maps) else None
        if found is not None and found.gap <= PROVED_GAP:
            return found
    return approximate_flow(topology, sent, gap=PROVED_GAP, turns=_TURNS, jobs=jobs)


def traffic_values(topology: Topology, aspl_bound: float, jobs: int | None) -> dict[str, float]:
    """What the throughputs of a network are, between their bounds, beside what no network of its order and degree passes.

    Parameters
    ----------
    topology : Topology
    aspl_bound : float
        The least ASPL under the rules of the search.
    jobs : int or None

    Returns
    -------
    dict
        ``throughput`` and ``throughput_upper`` (uniform traffic: a flow that was found, and the dual), ``hops_bound`` (2 m /
        the hops of all demand), ``throughput_bound`` (the same with the least hops that any network has), ``tub`` (the worst
        permutation gets no more), and ``worst_case`` (any traffic gets as much, by Valiant's detours). Nothing where the
        network is not connected.
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
    """What no network of the order, the degrees and the hosts of this one brings of uniform traffic.

    Parameters
    ----------
    topology : Topology
    aspl_bound : float
        The least ASPL; for hosts that are not alike on all switches Moore's bound serves instead.

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
    # Of each switch, those who get most are the nearest.
    within = np.array(moore_within(topology.switches, int(topology.degrees.max())))
    far = np.searchsorted(within, np.arange(2, topology.switches + 1))
    walked = sum(float(np.sort(row)[::-1][: far.size] @ far) for row in demand.dense())
    return room / walked if walked else math.inf


def _share(topology: Topology) -> float:
    """What any traffic is sure to get, as a share of what uniform traffic does: sent by way of all hosts alike, twice.

    In each of two phases a host sends theta / N to each of N hosts, of which those on its own switch take no channel; uniform
    traffic at t sends t / (N - least). Source: Valiant and Brebner, STOC 1981.
    """
    hosts = hosts_on(topology)
    count = int(hosts.sum())
    others = count - int(hosts[hosts > 0].min(initial=count))
    return count / (2.0 * others) if others else math.inf


def _uniform(topology: Topology, beaten: float) -> Measured:
    found, prices = priced_flow(topology, uniform_remote(topology), gap=_GAP, turns=_TURNS, beaten=beaten, jobs=1)
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
            far = dijkstra(csr_array((np.maximum(prices, 1e-300), to, first), shape=(n, n)))
            apart.append(far + far.T)
        # No exchange brings more than the upper bound and what these prices say of it: the dual's solution stays one.
        gain = apart[0][u, v] + apart[0][u2, v2] - cost[one] - cost[other]
        return np.asarray(found.upper + gain - found.lower)

    return Measured(found.lower, cost, promise)


def _farthest(topology: Topology) -> Measured:
    """The throughput upper bound, and promises by the hops that its pairs would save."""
    found = tub(topology, 1)
    partner = found.partner
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
        return np.asarray(found.value * (1.0 + saved(u, v) + saved(u2, v2)) / volume)

    return Measured(found.value if math.isfinite(found.value) else 0.0, np.zeros(len(links)), promise, plateau=True)

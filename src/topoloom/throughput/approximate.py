"""The throughput that no routing can beat, between two proved bounds, for networks too large for the exact flow."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.throughput.flow import arcs, check_reach
from topoloom.throughput.traffic import Traffic

#: Columns kept a source, and bytes for all of them, which may allow fewer.
_COLUMNS, _BYTES = 64, 1 << 30
#: How steep the soft maximum begins, and by how much it gets steeper each time.
_STEEP, _STEEPER = 2.0, 1.4


@dataclass(frozen=True)
class Bracket:
    """A throughput between two bounds.

    Attributes
    ----------
    lower, upper : float
        A flow that was found brings `lower`; no flow brings more than `upper`.
    turns : int
        How many times every source moved its flow.
    """

    lower: float
    upper: float
    turns: int

    @property
    def gap(self) -> float:
        """upper / lower - 1."""
        if not math.isfinite(self.upper):
            return 0.0
        return self.upper / self.lower - 1.0 if self.lower else math.inf


def approximate_flow(
    topology: Topology,
    traffic: Traffic,
    *,
    gap: float = 0.05,
    turns: int = 1000,
    jobs: int | None = None,
    work: Work | None = None,
) -> Bracket:
    """The maximum concurrent flow of a traffic, from below by a flow and from above by its dual.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
    gap : float
        Stops when upper / lower - 1 is no more.
    turns : int
        Stops after so many at the latest, with the gap that there is then.
    jobs : int, optional
        Threads for the upper bound; all cores when omitted. The answer does not depend on them.
    work : Work, optional
        Reports progress in turns, with the gap. When it is stopped, the bracket is as wide as it is then.

    Returns
    -------
    Bracket
        Two bounds, as a share of the traffic; inf where there is no traffic.

    Raises
    ------
    InputError
        Some who send do not reach those they send to; a gap or number of turns that is not positive.

    Notes
    -----
    Lower: the flow found, over its busiest channel. Upper: for any lengths l of channels, sum capacity l over the sum of
    demand times the shortest path under l (the dual of the linear program). Lengths are exp(a x) of the channels' loads x,
    as in Garg and Koenemann (FOCS 1998) and Fleischer (SIAM J. Discrete Math., 2000). Flow is not sent again in every turn
    but moved from dearer to cheaper paths by Newton's steps, and a grows as the flow settles: the proof of the gap is the
    pair of bounds, not a count of turns.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> cube = build("hypercube:n=4")
    >>> result = approximate_flow(cube, uniform_remote(cube))
    >>> result.lower <= 1.875 <= result.upper, result.gap <= 0.05
    (True, True)
    """
    return priced_flow(topology, traffic, gap=gap, turns=turns, jobs=jobs, work=work)[0]


def priced_flow(
    topology: Topology,
    traffic: Traffic,
    *,
    gap: float = 0.05,
    turns: int = 1000,
    beaten: float = 0.0,
    jobs: int | None = None,
    work: Work | None = None,
) -> tuple[Bracket, np.ndarray]:
    """As `approximate_flow`, and the prices that prove the upper bound.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
    gap, turns, jobs, work
        As `approximate_flow` has them.
    beaten : float
        Stops as well once the upper bound is no more: what is looked for was found elsewhere.

    Returns
    -------
    bracket : Bracket
    prices : float64[a]
        Of a unit of each of `flow.arcs`, so that what the traffic needs costs 1 at the least, and all channels cost the upper
        bound: by so much a unit more of a channel raises it at first (linear programming's duality).

    Raises
    ------
    InputError
        As `approximate_flow`.
    """
    demand = traffic.dense()
    sources = np.flatnonzero(demand.any(axis=1))
    if sources.size:
        check_reach(topology, demand, sources)
    return priced_between(*arcs(topology), demand, gap=gap, turns=turns, beaten=beaten, jobs=jobs, work=work)


def priced_between(
    origin: np.ndarray,
    to: np.ndarray,
    capacity: np.ndarray,
    demand: np.ndarray,
    *,
    gap: float = 0.05,
    turns: int = 1000,
    beaten: float = 0.0,
    jobs: int | None = None,
    work: Work | None = None,
) -> tuple[Bracket, np.ndarray]:
    """The largest share of a demand that arcs bring at once, and prices that prove it; who sends must reach where it sends.

    Parameters
    ----------
    origin, to : int64[a]
        Arcs, by their origin.
    capacity : float64[a]
    demand : float64[nodes, nodes]
    gap, turns, beaten, jobs, work
        As for `priced_flow`.

    Returns
    -------
    bracket : Bracket
    prices : float64[a]

    Raises
    ------
    InputError
        A gap or number of turns that is not positive.
    """
    from topoloom.throughput.kernels.concurrent import improve, loads

    if not gap > 0 or turns < 1:
        raise InputError(f"gap={gap}, turns={turns}: both must be positive")
    n = len(demand)
    sources = np.flatnonzero(demand.any(axis=1))
    if not sources.size:
        return Bracket(math.inf, math.inf, 0), np.zeros(to.size)
    first = np.searchsorted(origin, np.arange(n + 1))
    demand = demand[sources]
    network = _Network(first, to, sources, demand, jobs)
    # Shares of the bound from hops, so that loads are about 1 whatever the traffic.
    hops = network.least(np.ones(to.size))
    unit, prices = float(capacity.sum()) / hops, np.full(to.size, 1.0 / hops)
    demand *= unit
    columns = _Columns(sources.size, n, min(n - 1, 64))
    load = np.zeros(to.size)
    lower, upper, power, done = 0.0, 1.0, _STEEP, 0  # alike lengths give the bound from hops, which is the unit
    work = Work() if work is None else work
    work.begin(turns, "turns at most")
    while done < turns and not work.stopped:
        longest = improve(
            first,
            to,
            capacity,
            sources,
            demand,
            columns.arcs,
            columns.amounts,
            columns.sizes,
            columns.weights,
            load,
            power,
        )
        done += 1
        if longest > columns.arcs.shape[2]:
            columns.widen(min(n - 1, 2 * longest))
        if not columns.weights.any(axis=1).all():  # some source waits for room
            continue
        if done % 4 and done > 4:
            continue
        loads(columns.arcs, columns.amounts, columns.sizes, columns.weights, load)
        used = load / capacity
        busiest = float(used.max())
        weight = np.exp(power * (used - busiest))
        lower = max(lower, 1.0 / busiest)
        least = network.least(weight / capacity)
        bound = float(weight.sum()) / least
        if bound < upper:
            upper, prices = bound, weight / capacity / least * unit
        work.reach(done, f"within {upper / lower - 1:.1%}")
        if upper <= lower * (1.0 + gap) or upper * unit <= beaten:
            break
        # What the soft maximum leaves on the table, against what the flow does at this steepness.
        soft = float((weight * used).sum() / weight.sum())
        if soft * bound - 1.0 < 0.5 * (busiest / soft - 1.0):
            power *= _STEEPER
    return Bracket(lower * unit, max(lower, upper) * unit, done), prices  # the two may meet, but for rounding


class _Network:
    """What the upper bound needs of a network and its traffic."""

    def __init__(
        self, first: np.ndarray, to: np.ndarray, sources: np.ndarray, demand: np.ndarray, jobs: int | None
    ) -> None:
        self.first, self.to, self.sources, self.demand, self.jobs = first, to, sources, demand, jobs

    def least(self, length: np.ndarray) -> float:
        """What all demand costs at the least at these lengths, float64[a]."""
        from topoloom.throughput.kernels.concurrent import cheapest

        costs = np.zeros(self.sources.size)

        def work(rows: Iterator[int]) -> None:
            for row in rows:
                costs[row] = cheapest(self.first, self.to, self.sources[row], self.demand[row], length)

        over_cores(work, costs.size, self.jobs)
        return float(costs.sum())


class _Columns:
    """Room for the columns of every source: see `kernels.concurrent.improve`."""

    def __init__(self, sources: int, n: int, width: int) -> None:
        slots = max(3, min(_COLUMNS, _BYTES // (12 * sources * max(1, n - 1))))
        self.arcs = np.zeros((sources, slots, max(1, width)), np.int32)
        self.amounts = np.zeros(self.arcs.shape)
        self.sizes = np.zeros((sources, slots), np.int64)
        self.weights = np.zeros((sources, slots))

    def widen(self, width: int) -> None:
        """Room for columns of `width` arcs."""
        more = ((0, 0), (0, 0), (0, width - self.arcs.shape[2]))
        self.arcs, self.amounts = np.pad(self.arcs, more), np.pad(self.amounts, more)

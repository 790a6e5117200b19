"""The best throughput of any routing, bracketed by a lower and an upper bound, for networks too large for the exact flow."""

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

#: Columns (flow patterns) kept per source, and the bytes for all of them, which may allow fewer.
_COLUMNS, _BYTES = 64, 1 << 30
#: The steepness of the soft maximum at the start, and the factor by which it grows.
_STEEP, _STEEPER = 2.0, 1.4


@dataclass(frozen=True)
class Bracket:
    """A throughput, bracketed by two bounds.

    Attributes
    ----------
    lower, upper : float
        Some flow reaches `lower`; no flow exceeds `upper`.
    turns : int
        How many times every source adjusted its flow.
    """

    lower: float
    upper: float
    turns: int

    @property
    def gap(self) -> float:
        """upper / lower - 1: the relative width of the bracket."""
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
    """Return bounds on the maximum concurrent flow of a traffic: below by a flow, above by the dual linear program.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
    gap : float
        Stops once upper / lower - 1 is at most this.
    turns : int
        Stops after this many turns, whatever the gap.
    jobs : int, optional
        Threads for the upper bound; all cores when omitted. The result does not depend on their number.
    work : Work, optional
        Reports progress in turns, with the gap. When it is stopped, the bracket reached so far is the result.

    Returns
    -------
    Bracket
        Two bounds, as a share of the traffic; inf where there is no traffic.

    Raises
    ------
    InputError
        Some senders do not reach their receivers; a gap or a number of turns that is not positive.

    Notes
    -----
    Lower bound: the flow found, divided by its maximum channel load. Upper bound: for any lengths l of channels, sum capacity l
    over the sum of demand times the shortest path under l (the dual of the linear program). Lengths are exp(a x) of the channel
    loads x, as in Garg and Koenemann (FOCS 1998) and Fleischer (SIAM J. Discrete Math., 2000). Flow is not sent again in every
    turn, but moved from more expensive to cheaper paths by Newton steps, and a grows as the flow settles. The two bounds
    themselves certify the gap, whatever the number of turns.

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
    """Return the bracket of `approximate_flow`, and the prices that certify its upper bound.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
    gap, turns, jobs, work
        As for `approximate_flow`.
    beaten : float
        Stops also once the upper bound is at most this value, because a better network is already known.

    Returns
    -------
    bracket : Bracket
    prices : float64[a]
        The price per unit of each of `flow.arcs`: the traffic costs at least 1, and all channels together cost the upper bound.
        An arc's price is the rate at which the bound first rises with its capacity (linear programming duality).

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
    """Return the bracket of the largest share of a demand that arcs carry at once, and prices that certify the upper bound.

    Every sender must reach its receivers.

    Parameters
    ----------
    origin, to : int64[a]
        The arcs, sorted by their origin.
    capacity : float64[a]
        The capacity of each arc.
    demand : float64[nodes, nodes]
        The demand by source and destination.
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
    # Scale by the bound from hops, so that loads are about 1 whatever the traffic.
    hops = network.least(np.ones(to.size))
    scale, prices = float(capacity.sum()) / hops, np.full(to.size, 1.0 / hops)
    demand *= scale
    columns = _Columns(sources.size, n, min(n - 1, 64))
    load = np.zeros(to.size)
    lower, upper, steepness, turns_done = (
        0.0,
        1.0,
        _STEEP,
        0,
    )  # equal lengths give the bound from hops, which is the unit
    work = Work() if work is None else work
    work.begin(turns, "turns at most")
    while turns_done < turns and not work.stopped:
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
            steepness,
        )
        turns_done += 1
        if longest > columns.arcs.shape[2]:
            columns.widen(min(n - 1, 2 * longest))
        if not columns.weights.any(axis=1).all():  # some source has no column yet
            continue
        if turns_done % 4 and turns_done > 4:
            continue
        loads(columns.arcs, columns.amounts, columns.sizes, columns.weights, load)
        used = load / capacity
        max_load = float(used.max())
        weight = np.exp(steepness * (used - max_load))
        lower = max(lower, 1.0 / max_load)
        least = network.least(weight / capacity)
        bound = float(weight.sum()) / least
        if bound < upper:
            upper, prices = bound, weight / capacity / least * scale
        work.reach(turns_done, f"within {upper / lower - 1:.1%}")
        if upper <= lower * (1.0 + gap) or upper * scale <= beaten:
            break
        # Compare the gap due to the flow with the gap due to the soft maximum: if the latter dominates, make it steeper.
        soft = float((weight * used).sum() / weight.sum())
        if soft * bound - 1.0 < 0.5 * (max_load / soft - 1.0):
            steepness *= _STEEPER
    return Bracket(lower * scale, max(lower, upper) * scale, turns_done), prices  # the two may cross by rounding errors


class _Network:
    """The network and the traffic, as the upper bound needs them."""

    def __init__(
        self, first: np.ndarray, to: np.ndarray, sources: np.ndarray, demand: np.ndarray, jobs: int | None
    ) -> None:
        self.first, self.to, self.sources, self.demand, self.jobs = first, to, sources, demand, jobs

    def least(self, length: np.ndarray) -> float:
        """Return the least total cost of the demand at these lengths, float64[a]."""
        from topoloom.throughput.kernels.concurrent import cheapest

        costs = np.zeros(self.sources.size)

        def work(rows: Iterator[int]) -> None:
            for row in rows:
                costs[row] = cheapest(self.first, self.to, self.sources[row], self.demand[row], length)

        over_cores(work, costs.size, self.jobs)
        return float(costs.sum())


class _Columns:
    """The storage for the columns of every source: see `kernels.concurrent.improve`."""

    def __init__(self, sources: int, n: int, width: int) -> None:
        slots = max(3, min(_COLUMNS, _BYTES // (12 * sources * max(1, n - 1))))
        self.arcs = np.zeros((sources, slots, max(1, width)), np.int32)
        self.amounts = np.zeros(self.arcs.shape)
        self.sizes = np.zeros((sources, slots), np.int64)
        self.weights = np.zeros((sources, slots))

    def widen(self, width: int) -> None:
        """Make room for columns of `width` arcs."""
        more = ((0, 0), (0, 0), (0, width - self.arcs.shape[2]))
        self.arcs, self.amounts = np.pad(self.arcs, more), np.pad(self.amounts, more)

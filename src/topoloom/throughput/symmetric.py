"""The exact maximum concurrent flow of symmetric networks: one switch of each kind sends, and equivalent arcs are merged."""

import math

import numpy as np

from topoloom.core.work import Work
from topoloom.graph.symmetry import Symmetries, symmetries
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import Bracket
from topoloom.throughput.flow import arcs, check_reach
from topoloom.throughput.traffic import Traffic
from topoloom.throughput.traffic.traffic import MATRIX, REMOTE, UNIFORM

#: Kinds of arcs plus kinds of switches up to which column generation takes seconds.
MOST_KINDS = 160
#: Bounds that differ by at most this are taken as equal.
_EXACT = 1e-9
#: The most rounds of column generation.
_MOST_ROUNDS = 500
#: The weight of the best lengths so far in the lengths that new columns are made for.
_SMOOTH = 0.5


def symmetric_flow(
    topology: Topology, traffic: Traffic, *, known: Symmetries | None = None, work: Work | None = None
) -> Bracket | None:
    """Return the maximum concurrent flow of a traffic that looks the same from all equivalent switches.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
        The same amount between any two hosts on different switches (`topoloom.throughput.traffic.uniform`).
    known : Symmetries, optional
        The symmetries of the topology; computed when omitted.
    work : Work, optional
        When it is stopped, the bracket reached so far is the result.

    Returns
    -------
    Bracket or None
        The throughput of a flow, and an upper bound from lengths; None where the traffic is not uniform, or there are more than
        `MOST_KINDS` kinds of arcs and switches (use `approximate_flow` then).

    Raises
    ------
    InputError
        Some senders do not reach their receivers.

    Notes
    -----
    The mean over all symmetries of a best flow is itself a best flow. In it, equivalent arcs carry the same load, and so do
    both directions of a link where the traffic is the same in both. The linear program therefore has one sending switch per
    kind and one capacity per kind of arc. Its columns, shortest paths at the current prices, are generated as needed (Dantzig
    and Wolfe, 1960); HiGHS solves the master program. The prices give a bound in every round (Lagrange), and new columns are
    made for prices between the last and the best ones (Wentges, 1997).

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> torus = build("torus:dims=8x8x8")
    >>> round(symmetric_flow(torus, uniform_remote(torus)).lower, 9)  # (n - 1) / (n k / 8) of n switches in rings of k
    0.998046875
    """
    from topoloom.throughput.kernels.columns import shortest_column

    if traffic.kind not in (UNIFORM, REMOTE) or traffic.kind == MATRIX or traffic.pace is not None:
        return None
    hosts = traffic.offered_at
    if not (hosts > 0).sum() > 1:
        return Bracket(math.inf, math.inf, 0)
    network_symmetries = symmetries(topology, hosts) if known is None else known.keeping(hosts)
    origin, to, capacity = arcs(topology)
    n = topology.switches
    switch = network_symmetries.switch_orbits if len(network_symmetries.maps) else np.arange(n)
    kind = network_symmetries.arc_orbits(origin, to, both_ways=True)
    senders, times = np.unique(switch, return_index=True)[1], np.bincount(switch)
    times, senders = times[hosts[senders] > 0], senders[hosts[senders] > 0]
    kinds, k = int(kind.max(initial=-1)) + 1, senders.size
    if kinds + k > MOST_KINDS:
        return None
    demand = np.concatenate(
        [traffic.demand_to(s, s + 1) for s in senders.tolist()]
    )  # as much comes from s as goes to s
    check_reach(topology, _spread(demand, senders, n), senders)
    capacity_of_kind = np.bincount(kind, weights=capacity, minlength=kinds)
    first = np.searchsorted(origin, np.arange(n + 1))
    arc_count = np.bincount(kind, minlength=kinds)
    work = Work() if work is None else work
    master = _Master(capacity_of_kind, times)
    lower, upper, prices = 0.0, math.inf, capacity_of_kind / arc_count / capacity_of_kind.sum()
    best = prices
    rounds = 0
    work.begin(_MOST_ROUNDS, "rounds at most")
    while rounds < _MOST_ROUNDS and not work.stopped:
        rounds += 1
        improved = False
        for lengths in (_SMOOTH * best + (1.0 - _SMOOTH) * prices, prices) if rounds > 1 else (prices,):
            cost = 0.0
            columns = np.empty((k, kinds))
            for row in range(k):
                cost += times[row] * shortest_column(first, to, kind, lengths, senders[row], demand[row], columns[row])
            bound = float(lengths @ capacity_of_kind) / cost
            if bound < upper:
                upper, best = bound, lengths
            if master.add(columns):
                improved = True
                break
        if upper <= lower * (1.0 + _EXACT) or not improved:
            break
        lower, prices = master.solve()
        work.reach(rounds, f"within {upper / lower - 1:.1%}")
        if upper <= lower * (1.0 + _EXACT):
            break
    return Bracket(float(min(lower, upper)), float(max(lower, upper)), rounds)


class _Master:
    """The linear program over the columns generated so far."""

    def __init__(self, room: np.ndarray, times: np.ndarray) -> None:
        self._room, self._times = room, times
        self._columns: list[np.ndarray] = []
        self._row: list[int] = []
        self._known: set[tuple[int, bytes]] = set()

    def add(self, columns: np.ndarray) -> bool:
        """Add the columns of all senders, float64[k, kinds]; return whether any is new."""
        before = len(self._row)
        for row, column in enumerate(columns):
            key = row, column.tobytes()
            if key not in self._known:
                self._known.add(key)
                self._columns.append(column)
                self._row.append(row)
        return len(self._row) > before

    def solve(self) -> tuple[float, np.ndarray]:
        """Return the largest throughput of these columns, and the price per unit of each kind of arc."""
        from scipy.optimize import linprog

        count, k = len(self._columns), self._times.size
        row = np.array(self._row)
        gain = np.zeros(count + 1)
        gain[-1] = -1.0
        share = np.column_stack([np.array(self._columns).T * self._times[row], np.zeros(self._room.size)])
        sent = np.zeros((k, count + 1))
        sent[row, np.arange(count)] = 1.0
        sent[:, -1] = -1.0
        solved = linprog(
            gain,
            A_ub=share / self._room[:, None],
            b_ub=np.ones(self._room.size),
            A_eq=sent,
            b_eq=np.zeros(k),
            bounds=(0, None),
            method="highs-ds",
        )
        if solved.status != 0:
            raise RuntimeError(f"HiGHS: {solved.message}")
        prices = np.maximum(0.0, -solved.ineqlin.marginals) / self._room
        return float(-solved.fun), prices


def _spread(demand: np.ndarray, senders: np.ndarray, n: int) -> np.ndarray:
    whole = np.zeros((n, n))
    whole[senders] = demand
    return whole

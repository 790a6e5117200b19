"""The maximum concurrent flow of networks with symmetries, exactly: one switch of each kind sends, alike arcs are one."""

import math

import numpy as np

from topoloom.core.work import Work
from topoloom.graph.symmetry import Symmetries, symmetries
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import Bracket
from topoloom.throughput.flow import arcs, check_reach
from topoloom.throughput.traffic import Traffic
from topoloom.throughput.traffic.traffic import MATRIX, REMOTE, UNIFORM

#: Kinds of arcs and of switches up to which the program is solved by columns: seconds.
MOST_KINDS = 160
#: Bounds that differ by no more are one number.
_EXACT = 1e-9
#: Rounds at the latest.
_MOST_ROUNDS = 500
#: Share of the best lengths so far in those that new columns are made for.
_SMOOTH = 0.5


def symmetric_flow(
    topology: Topology, traffic: Traffic, *, known: Symmetries | None = None, work: Work | None = None
) -> Bracket | None:
    """The maximum concurrent flow of a traffic that looks the same from all switches that are alike.

    Parameters
    ----------
    topology : Topology
    traffic : Traffic
        As much between any two hosts on different switches (`topoloom.throughput.traffic.uniform`).
    known : Symmetries, optional
        Of the topology; looked for when omitted.
    work : Work, optional
        When it is stopped, the bracket is as wide as it is then.

    Returns
    -------
    Bracket or None
        A flow that was found, and a bound by lengths that no flow passes; None where the traffic is not uniform, or there are
        more than `MOST_KINDS` kinds of arcs and switches (`approximate_flow` takes those).

    Raises
    ------
    InputError
        Some who send do not reach those they send to.

    Notes
    -----
    The mean over all symmetries of a best flow is a best flow, in which arcs that are alike carry alike, and the two directions
    of a link too where the traffic is the same in both. So the linear program is one of a sending switch of each kind with
    as many capacities as there are kinds of arcs. Its columns, shortest paths at the prices of the moment, are made as they
    are needed (Dantzig and Wolfe, 1960); HiGHS solves the rest. The prices are a bound in every round (Lagrange), and new
    columns are made for prices between the last and the best ones (Wentges, 1997).

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> from topoloom.throughput.traffic import uniform_remote
    >>> torus = build("torus:dims=8x8x8")
    >>> round(symmetric_flow(torus, uniform_remote(torus)).lower, 9)  # (n - 1) / (n k / 8) of n switches in rings of k
    0.998046875
    """
    refuse_mixed(topology, "symmetric_flow")
    from topoloom.throughput.kernels.columns import shortest_column

    if traffic.kind not in (UNIFORM, REMOTE) or traffic.kind == MATRIX:
        return None
    hosts = traffic.hosts_at
    if not (hosts > 0).sum() > 1:
        return Bracket(math.inf, math.inf, 0)
    found = symmetries(topology, hosts) if known is None else known.keeping(hosts)
    origin, to, capacity = arcs(topology)
    n = topology.switches
    switch = found.switch_orbits if len(found.maps) else np.arange(n)
    kind = found.arc_orbits(origin, to, both_ways=True)
    senders, times = np.unique(switch, return_index=True)[1], np.bincount(switch)
    times, senders = times[hosts[senders] > 0], senders[hosts[senders] > 0]
    kinds, k = int(kind.max(initial=-1)) + 1, senders.size
    if kinds + k > MOST_KINDS:
        return None
    demand = np.concatenate([traffic.demand_to(s, s + 1) for s in senders.tolist()])  # the same from s as to s
    check_reach(topology, _spread(demand, senders, n), senders)
    room = np.bincount(kind, weights=capacity, minlength=kinds)
    first = np.searchsorted(origin, np.arange(n + 1))
    arc_count = np.bincount(kind, minlength=kinds)
    work = Work() if work is None else work
    master = _Master(room, times)
    lower, upper, prices = 0.0, math.inf, room / arc_count / room.sum()
    best = prices
    done = 0
    work.begin(_MOST_ROUNDS, "rounds at most")
    while done < _MOST_ROUNDS and not work.stopped:
        done += 1
        improved = False
        for tried in (_SMOOTH * best + (1.0 - _SMOOTH) * prices, prices) if done > 1 else (prices,):
            cost = 0.0
            columns = np.empty((k, kinds))
            for row in range(k):
                cost += times[row] * shortest_column(first, to, kind, tried, senders[row], demand[row], columns[row])
            bound = float(tried @ room) / cost
            if bound < upper:
                upper, best = bound, tried
            if master.add(columns):
                improved = True
                break
        if upper <= lower * (1.0 + _EXACT) or not improved:
            break
        lower, prices = master.solve()
        work.reach(done, f"within {upper / lower - 1:.1%}")
        if upper <= lower * (1.0 + _EXACT):
            break
    return Bracket(float(min(lower, upper)), float(max(lower, upper)), done)


class _Master:
    """The linear program of the columns so far."""

    def __init__(self, room: np.ndarray, times: np.ndarray) -> None:
        self._room, self._times = room, times
        self._columns: list[np.ndarray] = []
        self._row: list[int] = []
        self._known: set[tuple[int, bytes]] = set()

    def add(self, columns: np.ndarray) -> bool:
        """Take the columns of all senders, float64[k, kinds]; whether any is new."""
        before = len(self._row)
        for row, column in enumerate(columns):
            key = row, column.tobytes()
            if key not in self._known:
                self._known.add(key)
                self._columns.append(column)
                self._row.append(row)
        return len(self._row) > before

    def solve(self) -> tuple[float, np.ndarray]:
        """The largest throughput of these columns, and the prices of an arc's unit of each kind."""
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

"""Kernels of simulated annealing for the quadratic assignment problem, for dense and for sparse flows.

Both sweep over the pairs of facilities in turn (Connolly 1990): with the first facility fixed, the rows of the second are
sequential in memory. All numbers are integers (see `problem`), so sums are exact in any order, and the loops may be vectorised
for any processor without changing the result.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.core.random_streams.kernels import next_word

#: Fast-math flags: sums of integers may be reordered; infinities and NaN do not occur.
EXACT = {"reassoc", "contract", "nsz", "nnan", "ninf"}


@stage
def _allowed(change: float, thresholds: np.ndarray, temperature: float, state: np.ndarray) -> bool:
    """Whether an exchange with this change of cost is accepted (Metropolis); draws a threshold."""
    return change <= thresholds[next_word(state) & np.uint64(4095)] * temperature


@stage
def _count(change: float, costs: np.ndarray, place: np.ndarray, best: np.ndarray) -> None:
    """Update the current cost after an exchange, and the best assignment so far."""
    costs[0] += change
    if costs[0] < costs[1]:
        costs[1] = costs[0]
        for each in range(place.size):
            best[each] = place[each]


@stage
def _next_row(row: np.ndarray, places: int) -> int:
    """Advance to the next facility; returns the number of pairs of the last one."""
    pairs = places - 1 - row[0]
    row[0] = (row[0] + 1) % min(row[1], places - 1)
    return pairs


@kernel
def anneal_dense(
    flow: np.ndarray,
    near: np.ndarray,
    place: np.ndarray,
    best: np.ndarray,
    costs: np.ndarray,
    row: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    moves: int,
) -> int:
    """Try at least `moves` exchanges at one temperature; returns the number tried (whole rows of pairs).

    Arrays: flow float[facilities + dummies, width], symmetric, zero on the diagonal and in the padding; dummies, which
    represent empty places, have zero rows and come last. near: shaped like flow, near[i, k] is the distance between the places
    of i and k. place, best: int32[facilities + dummies], the current and the best place of each; costs: float64[2], the costs
    of both. row: int64[2], the facility whose pairs come next, and the number of facilities that are not dummies. state: the
    random generator's. thresholds: float[4096]; an exchange may cost up to `temperature` times a random one; both have flow's
    type. All arrays except flow and thresholds are changed in place.

    The change of an exchange is one loop over two rows of each matrix; an accepted exchange also exchanges two rows and two
    columns of `near`.
    """
    tried = 0
    while tried < moves:
        u = row[0]
        for v in range(u + 1, place.size):
            change = _change(flow, near, u, v)
            if _allowed(change, thresholds, temperature, state):
                exchange(near, place, u, v)
                _count(change, costs, place, best)
        tried += _next_row(row, place.size)
    return tried


@inner(fastmath=EXACT)
def _change(flow: np.ndarray, near: np.ndarray, u: int, v: int) -> float:
    """The change of half the cost when facilities u and v exchange places."""
    flow_u, flow_v, near_u, near_v = flow[u], flow[v], near[u], near[v]
    change = flow.dtype.type(0)
    for k in range(flow_u.size):
        change += (flow_u[k] - flow_v[k]) * (near_v[k] - near_u[k])
    # The loop treated u and v as third facilities too: correct for it.
    return change + flow_u[v] * near_u[v] + flow_u[v] * near_u[v]


@kernel
def exchange(near: np.ndarray, place: np.ndarray, u: int, v: int) -> None:
    """Exchange the places of facilities u and v: in place[facility] and in near[facility, facility]."""
    for k in range(near.shape[1]):
        value = near[u, k]
        near[u, k] = near[v, k]
        near[v, k] = value
    for k in range(place.size):
        value = near[k, u]
        near[k, u] = near[k, v]
        near[k, v] = value
    _swap(place, u, v)


@stage
def _swap(values: np.ndarray, u: int, v: int) -> None:
    value = values[u]
    values[u] = values[v]
    values[v] = value


@kernel
def anneal_sparse(
    offsets: np.ndarray,
    others: np.ndarray,
    flows: np.ndarray,
    distance: np.ndarray,
    place: np.ndarray,
    best: np.ndarray,
    costs: np.ndarray,
    row: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    moves: int,
) -> int:
    """As `anneal_dense`, for facilities with few flows: these in CSR form (dummies have none), distance float[places, places].

    offsets: int64[facilities + dummies + 1], others: int32[flows], flows: float[flows]. The change of an exchange is a sum over
    the flows of the two facilities; an accepted exchange costs nothing more.
    """
    tried = 0
    while tried < moves:
        u = row[0]
        for v in range(u + 1, place.size):
            change = _half_change(offsets, others, flows, distance, place, u, v)
            change += _half_change(offsets, others, flows, distance, place, v, u)
            if _allowed(change, thresholds, temperature, state):
                _swap(place, u, v)
                _count(change, costs, place, best)
        tried += _next_row(row, place.size)
    return tried


@inner(fastmath=EXACT)
def _half_change(
    offsets: np.ndarray, others: np.ndarray, flows: np.ndarray, distance: np.ndarray, place: np.ndarray, u: int, v: int
) -> float:
    """The change of the cost of u's flows, except that to v, when u moves to v's place."""
    from_u, from_v = distance[place[u]], distance[place[v]]
    change = distance.dtype.type(0)
    nothing = change
    for i in range(offsets[u], offsets[u + 1]):
        k = others[i]
        change += nothing if k == v else flows[i] * (from_v[place[k]] - from_u[place[k]])
    return change

"""Simulated annealing for the quadratic assignment problem: dense and sparse flows.

Both kernels sweep over the pairs of facilities in turn (Connolly 1990): with the first facility fixed, the rows of the
second lie one after the other in memory. All numbers are whole (`problem`), so sums are exact in any order, and the
loops may be vectorised for any processor without a change of the answer.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.core.random_streams.kernels import next_word

#: Sums of whole numbers may be reordered; an infinity or a NaN never comes.
EXACT = {"reassoc", "contract", "nsz", "nnan", "ninf"}


@stage
def _allowed(change: float, thresholds: np.ndarray, temperature: float, state: np.ndarray) -> bool:
    """Whether an exchange that costs so much is made (Metropolis); draws a threshold."""
    return change <= thresholds[next_word(state) & np.uint64(4095)] * temperature


@stage
def _count(change: float, costs: np.ndarray, place: np.ndarray, best: np.ndarray) -> None:
    """The cost after an exchange, and the best so far."""
    costs[0] += change
    if costs[0] < costs[1]:
        costs[1] = costs[0]
        for each in range(place.size):
            best[each] = place[each]


@stage
def _next_row(row: np.ndarray, places: int) -> int:
    """Go on to the next facility; how many pairs the last one had."""
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
    """Try at least `moves` exchanges at one temperature; how many were tried (whole rows of pairs).

    flow: float[facilities + dummies, width], symmetric, zero diagonal and padding; dummies, which stand for empty places,
    have zero rows and come last. near: as flow, near[i, k] is the distance of the places of i and k. place, best: int32,
    of every facility and dummy; costs: float64[2], of both. row: int64[2], the facility whose pairs come next and how
    many facilities are no dummies. thresholds: float[4096], `temperature` times a random one is what an exchange may
    cost; both of flow's type. All but flow and thresholds are changed in place.

    The change of an exchange is one loop over two rows of each matrix; an accepted one pays for the exchange of two rows
    and columns of `near`.
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
    """By how much half the cost grows when facilities u and v change places."""
    flow_u, flow_v, near_u, near_v = flow[u], flow[v], near[u], near[v]
    change = flow.dtype.type(0)
    for k in range(flow_u.size):
        change += (flow_u[k] - flow_v[k]) * (near_v[k] - near_u[k])
    # The loop took u and v themselves for third facilities.
    return change + flow_u[v] * near_u[v] + flow_u[v] * near_u[v]


@kernel
def exchange(near: np.ndarray, place: np.ndarray, u: int, v: int) -> None:
    """Facilities u and v change places: in place[facility] and in near[facility, facility]."""
    for k in range(near.shape[1]):
        kept = near[u, k]
        near[u, k] = near[v, k]
        near[v, k] = kept
    for k in range(place.size):
        kept = near[k, u]
        near[k, u] = near[k, v]
        near[k, v] = kept
    _swap(place, u, v)


@stage
def _swap(values: np.ndarray, u: int, v: int) -> None:
    kept = values[u]
    values[u] = values[v]
    values[v] = kept


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
    """`anneal_dense` for facilities with few flows: CSR of them (a dummy has none), distance float[places, places].

    The change of an exchange is a sum over the flows of the two; an accepted one costs nothing more.
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
    """By how much the cost of u's flows, but for that to v, grows when u moves to v's place."""
    here, there = distance[place[u]], distance[place[v]]
    change = distance.dtype.type(0)
    nothing = change
    for i in range(offsets[u], offsets[u + 1]):
        k = others[i]
        change += nothing if k == v else flows[i] * (there[place[k]] - here[place[k]])
    return change

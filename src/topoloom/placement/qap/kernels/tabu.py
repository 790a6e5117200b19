"""Kernels of robust tabu search for the quadratic assignment problem (Taillard 1991), with the changes of all exchanges stored.

`changes`[u, v], v < u, is the change of half the cost when u and v exchange places. After an exchange of r and s it shrinks,
for all other u and v, by (x_u - x_v)(y_u - y_v), where x is the difference of the flows of r and s and y that of their
distances (Frieze, Yadegar, El-Horbaty and Parkinson 1989): one sweep over the lower triangle updates them, and finds the best
exchange. All numbers are integers, as in `kernels.annealing`.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel
from topoloom.core.random_streams.kernels import next_word
from topoloom.placement.qap.kernels.annealing import EXACT, exchange

#: The change stored for pairs that are no exchange; integers below 2^53 vanish against it.
NEVER = 3e38
#: Columns per vector operation of a sweep.
VECTOR_COLUMNS = 16


@kernel
def tabu(
    flow: np.ndarray,
    near: np.ndarray,
    changes: np.ndarray,
    tabu_until: np.ndarray,
    returns: np.ndarray,
    work: np.ndarray,
    place: np.ndarray,
    best: np.ndarray,
    costs: np.ndarray,
    clock: np.ndarray,
    state: np.ndarray,
    facilities: int,
    iterations: int,
) -> None:
    """`iterations` exchanges, each the best allowed one; all arrays except flow are changed in place.

    Arrays: flow, near, place, best, costs: as in `anneal_dense`, for all m facilities and dummies, with one more row of zeros
    where m is odd. changes: shaped like flow, `NEVER` on the diagonal and in the padding. returns: int32[m, m], returns[u, l]
    is the iteration until which facility u should not return to place l. tabu_until: int32, shaped like changes: the earlier of
    the two returns of an exchange, which is tabu until then. work: float[6, width]: rows 0 and 1 (x and y) are still to be
    applied to `changes`, row 2 is own_k of `_renew`, the others are scratch. clock: int64[1], iterations so far. state: the
    random generator's.

    A tabu exchange that leads below the best cost is allowed. An exchange that takes both facilities to places where they have
    not been for 5 m^2 iterations is forced at the next turn (every m-th iteration) of one of them. Tenures are 4 m times the
    cube of a uniform draw: mostly short, some long.
    """
    m = place.size
    x, y = work[0], work[1]
    for _ in range(iterations):
        clock[0] += 1
        now = np.int32(clock[0])
        record = flow.dtype.type(costs[1] - costs[0])
        change, r, s = _best_exchange(changes, tabu_until, work, now, record, facilities)
        if not change < record:
            forced = _overdue(changes, returns, place, clock[0] % m, np.int32(now - 5 * m * m), facilities)
            if forced[1] >= 0:
                change, r, s = forced
        if r < 0:
            x[:] = 0
            y[:] = 0
            continue
        # Make the exchange of r and s, and forbid the way back.
        costs[0] += change
        for k in range(m):
            x[k] = flow[r, k] - flow[s, k]
            y[k] = near[s, k] - near[r, k]
        left_r, left_s = place[r], place[s]
        exchange(near, place, r, s)
        returns[r, left_r] = now + _tenure(state, m)
        returns[s, left_s] = now + _tenure(state, m)
        _forbid(tabu_until, returns, place, r)
        _forbid(tabu_until, returns, place, s)
        _renew(flow, near, changes, work, r, s, m, facilities)
        if costs[0] < costs[1]:
            costs[1] = costs[0]
            for each in range(place.size):
                best[each] = place[each]


@inner
def _tenure(state: np.ndarray, m: int) -> int:
    draw = np.float64(next_word(state) >> np.uint64(32)) * 2.0**-32
    return 2 + int(draw * draw * draw * (4 * m))


@inner(fastmath=EXACT)
def _best_exchange(
    changes: np.ndarray, tabu_until: np.ndarray, work: np.ndarray, now: np.int32, record: float, facilities: int
) -> tuple[float, int, int]:
    """Update `changes`, and return the least allowed change with its pair (u > v), or -1 without any."""
    never = changes.dtype.type(NEVER)
    x, y, least = work[0], work[1], work[5]
    least[:] = never
    for u in range(1, changes.shape[0]):
        row, until = changes[u], tabu_until[u]
        x_u, y_u = x[u], y[u]
        # Whole vectors: entries above the diagonal equal their mirror images.
        for v in range(min((u + VECTOR_COLUMNS - 1) // VECTOR_COLUMNS * VECTOR_COLUMNS, facilities)):
            change = row[v] - (x_u - x[v]) * (y_u - y[v])
            row[v] = change
            allowed = change if (until[v] <= now) | (change < record) else never
            least[v] = allowed if allowed < least[v] else least[v]
    v = 0
    for k in range(1, facilities):
        if least[k] < least[v]:
            v = k
    for u in range(v + 1, changes.shape[0]):
        if changes[u, v] == least[v] and (tabu_until[u, v] <= now or changes[u, v] < record):
            return least[v], u, v
    return never, -1, -1


@inner
def _overdue(
    changes: np.ndarray, returns: np.ndarray, place: np.ndarray, u: int, since: np.int32, facilities: int
) -> tuple[float, int, int]:
    """The best exchange of facility u with another, both to places that they left before `since`, or -1."""
    least, other = changes.dtype.type(NEVER), -1
    for v in range(facilities):
        if v != u and returns[u, place[v]] < since and returns[v, place[u]] < since:
            change = changes[max(u, v), min(u, v)]
            if change < least:
                least, other = change, v
    if other < 0:
        return least, -1, -1
    return least, max(u, other), min(u, other)


@inner
def _forbid(tabu_until: np.ndarray, returns: np.ndarray, place: np.ndarray, u: int) -> None:
    """Update tabu_until for all exchanges of u."""
    for v in range(place.size):
        until = min(returns[u, place[v]], returns[v, place[u]])
        tabu_until[v, u] = until
        tabu_until[u, v] = until


@inner(fastmath=EXACT)
def _renew(
    flow: np.ndarray, near: np.ndarray, changes: np.ndarray, work: np.ndarray, r: int, s: int, m: int, facilities: int
) -> None:
    """After the exchange of r and s: compute the changes of all their exchanges, less what the next sweep will subtract.

    The change of (r, k) is sum_j (f_rj d_kj + f_kj d_rj) - own_r - own_k + 2 f_rk d_rk, where own_k = sum_j f_kj d_kj.
    """
    x, y, own, of_r, of_s = work[0], work[1], work[2], work[3], work[4]
    flow_r, flow_s, near_r, near_s = flow[r], flow[s], near[r], near[s]
    zero = flow.dtype.type(0)
    of_r[:] = zero
    of_s[:] = zero
    # Two facilities j at a time, so that each sum is loaded and stored half as often. (The last odd one meets a row of zeros.)
    for j in range(0, facilities, 2):
        i = j + 1
        flow_r0, flow_s0, near_r0, near_s0 = flow_r[j], flow_s[j], near_r[j], near_s[j]
        flow_r1, flow_s1, near_r1, near_s1 = flow_r[i], flow_s[i], near_r[i], near_s[i]
        flow_0, near_0, flow_1, near_1 = flow[j], near[j], flow[i], near[i]
        for k in range(m):
            of_r[k] += flow_r0 * near_0[k] + flow_r1 * near_1[k] + near_r0 * flow_0[k] + near_r1 * flow_1[k]
            of_s[k] += flow_s0 * near_0[k] + flow_s1 * near_1[k] + near_s0 * flow_0[k] + near_s1 * flow_1[k]
    # Update own_k for the new distances.
    own_r = own_s = zero
    for k in range(m):
        own[k] += x[k] * y[k]
        own_r += flow_r[k] * near_r[k]
        own_s += flow_s[k] * near_s[k]
    own[r] = own_r
    own[s] = own_s
    # The complete changes of r and s; the terms of x and y cancel what the next sweep subtracts.
    x_r, x_s, y_r, y_s = x[r], x[s], y[r], y[s]
    for k in range(m):
        both_r, both_s = flow_r[k] * near_r[k], flow_s[k] * near_s[k]
        of_r[k] += both_r + both_r - own_r - own[k] + (x[k] - x_r) * (y[k] - y_r)
        of_s[k] += both_s + both_s - own_s - own[k] + (x[k] - x_s) * (y[k] - y_s)
    of_r[r] = of_s[s] = NEVER
    for k in range(m):
        changes[r, k] = of_r[k]
        changes[s, k] = of_s[k]
    for k in range(m):
        changes[k, r] = of_r[k]
        changes[k, s] = of_s[k]

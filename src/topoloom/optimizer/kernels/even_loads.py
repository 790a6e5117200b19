"""Annealing of voltage lifts for throughput: link loads of uniform traffic, split evenly over shortest paths.

The lifts and their moves are those of `kernels.lifts`; over the group of one element, every link is its own orbit, and a move
is a plain 2-opt. If all switches send each other the same amount, the mean load is proportional to the mean hops. So a graph is
good if it has few hops and even loads of links; the power mean of the loads combines both in one number.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.core.random_streams.kernels import next_word
from topoloom.optimizer.kernels.lifts import Lift, propose, spread, take_back

#: Rows of the undo record of a move: one more than its darts.
_ROWS = 5
#: Most draws for a move that the rules allow.
_DRAWS = 256


@inner
def _ahead(table: np.ndarray, source: int, hops: np.ndarray, ways: np.ndarray, order: np.ndarray) -> int:
    """Breadth-first search from a source: write hops int16[n] (-1: not reached), numbers of shortest paths `ways`, and the
    reached
    switches in `order`; return their number."""
    degree = table.shape[1]
    hops[:] = -1
    hops[source], ways[source], order[0] = 0, 1.0, source
    count = 1
    place = 0
    while place < count:
        u = order[place]
        next_hops = hops[u] + 1
        for slot in range(degree):
            v = table[u, slot]
            if hops[v] < 0:
                hops[v], ways[v], order[count] = next_hops, ways[u], v
                count += 1
            elif hops[v] == next_hops:
                ways[v] += ways[u]
        place += 1
    return count


@allocating
def even_cost(lift: Lift, weight: np.ndarray, power: float, limit: float, load: np.ndarray) -> float:
    """Return the power mean of the link loads if all switches send to all, split evenly over all shortest paths.

    Parameters
    ----------
    lift : Lift
    weight : float64[n]
        The traffic from switch s to switch t is weight[s] weight[t]; equal for the switches of a class.
    power : float
        The exponent of the mean: 1 gives the hops; the higher it is, the more the highest loads count.
    limit : float
        If the cost exceeds the limit, the result need not be exact, but exceeds it too.
    load : float64[darts]
        The traffic over each dart, summed over sources of one switch per class; written. A dart's link carries its load plus
        that of its reverse dart.

    Returns
    -------
    float
        In loads of one direction of a link; inf if the graph is disconnected.
    """
    n = lift.table.shape[0]
    group = lift.inverse.size
    classes = n // group
    hops = np.empty((classes, n), np.int16)
    ways = np.empty((classes, n))
    order = np.empty((classes, n), np.int32)
    rests = np.empty(n)
    load[:] = 0.0
    darts, walked = 0, 0.0
    for a in range(classes):
        darts += lift.degree[a]
    for a in range(classes):
        if _ahead(lift.table, a * group, hops[a], ways[a], order[a]) < n:
            return np.inf
        weighted_hops = 0.0
        for v in range(n):
            weighted_hops += weight[v] * hops[a, v]
        walked += weight[a * group] * weighted_hops
        # The power mean is at least the mean, which follows from the hops.
        if walked / darts > limit:
            return walked / darts
    for a in range(classes):
        scale = weight[a * group]
        if scale > 0.0:
            rests[:] = 0.0
            _carry_back(lift, group, hops[a], ways[a], order[a], weight, scale, rests, load)
    total = 0.0
    for d in range(load.size):
        if lift.head[d] >= 0:
            both = load[d] + (load[lift.back[d]] if lift.back[d] != d else load[d])
            total += (0.5 * both) ** power
    return (total / darts) ** (1.0 / power)


@inner
def _carry_back(
    lift: Lift,
    group: int,
    hops: np.ndarray,
    ways: np.ndarray,
    order: np.ndarray,
    weight: np.ndarray,
    scale: float,
    rests: np.ndarray,
    load: np.ndarray,
) -> None:
    """Accumulate the traffic of a source, scale * weight[v] to each v, backwards from the farthest switches into `load`
    (Brandes 2001)."""
    n, degree = lift.table.shape
    for place in range(n - 1, 0, -1):
        v = order[place]
        near = hops[v] - 1
        each = (scale * weight[v] + rests[v]) / ways[v]
        base = v // group * degree
        for slot in range(degree):
            u = lift.table[v, slot]
            if hops[u] == near:
                carried = ways[u] * each
                rests[u] += carried
                load[base + slot] += carried


@inner
def _allowed(
    lift: Lift, undo: np.ndarray, offsets: np.ndarray, near: np.ndarray, rack: np.ndarray, fixed: np.ndarray
) -> bool:
    """Whether the changed darts keep the rules: near switches, number of links between racks, and fixed links."""
    degree = lift.table.shape[1]
    count = undo[0, 0]
    if fixed.size:
        for k in range(1, count + 1):
            if fixed[undo[k, 0]]:
                return False
    if offsets.size > 1:
        for k in range(1, count + 1):
            origin, target = undo[k, 0] // degree, lift.head[undo[k, 0]]
            place = offsets[origin] + np.searchsorted(near[offsets[origin] : offsets[origin + 1]], target)
            if place == offsets[origin + 1] or near[place] != target:
                return False
    if rack.size:
        # The number of darts from each rack to each must not change.
        for k in range(1, count + 1):
            from_rack, to_rack = rack[undo[k, 0] // degree], rack[lift.head[undo[k, 0]]]
            more = 0
            for i in range(1, count + 1):
                if rack[undo[i, 0] // degree] == from_rack:
                    more += (rack[lift.head[undo[i, 0]]] == to_rack) - (rack[undo[i, 1]] == to_rack)
            if more != 0:
                return False
    return True


@inner
def _twice_extra_cost(lift: Lift, undo: np.ndarray, kind: np.ndarray, price: np.ndarray) -> int:
    """Twice the change of the cost of all links after a move, from the changed darts: a link has two darts, each with its
    price.
    """
    more = np.int64(0)
    for k in range(1, undo[0, 0] + 1):
        origin = undo[k, 0] // lift.table.shape[1]
        more += price[kind[origin, lift.head[undo[k, 0]]]] - price[kind[origin, undo[k, 1]]]
    return more


@inner
def _drawn(
    lift: Lift,
    undo: np.ndarray,
    state: np.ndarray,
    offsets: np.ndarray,
    near: np.ndarray,
    rack: np.ndarray,
    kind: np.ndarray,
    price: np.ndarray,
    spent: np.ndarray,
    fixed: np.ndarray,
) -> bool:
    """Make a random move of the darts that the rules and the budget allow; return False if none was found."""
    for _ in range(_DRAWS):
        if propose(lift, undo, state):
            if _allowed(lift, undo, offsets, near, rack, fixed) and (
                price.size == 0 or 2 * spent[0] + _twice_extra_cost(lift, undo, kind, price) <= 2 * spent[1]
            ):
                return True
            take_back(lift, undo)
    return False


@allocating
def anneal_even(
    lift: Lift,
    weight: np.ndarray,
    offsets: np.ndarray,
    near: np.ndarray,
    rack: np.ndarray,
    kind: np.ndarray,
    price: np.ndarray,
    spent: np.ndarray,
    fixed: np.ndarray,
    power: float,
    costs: np.ndarray,
    best: np.ndarray,
    state: np.ndarray,
    thresholds: np.ndarray,
    temperature: float,
    moves: int,
) -> int:
    """Try `moves` moves at one temperature; return how many were accepted.

    offsets, near: int64[n + 1], int32, CSR of the switches that each may be linked to, ascending; offsets of one entry: any.
    rack: int64[n], or empty; the number of links between any two racks stays. kind, price, spent: a budget, as in
    `kernels.moves.Moves`. All these only over the group of one element. fixed: bool[darts], the darts of links that stay; or
    empty. costs: float64[2], of the lift and of the best so far. best: int32[2, darts], head and voltage of the best.
    thresholds: float32[4096]; a move may add temperature times a random threshold to the cost, drawn before the cost is
    computed.
    """
    undo = np.zeros((_ROWS, 4), np.int32)
    load = np.zeros(lift.head.size)
    accepted = 0
    for _ in range(moves):
        if not _drawn(lift, undo, state, offsets, near, rack, kind, price, spent, fixed):
            continue
        spread(lift, undo)
        limit = costs[0] + thresholds[next_word(state) & np.uint64(4095)] * temperature
        cost = even_cost(lift, weight, power, limit, load)
        if not cost <= limit:
            take_back(lift, undo)
            spread(lift, undo)
            continue
        accepted += 1
        if price.size:
            spent[0] += _twice_extra_cost(lift, undo, kind, price) // 2
        costs[0] = cost
        if cost < costs[1]:
            costs[1] = cost
            best[0, :] = lift.head
            best[1, :] = lift.voltage
    return accepted

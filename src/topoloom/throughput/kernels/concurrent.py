"""Approximate maximum concurrent flow: shortest paths under lengths, and flow that moves onto them.

Algorithm: see the notes of `approximate.approximate_flow` (Garg and Koenemann 1998, with Newton steps). Arcs are numbered by
their origin: first[v] .. first[v + 1] - 1 leave v. The flow of a source is a weighted mixture of columns; a column routes all
that the source sends, one path per destination, and lists its arcs with the amount on each.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel, stage

#: The largest step of a column: lengths change by at most a factor of e to this power.
_BOLD = 1.0


@allocating
def improve(
    first: np.ndarray,
    to: np.ndarray,
    capacity: np.ndarray,
    sources: np.ndarray,
    demand: np.ndarray,
    arcs: np.ndarray,
    amounts: np.ndarray,
    sizes: np.ndarray,
    weights: np.ndarray,
    load: np.ndarray,
    power: float,
) -> int:
    """Move flow, for every source in turn, from its more expensive columns to its cheapest one; lengths follow at once.

    An arc's length is exp(power * (load / capacity - their maximum)) / capacity: the slope of a soft maximum, which each move
    lowers by a step of Newton's method.

    Parameters
    ----------
    first, to, capacity : int64[n + 1], int64[a], float64[a]
        The arcs by origin, the end of each, and its capacity.
    sources, demand : int64[k], float64[k, n]
        The sources, and what each sends to every switch.
    arcs, amounts, sizes, weights : int32[k, c, w], float64[k, c, w], int64[k, c], float64[k, c]
        The columns of each source: their arcs, the amount on each arc, how many arcs, and the column's share. Shares add up to
        1 once a source has a column. Updated in place.
    load : float64[a]
        The load of each arc; updated in place.
    power : float
        The steepness of the soft maximum.

    Returns
    -------
    int
        The length of the longest column. If it exceeds w, that column was skipped: make more room for the next turn.
    """
    n, a, slots, room = first.size - 1, to.size, weights.shape[1], arcs.shape[2]
    distance, above, order = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    heap, spot, amount = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    length, target, column = np.empty(a), np.zeros(a), np.empty(n, np.int64)
    cost = np.empty(slots)
    longest, top = 0, (load / capacity).max()
    for e in range(a):
        length[e] = np.exp(power * (load[e] / capacity[e] - top)) / capacity[e]
    for row in range(sources.size):
        wanted = 0
        for v in range(n):
            amount[v] = demand[row, v]
            wanted += amount[v] > 0.0
        settled = shortest_ways(first, to, length, sources[row], amount, wanted, distance, above, order, heap, spot)
        size, least = 0, 0.0
        for place in range(settled - 1, 0, -1):
            v = order[place]
            if amount[v] > 0.0:
                e = above[v]
                column[size], target[e] = e, amount[v]
                size += 1
                least += amount[v] * length[e]
                amount[np.searchsorted(first, e, side="right") - 1] += amount[v]
        longest = max(longest, size)
        # The cheapest column so far (best), the one with the smallest share (lightest), and an unused slot (free).
        free, best, lightest = -1, -1, -1
        for c in range(slots):
            cost[c] = 0.0
            if weights[row, c] == 0.0:
                free = c
                continue
            for i in range(sizes[row, c]):
                cost[c] += amounts[row, c, i] * length[arcs[row, c, i]]
            if best < 0 or cost[c] < cost[best]:
                best = c
            if lightest < 0 or weights[row, c] < weights[row, lightest]:
                lightest = c
        # Add the shortest paths as a new column if they are cheaper than the best one; else move flow to the best one.
        if best < 0 or (least < cost[best] * (1.0 - 1e-9) and size <= room):
            chosen, moved = (free, 0.0) if free >= 0 else (lightest, weights[row, lightest])
            if size > room:  # the first column does not fit; it is made again in the next turn
                for i in range(size):
                    target[column[i]] = 0.0
                continue
            if free < 0:
                for i in range(sizes[row, chosen]):
                    _carry(arcs[row, chosen, i], -moved * amounts[row, chosen, i], capacity, load, length, power)
            sizes[row, chosen] = size
            for i in range(size):
                arcs[row, chosen, i], amounts[row, chosen, i] = column[i], target[column[i]]
            weights[row, chosen] = 1.0 if best < 0 else moved
            for i in range(size):
                _carry(column[i], weights[row, chosen] * target[column[i]], capacity, load, length, power)
            best = chosen
        else:
            for i in range(size):
                target[column[i]] = 0.0
            size = sizes[row, best]
            for i in range(size):
                column[i], target[arcs[row, best, i]] = arcs[row, best, i], amounts[row, best, i]
        for c in range(slots):
            if c != best and weights[row, c] > 0.0:
                _exchange(
                    arcs[row, c, : sizes[row, c]],
                    amounts[row, c, : sizes[row, c]],
                    column[:size],
                    target,
                    capacity,
                    weights[row],
                    c,
                    best,
                    load,
                    length,
                    power,
                )
        for i in range(size):
            target[column[i]] = 0.0
    return longest


@inner
def _exchange(
    arcs: np.ndarray,
    amounts: np.ndarray,
    column: np.ndarray,
    target: np.ndarray,
    capacity: np.ndarray,
    weights: np.ndarray,
    c: int,
    best: int,
    load: np.ndarray,
    length: np.ndarray,
    power: float,
) -> None:
    """Move share from column c (arcs, amounts) to the best one (`column`, its amounts by arc in `target`)."""
    slope, curve, steepest = 0.0, 0.0, 0.0
    for e in column:
        slope -= target[e] * length[e]
        curve += power * length[e] / capacity[e] * target[e] ** 2
        steepest = max(steepest, target[e] / capacity[e])
    for i in range(arcs.size):
        e = arcs[i]
        slope += amounts[i] * length[e]
        curve += power * length[e] / capacity[e] * (amounts[i] ** 2 - 2.0 * amounts[i] * target[e])
    if slope <= 0.0 or steepest == 0.0:
        return
    step = min(weights[c], _BOLD / (power * steepest))
    if curve > 0.0:
        step = min(step, slope / curve)
    if weights[c] - step < 1e-12:
        step = weights[c]
    weights[c] -= step
    weights[best] += step
    for i in range(arcs.size):
        _carry(arcs[i], -step * amounts[i], capacity, load, length, power)
    for e in column:
        _carry(e, step * target[e], capacity, load, length, power)


@stage
def _carry(e: int, amount: float, capacity: np.ndarray, load: np.ndarray, length: np.ndarray, power: float) -> None:
    """Add `amount` to the load of arc e, and update its length."""
    load[e] += amount
    length[e] *= np.exp(power * amount / capacity[e])


@kernel
def loads(arcs: np.ndarray, amounts: np.ndarray, sizes: np.ndarray, weights: np.ndarray, load: np.ndarray) -> None:
    """Compute the load of every arc, float64[a], from all columns and their shares."""
    load[:] = 0.0
    for row in range(weights.shape[0]):
        for c in range(weights.shape[1]):
            if weights[row, c] > 0.0:
                for i in range(sizes[row, c]):
                    load[arcs[row, c, i]] += weights[row, c] * amounts[row, c, i]


@allocating
def cheapest(first: np.ndarray, to: np.ndarray, source: int, demand: np.ndarray, length: np.ndarray) -> float:
    """Return the least cost of a source's demand, float64[n]: the sum of demand times the shortest path."""
    n = first.size - 1
    distance, above, order = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    heap, spot = np.empty(n, np.int64), np.empty(n, np.int64)
    wanted, cost = 0, 0.0
    for v in range(n):
        wanted += demand[v] > 0.0
    settled = shortest_ways(first, to, length, source, demand, wanted, distance, above, order, heap, spot)
    for place in range(1, settled):
        cost += demand[order[place]] * distance[order[place]]
    return cost


@inner
def shortest_ways(
    first: np.ndarray,
    to: np.ndarray,
    length: np.ndarray,
    source: int,
    demand: np.ndarray,
    wanted: int,
    distance: np.ndarray,
    above: np.ndarray,
    order: np.ndarray,
    heap: np.ndarray,
    spot: np.ndarray,
) -> int:
    """Run Dijkstra from one source until the `wanted` switches with demand are reached; return how many are settled.

    Filled: distance float64[n], above int64[n] (the arc by which each is reached) and order int64[n] (the switches in the order
    of their distance). Scratch, int64[n]: `heap`, a binary heap of switches by distance, and `spot`, the position of each
    switch in it (-1: none).
    """
    distance[:] = np.inf
    spot[:] = -1
    distance[source] = 0.0
    heap[0], spot[source] = source, 0
    waiting, settled = 1, 0
    while waiting and wanted:
        u = heap[0]
        order[settled] = u
        settled += 1
        waiting -= 1
        wanted -= demand[u] > 0.0
        if waiting:
            _sink(heap, spot, distance, heap[waiting], waiting)
        for arc in range(first[u], first[u + 1]):
            v = to[arc]
            through = distance[u] + length[arc]
            if through < distance[v]:
                distance[v] = through
                above[v] = arc
                if spot[v] < 0:
                    spot[v] = waiting
                    waiting += 1
                _rise(heap, spot, distance, v)
    return settled


@stage
def _rise(heap: np.ndarray, spot: np.ndarray, distance: np.ndarray, v: int) -> None:
    """Move switch v, at spot[v], up the heap past all farther switches."""
    place = spot[v]
    while place > 0:
        parent = (place - 1) >> 1
        if distance[heap[parent]] <= distance[v]:
            break
        heap[place] = heap[parent]
        spot[heap[place]] = place
        place = parent
    heap[place], spot[v] = v, place


@stage
def _sink(heap: np.ndarray, spot: np.ndarray, distance: np.ndarray, v: int, size: int) -> None:
    """Place switch v at the free top of the heap and move it down below all nearer switches."""
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and distance[heap[child + 1]] < distance[heap[child]]:
            child += 1
        if distance[v] <= distance[heap[child]]:
            break
        heap[place] = heap[child]
        spot[heap[place]] = place
        place = child
    heap[place], spot[v] = v, place

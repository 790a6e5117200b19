"""Kernels of Walktrap: random walks from every switch, and the merging of clusters whose walks are alike."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel

#: Columns of the walk matrix per block: enough for fast inner loops, few enough for the cache (measured).
BLOCK = 64


@kernel
def walk_block(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    steps: int,
    first: int,
    end: int,
    before_step: np.ndarray,
    after_step: np.ndarray,
    likeness: np.ndarray,
) -> None:
    """Fill columns first .. end - 1 of `likeness`: float32[n, n], W_ij / d_j - 1 / D for W = P^(2 steps).

    P is the matrix of one step: to each neighbour, along each of parallel links, or staying, all equally likely; d_j is the
    degree of j plus one for staying; D is the sum of all d. Arrays: offsets int64[n + 1], neighbours int32[2 m] (CSR);
    before_step, after_step: float64[n, BLOCK], scratch. 1 / D is subtracted before rounding to float32, so that small
    differences survive and equal costs stay equal. Cost: 2 steps (2 m + n) additions per column.
    """
    n = offsets.size - 1
    total = neighbours.size + n
    before_step[:] = 0.0
    for column in range(first, end):
        before_step[column, column - first] = 1.0 / (offsets[column + 1] - offsets[column] + 1)
    for _ in range(2 * steps):
        for u in range(n):
            for j in range(BLOCK):
                after_step[u, j] = before_step[u, j]
            for slot in range(offsets[u], offsets[u + 1]):
                v = neighbours[slot]
                for j in range(BLOCK):
                    after_step[u, j] += before_step[v, j]
            share = 1.0 / (offsets[u + 1] - offsets[u] + 1)
            for j in range(BLOCK):
                after_step[u, j] *= share
        before_step, after_step = after_step, before_step
    for u in range(n):
        for column in range(first, end):
            likeness[u, column] = before_step[u, column - first] - 1.0 / total


@allocating
def merges(
    pairs: np.ndarray, likeness: np.ndarray, loads: np.ndarray, most: np.ndarray, stop: np.ndarray
) -> np.ndarray:
    """The merges of clusters in order: int32[merges, 2], the cluster that stays and the cluster that joins it.

    Agglomerative clustering as in Walktrap (Pons and Latapy 2005): of all linked pairs of clusters that fit a rack together,
    the pair of least cost merges (of equal ones, the first), until there is none. Loads only grow, so a pair that does not fit
    is dropped for good. A cluster is named by one of its switches.

    Arrays: pairs int32[k, 2], the pairs of linked switches, each once; likeness float32[n, n] of `walk_block`, destroyed: row a
    becomes the sum over cluster a's switches; loads float64[n, resources], the demand of each switch; most float64[resources],
    the capacity of a rack; stop uint8[1]: the merging ends early once it is not 0. Time: O(n^2 + k log k), plus the
    neighbours of merged clusters.
    """
    n, count = likeness.shape[0], len(pairs)
    after, before, heads = _neighbour_lists(pairs, n)
    used = loads.copy()
    size = np.ones(n, np.int64)
    within = np.empty(n)  # the sum of the likeness over all pairs within the cluster
    follower, last = (
        np.full(n, -1, np.int32),
        np.arange(n).astype(np.int32),
    )  # linked lists of the switches of each cluster
    for u in range(n):
        within[u] = likeness[u, u]
    # A heap of the pairs that fit one rack, by cost; place[e] is the position of pair e in it.
    cost, heap, place = np.empty(count), np.empty(count, np.int32), np.full(count, -1, np.int32)
    waiting = 0
    for e in range(count):
        a, b = pairs[e]
        if _fits(used, most, a, b):
            cost[e] = _cost(1, 1, within[a], within[b], likeness[a, b])
            heap[waiting], place[e] = e, waiting
            waiting += 1
        else:
            _unlink(e, pairs, heads, after, before)
    for spot in range(waiting // 2 - 1, -1, -1):
        _sink(spot, waiting, heap, place, cost)
    end = pairs.copy()  # the clusters that each pair joins at present
    linked = np.zeros(n, np.bool_)  # whether the cluster that stays is linked to each other one
    done = np.empty((n, 2), np.int32)
    merged = 0
    while waiting > 0 and stop[0] == 0:
        # Merge the cheapest pair: cluster b joins cluster a.
        first = heap[0]
        a, b = end[first]
        waiting = _take(first, waiting, heap, place, cost)
        _unlink(first, end, heads, after, before)
        done[merged, 0], done[merged, 1] = a, b
        merged += 1
        within[a] += within[b] + 2 * _between(a, b, likeness, follower)
        likeness[a] += likeness[b]
        size[a] += size[b]
        used[a] += used[b]
        follower[last[a]], last[a] = b, last[b]
        # The pairs of b become pairs of a, except those that a has too.
        half = heads[a]
        while half >= 0:
            linked[end[half // 2, 1 - half % 2]] = True
            half = after[half]
        while heads[b] >= 0:
            half = heads[b]
            e, side = half // 2, half % 2
            if linked[end[e, 1 - side]]:
                waiting = _take(e, waiting, heap, place, cost)
                _unlink(e, end, heads, after, before)
                continue
            heads[b] = after[half]
            if heads[b] >= 0:
                before[heads[b]] = -1
            end[e, side] = a
            _push(half, a, heads, after, before)
        # Price the pairs of the merged cluster again; drop those that no longer fit.
        half = heads[a]
        while half >= 0:
            e, following = half // 2, after[half]
            c = end[e, 1 - half % 2]
            linked[c] = False
            if _fits(used, most, a, c):
                cost[e] = _cost(size[a], size[c], within[a], within[c], _between(a, c, likeness, follower))
                _sink(_rise(place[e], heap, place, cost), waiting, heap, place, cost)
            else:
                waiting = _take(e, waiting, heap, place, cost)
                _unlink(e, end, heads, after, before)
            half = following
    return done[:merged]


@kernel
def _fits(used: np.ndarray, most: np.ndarray, a: int, b: int) -> bool:
    """Whether clusters a and b fit one rack."""
    for k in range(most.size):
        if used[a, k] + used[b, k] > most[k]:
            return False
    return True


@kernel
def _cost(size_a: int, size_b: int, within_a: float, within_b: float, between: float) -> float:
    """n times the increase of the variance: |a| |b| / (|a| + |b|) times the squared distance of the centres."""
    apart = within_a / (size_a * size_a) + within_b / (size_b * size_b) - 2 * between / (size_a * size_b)
    return apart * (size_a * size_b) / (size_a + size_b)


@kernel
def _between(a: int, b: int, likeness: np.ndarray, follower: np.ndarray) -> float:
    """The sum of the likeness over all pairs of a switch of a and a switch of b."""
    total, v = 0.0, b
    while v >= 0:
        total += likeness[a, v]
        v = follower[v]
    return total


@allocating
def _neighbour_lists(pairs: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Doubly linked lists of the halves 2 e and 2 e + 1 of pairs e, one list per switch: after, before, heads."""
    after, before = np.full(2 * len(pairs), -1, np.int32), np.full(2 * len(pairs), -1, np.int32)
    heads = np.full(n, -1, np.int32)
    for half in range(2 * len(pairs) - 1, -1, -1):
        _push(half, pairs[half // 2, half % 2], heads, after, before)
    return after, before, heads


@inner
def _push(half: int, u: int, heads: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Put a half at the head of u's list."""
    after[half], before[half] = heads[u], -1
    if heads[u] >= 0:
        before[heads[u]] = half
    heads[u] = half


@inner
def _unlink(e: int, end: np.ndarray, heads: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Remove both halves of pair e from their lists."""
    for side in range(2):
        half = 2 * e + side
        if before[half] >= 0:
            after[before[half]] = after[half]
        else:
            heads[end[e, side]] = after[half]
        if after[half] >= 0:
            before[after[half]] = before[half]


@inner
def _sooner(e: int, f: int, cost: np.ndarray) -> bool:
    return cost[e] < cost[f] or (cost[e] == cost[f] and e < f)


@inner
def _rise(spot: int, heap: np.ndarray, place: np.ndarray, cost: np.ndarray) -> int:
    """Move the pair at `spot` up to its position in the heap, and return that position."""
    e = heap[spot]
    while spot > 0 and _sooner(e, heap[(spot - 1) // 2], cost):
        above = (spot - 1) // 2
        heap[spot], place[heap[above]] = heap[above], spot
        spot = above
    heap[spot], place[e] = e, spot
    return spot


@inner
def _sink(spot: int, waiting: int, heap: np.ndarray, place: np.ndarray, cost: np.ndarray) -> None:
    """Move the pair at `spot` down to its position in a heap of size `waiting`."""
    e = heap[spot]
    while 2 * spot + 1 < waiting:
        below = 2 * spot + 1
        if below + 1 < waiting and _sooner(heap[below + 1], heap[below], cost):
            below += 1
        if not _sooner(heap[below], e, cost):
            break
        heap[spot], place[heap[below]] = heap[below], spot
        spot = below
    heap[spot], place[e] = e, spot


@kernel
def _take(e: int, waiting: int, heap: np.ndarray, place: np.ndarray, cost: np.ndarray) -> int:
    """Remove pair e from a heap of size `waiting`, and return the new size."""
    spot, waiting = place[e], waiting - 1
    place[e] = -1
    if spot < waiting:
        heap[spot], place[heap[waiting]] = heap[waiting], spot
        _sink(_rise(spot, heap, place, cost), waiting, heap, place, cost)
    return waiting

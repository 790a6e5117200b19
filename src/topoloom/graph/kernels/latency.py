"""Shortest paths by weight: from a row of sources at once by sweeps, or from each source with buckets (Dial's algorithm).

In a sweep, every switch updates its distance from its neighbours', with one vector operation per arc for all sources of a row.
The number of sweeps is about the number of hops of the paths. For long paths, the search that settles each switch once is
faster. Both add the costs of a path starting at its source, so both give the same number to the last bit.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel
from topoloom.graph.kernels.simd import COSTS, least, load, same, store


@kernel
def row_latency_sums(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    cost: np.ndarray,
    weight: np.ndarray,
    sources: np.ndarray,
    distance: np.ndarray,
    sums: np.ndarray,
    greatest: np.ndarray,
) -> None:
    """As `latency_sums`, for at most `COSTS` sources; distance: float64[n * COSTS], scratch."""
    n = offsets.size - 1
    for k in range(n * COSTS):
        distance[k] = np.inf
    for i in range(sources.size):
        distance[sources[i] * COSTS + i] = 0.0
    changed = True
    while changed:
        changed = False
        for v in range(n):
            before = load(distance, v * COSTS)
            after = before
            for slot in range(offsets[v], offsets[v + 1]):
                after = least(after, load(distance, np.int64(neighbours[slot]) * COSTS), cost[slot])
            if not same(before, after):
                store(distance, v * COSTS, after)
                changed = True
    for i in range(sources.size):
        total, most = 0.0, -1.0
        for v in range(n):
            hosts = weight[v] - (1 if v == sources[i] else 0)
            if hosts > 0:
                total += hosts * distance[v * COSTS + i]
                most = max(most, distance[v * COSTS + i])
        sums[i], greatest[i] = total, most


@allocating
def latency_sums(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    cost: np.ndarray,
    weight: np.ndarray,
    sources: np.ndarray,
    width: float,
    buckets: int,
    sums: np.ndarray,
    greatest: np.ndarray,
) -> None:
    """For each source, compute the weighted sum and the largest of its least costs to all switches with weight.

    offsets: int64[n + 1], neighbours: int32[2 m] (CSR); cost: float64[2 m], not negative, in the order of neighbours.
    weight: int64[n], the hosts of each switch; at the source one fewer, because a host forms no pair with itself. sources:
    int64[s]; width, buckets: see `_least_costs`. Output, float64[s]: sums[i], the sum of weight * cost (inf if a switch cannot
    be reached), and greatest[i], -1 if the source has no pair.
    """
    n = offsets.size - 1
    distance, heads = np.empty(n), np.empty(buckets, np.int32)
    after, before, place = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for i in range(sources.size):
        _least_costs(offsets, neighbours, cost, sources[i], 1.0 / width, distance, heads, after, before, place)
        total, most = 0.0, -1.0
        for v in range(n):
            hosts = weight[v] - (1 if v == sources[i] else 0)
            if hosts > 0:
                total += hosts * distance[v]
                most = max(most, distance[v])
        sums[i], greatest[i] = total, most


@inner
def _least_costs(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    cost: np.ndarray,
    source: int,
    per_width: float,
    distance: np.ndarray,
    heads: np.ndarray,
    after: np.ndarray,
    before: np.ndarray,
    place: np.ndarray,
) -> None:
    """distance[v] = the least cost of a path from source to v, float64[n]; inf if there is none.

    Dial's algorithm: a switch waits in the bucket of its distance; bucket k holds distances in [k, k + 1) widths, and buckets
    are reused cyclically. If the width is below every cost, the switches of a bucket cannot improve each other and each is
    settled once: O(n + m + largest distance / width). With a larger width the result is the same, but some switches are settled
    again.

    per_width: 1 / width. heads: int32[b], where b is a power of two, and b widths exceed the largest cost by at least two
    widths; after, before, place: int32[n]; all scratch.
    """
    mask = np.uint64(heads.size - 1)
    distance[:] = np.inf
    heads[:] = -1
    place[:] = -1  # the bucket where a switch waits, or -1
    distance[source], place[source], heads[0] = 0.0, 0, source
    after[source] = before[source] = -1
    waiting, bucket = 1, np.uint64(0)
    while waiting > 0:
        if heads[bucket] < 0:
            bucket = (bucket + np.uint64(1)) & mask
            continue
        u = np.uint64(heads[bucket])
        heads[bucket] = after[u]
        if after[u] >= 0:
            before[np.uint64(after[u])] = -1
        place[u] = -1
        waiting -= 1
        at = distance[u]
        for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + np.uint64(1)])):
            v = np.uint64(neighbours[slot])
            further = at + cost[slot]
            if further >= distance[v]:
                continue
            distance[v] = further
            new = np.int32(np.uint64(further * per_width) & mask)
            if place[v] == new:
                continue
            if place[v] >= 0:
                if before[v] >= 0:
                    after[np.uint64(before[v])] = after[v]
                else:
                    heads[np.uint64(place[v])] = after[v]
                if after[v] >= 0:
                    before[np.uint64(after[v])] = before[v]
            else:
                waiting += 1
            first = heads[np.uint64(new)]
            after[v], before[v], place[v] = first, -1, new
            if first >= 0:
                before[np.uint64(first)] = v
            heads[np.uint64(new)] = v

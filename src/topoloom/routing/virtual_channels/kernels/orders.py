"""Orders of the switches, one per virtual channel, that forbid as few of the needed turns as possible.

In a virtual channel with ranks r, a turn u -> w -> x is forbidden if r[w] is the largest of the three. Along every path the
ranks then first fall and afterwards rise. No cycle of channels is possible: it would make a forbidden turn at its highest
switch. `rises` has one bit per virtual channel for each channel: whether the rank rises along it. A turn from channel c to e is
legal in the virtual channels ~(rises[c] & ~rises[e]).
"""

import heapq

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.wide_loads import senders_first

#: Trees per group: their weights are added together.
_TOGETHER = 8


@allocating
def rising(first: np.ndarray, to: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Whether the rank rises along each channel, uint16[2 m], one bit per virtual channel; ranks: int32[virtual channels,
    n].
    """
    rises = np.zeros(to.size, np.uint16)
    for u in range(first.size - 1):
        for c in range(first[u], first[u + 1]):
            for vc in range(ranks.shape[0]):
                if ranks[vc, to[c]] > ranks[vc, u]:
                    rises[c] |= np.uint16(1) << np.uint16(vc)
    return rises


@allocating
def weigh(
    first: np.ndarray,
    to: np.ndarray,
    turn_row: np.ndarray,
    ports: np.ndarray,
    destinations: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    pairs: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Add to each turn's weight, float64[turns], the pairs that make it and whose path is legal in no virtual channel.

    Paths are those of the trees ports[d] of `destinations`, from switches weighted by `pairs`, int64[n]. Values of one tree are
    computed in the nearest cache; the weights, a larger array, are updated switch by switch for a few trees together.

    turn_row : int64[2 m]
        For each channel, the turn from it to the first port of the switch that it leads to.
    """
    n = first.size - 1
    every = np.uint16((np.int64(1) << vcs) - 1)
    width = 64 * ((n + 63) // 64 | 1)
    port, rise = np.empty((_TOGETHER, width), ports.dtype), np.empty((_TOGETHER, width), np.uint16)
    onward, waiting = np.empty((_TOGETHER, width), np.uint32), np.empty((_TOGETHER, width), np.int64)
    legal, senders, order = np.empty(n, np.uint16), np.empty(n, np.int32), np.empty(n + 1, np.uint32)
    for start in range(0, destinations.size, _TOGETHER):
        some = destinations[start : start + _TOGETHER]
        for j in range(some.size):
            for v in range(n):
                port[j, v] = ports[some[j], v]
            port[j, some[j]] = 0
        for v in range(n):
            for j in range(some.size):
                c = first[v] + np.int64(port[j, v])
                onward[j, v] = to[c] if v != some[j] else v
                rise[j, v] = rises[c]
        for j in range(some.size):
            d = some[j]
            rise[j, d] = every  # every turn onto the last channel is legal
            legal[d], waiting[j, d] = every, 0
            count = senders_first(onward[j], senders, order)
            for i in range(count - 1, -1, -1):
                v = order[i]
                w = onward[j, v]
                legal[v] = legal[w] & ~(rise[j, v] & ~rise[j, w])
                waiting[j, v] = pairs[v] if legal[v] == 0 else 0
            for i in range(count):
                waiting[j, onward[j, order[i]]] += waiting[j, order[i]]
            waiting[j, d] = 0
        for v in range(n):
            for j in range(some.size):
                w = np.int64(onward[j, v])
                if w != some[j] and waiting[j, v]:
                    weight[turn_row[first[v] + np.int64(port[j, v])] + np.int64(port[j, w])] += waiting[j, v]


@allocating
def ranked(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, turn_first: np.ndarray, weight: np.ndarray, ties: np.ndarray
) -> np.ndarray:
    """Return ranks of the switches, int32[n], chosen greedily so that the forbidden turns have a small total weight.

    The highest free rank goes to the switch with the least cost; then the next one. The cost of a switch is the total weight of
    its turns between two neighbours that have no rank yet: these are the turns that the rank would forbid. A heap holds the
    costs; entries with an outdated cost are skipped.

    weight: float64[turns]; ties: float64[n], small numbers added to the costs to decide between equals. Cost: O(turns log n).
    """
    n = first.size - 1
    rank = np.full(n, -1, np.int32)
    cost = np.empty(n)
    heap = [(0.0, np.int64(0)) for _ in range(0)]  # an empty list whose element type the compiler knows
    for w in range(n):
        degree = first[w + 1] - first[w]
        total = 0.0
        for q in range(degree):
            for p in range(degree):
                if q != p:
                    total += weight[turn_first[w] + q * degree + p]
        cost[w] = total + ties[w]
        heapq.heappush(heap, (cost[w], np.int64(w)))
    left = n
    while left > 0:
        value, w = heapq.heappop(heap)
        if rank[w] >= 0 or value != cost[w]:
            continue
        left -= 1
        rank[w] = left
        for c in range(first[w], first[w + 1]):
            x = np.int64(to[c])
            if rank[x] >= 0:
                continue
            q = back[c] - first[x]
            degree = first[x + 1] - first[x]
            total = 0.0
            for p in range(degree):
                if p != q and rank[to[first[x] + p]] < 0:
                    total += weight[turn_first[x] + q * degree + p] + weight[turn_first[x] + p * degree + q]
            cost[x] -= total
            heapq.heappush(heap, (cost[x], x))
    return rank

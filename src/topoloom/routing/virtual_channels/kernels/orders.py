"""Orders of the switches, one a virtual channel, that forbid as few of the turns wanted as they can.

In a virtual channel with ranks r a turn u -> w -> x is forbidden where r[w] is the largest of the three: then ranks fall and
rise again along every path, and no cycle of channels can wait for itself, for the switch of highest rank on it would be such a
turn. `rises` says of each channel, a bit a virtual channel, whether the rank rises along it; a turn from channel c to e is
legal in the virtual channels ~(rises[c] & ~rises[e]).
"""

import heapq

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.wide_loads import senders_first

#: Trees whose weights are added together.
_TOGETHER = 8


@allocating
def rising(first: np.ndarray, to: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Whether each virtual channel's rank rises along each channel: uint16[2 m], a bit a virtual channel; ranks: int32[virtual
    channels, n].
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
    """Add to each turn's weight, float64[turns], the pairs that pass it and whose path is legal in none of the virtual
    channels.

    Paths are those of trees, ports[d] for the destinations given, from the switches that have pairs, int64[n]. What belongs
    to one tree is worked out in the nearest cache, the weights, which are more, are added switch by switch for a few trees.

    turn_row : int64[2 m]
        Of each channel the turn from it to the first port of the switch that it leads to.
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
            rise[j, d] = every  # whatever comes before the end is legal
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
    """Ranks, int32[n]: the highest always goes to the switch whose turns between switches without a rank weigh least.

    ties: float64[n], small numbers that decide between equals. Cost: O(turns log n).
    """
    n = first.size - 1
    rank = np.full(n, -1, np.int32)
    cost = np.empty(n)
    heap = [(0.0, np.int64(0)) for _ in range(0)]
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

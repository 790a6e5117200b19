"""Trees of the paths with the least latency."""

import heapq

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.wide_loads import add_loads


@allocating
def fastest_trees(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    delay: np.ndarray,
    destinations: np.ndarray,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
) -> None:
    """Write to ports[d] the trees of the fastest paths to each of `destinations` (Dijkstra, 1959), and update `load`.

    delay: int64[2 m], the positive delay of each channel. Among equally fast paths, the channel with the fewest pairs is taken.
    """
    n = first.size - 1
    order, below = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(destinations.size):
        d = destinations[i]
        if again:
            add_loads(first, to, destinations[i : i + 1], destinations[i : i + 1], ports, pairs, load, -1)
        time = np.full(n, np.int64(1) << 62)
        time[d] = 0
        done = np.zeros(n, np.bool_)
        heap = [(np.int64(0), np.int64(d))]
        count = 0
        while heap:
            value, u = heapq.heappop(heap)
            if done[u]:
                continue
            done[u] = True
            order[count] = u
            count += 1
            for c in range(first[u], first[u + 1]):
                v = np.int64(to[c])
                if value + delay[c] < time[v]:
                    time[v] = value + delay[c]
                    heapq.heappush(heap, (time[v], v))
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for place in range(count - 1, 0, -1):
            v = order[place]
            least, chosen = np.int64(1) << 62, np.int64(-1)
            begin, degree = first[v], first[v + 1] - first[v]
            for k in range(degree):
                c = begin + (d + v + k) % degree
                if time[to[c]] + delay[back[c]] == time[v] and load[c] < least:
                    least, chosen = load[c], c
            load[chosen] += below[v]
            below[to[chosen]] += below[v]
            ports[d, v] = chosen - begin

"""Trees of next hops: for a destination, every switch picks one channel of those that lead on by a shortest path.

Loads are pairs over each channel so far; the channel with the least is picked, so later trees go round what earlier ones
filled (Hoefler, Schneider and Lumsdaine, 2009: SSSP routing).
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel


@kernel
def search(first: np.ndarray, to: np.ndarray, d: int, distance: np.ndarray, queue: np.ndarray) -> int:
    """Hops to d from every switch, uint16[n] (65535: no path), and the switches by hops; how many there are."""
    distance[:] = np.uint16(65535)
    distance[d] = 0
    queue[0] = d
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        farther = np.uint16(distance[u] + 1)
        for c in range(first[u], first[u + 1]):
            if distance[to[c]] > farther:
                distance[to[c]] = farther
                queue[tail] = to[c]
                tail += 1
    return tail


@inner
def take_out(
    first: np.ndarray,
    to: np.ndarray,
    d: int,
    queue: np.ndarray,
    count: int,
    ports: np.ndarray,
    load: np.ndarray,
    below: np.ndarray,
    pairs: np.ndarray,
) -> None:
    """Take the pairs of d's tree out of the loads; the switches of `queue` stand farther ones later."""
    for each in range(pairs.size):
        below[each] = pairs[each] * pairs[d]
    for i in range(count - 1, 0, -1):
        v = queue[i]
        c = first[v] + ports[d, v]
        load[c] -= below[v]
        below[to[c]] += below[v]


@allocating
def minimal_trees(
    first: np.ndarray,
    to: np.ndarray,
    destinations: np.ndarray,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
) -> None:
    """Trees of shortest paths to each of `destinations`, one after the other; ports[d] is written, `load` kept.

    Farthest switches choose first: then the pairs that a switch sends on are known when it chooses. Of channels with equal
    loads the first from a place that differs by switch and destination is taken. again: the trees are there already, and
    each is taken out before it is made again. pairs: int64[n], the hosts of each switch.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n, np.int32), np.empty(n, np.int64)
    for d in destinations:
        count = search(first, to, d, distance, queue)
        if again:
            take_out(first, to, d, queue, count, ports, load, below, pairs)
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            nearer = distance[v] - 1
            least, chosen = np.int64(1) << 62, np.int64(-1)
            begin, degree = first[v], first[v + 1] - first[v]
            at = (d + v) % degree
            for _ in range(degree):
                c = begin + at
                if distance[to[c]] == nearer and load[c] < least:
                    least, chosen = load[c], c
                at = at + 1 if at + 1 < degree else 0
            load[chosen] += below[v]
            below[to[chosen]] += below[v]
            ports[d, v] = chosen - first[v]

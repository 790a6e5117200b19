"""Trees of next hops: for each destination, every switch chooses one of its channels on shortest paths.

The load of a channel is the number of pairs over it so far; a switch takes the channel with the least load, so later trees
avoid the channels that earlier ones filled (Hoefler, Schneider and Lumsdaine, 2009: SSSP routing).
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner, kernel

#: The lowest bits of a word hold a port, the others a load of up to 2^46 pairs; and a word above all of these.
PLACE_BITS, MOST = 16, np.int64(1) << np.int64(62)


@kernel
def search(first: np.ndarray, to: np.ndarray, d: int, distance: np.ndarray, queue: np.ndarray) -> int:
    """Breadth-first search: write the hops from every switch to d into `distance`, uint16[n] (65535: no path), and the reached
    switches in order of hops into `queue`, int32[n + 1]; return their number.

    Every neighbour is written to the queue, and stays there if the tail moves on: a branch would be unpredictable.
    """
    distance[:] = np.uint16(65535)
    distance[d] = 0
    queue[0] = d
    head, tail = np.uint64(0), np.uint64(1)
    while head < tail:
        u = np.uint32(queue[head])
        head += np.uint64(1)
        farther = np.uint16(distance[u] + 1)
        for c in range(np.uint64(first[u]), np.uint64(first[u + np.uint64(1)])):
            w = np.uint32(to[c])
            queue[tail] = w
            tail += np.uint64(distance[w] > farther)
            distance[w] = min(distance[w], farther)
    return np.int64(tail)


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
    """Remove the pairs of d's tree from the loads; `queue` has the switches by hops, nearest first."""
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
    into_first: np.ndarray,
    into: np.ndarray,
    destinations: np.ndarray,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
) -> None:
    """Write to ports[d] a tree of shortest paths to each of `destinations`, one after the other, and update `load`.

    into_first, into: int64[n + 1], int32[channels], the switches whose channels lead to each switch; `first` and `to` again
    where all links have both directions.

    The farthest switches choose first, so the pairs that a switch forwards are known when it chooses. Among channels with equal
    loads, the first from an offset by switch and destination is taken. again: the trees exist already, and each is removed
    before it is rebuilt. pairs: int64[n], the hosts of each switch.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n + 1, np.int32), np.empty(n, np.int64)
    for d in destinations:
        count = search(into_first, into, d, distance, queue)
        if again:
            take_out(first, to, d, queue, count, ports, load, below, pairs)
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            begin, end, nearer = np.uint64(first[v]), np.uint64(first[v + 1]), np.uint16(distance[v] - 1)
            offset = begin + np.uint64(d + v) % (end - begin)
            # Words of a load and a place from the offset: their least one needs no branch, which would be unpredictable.
            least = MOST
            for c in range(begin, end):
                place = c - offset + (end - begin if c < offset else np.uint64(0))
                word = load[c] << PLACE_BITS | np.int64(place)
                least = min(least, word if distance[np.uint32(to[c])] == nearer else MOST)
            chosen = np.int64(offset) + (least & ((1 << PLACE_BITS) - 1))
            chosen -= np.int64(end - begin) if chosen >= np.int64(end) else 0
            load[chosen] += below[v]
            below[to[chosen]] += below[v]
            ports[d, v] = chosen - first[v]

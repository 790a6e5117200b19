"""Trees inside virtual channels: a switch joins the tree of a destination where its path stays legal in some virtual channel.

along[v] is the maximum channel load on v's path; a switch minimises it, and not only the load of the next channel. legal[v],
one bit per virtual channel, holds the virtual channels in which v's path to the destination is legal: those of the next switch
without the ones that forbid the turn there. So a tree has one next hop per destination, and a pair may use any virtual channel
in its bits.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.graph.kernels.simd import lowest_bit
from topoloom.routing.trees.kernels.trees import MOST, PLACE_BITS, search, take_out

#: A choice that leaves no virtual channel costs more than any load, and one that leaves a single virtual channel costs less
#: than that. Two or more are enough; beyond that, even loads decide.
_VC_COST = np.int64(1) << np.int64(40)
#: A path in one word: its legal virtual channels in the lowest bits, from these bits on the virtual channels in which its first
#: channel rises, and its hops.
_CLIMBS, _HOPS = 16, 32
#: The value in `vc` for a pair that no order serves.
ORPHAN = np.uint8(255)


@allocating
def shortest_trees(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
    load: np.ndarray,
    again: bool,
    pairs: np.ndarray,
) -> int:
    """Make shortest trees that leave pairs more than one virtual channel where possible; vc[d, v] gets the lowest one, or
    ORPHAN if
    none is left.

    Returns the number of orphans. again: trees are removed from `load` first. pairs: int64[n], the hosts of each switch; pairs
    without hosts need no virtual channel, and get virtual channel 0 if none is left.
    """
    n = first.size - 1
    every = (np.int64(1) << vcs) - 1
    distance, queue = np.empty(n, np.uint16), np.empty(n + 1, np.int32)
    below, channel = np.empty(n, np.int64), np.empty(n, np.int64)
    path, along = np.empty(n, np.int64), np.empty(n, np.int64)
    orphans = 0
    for d in destinations:
        count = search(first, to, d, distance, queue)
        if again:
            take_out(first, to, d, queue, count, ports, load, below, pairs)
        farthest = distance[queue[count - 1]]
        for v in range(n):
            path[v] = np.int64(distance[v]) << _HOPS
        # Every turn onto the last channel is legal.
        path[d], along[d] = every << _CLIMBS | every, 0
        for i in range(1, count):
            v = queue[i]
            begin, end, nearer = np.uint64(first[v]), np.uint64(first[v + 1]), np.int64(distance[v]) - 1
            # What one and several virtual channels cost; no switch is farther than the last ones.
            single = (vcs - 1) * _VC_COST if distance[v] < farthest else np.int64(0)
            roomy = (vcs - 2) * _VC_COST if distance[v] < farthest else np.int64(0)
            offset = begin + np.uint64(d + v) % (end - begin)
            least = MOST
            for c in range(begin, end):
                w = np.uint32(to[c])
                place = c - offset + (end - begin if c < offset else np.uint64(0))
                left = path[w] & every & ~(np.int64(rises[c]) & ~(path[w] >> _CLIMBS))
                cost = (vcs + 1) * _VC_COST if left == 0 else single if left & (left - 1) == 0 else roomy
                word = (max(load[c], along[w]) + cost) << PLACE_BITS | np.int64(place)
                least = min(least, word if path[w] >> _HOPS == nearer else MOST)
            chosen = np.int64(offset) + (least & ((1 << PLACE_BITS) - 1))
            chosen -= np.int64(end - begin) if chosen >= np.int64(end) else 0
            w = to[chosen]
            climbs = np.int64(rises[chosen])
            channel[v] = chosen
            path[v] |= path[w] & every & ~(climbs & ~(path[w] >> _CLIMBS)) | climbs << _CLIMBS
            along[v] = max(load[chosen], along[w])
            ports[d, v] = chosen - first[v]
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            load[channel[v]] += below[v]
            below[to[channel[v]]] += below[v]
            if path[v] & every:
                vc[d, v] = lowest_bit(np.uint64(path[v]))
            elif pairs[v] * pairs[d]:
                vc[d, v] = ORPHAN
                orphans += 1
            else:
                vc[d, v] = 0
    return orphans

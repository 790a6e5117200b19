"""Trees inside virtual channels: a switch joins the tree of a destination where its path stays legal in some virtual channel.

along[v] is the maximum channel load on v's path; a switch minimises it, and not only the load of the next channel. legal[v],
one bit per virtual channel, holds the virtual channels in which v's path to the destination is legal: those of the next switch
without the ones that forbid the turn there. So a tree has one next hop per destination, and a pair may use any virtual channel
in its bits.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage
from topoloom.routing.trees.kernels.trees import search, take_out

#: A choice that leaves no virtual channel costs more than any load, and one that leaves a single virtual channel costs less
#: than that. Two or more are enough; beyond that, even loads decide.
_VC_COST = np.int64(1) << np.int64(40)
#: The value in `vc` for a pair that no order serves.
ORPHAN = np.uint8(255)


@allocating
def _bit_counts(vcs: int) -> np.ndarray:
    """The number of bits set in each word of virtual channels, int64[2^vcs]."""
    counts = np.zeros(1 << vcs, np.int64)
    for word in range(1, 1 << vcs):
        counts[word] = counts[word >> 1] + (word & 1)
    return counts


@stage
def _lowest(word: int) -> int:
    vc = 0
    while not (word >> vc) & 1:
        vc += 1
    return vc


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
    distance, queue = np.empty(n, np.uint16), np.empty(n, np.int32)
    legal, below, channel = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    counted = _bit_counts(vcs)
    along = np.empty(n, np.int64)
    orphans = 0
    for d in destinations:
        count = search(first, to, d, distance, queue)
        if again:
            take_out(first, to, d, queue, count, ports, load, below, pairs)
        farthest = distance[queue[count - 1]]
        along[d] = 0
        for i in range(1, count):
            v = queue[i]
            nearer = distance[v] - 1
            least, chosen, legal_there = np.int64(1) << 62, np.int64(-1), np.int64(0)
            begin, degree = first[v], first[v + 1] - first[v]
            at = (d + v) % degree
            for _ in range(degree):
                c = begin + at
                at = at + 1 if at + 1 < degree else 0
                w = to[c]
                if distance[w] != nearer:
                    continue
                left = every if w == d else legal[w] & ~(np.int64(rises[c]) & ~np.int64(rises[channel[w]]))
                cost = max(load[c], along[w])
                if left == 0:
                    cost += (vcs + 1) * _VC_COST
                elif distance[v] < farthest:  # no switch is farther than the last ones
                    cost += (vcs - min(counted[left], 2)) * _VC_COST
                if cost < least:
                    least, chosen, legal_there = cost, c, left
            channel[v], legal[v] = chosen, legal_there
            along[v] = max(load[chosen], along[to[chosen]])
            ports[d, v] = chosen - begin
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            load[channel[v]] += below[v]
            below[to[channel[v]]] += below[v]
            if legal[v]:
                vc[d, v] = _lowest(legal[v])
            elif pairs[v] * pairs[d]:
                vc[d, v] = ORPHAN
                orphans += 1
            else:
                vc[d, v] = 0
    return orphans

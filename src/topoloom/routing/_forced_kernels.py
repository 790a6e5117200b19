"""Loads that no choice of shortest ways can avoid: what lies on all shortest ways of a pair."""

import numpy as np
from numba import njit

from topoloom.routing._tree_kernels import search


@njit(cache=True, nogil=True)
def add_forced(
    first: np.ndarray, to: np.ndarray, destinations: np.ndarray, switch_load: np.ndarray, channel_load: np.ndarray
) -> None:
    """Add, for each of `destinations`, the pairs all of whose shortest ways use a switch, int64[n], or channel, int64[2 m].

    On the shortest ways to a destination, the nearest thing that all ways of a switch have in common is its parent in a tree
    (the tree of dominators); what a switch cannot avoid are its ancestors. A channel's parent is the switch that it leads to;
    a switch's is its only channel or else the nearest common ancestor of all of them.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n, np.int32), np.empty(n, np.int64)
    # The switch that a switch must pass next, through the channel `only` if that is the only one (else -1), and its depth.
    parent, only, depth = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for d in destinations:
        count = search(first, to, d, distance, queue)
        depth[d] = 0
        for i in range(1, count):
            s = queue[i]
            found, channel, ways = np.int64(-1), np.int64(-1), 0
            for c in range(first[s], first[s + 1]):
                if distance[to[c]] + 1 != distance[s]:
                    continue
                ways += 1
                channel = c
                a, b = np.int64(to[c]), found
                if b < 0:
                    found = a
                    continue
                while a != b:
                    if depth[a] >= depth[b]:
                        a = parent[a]
                    else:
                        b = parent[b]
                found = a
            parent[s], depth[s] = found, depth[found] + 1
            only[s] = channel if ways == 1 else -1
        below[:] = 1
        for i in range(count - 1, 0, -1):
            s = queue[i]
            below[parent[s]] += below[s]
            switch_load[s] += below[s] - 1
            if only[s] >= 0:
                channel_load[only[s]] += below[s]

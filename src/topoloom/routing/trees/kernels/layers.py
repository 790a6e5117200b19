"""Layers of paths that are one hop longer than the shortest, for the layered routing of the deployed Slim Fly."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.trees import search


@allocating
def longer_paths(
    first: np.ndarray,
    to: np.ndarray,
    distance: np.ndarray,
    pairs: np.ndarray,
    most_hops: int,
    most_paths: int,
    ports: np.ndarray,
    none: int,
    load: np.ndarray,
    served: np.ndarray,
) -> int:
    """Fix one path longer than the shortest per pair, if it agrees with the entries fixed so far; return how many were fixed.

    A path begins with any neighbour and continues by the entries fixed there, or else by the least loaded channel on a shortest
    path. The path with the least total load is taken, and the entry of every switch on it is fixed for that destination.

    Parameters
    ----------
    distance : uint8[n, n]
    pairs : int64[k]
        source * n + destination, those with the fewest longer paths first.
    ports : [n, n]
        The layer's table; `none` where no entry is fixed yet.
    served : uint16[n, n]
        Number of longer paths per [source, destination]; updated.
    """
    n = first.size - 1
    path, best = np.empty(most_hops + 1, np.int64), np.empty(most_hops + 1, np.int64)
    paths = 0
    for pair in pairs:
        s, d = pair // n, pair % n
        if ports[d, s] != none or paths == most_paths:
            continue
        least, length = np.int64(1) << 62, 0
        for k in range(first[s + 1] - first[s]):
            c = first[s] + (pair + k) % (first[s + 1] - first[s])
            v, total, hops = np.int64(to[c]), load[c], 1
            path[0] = c
            while v != d and hops <= most_hops:
                if ports[d, v] != none:
                    e = first[v] + ports[d, v]
                else:
                    e, lightest = np.int64(-1), np.int64(1) << 62
                    for f in range(first[v], first[v + 1]):
                        if distance[d, to[f]] + 1 == distance[d, v] and load[f] < lightest and to[f] != s:
                            e, lightest = f, load[f]
                    if e < 0:
                        break
                if to[e] == s or hops == most_hops:
                    break
                path[hops] = e
                total += load[e]
                hops += 1
                v = np.int64(to[e])
            if v == d and hops > distance[d, s] and total < least:
                least, length = total, hops
                for each in range(hops):
                    best[each] = path[each]
        if length == 0:
            continue
        paths += 1
        v = s
        for i in range(length):
            c = best[i]
            if ports[d, v] == none:
                ports[d, v] = c - first[v]
            if length - i > distance[d, v]:
                served[v, d] += 1
            load[c] += 1
            v = np.int64(to[c])
    return paths


@allocating
def fill_rest(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, none: int, load: np.ndarray, flag: np.ndarray
) -> None:
    """Give every switch without a port the neighbour with the shortest remaining path; among these, the least loaded
    channel.
    """
    n = first.size - 1
    distance, queue, hops = np.empty(n, np.uint16), np.empty(n + 1, np.int32), np.empty(n, np.int64)
    for d in range(n):
        if flag[0]:  # the work was stopped
            return
        count = search(first, to, d, distance, queue)
        hops[:] = -1
        hops[d] = 0
        for i in range(1, count):  # lengths of the fixed paths
            v, length = np.int64(queue[i]), 0
            while v != d and ports[d, v] != none:
                v = np.int64(to[first[v] + ports[d, v]])
                length += 1
            if v == d:
                hops[queue[i]] = length
        # Nearer switches first: at least one neighbour is nearer and already has its path.
        for i in range(1, count):
            v = np.int64(queue[i])
            if hops[v] >= 0:
                continue
            least, lightest, chosen = np.int64(1) << 62, np.int64(1) << 62, np.int64(-1)
            for c in range(first[v], first[v + 1]):
                w = np.int64(to[c])
                if hops[w] >= 0 and (hops[w] < least or (hops[w] == least and load[c] < lightest)):
                    least, lightest, chosen = hops[w], load[c], c
            hops[v] = least + 1
            ports[d, v] = chosen - first[v]
            load[chosen] += 1

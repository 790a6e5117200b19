"""Even loads by local search: a step changes one switch's next hop for one destination, which moves all pairs that use it.

The objective is the sum of the squared loads. Shortest paths have a fixed sum of loads, so the squares are least where the
loads are most even (Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks, eq. 1).
"""

import math

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.core.random_streams.kernels import next_below, next_word
from topoloom.routing.trees.kernels.trees import search


@allocating
def add_trees(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    by_channels: bool,
    load: np.ndarray,
    pairs: np.ndarray,
    flag: np.ndarray,
) -> None:
    """Add the pairs of all trees to `load`, int64[2 m] per channel or int64[n] per switch passed; arrays as for `improve`."""
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n + 1, np.int32), np.empty(n, np.int64)
    for d in range(n):
        if flag[0]:  # the work was stopped
            return
        count = search(first, to, d, distance, queue)
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            c = first[v] + ports[d, v]
            below[to[c]] += below[v]
            if by_channels:
                load[c] += below[v]
            else:
                load[v] += below[v] - pairs[v] * pairs[d]


@allocating
def improve(
    first: np.ndarray,
    to: np.ndarray,
    destinations: np.ndarray,
    ports: np.ndarray,
    by_channels: bool,
    load: np.ndarray,
    heat: float,
    state: np.ndarray,
    pairs: np.ndarray,
) -> int:
    """Visit every switch's next hop to each of `destinations` once; return by how much the sum of squares fell.

    At each, one other shortest next hop is drawn at random. It is taken if the squares do not grow, otherwise with
    probability exp(-growth / heat).

    Parameters
    ----------
    first, to : int64[n + 1], int32[2 m]
        The channels.
    destinations : int64[k]
    ports : [n, n]
        Shortest trees; rows of `destinations` change.
    by_channels : bool
        Whether loads are per channel; otherwise per switch.
    load : int64[2 m] or int64[n]
        The loads of the trees; updated with every change.
    heat : float
        Temperature of the annealing, in squares of loads. 0: only steps that do not increase the squares are taken.
    state : uint64[1]
        The random stream.
    pairs : int64[n]
        1 for switches that send and receive data, otherwise 0: their pairs add no load.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n + 1, np.int32), np.empty(n, np.int64)
    fell = np.int64(0)
    for d in destinations:
        count = search(first, to, d, distance, queue)
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            v = queue[i]
            below[to[first[v] + ports[d, v]]] += below[v]
        for i in range(1, count):
            s = queue[i]
            nearer = distance[s] - 1
            if below[s] == 0 or (nearer == 0 and not by_channels):
                continue
            old = first[s] + ports[d, s]
            other, seen = np.int64(-1), 0
            for c in range(first[s], first[s + 1]):
                if distance[to[c]] == nearer and c != old:
                    seen += 1
                    if seen == 1 or next_below(state, seen) == 0:
                        other = c
            if seen == 0:
                continue
            # Both paths have the same length: walk them in step until they meet. Only the loads before the meeting point
            # change.
            moved = below[s]
            more, changed = np.int64(0), 0
            a, b = old, other
            while a != b:
                u, v = np.int64(to[a]), np.int64(to[b])
                if by_channels:
                    more += load[b] - load[a]
                    changed += 1
                if u == v:
                    break
                if not by_channels:
                    more += load[v] - load[u]
                    changed += 1
                a, b = first[u] + ports[d, u], first[v] + ports[d, v]
            growth = 2 * moved * (more + moved * changed)
            if growth > 0:
                if heat <= 0.0:
                    continue
                if (next_word(state) >> np.uint64(11)) * 2.0**-53 >= math.exp(-growth / heat):
                    continue
            fell -= growth
            a, b = old, other
            ports[d, s] = other - first[s]
            while a != b:
                u, v = np.int64(to[a]), np.int64(to[b])
                if by_channels:
                    load[a] -= moved
                    load[b] += moved
                if u == v:
                    break
                below[u] -= moved
                below[v] += moved
                if not by_channels:
                    load[u] -= moved
                    load[v] += moved
                a, b = first[u] + ports[d, u], first[v] + ports[d, v]
    return fell

"""Even loads by small steps: a switch's next hop for one destination moves all pairs that pass through it there.

What counts is the sum of the squares of the loads; shortest paths have a fixed sum of loads, so the squares are least where
the loads are most even (Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks, eq. 1).
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
    """Add the pairs of all trees: those over each channel, int64[2 m], or those through each switch, int64[n] (`improve`)."""
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n, np.int32), np.empty(n, np.int64)
    for d in range(n):
        if flag[0]:  # nobody wants them any more
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
    """Look once at every switch's next hop to each of `destinations`; by how much the sum of squares fell.

    One other shortest next hop, drawn at random, is tried at each. It is taken where the squares do not grow, and else with
    probability exp(-growth / heat).

    Parameters
    ----------
    first, to : int64[n + 1], int32[2 m]
        The channels.
    destinations : int64[k]
    ports : [n, n]
        Shortest trees; rows of `destinations` change.
    by_channels : bool
        Loads are those of channels, else those of switches.
    load : int64[2 m] or int64[n]
        In step with the trees.
    heat : float
        0: nothing is taken that makes the squares grow.
    state : uint64[1]
        The random stream.
    pairs : int64[n]
        1 for the switches between which data goes, else 0: what goes to or from others loads nothing.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n, np.int32), np.empty(n, np.int64)
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
            # Both paths are as long, so they are walked side by side until they meet; only what lies before changes.
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

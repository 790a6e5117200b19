"""The maximum flow and the minimum cut between two nodes, in whole numbers (Dinic's algorithm).

Arcs are numbered by their origin: first[v] .. first[v + 1] - 1 leave v; to[e] is the end of arc e, and back[e] the reverse arc,
with capacity 0 where the network has none. left[e] is the residual capacity of each arc, changed in place.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage


@stage
def _levels(
    first: np.ndarray, to: np.ndarray, left: np.ndarray, source: int, sink: int, level: np.ndarray, queue: np.ndarray
) -> bool:
    """Set level (int64[n]) to the steps from the source along arcs that are not full (-1: unreachable); is the sink reached?"""
    level[:] = -1
    level[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for e in range(first[v], first[v + 1]):
            if left[e] > 0 and level[to[e]] < 0:
                level[to[e]] = level[v] + 1
                queue[tail] = to[e]
                tail += 1
    return level[sink] >= 0


@allocating
def largest_flow(
    first: np.ndarray, to: np.ndarray, back: np.ndarray, left: np.ndarray, source: int, sink: int, enough: int
) -> int:
    """Return the maximum flow from source to sink, or `enough` as soon as that is reached.

    Parameters
    ----------
    first, to, back : int64[n + 1], int64[a], int64[a]
        The arcs.
    left : int64[a]
        Capacities; afterwards the residual capacities.
    source, sink, enough : int

    Returns
    -------
    int
        The flow. Time O(n^2 a) at most; far less on networks of switches.
    """
    n = first.size - 1
    level, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    at, path = np.empty(n, np.int64), np.empty(n, np.int64)
    flow = np.int64(0)
    while flow < enough and _levels(first, to, left, source, sink, level, queue):
        for v in range(n):
            at[v] = first[v]
        depth, v = 0, source
        while True:
            # At the sink: augment along the path, and go back to its first full arc.
            if v == sink:
                least = enough - flow
                for i in range(depth):
                    least = min(least, left[path[i]])
                flow += least
                stop = -1
                for i in range(depth):
                    left[path[i]] -= least
                    left[back[path[i]]] += least
                    if stop < 0 and left[path[i]] == 0:
                        stop = i
                if flow >= enough or stop < 0:
                    return flow
                depth, v = stop, to[back[path[stop]]]
                continue
            advanced = False
            while at[v] < first[v + 1]:
                e = at[v]
                if left[e] > 0 and level[to[e]] == level[v] + 1:
                    path[depth] = e
                    depth += 1
                    v = to[e]
                    advanced = True
                    break
                at[v] += 1
            if advanced:
                continue
            if depth == 0:
                break
            # A dead end: skip the last arc in this round.
            level[v] = -1
            depth -= 1
            v = to[back[path[depth]]]
            at[v] += 1
    return flow


@allocating
def reached(first: np.ndarray, to: np.ndarray, left: np.ndarray, source: int) -> np.ndarray:
    """Return the nodes reachable along arcs that are not full, bool[n]: after a maximum flow, one side of a minimum cut."""
    n = first.size - 1
    level, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    _levels(first, to, left, source, source, level, queue)
    return level >= 0

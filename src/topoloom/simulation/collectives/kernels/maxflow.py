"""The largest flow and the smallest cut between two nodes, in whole numbers (Dinic's algorithm).

Arcs are numbered by their origin: first[v] .. first[v + 1] - 1 leave v; back[e] is the arc that leads the other way, of
capacity 0 where there is none. What is left of each arc's capacity is changed in place.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage


@stage
def _levels(
    first: np.ndarray, to: np.ndarray, left: np.ndarray, source: int, sink: int, level: np.ndarray, queue: np.ndarray
) -> bool:
    """Steps from the source along arcs that are not full, int64[n], -1 out of reach; whether the sink is in reach."""
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
    """The largest flow from source to sink, or `enough` as soon as that is reached.

    Parameters
    ----------
    first, to, back : int64[n + 1], int64[a], int64[a]
    left : int64[a]
        Capacities; what is left of them afterwards.
    source, sink, enough : int

    Returns
    -------
    int
        O(n^2 a) at most; far less on networks of switches.
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
            went = False
            while at[v] < first[v + 1]:
                e = at[v]
                if left[e] > 0 and level[to[e]] == level[v] + 1:
                    path[depth] = e
                    depth += 1
                    v = to[e]
                    went = True
                    break
                at[v] += 1
            if went:
                continue
            if depth == 0:
                break
            # A dead end: its last arc is no way on in this round.
            level[v] = -1
            depth -= 1
            v = to[back[path[depth]]]
            at[v] += 1
    return flow


@allocating
def reached(first: np.ndarray, to: np.ndarray, left: np.ndarray, source: int) -> np.ndarray:
    """The nodes that arcs which are not full lead to, bool[n]: the source's side of the smallest cut after a largest flow."""
    n = first.size - 1
    level, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    _levels(first, to, left, source, source, level, queue)
    return level >= 0

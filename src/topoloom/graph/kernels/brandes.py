"""Girth and betweenness by one breadth-first search per switch.

Arrays throughout: offsets int64[n + 1] and neighbours int32[2 m] (CSR) of a graph without parallel links.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def shortest_cycle(offsets: np.ndarray, neighbours: np.ndarray) -> int:
    """The length of the shortest cycle; 0 if there is none. O(n m)."""
    n = offsets.size - 1
    distance = np.empty(n, np.int32)
    before = np.empty(n, np.int32)
    queue = np.empty(n, np.int32)
    shortest = 0
    for start in range(n):
        distance[:] = -1
        distance[start] = 0
        before[start] = -1
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            if shortest and 2 * distance[u] + 1 >= shortest:
                break
            for v in neighbours[offsets[u] : offsets[u + 1]]:
                if distance[v] < 0:
                    distance[v] = distance[u] + 1
                    before[v] = u
                    queue[tail] = v
                    tail += 1
                elif v != before[u]:
                    # A closed walk from `start`: it contains a cycle that is no longer, and the shortest cycle is one.
                    length = distance[u] + distance[v] + 1
                    if shortest == 0 or length < shortest:
                        shortest = length
    return shortest


@allocating
def betweenness_sums(offsets: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """For each switch the sum over ordered pairs of other switches of the share of their shortest paths through it, float64[n].

    Brandes 2001: dependencies are added up from the farthest switch to the source. O(n m).
    """
    n = offsets.size - 1
    total = np.zeros(n)
    distance = np.empty(n, np.int32)
    paths = np.empty(n)
    share = np.empty(n)
    queue = np.empty(n, np.int32)
    for start in range(n):
        distance[:] = -1
        paths[:] = 0.0
        share[:] = 0.0
        distance[start] = 0
        paths[start] = 1.0
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for v in neighbours[offsets[u] : offsets[u + 1]]:
                if distance[v] < 0:
                    distance[v] = distance[u] + 1
                    queue[tail] = v
                    tail += 1
                if distance[v] == distance[u] + 1:
                    paths[v] += paths[u]
        for position in range(tail - 1, 0, -1):
            v = queue[position]
            for u in neighbours[offsets[v] : offsets[v + 1]]:
                if distance[u] == distance[v] - 1:
                    share[u] += paths[u] / paths[v] * (1.0 + share[v])
            total[v] += share[v]
    return total

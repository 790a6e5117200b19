"""Paths of an all-to-all: each pair of switches takes the path on which its traffic meets the least, and chooses again."""

import heapq

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def spread(
    first: np.ndarray,
    to: np.ndarray,
    length: np.ndarray,
    load: np.ndarray,
    source: int,
    goal: int,
    growth: float,
    path: np.ndarray,
) -> int:
    """Find the shortest path between two switches where a channel's length grows with its load; return its channels' number.

    Parameters
    ----------
    first, to : int64[n + 1], int64[a]
        The channels that leave each switch, and their ends.
    length : float64[a]
        The time of a unit of traffic on each channel.
    load : float64[a]
        The units on each channel; not changed.
    source, goal : int
        Two switches; 0 channels are returned if no path joins them.
    growth : float
        A channel is longer by a factor e for each 1 / growth of time that its load takes.
    path : int64[n]
        Filled with channels, the last one first.
    """
    n = first.size - 1
    distances = np.full(n, np.inf)
    via = np.full(n, -1, np.int64)
    origin = np.full(n, -1, np.int64)
    distances[source] = 0.0
    queue = [(0.0, source)]
    while queue:
        distance, u = heapq.heappop(queue)
        if u == goal:
            break
        if distance > distances[u]:
            continue
        for a in range(first[u], first[u + 1]):
            v = to[a]
            longer = distance + length[a] * np.exp(growth * length[a] * load[a])
            if longer < distances[v]:
                distances[v] = longer
                via[v], origin[v] = a, u
                heapq.heappush(queue, (longer, v))
    count, u = 0, goal
    while u != source and via[u] >= 0:
        path[count] = via[u]
        u = origin[u]
        count += 1
    return count

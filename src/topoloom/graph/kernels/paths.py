"""Shortest paths, their number and their links: one breadth-first search per source, then a pass backwards.

Arrays: offsets int64[n + 1], neighbours and link int32[2 m] (CSR). Parallel links make different paths. Counts are float64,
exact up to 2^53.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel


@kernel
def path_counts(
    offsets: np.ndarray, neighbours: np.ndarray, source: int, distance: np.ndarray, queue: np.ndarray, paths: np.ndarray
) -> int:
    """Write to paths[v] the number of shortest paths from source to v; distance (int32[n], -1: unreached) and queue are written
    too.

    Returns how many switches were reached. O(n + m).
    """
    distance[:] = -1
    paths[:] = 0.0
    distance[source], paths[source], queue[0] = 0, 1.0, source
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
            v = neighbours[slot]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
            if distance[v] == distance[u] + 1:
                paths[v] += paths[u]
    return tail


@allocating
def add_loads(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    link: np.ndarray,
    capacity: np.ndarray | None,
    sources: np.ndarray,
    demand: np.ndarray,
    loads: np.ndarray,
) -> None:
    """Add to `loads` the traffic if each source sends demand[source] * demand[v] to every switch v.

    Each pair's flow is split evenly over its shortest paths (Brandes 2001, backwards accumulation). sources: int64[s];
    demand: float64[n]; loads: float64[m, 2]: from the lower end of each link to the higher, and back. capacity: float64[2 m],
    in the order of `neighbours`: a link of capacity k counts as k parallel links; None, compiled separately: all count once.
    """
    n = offsets.size - 1
    distance, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    paths, through = np.empty(n), np.empty(n)
    for source in sources:
        reached = path_counts(offsets, neighbours, source, distance, queue, paths)
        if capacity is not None:
            for v in queue[1:reached]:
                paths[v] = 0.0
            for u in queue[:reached]:
                for slot in range(np.uint64(offsets[u]), np.uint64(offsets[u + 1])):
                    if distance[neighbours[slot]] == distance[u] + 1:
                        paths[neighbours[slot]] += paths[u] * capacity[slot]
        for v in queue[:reached]:
            through[v] = demand[v]
        for place in range(reached - 1, 0, -1):
            v = queue[place]
            share = through[v] / paths[v]
            for slot in range(np.uint64(offsets[v]), np.uint64(offsets[v + 1])):
                u = neighbours[slot]
                if distance[u] == distance[v] - 1:
                    flow = share * paths[u]
                    if capacity is not None:
                        flow *= capacity[slot]
                    through[u] += flow
                    loads[link[slot], 0 if u < v else 1] += flow * demand[source]

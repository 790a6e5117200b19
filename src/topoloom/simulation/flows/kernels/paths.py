"""Paths along tables."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def longest(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, rows: np.ndarray, goals: np.ndarray, sources: np.ndarray
) -> int:
    """Return the most channels on a path from any of the switches (int64[k]) to any of the goals (int64[g], with their rows).

    Rows must lead there. O(g n): each switch's distance is computed once per goal. first, to: the channels; ports[row, s]: the
    tables.
    """
    n, most = first.size - 1, 0
    distance, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(goals.size):
        goal, row = goals[i], rows[i]
        distance[:] = -1
        distance[goal] = 0
        for source in sources:
            at, steps = source, 0
            while distance[at] < 0:
                trail[steps] = at
                steps += 1
                at = to[first[at] + ports[row, at]]
            hops = distance[at]
            for back in range(steps):
                distance[trail[steps - 1 - back]] = hops + back + 1
            most = max(most, distance[source])
    return most

"""Walks along tables."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def longest(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, rows: np.ndarray, goals: np.ndarray, sources: np.ndarray
) -> int:
    """The most channels on a path from any of the switches (int64[k]) to any of the goals, int64[g], by the row of each.

    Rows must lead there. O(g n): each switch's distance is worked out once a goal.
    """
    n, most = first.size - 1, 0
    far, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(goals.size):
        goal, row = goals[i], rows[i]
        far[:] = -1
        far[goal] = 0
        for source in sources:
            at, steps = source, 0
            while far[at] < 0:
                trail[steps] = at
                steps += 1
                at = to[first[at] + ports[row, at]]
            known = far[at]
            for back in range(steps):
                far[trail[steps - 1 - back]] = known + back + 1
            most = max(most, far[source])
    return most

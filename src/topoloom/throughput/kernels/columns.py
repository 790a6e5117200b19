"""What one switch sends along shortest paths, counted by kinds of arcs that symmetries make alike."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.throughput.kernels.concurrent import shortest_ways


@allocating
def shortest_column(
    first: np.ndarray,
    to: np.ndarray,
    kind: np.ndarray,
    length: np.ndarray,
    source: int,
    demand: np.ndarray,
    load: np.ndarray,
) -> float:
    """All that `source` sends, float64[n], along shortest paths at these lengths.

    Parameters
    ----------
    first, to, kind : int64[n + 1], int64[a], int64[a]
        The arcs by origin, and the kind of each.
    length : float64[kinds]
        Of an arc of each kind.
    load : float64[kinds]
        Set to what it carries on all arcs of each kind together.

    Returns
    -------
    float
        The sum of demand times length.
    """
    n = first.size - 1
    distance, above, order = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    heap, spot = np.empty(n, np.int64), np.empty(n, np.int64)
    amount, arc_length = demand.copy(), length[kind]
    wanted, cost = 0, 0.0
    for v in range(n):
        wanted += amount[v] > 0.0
    settled = shortest_ways(first, to, arc_length, source, demand, wanted, distance, above, order, heap, spot)
    load[:] = 0.0
    for place in range(settled - 1, 0, -1):
        v = order[place]
        if amount[v] > 0.0:
            e = above[v]
            cost += demand[v] * distance[v]
            load[kind[e]] += amount[v]
            amount[np.searchsorted(first, e, side="right") - 1] += amount[v]
    return cost

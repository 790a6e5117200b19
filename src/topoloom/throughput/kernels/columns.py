"""The load of one switch's traffic along shortest paths, summed over arcs that symmetries make equivalent."""

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
    """Send all traffic of `source` along shortest paths at these lengths.

    Parameters
    ----------
    first, to, kind : int64[n + 1], int64[a], int64[a]
        The arcs by origin, the end of each arc, and its kind.
    length : float64[kinds]
        The length of an arc of each kind.
    demand : float64[n]
        What `source` sends to each switch.
    load : float64[kinds]
        Set to the total load on all arcs of each kind.

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

"""The load of every channel when each switch splits evenly over its channels on shortest paths, as equal-cost groups do.

Where channels have different capacities, it splits in proportion to them.

first int64[n + 1], to int[2 m]: the channels of a topology; first[s] .. first[s + 1] - 1 leave switch s.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def add_split(
    first: np.ndarray, to: np.ndarray, capacity: np.ndarray | None, begin: int, demand: np.ndarray, load: np.ndarray
) -> int:
    """Send demand[i, s] from s to switch begin + i, and add the load of each channel to load (float64[2 m]).

    capacity: float64[2 m], or None where all are equal, which is compiled separately. Returns the first of these destinations
    that some of its traffic does not reach, or -1.
    """
    n = first.size - 1
    distance, order, amount = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    for i in range(demand.shape[0]):
        d = begin + i
        distance[:] = -1
        distance[d], order[0], count, next_one = 0, d, 1, 0
        while next_one < count:
            v = order[next_one]
            next_one += 1
            for c in range(first[v], first[v + 1]):
                w = np.int64(to[c])
                if distance[w] < 0:
                    distance[w] = distance[v] + 1
                    order[count] = w
                    count += 1
        for v in range(n):
            amount[v] = demand[i, v]
            if amount[v] > 0.0 and distance[v] < 0:
                return d
        for place in range(count - 1, 0, -1):
            v = order[place]
            if amount[v] == 0.0:
                continue
            if capacity is None:
                ways = 0
                for c in range(first[v], first[v + 1]):
                    ways += distance[to[c]] == distance[v] - 1
                part = amount[v] / ways
                for c in range(first[v], first[v + 1]):
                    if distance[to[c]] == distance[v] - 1:
                        load[c] += part
                        amount[to[c]] += part
            else:
                room = 0.0
                for c in range(first[v], first[v + 1]):
                    if distance[to[c]] == distance[v] - 1:
                        room += capacity[c]
                for c in range(first[v], first[v + 1]):
                    if distance[to[c]] == distance[v] - 1:
                        share = amount[v] * capacity[c] / room
                        load[c] += share
                        amount[to[c]] += share
    return -1

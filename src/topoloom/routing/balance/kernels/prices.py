"""The least cost of all pairs when loads have prices: the dual problem of even loads, which bounds them."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.trees import search


@allocating
def cheapest(
    first: np.ndarray,
    to: np.ndarray,
    destinations: np.ndarray,
    price: np.ndarray,
    by_channels: bool,
    load: np.ndarray,
    pairs: np.ndarray,
) -> int:
    """Return the least total cost of shortest paths from all sources to `destinations`, and add the loads of these paths.

    Parameters
    ----------
    first, to : int64[n + 1], int32[2 m]
        The channels.
    destinations : int64[k]
    price : int64[2 m] or int64[n]
        The price of each channel, or of passing through each switch.
    by_channels : bool
    load : int64[2 m] or int64[n]
        The loads of the cheapest paths are added here.
    pairs : int64[n]
        1 for switches that send and receive data, otherwise 0.
    """
    n = first.size - 1
    distance, queue, below = np.empty(n, np.uint16), np.empty(n + 1, np.int32), np.empty(n, np.int64)
    paid, chosen = np.empty(n, np.int64), np.empty(n, np.int64)
    total = np.int64(0)
    for d in destinations:
        count = search(first, to, d, distance, queue)
        paid[d] = 0
        for i in range(1, count):
            s = queue[i]
            begin, degree = first[s], first[s + 1] - first[s]
            least = np.int64(-1)
            at = (d + s) % degree
            for _ in range(degree):
                c = begin + at
                w = to[c]
                if distance[w] + 1 == distance[s]:
                    cost = paid[w]
                    if by_channels:
                        cost += price[c]
                    elif w != d:
                        cost += price[w]
                    if least < 0 or cost < least:
                        least, chosen[s] = cost, c
                at = at + 1 if at + 1 < degree else 0
            paid[s] = least
            total += least * pairs[s] * pairs[d]
        for each in range(pairs.size):
            below[each] = pairs[each] * pairs[d]
        for i in range(count - 1, 0, -1):
            s = queue[i]
            below[to[chosen[s]]] += below[s]
            if by_channels:
                load[chosen[s]] += below[s]
            else:
                load[s] += below[s] - pairs[s] * pairs[d]
    return total

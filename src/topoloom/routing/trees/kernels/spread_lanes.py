"""Pairs spread over the lanes that their paths are legal in."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def spread_lanes(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    lanes: int,
    destinations: np.ndarray,
    none: int,
    ports: np.ndarray,
    lane: np.ndarray,
) -> None:
    """Give each pair whose lane is an order's one of all the orders that its path is legal in, by turns; in place.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels by their origin.
    rises : int[2 m]
        A bit for each lane: whether the channel leads upwards in its order. No path may go up and then down.
    lanes : int
        Orders; lanes from this number on, and `none` of ports, are left as they are.
    destinations : int64[k]
    ports : uint8 or uint16[n, n]
    lane : uint8[n, n]
    """
    n = first.size - 1
    every = (np.int64(1) << lanes) - 1
    legal, path = np.empty(n, np.int64), np.empty(n, np.int64)
    for d in destinations:
        legal[:] = -1
        turn = d
        for s in range(n):
            if s == d or ports[d, s] == none:
                continue
            length, v = 0, s
            while v != d and legal[v] < 0:
                path[length] = v
                length += 1
                v = np.int64(to[first[v] + ports[d, v]])
            for i in range(length - 1, -1, -1):
                u = path[i]
                c = first[u] + ports[d, u]
                w = np.int64(to[c])
                if w == d:
                    legal[u] = every
                else:
                    onward = first[w] + ports[d, w]
                    legal[u] = legal[w] & ~(np.int64(rises[c]) & ~np.int64(rises[onward]))
            if lane[d, s] >= lanes or legal[s] == 0:
                continue
            turn += 1
            at = turn % lanes
            while not (legal[s] >> at) & 1:
                at = at + 1 if at + 1 < lanes else 0
            lane[d, s] = at

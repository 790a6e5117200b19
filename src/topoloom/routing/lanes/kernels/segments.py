"""Segments: the stretches of a path between its forbidden turns in one order of the switches."""

import numpy as np

from topoloom.compiling.decorators import allocating


@allocating
def segments_left(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, rises: np.ndarray, begin: int, end: int, left: np.ndarray
) -> None:
    """left[d, v], uint8[n, n]: forbidden turns on v's path to d, for the destinations begin .. end - 1; 255 at most.

    A turn is forbidden where ranks rise to its switch and fall after it; rises: uint16[2 m], bit 0 says where they rise.
    """
    n = first.size - 1
    trail = np.empty(n, np.int64)
    for d in range(begin, end):
        known = np.zeros(n, np.bool_)
        known[d] = True
        left[d, d] = 0
        for s in range(n):
            length, v = 0, s
            while not known[v]:
                trail[length] = v
                length += 1
                v = np.int64(to[first[v] + ports[d, v]])
            for i in range(length - 1, -1, -1):
                u = trail[i]
                c = first[u] + ports[d, u]
                w = np.int64(to[c])
                turned = w != d and rises[c] & 1 and not rises[first[w] + ports[d, w]] & 1
                left[d, u] = min(255, left[d, w] + (1 if turned else 0))
                known[u] = True

"""The fewest hops to up to 64 switches at a time: a bit of a word for each."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.graph.kernels.simd import lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@allocating
def hops_to(
    first: np.ndarray, to: np.ndarray, destinations: np.ndarray, most_rounds: int, distance: np.ndarray
) -> bool:
    """Write the hops from every switch into distance[i, v], int32[k, at least n]; whether so many rounds were enough.

    -1 where there is no path. A round looks at every link once, however few switches it reaches: one breadth-first search for
    each destination is faster where paths are long.
    """
    n = first.size - 1
    known, front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    every = ~_ZERO if destinations.size == 64 else (_ONE << np.uint64(destinations.size)) - _ONE
    distance[:] = -1
    for b in range(destinations.size):
        known[destinations[b]] |= _ONE << np.uint64(b)
        front[destinations[b]] |= _ONE << np.uint64(b)
        distance[b, destinations[b]] = 0
    for hops in range(1, most_rounds + 1):
        moving = _ZERO
        for v in range(n):
            fresh[v] = _ZERO
            wanted = every & ~known[v]
            if wanted == 0:
                continue
            found = _ZERO
            for c in range(first[v], first[v + 1]):
                found |= front[to[c]]
            found &= wanted
            known[v] |= found
            fresh[v] = found
            moving |= found
            while found:
                distance[np.int64(lowest_bit(found)), v] = hops
                found &= found - _ONE
        if moving == 0:
            return True
        front, fresh = fresh, front
    return False

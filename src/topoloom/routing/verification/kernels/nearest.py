"""The fewest hops to up to 64 switches at a time: each is one bit of a word."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.graph.kernels.simd import lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@allocating
def hops_to(
    first: np.ndarray, to: np.ndarray, destinations: np.ndarray, most_rounds: int, distance: np.ndarray
) -> bool:
    """Write the hops from every switch to distance[i, v], int32[k, at least n]; return whether `most_rounds` were enough.

    -1 if there is no path. A round visits every link once, even if it reaches few switches; for long paths, one breadth-first
    search per destination is faster.
    """
    n = first.size - 1
    reached, front, fresh = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    every = ~_ZERO if destinations.size == 64 else (_ONE << np.uint64(destinations.size)) - _ONE
    distance[:] = -1
    for b in range(destinations.size):
        reached[destinations[b]] |= _ONE << np.uint64(b)
        front[destinations[b]] |= _ONE << np.uint64(b)
        distance[b, destinations[b]] = 0
    for hops in range(1, most_rounds + 1):
        moving = _ZERO
        for v in range(n):
            fresh[v] = _ZERO
            wanted = every & ~reached[v]
            if wanted == 0:
                continue
            new = _ZERO
            for c in range(first[v], first[v + 1]):
                new |= front[to[c]]
            new &= wanted
            reached[v] |= new
            fresh[v] = new
            moving |= new
            while new:
                distance[np.int64(lowest_bit(new)), v] = hops
                new &= new - _ONE
        if moving == 0:
            return True
        front, fresh = fresh, front
    return False

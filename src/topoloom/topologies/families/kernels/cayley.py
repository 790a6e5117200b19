"""Distances of Cayley graphs on words of bits."""

import numpy as np

from topoloom.core.compiling.decorators import kernel


@kernel
def hops_from_zero(masks: np.ndarray, hops: np.ndarray, queue: np.ndarray) -> tuple[int, int]:
    """Return (diameter, sum of distances) from word 0 in the graph that links words which differ by a mask; it must be
    connected.

    masks : int64[k]. hops, queue : int64[2^n], scratch.
    """
    hops[:] = -1
    hops[0] = 0
    queue[0] = 0
    end, total = 1, 0
    at = 0
    while at < end:
        word = queue[at]
        at += 1
        for mask in masks:
            other = word ^ mask
            if hops[other] < 0:
                hops[other] = hops[word] + 1
                total += hops[other]
                queue[end] = other
                end += 1
    return hops[queue[end - 1]], total

"""All-pairs breadth-first search on a CUDA device: one bit per source, one thread per word of 64 sources.

As in `kernels/hops.py`, a round computes ``ahead[i] = reach[i] | OR of reach[neighbours of i]``. Neighbouring threads hold
neighbouring words of a switch, so a warp reads whole memory lines.
"""

# mypy: disable-error-code="attr-defined"
# Numba chooses the contents of numba.cuda (for the device or the simulator) when it is imported.

import numpy as np
from numba import cuda

#: Threads that count together; a power of two.
THREADS = 256


@cuda.jit(cache=True)
def seed(rank: np.ndarray, first: int, end: int, reach: np.ndarray) -> None:
    """Set reach (uint64[n, words]) to the sources that reach each switch in zero hops: its own bit, if it is a source.

    rank: int32[n], the number of each switch as a source, or -1; sources first .. end - 1 are searched, and source s has bit s
    - first.
    """
    n, words = reach.shape
    for at in range(cuda.grid(1), n * words, cuda.gridsize(1)):
        i, word = at // words, at % words
        place = rank[i] - first
        row = np.uint64(0)
        if 0 <= place < end - first and place // 64 == word:
            row = np.uint64(1) << np.uint64(place % 64)
        reach[i, word] = row


@cuda.jit(cache=True)
def spread(
    offsets: np.ndarray,
    neighbours: np.ndarray,
    weight: np.ndarray,
    reach: np.ndarray,
    ahead: np.ndarray,
    totals: np.ndarray,
    turn: int,
) -> None:
    """Run one round from reach to ahead (uint64[n, words]); add the number of bits set in `ahead` to totals[turn].

    offsets: int64[n + 1], neighbours: int32[2 m] (CSR); weight: int64[n]. totals: int64[rounds, 2]: the bits set, and their sum
    weighted by switch.
    """
    n, words = reach.shape
    bits = weighed = np.int64(0)
    for at in range(cuda.grid(1), n * words, cuda.gridsize(1)):
        i, word = at // words, at % words
        row = reach[i, word]
        for slot in range(offsets[i], offsets[i + 1]):
            row |= reach[neighbours[slot], word]
        ahead[i, word] = row
        ones = np.int64(cuda.popc(row))
        bits += ones
        weighed += weight[i] * ones
    # The threads' sums are added in a tree, then once per block. They are integers, so the order does not matter.
    sums = cuda.shared.array((2, THREADS), np.int64)
    thread = cuda.threadIdx.x
    sums[0, thread], sums[1, thread] = bits, weighed
    half = THREADS // 2
    while half > 0:
        cuda.syncthreads()
        if thread < half:
            sums[0, thread] += sums[0, thread + half]
            sums[1, thread] += sums[1, thread + half]
        half //= 2
    if thread == 0:
        cuda.atomic.add(totals, (turn, 0), sums[0, 0])
        cuda.atomic.add(totals, (turn, 1), sums[1, 0])

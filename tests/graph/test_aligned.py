"""Arrays that begin where vectors do."""

import numpy as np

from topoloom.graph.aligned import aligned_zeros


def test_aligned_zeros():
    """They begin at a cache line, whatever the allocator gave."""
    for rows in range(1, 20):
        assert aligned_zeros((rows, 8), np.float32).ctypes.data % 64 == 0

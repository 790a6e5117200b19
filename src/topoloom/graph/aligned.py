"""Arrays for kernels that load whole vectors."""

from typing import Any

import numpy as np

_CACHE_LINE = 64


def aligned_zeros(shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """Zeros whose first byte is on a cache line's boundary."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    room = np.zeros(size + _CACHE_LINE, np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    zeros: np.ndarray = room[start : start + size].view(kind).reshape(shape)
    return zeros

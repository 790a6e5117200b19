"""How even loads are, and how even they could be."""

from collections.abc import Iterator

import numpy as np

from topoloom.routing.channels import Channels
from topoloom.threads import over_cores

#: Destinations that a thread looks at a time.
_BLOCK = 64


def unevenness(load: np.ndarray) -> float:
    """The sum of the squared differences from the mean: 0 where all loads are alike.

    Source: Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks (003), eq. 1.

    Examples
    --------
    >>> unevenness(np.array([10, 11, 12, 12]))
    2.75
    """
    size, total = load.size, int(load.sum())
    return (int(load @ load) * size - total * total) / size if size else 0.0


def forced_loads(channels: Channels, jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Pairs that use each switch on the way, int64[n], and each channel, int64[2 m], whichever shortest ways are chosen."""
    from topoloom.routing._forced_kernels import add_forced

    n = channels.first.size - 1

    def work(blocks: Iterator[int]) -> tuple[np.ndarray, np.ndarray]:
        own = np.zeros(n, np.int64), np.zeros(channels.to.size, np.int64)
        for block in blocks:
            add_forced(channels.first, channels.to, np.arange(n)[block * _BLOCK : (block + 1) * _BLOCK], *own)
        return own

    parts = over_cores(work, -(-n // _BLOCK), jobs)
    return np.sum([part[0] for part in parts], axis=0), np.sum([part[1] for part in parts], axis=0)


def evenest(least: np.ndarray, total: int) -> np.ndarray:
    """The loads of that total, none below its least, that are most even: a bound on what any routing can do.

    Parameters
    ----------
    least : int64[k]
        At most `total` together.
    total : int

    Returns
    -------
    int64[k]
        Their sum of squares is the smallest that whole numbers allow, and so is their largest.

    Examples
    --------
    >>> evenest(np.array([9, 1, 0, 0]), 16)
    array([9, 3, 2, 2])
    """
    if not least.size:
        return least.copy()
    low, high = 0, total  # the highest level up to which all can be filled lies from low to high
    while low < high:
        level = (low + high + 1) // 2
        low, high = (level, high) if int(np.maximum(least, level).sum()) <= total else (low, level - 1)
    found = np.maximum(least, low)
    found[np.flatnonzero(least <= low)[: total - int(found.sum())]] += 1
    return found

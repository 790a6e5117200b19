"""Graphs under construction, for kernels of higher layers: `table` int32[n, d] with `filled` int32[n] entries of each row.

A row's entries are the neighbours of its switch, in any order; values after them are never read.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel, stage
from topoloom.core.random_streams.kernels import next_below


@stage
def linked(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> bool:
    """Whether there is a link u - v (v is in u's row); cost O(degree)."""
    for slot in range(filled[u]):
        if table[u, slot] == v:
            return True
    return False


@kernel
def join(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> None:
    """Add the link u - v to both rows, which must have free entries."""
    table[u, filled[u]] = v
    filled[u] += 1
    table[v, filled[v]] = u
    filled[v] += 1


@kernel
def part(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> None:
    """Remove the link u - v, which must exist, from both rows."""
    _erase(table, filled, u, v)
    _erase(table, filled, v, u)


@inner
def _erase(table: np.ndarray, filled: np.ndarray, u: int, v: int) -> None:
    for i in range(filled[u]):
        if table[u, i] == v:
            filled[u] -= 1
            table[u, i] = table[u, filled[u]]
            return


@inner
def join_through(table: np.ndarray, filled: np.ndarray, u: int, v: int, tries: int, state: np.ndarray) -> bool:
    """Give u and v one link each by replacing a random link x - y with u - x and v - y; return whether one of `tries`
    succeeded.

    For two free ports that cannot be linked to each other, because they belong to one switch or to linked switches. Other
    degrees do not change.
    """
    n = filled.size
    for _ in range(tries):
        x = np.int64(next_below(state, n))
        if x == u or x == v or filled[x] == 0:
            continue
        y = np.int64(table[x, np.int64(next_below(state, filled[x]))])
        if y == u or y == v or linked(table, filled, u, x) or linked(table, filled, v, y):
            continue
        part(table, filled, x, y)
        join(table, filled, u, x)
        join(table, filled, v, y)
        return True
    return False

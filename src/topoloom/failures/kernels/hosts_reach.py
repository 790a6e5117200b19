"""The connected parts of what survives failures in a network of planes."""

import numpy as np

from topoloom.core.compiling.decorators import kernel
from topoloom.failures.kernels.disconnection import root_of


@kernel
def surviving_parts(
    links: np.ndarray, some: np.ndarray, only: bool, alive: np.ndarray, planes: int, part: np.ndarray
) -> None:
    """Write the part of every switch, int64[n]: the number of one of its switches.

    Parameters
    ----------
    links : int32[m, 2]
    some : int64[k]
        The links that survive.
    only : bool
        Whether only the links in `some` survive; otherwise all between surviving switches do.
    alive : bool[n]
        The switches that survive.
    planes : int
        The parts that are left at least: the pass over the links ends as soon as there are no more.
    part : int64[n]
        Written.
    """
    parts = 0
    for u in range(part.size):
        part[u] = u
        parts += np.int64(alive[u])
    for i in range(some.size if only else links.shape[0]):
        if parts == planes:
            break
        link = some[i] if only else i
        u, v = np.int64(links[link, 0]), np.int64(links[link, 1])
        if not (alive[u] and alive[v]) or part[u] == part[v]:
            continue
        a, b = root_of(part, u), root_of(part, v)
        if a != b:
            part[b] = a
            parts -= 1
    for u in range(part.size):
        part[u] = root_of(part, u)

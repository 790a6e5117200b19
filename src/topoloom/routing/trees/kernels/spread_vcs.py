"""Spreading of pairs over the virtual channels in which their paths are legal."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def spread_vcs(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    none: int,
    ports: np.ndarray,
    vc: np.ndarray,
) -> None:
    """Give each pair in turn one of the virtual channels in which its path is legal; `vc` is updated. Pairs outside the orders
    stay.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels by their origin.
    rises : int[2 m]
        One bit per virtual channel: whether the channel leads upwards in its order. No path may go up and then down.
    vcs : int
        Number of orders; pairs in higher virtual channels, and pairs without a port, do not change.
    destinations : int64[k]
    ports : uint8 or uint16[n, n]
    vc : uint8[n, n]
    """
    n = first.size - 1
    every = (np.int64(1) << vcs) - 1
    legal, path = np.empty(n, np.int64), np.empty(n, np.int64)
    for d in destinations:
        legal[:] = -1
        turn = d
        for s in range(n):
            if s == d or ports[d, s] == none:
                continue
            length, v = 0, s
            while v != d and legal[v] < 0:
                path[length] = v
                length += 1
                v = np.int64(to[first[v] + ports[d, v]])
            for i in range(length - 1, -1, -1):
                u = path[i]
                c = first[u] + ports[d, u]
                w = np.int64(to[c])
                if w == d:
                    legal[u] = every
                else:
                    onward = first[w] + ports[d, w]
                    legal[u] = legal[w] & ~(np.int64(rises[c]) & ~np.int64(rises[onward]))
            if vc[d, s] >= vcs or legal[s] == 0:
                continue
            turn += 1
            at = turn % vcs
            while not (legal[s] >> at) & 1:
                at = at + 1 if at + 1 < vcs else 0
            vc[d, s] = at

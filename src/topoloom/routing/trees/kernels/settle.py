"""Trees in which some switches stay stuck: these take the paths of virtual channel 0; switches that lose their virtual channels
by this join again.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner
from topoloom.routing.trees.kernels.rejoin import lead, offered, rejoin

_ONE = np.uint64(1)


@allocating
def settle(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    rises: np.ndarray,
    vcs: int,
    destinations: np.ndarray,
    b: int,
    tries: int,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
) -> None:
    """Bring all switches into tree b; stuck switches use their paths in virtual channel 0.

    In the order of virtual channel 0, ranks must fall from every switch to one root, by hops from it. Each attempt fixes the
    paths of stuck switches in virtual channel 0, computes again which other paths are legal, and lets the rest rejoin. After
    `tries` attempts the whole tree uses virtual channel 0. Arrays as in `rejoin`.
    """
    n, d, bit = first.size - 1, destinations[b], _ONE << np.uint64(b)
    channel, order, held = np.empty(n, np.int64), np.empty(n, np.int32), np.zeros(n, np.bool_)
    _vc_0(first, to, back, rises, d, channel, order)
    for attempt in range(tries + 1):
        for v in range(n):
            if joined[v] & bit and attempt < tries:
                continue
            u = np.int64(v)
            while u != d and not held[u]:
                held[u] = True
                u = np.int64(to[channel[u]])
        for v in range(n):
            if held[v]:
                table[b, v] = channel[v] - first[v]
        _legal_again(first, to, back, rises, vcs if attempt < tries else 1, vcs, d, b, joined, open_in, table, order)
        rejoin(first, to, rises, vcs, destinations, bit, joined, open_in, table)
        out = 0
        for v in range(n):
            out += not joined[v] & bit
        if out == 0:
            return


@inner
def _vc_0(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    rises: np.ndarray,
    d: int,
    channel: np.ndarray,
    order: np.ndarray,
) -> None:
    """Write to `channel` the channel of each switch in virtual channel 0's tree to d; order: int32[n], scratch."""
    channel[:] = -1
    order[0], channel[d] = d, 0
    at, count = 0, 1
    while at < count:
        w = np.int64(order[at])
        at += 1
        for e in range(first[w], first[w + 1]):
            v, c = np.int64(to[e]), np.int64(back[e])
            # Only rises may follow a rise.
            if channel[v] < 0 and (not rises[c] & 1 or w == d or rises[channel[w]] & 1):
                channel[v] = c
                order[count] = v
                count += 1


@inner
def _legal_again(
    first: np.ndarray,
    to: np.ndarray,
    back: np.ndarray,
    rises: np.ndarray,
    used: int,
    vcs: int,
    d: int,
    b: int,
    joined: np.ndarray,
    open_in: np.ndarray,
    table: np.ndarray,
    order: np.ndarray,
) -> None:
    """Compute again, from d outwards, in which of the first `used` virtual channels paths are legal; switches without any leave
    the
    tree.
    """
    bit = _ONE << np.uint64(b)
    for v in range(first.size - 1):
        joined[v] &= ~bit
    for k in range(2 * vcs):
        if k % vcs >= used:
            open_in[2 * vcs * d + k] &= ~bit
    joined[d] |= bit
    order[0] = d
    at, count = 0, 1
    while at < count:
        w = np.int64(order[at])
        at += 1
        for e in range(first[w], first[w + 1]):
            v, c = np.int64(to[e]), np.int64(back[e])
            if v == d or first[v] + table[b, v] != c or not offered(open_in, w, b, np.int64(rises[c]), vcs):
                continue
            lead(first, to, rises, vcs, v, c, b, open_in, table)
            joined[v] |= bit
            order[count] = v
            count += 1

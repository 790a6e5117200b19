"""Segments: the parts of a path between turns that an order of the switches forbids; virtual channels rise at these turns."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, stage
from topoloom.routing.trees.kernels.wide_loads import senders_first


@stage
def _turned(first: np.ndarray, ports: np.ndarray, rises: np.ndarray, d: int, c: int, w: int) -> int:
    """1 if a path to d that arrives at w on channel c makes a forbidden turn there (rank rises before, falls after); otherwise
    0.
    """
    return np.int64(w != d and rises[c] & 1 and not rises[first[w] + ports[d, w]] & 1)


@allocating
def segments_left(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, rises: np.ndarray, begin: int, end: int, left: np.ndarray
) -> None:
    """Write to left[d, v], uint8[n, n], the forbidden turns on v's path to d, for destinations begin .. end - 1; at most 255.

    A turn is forbidden if ranks rise before its switch and fall after it; rises: uint16[2 m], bit 0: whether ranks rise.
    """
    n = first.size - 1
    trail = np.empty(n, np.int64)
    for d in range(begin, end):
        done = np.zeros(n, np.bool_)
        done[d] = True
        left[d, d] = 0
        for s in range(n):
            length, v = 0, s
            while not done[v]:
                trail[length] = v
                length += 1
                v = np.int64(to[first[v] + ports[d, v]])
            for i in range(length - 1, -1, -1):
                u = trail[i]
                c = first[u] + ports[d, u]
                w = np.int64(to[c])
                left[d, u] = min(255, left[d, w] + _turned(first, ports, rises, d, c, w))
                done[u] = True


@allocating
def spread_segments(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    rises: np.ndarray,
    pairs: np.ndarray,
    destinations: np.ndarray,
    again: bool,
    load: np.ndarray,
    vc: np.ndarray,
) -> None:
    """Give the trees of some destinations virtual channels, from each root outwards; the least loaded virtual channel is taken.

    Along a path, virtual channels do not fall, and they rise at every forbidden turn. There must be more virtual channels than
    forbidden turns on any path.

    Parameters
    ----------
    first, to : int64[n + 1], int64[2 m]
        The channels of each switch, and the switches that they lead to.
    ports : uint8 or uint16[n, n]
    rises : uint16[2 m]
        Bit 0: whether ranks rise.
    pairs : int64[n]
        The hosts of each switch.
    destinations : int64[k]
    again : bool
        Whether the destinations already have virtual channels, which are counted in `load`.
    load : int64[2 m, virtual channels]
        Pairs in each virtual channel of a channel; updated.
    vc : uint8[n, n]
        By destination and switch; rows of `destinations` are written.
    """
    n, vcs = first.size - 1, load.shape[1]
    onward, order = np.empty(n, np.uint32), np.empty(n + 1, np.uint32)
    waiting, below, behind = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64)
    for d in destinations:
        for v in range(n):
            onward[v] = to[first[v] + ports[d, v]] if v != d else d
            below[v], behind[v] = pairs[v] * pairs[d], 0
        count = senders_first(onward, waiting, order)
        for i in range(count):
            v = np.int64(order[i])
            w, c = np.int64(onward[v]), first[v] + ports[d, v]
            below[w] += below[v]
            # The most forbidden turns on any path that arrives, including the turn at w.
            behind[w] = max(behind[w], behind[v] + _turned(first, ports, rises, d, c, w))
            if again:
                load[c, vc[d, v]] -= below[v]
        for i in range(count - 1, -1, -1):
            v = np.int64(order[i])
            w, c = np.int64(onward[v]), first[v] + ports[d, v]
            highest = (np.int64(vc[d, w]) if w != d else vcs - 1) - _turned(first, ports, rises, d, c, w)
            best = highest
            for k in range(highest - 1, behind[v] - 1, -1):
                if load[c, k] < load[c, best]:
                    best = k
            vc[d, v] = best
            load[c, best] += below[v]

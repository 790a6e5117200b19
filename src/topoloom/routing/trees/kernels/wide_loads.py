"""The pairs over each channel of many trees, in whatever order their switches joined.

Of a few trees at a time the next switches and the pairs below each switch lie in the nearest cache; loads, which do not, are
read and written switch by switch for all of them.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel
from topoloom.graph.kernels.simd import lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: Trees whose pairs are summed up before their loads are added.
_TOGETHER = 8


@allocating
def padded(rows: int, n: int, like: np.ndarray) -> np.ndarray:
    """A table of zeros, one row per tree and at least n wide, of the type of `like`.

    The same place of all rows is written at a time. Were rows a power of two apart, these would all fall on a few lines of
    the cache; so a row is an odd number of lines.
    """
    return np.zeros((rows, 64 * ((n + 63) // 64 | 1)), like.dtype)


@allocating
def add_loads(
    first: np.ndarray,
    to: np.ndarray,
    destinations: np.ndarray,
    rows: np.ndarray,
    table: np.ndarray,
    pairs: np.ndarray,
    load: np.ndarray,
    sign: int,
) -> None:
    """Add the pairs of some trees to the loads, `sign` times: 1, or -1 to take them out.

    destinations, rows : int64[k]
        Each tree's destination, and the row of `table` where its ports are; other ports than those of a switch are none.
    pairs : int64[n]
        The hosts of each switch.
    load : int64[2 m]
    """
    n = first.size - 1
    width = 8 * ((n + 7) // 8 | 1)
    onward, below = np.empty((_TOGETHER, width), np.uint32), np.empty((_TOGETHER, width), np.int64)
    waiting, order = np.empty(n, np.int32), np.empty(n + 1, np.uint32)
    for start in range(0, rows.size, _TOGETHER):
        count = min(_TOGETHER, rows.size - start)
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                d, port = destinations[start + j], np.int64(table[rows[start + j], v])
                onward[j, v] = to[begin + port] if port < degree and v != d else d
                below[j, v] = pairs[v] * pairs[d]
        for j in range(count):
            found = senders_first(onward[j], waiting, order)
            for i in range(found):
                below[j, onward[j, order[i]]] += below[j, order[i]]
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                port = np.int64(table[rows[start + j], v])
                if port < degree and v != destinations[start + j]:
                    load[begin + port] += sign * below[j, v]


@kernel
def senders_first(onward: np.ndarray, waiting: np.ndarray, order: np.ndarray) -> int:
    """The switches of a tree but its destination, those who send to a switch before it; how many there are.

    A switch comes once all who send to it have come; without a branch, for nobody can foresee which is the last.

    onward : uint32[at least n]
        Each switch's next, the destination's own itself.
    waiting, order : int32[n], uint32[n + 1]
        Room, and what gets the switches.
    """
    n, found = waiting.size, np.uint64(0)
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for v in range(n):
        order[found] = v
        found += np.uint64(waiting[v] == 0)
    at = np.uint64(0)
    while at < found:
        w = onward[order[at]]
        waiting[w] -= 1
        order[found] = w
        found += np.uint64(waiting[w] == 0)
        at += np.uint64(1)
    return np.int64(found)


@allocating
def write_trees(
    destinations: np.ndarray,
    done: np.uint64,
    vcs: int,
    open_in: np.ndarray,
    table: np.ndarray,
    ports: np.ndarray,
    vc: np.ndarray,
) -> None:
    """Write ports[d] of the trees of the destinations `done`, and each pair's lowest virtual channel, unless `vc` is uint8[0,
    0].
    """
    n = ports.shape[1]
    for b in range(destinations.size):
        if done >> np.uint64(b) & _ONE:
            d = destinations[b]
            none = ports[d, d]
            for v in range(n):
                ports[d, v] = table[b, v]
            ports[d, d] = none
    if vc.size == 0:
        return
    lowest = padded(destinations.size, n, vc)
    for v in range(n):
        left = done
        for k in range(vcs):
            rest = left & open_in[2 * vcs * v + k]
            left &= ~rest
            while rest:
                lowest[np.int64(lowest_bit(rest)), v] = k
                rest &= rest - _ONE
    for b in range(destinations.size):
        if done >> np.uint64(b) & _ONE:
            for v in range(n):
                vc[destinations[b], v] = lowest[b, v]

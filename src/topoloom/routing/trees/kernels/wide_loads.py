"""The pairs over each channel of many trees, for any order in which their switches joined.

A few trees are handled together: their next switches and the pairs below each switch fit into the nearest cache. Loads do not
fit, so they are read and written switch by switch for all these trees.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel
from topoloom.graph.kernels.simd import lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: Trees per group: their pairs are summed before the loads are updated.
_TOGETHER = 8


@allocating
def padded(rows: int, n: int, like: np.ndarray) -> np.ndarray:
    """A table of zeros, one row per tree and at least n wide, of the type of `like`.

    The same column of all rows is written together. If rows were a power of two apart, these entries would map to a few cache
    lines; so a row has an odd number of cache lines.
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
    """Add the pairs of some trees to the loads (`sign` 1), or remove them (`sign` -1).

    destinations, rows : int64[k]
        Each tree's destination, and its row in `table`; a value that is not a port of the switch means none.
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
            senders = senders_first(onward[j], waiting, order)
            for i in range(senders):
                below[j, onward[j, order[i]]] += below[j, order[i]]
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                port = np.int64(table[rows[start + j], v])
                if port < degree and v != destinations[start + j]:
                    load[begin + port] += sign * below[j, v]


@kernel
def senders_first(onward: np.ndarray, waiting: np.ndarray, order: np.ndarray) -> int:
    """Write to `order` the switches of a tree without its destination, senders before receivers; return how many there are.

    A switch follows after all switches that forward to it. The loop has no branch, because it would be unpredictable.

    onward : uint32[at least n]
        Each switch's next switch; the destination itself for the destination.
    waiting, order : int32[n], uint32[n + 1]
        Scratch, and the switches; written.
    """
    n, count = waiting.size, np.uint64(0)
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for v in range(n):
        order[count] = v
        count += np.uint64(waiting[v] == 0)
    at = np.uint64(0)
    while at < count:
        w = onward[order[at]]
        waiting[w] -= 1
        order[count] = w
        count += np.uint64(waiting[w] == 0)
        at += np.uint64(1)
    return np.int64(count)


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
    """Write ports[d] for the destinations `done` (bits), and each pair's lowest virtual channel unless `vc` is uint8[0, 0]."""
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

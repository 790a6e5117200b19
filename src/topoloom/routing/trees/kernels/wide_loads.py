"""The pairs over each channel of many trees, in whatever order their switches joined.

Of a few trees at a time the next switches and the pairs below each switch lie in the nearest cache; loads, which do not, are
read and written switch by switch for all of them.
"""

import numpy as np

from topoloom.compiling.decorators import allocating, kernel
from topoloom.graph.kernels.simd import lowest_bit

_ONE, _ZERO = np.uint64(1), np.uint64(0)
#: Trees whose pairs are summed up before their loads are added.
_TOGETHER = 8


@allocating
def padded(rows: int, n: int, like: np.ndarray) -> np.ndarray:
    """A table of zeros, a row a tree and at least n wide, of the type of `like`.

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
    onward, below = np.empty((_TOGETHER, width), np.int32), np.empty((_TOGETHER, width), np.int64)
    waiting = np.empty(n, np.int32)
    for start in range(0, rows.size, _TOGETHER):
        count = min(_TOGETHER, rows.size - start)
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                d, port = destinations[start + j], np.int64(table[rows[start + j], v])
                onward[j, v] = to[begin + port] if port < degree and v != d else d
                below[j, v] = pairs[v] * pairs[d]
        for j in range(count):
            _sum_up(destinations[start + j], onward[j], below[j], waiting)
        for v in range(n):
            begin, degree = first[v], first[v + 1] - first[v]
            for j in range(count):
                port = np.int64(table[rows[start + j], v])
                if port < degree and v != destinations[start + j]:
                    load[begin + port] += sign * below[j, v]


@kernel
def _sum_up(d: int, onward: np.ndarray, below: np.ndarray, waiting: np.ndarray) -> None:
    """Add what is below each switch of d's tree to what is below the next one; waiting: int32[n], room.

    A switch is done once nobody who sends over it is left, and then perhaps the next one is.
    """
    n = waiting.size
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for start in range(n):
        v = np.int64(start)
        while waiting[v] == 0 and v != d:
            waiting[v] = -1
            w = np.int64(onward[v])
            below[w] += below[v]
            waiting[w] -= 1
            v = w


@kernel
def senders_first(d: int, onward: np.ndarray, waiting: np.ndarray, order: np.ndarray) -> int:
    """The switches of d's tree but d, int32[n], those who send to a switch before it; how many there are.

    onward: int32[at least n], each switch's next, d's own d. waiting: int32[n], room.
    """
    n, found = waiting.size, 0
    waiting[:] = 0
    for v in range(n):
        waiting[onward[v]] += 1
    for start in range(n):
        v = np.int64(start)
        while waiting[v] == 0 and v != d:
            waiting[v] = -1
            order[found] = v
            found += 1
            v = np.int64(onward[v])
            waiting[v] -= 1
    return found


@allocating
def write_trees(
    destinations: np.ndarray,
    done: np.uint64,
    lanes: int,
    open_in: np.ndarray,
    table: np.ndarray,
    ports: np.ndarray,
    lane: np.ndarray,
) -> None:
    """Write ports[d] of the trees of the destinations `done`, and each pair's lowest lane, unless `lane` is uint8[0, 0]."""
    n = ports.shape[1]
    for b in range(destinations.size):
        if done >> np.uint64(b) & _ONE:
            d = destinations[b]
            none = ports[d, d]
            for v in range(n):
                ports[d, v] = table[b, v]
            ports[d, d] = none
    if lane.size == 0:
        return
    lowest = padded(destinations.size, n, lane)
    for v in range(n):
        left = done
        for k in range(lanes):
            rest = left & open_in[2 * lanes * v + k]
            left &= ~rest
            while rest:
                lowest[np.int64(lowest_bit(rest)), v] = k
                rest &= rest - _ONE
    for b in range(destinations.size):
        if done >> np.uint64(b) & _ONE:
            for v in range(n):
                lane[destinations[b], v] = lowest[b, v]

"""Tables per host by the digits of d-mod-k, turned a little for each sender; and the loads of shifts with tables per host."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.routing.trees.kernels.rows import FALLS, RISES, leads


@allocating
def turned_trees(
    first: np.ndarray,
    to: np.ndarray,
    rises: np.ndarray,
    rising: np.ndarray,
    height: np.ndarray,
    upward: np.ndarray,
    first_up: np.ndarray,
    stride: np.ndarray,
    turn: np.ndarray,
    hosts: np.ndarray,
    home: np.ndarray,
    number: np.ndarray,
    rows: np.ndarray,
    index: np.ndarray,
    near: np.ndarray,
    region: np.ndarray,
    ports: np.ndarray,
) -> None:
    """Write the entries of `rows` of ports[R, n].

    A switch with hosts adds its turn to the number of the destination. Every switch sends up by its digit of this sum, which
    goes along; where no shortest path begins there, and on the way down, the digit counts among the channels that are left.

    Parameters
    ----------
    first, to, rises, rising, height, upward, first_up, stride
        As for `ranked_trees`.
    turn : int64[n]
    hosts : int64[n]
    home, number, index : int64[R]
        The switch of each row, the number of its destination, and the place of the switch in `near` and `region`.
    rows : int64[k]
    near, region : int32[h, n], uint8[h, n]
        As `distances` writes them.
    ports : uint8 or uint16[R, n]

    Cost O(k m).
    """
    n = first.size - 1
    left, sums = np.empty(to.size, np.int64), np.empty(n, np.int64)
    for r in rows:
        i, d = index[r], home[r]
        for s in range(n):
            sums[s] = number[r] + turn[s] if hosts[s] else -1
        for k in range(n):
            s = rising[k]
            if s == d or near[i, s] < 0:
                continue
            if sums[s] < 0:
                sums[s] = number[r]
            digit, best = sums[s] // stride[height[s]], np.int64(-1)
            if region[i, s] == RISES:
                c = upward[first_up[s] + digit % (first_up[s + 1] - first_up[s])]
                if leads(first, to, rises, near[i], region[i], s, c):
                    best = c
            if best < 0:
                count = 0
                for c in range(first[s], first[s + 1]):
                    if leads(first, to, rises, near[i], region[i], s, c):
                        left[count] = c
                        count += 1
                if region[i, s] == FALLS:  # parallel cables: down the one that the digit below leads up
                    digit = number[r] // stride[height[to[left[0]]]]
                best = left[digit % count]
            ports[r, s] = best - first[s]
            if region[i, s] == RISES and sums[to[best]] < 0:
                sums[to[best]] = sums[s]


@allocating
def shift_loads(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    home: np.ndarray,
    table: np.ndarray,
    scale: np.ndarray,
    shifts: np.ndarray,
) -> np.ndarray:
    """The maximum channel load of each shift, in which host i sends to host i + shift; float64[shifts].

    ports: [count, n, n]; home, table: int64[k], the switch of each host and its table; scale: float64[2 m], 1 / capacity.
    """
    k, load, largest = home.size, np.zeros(to.size), np.zeros(shifts.size)
    for j in range(shifts.size):
        load[:] = 0.0
        for i in range(k):
            e = (i + shifts[j]) % k
            v, row = home[i], ports[table[e], home[e]]
            while v != home[e]:
                c = first[v] + np.int64(row[v])
                load[c] += scale[c]
                v = np.int64(to[c])
        largest[j] = load.max()
    return largest

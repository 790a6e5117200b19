"""Kernel of the order of work: whether a network stays connected while a cable is out."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def cut_off(far: np.ndarray, u: int, v: int, stamp: np.ndarray, mark: int, queue: np.ndarray) -> int:
    """The size of the smaller side if u and v no longer reach each other; 0 while they do.

    A breadth-first search from both ends, always on the side that has visited fewer switches, so that it is short in well
    connected networks. Arrays:

    * far int32[switches, ports]: the switch at the other end of each port, below 0 if there is none;
    * stamp int64[switches]: marks of visited switches, all below `mark`; the caller increases `mark` by two per call;
    * queue int32[2, switches]: the queue of each side.
    """
    head, tail = np.zeros(2, np.int64), np.ones(2, np.int64)
    queue[0, 0], queue[1, 0] = u, v
    stamp[u], stamp[v] = mark, mark + 1
    while True:
        side = 0 if tail[0] <= tail[1] else 1
        if head[side] == tail[side]:
            return tail[side]
        switch = queue[side, head[side]]
        head[side] += 1
        for port in range(far.shape[1]):
            near = far[switch, port]
            if near < 0:
                continue
            if stamp[near] == mark + 1 - side:
                return 0
            if stamp[near] != mark + side:
                stamp[near] = mark + side
                queue[side, tail[side]] = near
                tail[side] += 1

"""Kernel of the order of work: whether a network still hangs together when a cable is out."""

import numpy as np

from topoloom.core.compiling.decorators import allocating


@allocating
def cut_off(far: np.ndarray, u: int, v: int, stamp: np.ndarray, mark: int, queue: np.ndarray) -> int:
    """How many switches the smaller side has when u and v no longer reach each other; 0 while they do.

    far int32[switches, ports]: the switch at the other end of each port, below 0 where there is none; stamp int64[switches]
    holds marks below `mark`, which goes up by two each time; queue int32[2, switches]. Searches from both ends, always on the
    side that has seen less, so that it is short where the network is well joined.
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

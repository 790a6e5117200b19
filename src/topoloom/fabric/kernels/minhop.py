"""Shortest paths by the least used port of each switch, host port by host port."""

import numpy as np

from topoloom.core.compiling.decorators import kernel


@kernel
def minhop_ports(
    first: np.ndarray,
    by_port: np.ndarray,
    to: np.ndarray,
    real: np.ndarray,
    home: np.ndarray,
    plug: np.ndarray,
    order: np.ndarray,
    row: np.ndarray,
    hops: np.ndarray,
    used: np.ndarray,
    ports: np.ndarray,
) -> None:
    """Write the port by which each switch sends to each host port.

    Parameters
    ----------
    first : int64[n + 1]
        Where the channels of each switch begin.
    by_port, to, real : int64[2 m], int[2 m], int32[2 m]
        The channels of each switch in the order of its ports, the switch that each leads to, and its port.
    home, plug : int64[k]
        The switch of each host port, and the port of that switch.
    order : int64[k]
        The host ports in the order in which they are routed.
    row : int64[n]
        The row of each switch with hosts in `hops`.
    hops : int32[switches with hosts, n]
        Hops to each switch with hosts; below 0: no path.
    used : int64[2 m]
        Zeros; set to the number of host ports that each channel serves.
    ports : int16[n, at least k]
        Written; -1 where there is no path.

    Cost O(k m).
    """
    for s in range(first.size - 1):
        for place in range(order.size):
            d = order[place]
            if home[d] == s:
                ports[s, d] = plug[d]
                continue
            best = np.int64(-1)
            distance = hops[row[home[d]]]
            for place_of_channel in range(first[s], first[s + 1]):
                c = by_port[place_of_channel]
                if distance[s] > 0 and distance[to[c]] == distance[s] - 1 and (best < 0 or used[c] < used[best]):
                    best = c
            ports[s, d] = -1 if best < 0 else real[best]
            if best >= 0:
                used[best] += 1

"""Greedy pairing of the sources and destinations that use one channel."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel


@allocating
def pairs_over(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, hosts: np.ndarray, u: int, port: int
) -> np.ndarray:
    """Return pairs of switches whose path uses this port of switch u, int64[k, 3]: source, destination, hosts paired.

    Destinations with the fewest sources choose first. first int64[n + 1], to int[2 m]: the channels; ports[d, s]: complete
    tables; hosts: int64[n] per switch. The cost is two walks over the n switches for each destination behind the port.
    """
    n = hosts.size
    over = np.empty(n, np.int8)
    goals, count = np.empty(n, np.int64), np.empty(n, np.int64)
    destinations = 0
    for d in range(n):
        if d != u and hosts[d] > 0 and ports[d, u] == port:
            _mark(first, to, ports, u, d, over)
            goals[destinations], count[destinations] = d, 0
            for s in range(n):
                if over[s] == 1:
                    count[destinations] += hosts[s]
            destinations += 1
    left = hosts.copy()
    pairs = np.empty((2 * n, 3), np.int64)  # each pair exhausts a source or a destination
    filled = 0
    for i in np.argsort(count[:destinations], kind="mergesort"):
        d = goals[i]
        room = hosts[d]
        _mark(first, to, ports, u, d, over)
        for s in range(n):
            if room > 0 and over[s] == 1 and left[s] > 0:
                amount = min(room, left[s])
                pairs[filled, 0], pairs[filled, 1], pairs[filled, 2] = s, d, amount
                filled += 1
                left[s] -= amount
                room -= amount
    return pairs[:filled].copy()


@kernel
def _mark(first: np.ndarray, to: np.ndarray, ports: np.ndarray, u: int, d: int, over: np.ndarray) -> None:
    """Set over[s] to 1 where the path from s to d leads through u, else to 0."""
    over[:] = -1
    over[d] = 0
    over[u] = 1
    for s in range(over.size):
        v = np.int64(s)
        while over[v] < 0:
            v = np.int64(to[first[v] + np.int64(ports[d, v])])
        uses_switch, v = over[v], np.int64(s)
        while over[v] < 0:
            over[v] = uses_switch
            v = np.int64(to[first[v] + np.int64(ports[d, v])])

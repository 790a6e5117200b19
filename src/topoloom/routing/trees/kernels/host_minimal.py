"""Trees of shortest paths for each host of a switch, with even loads in pairs of hosts."""

import numpy as np

from topoloom.core.compiling.decorators import allocating, kernel
from topoloom.routing.trees.kernels.ranked_trees import grown_cost
from topoloom.routing.trees.kernels.trees import search


@kernel
def add_host_loads(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, hosts: np.ndarray, d: int, served: int, load: np.ndarray
) -> None:
    """Add the pairs from all hosts to `served` hosts of switch d along ports[d], uint[n, n], to `load`, float64[2 m]."""
    for s in range(hosts.size):
        v, amount = s, hosts[s] * served
        while amount and v != d:
            c = first[v] + np.int64(ports[d, v])
            load[c] += amount
            v = np.int64(to[c])


@allocating
def host_minimal_trees(
    first: np.ndarray,
    to: np.ndarray,
    hosts: np.ndarray,
    scale: np.ndarray,
    d: int,
    ports: np.ndarray,
    load: np.ndarray,
    again: bool,
) -> None:
    """Write ports[i, d] for every host i of a switch d: of the shortest paths those whose channels' loads grow least.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels.
    hosts : int64[n]
        Hosts of each switch.
    scale : float64[2 m]
        1 / the capacity of each channel.
    d : int
    ports : uint[count, n, n]
        Hosts i, i + count, ... of a switch use table i.
    load : float64[2 m]
        Pairs of hosts over each channel; updated.
    again : bool
        Whether the tables of `d` exist already; their loads are removed before they are made again.

    Cost O(hosts of d times m).
    """
    n, count = first.size - 1, ports.shape[0]
    distance, queue = np.empty(n, np.uint16), np.empty(n + 1, np.int32)
    below, tail = np.empty(n), np.zeros(n)
    reached = search(first, to, d, distance, queue)
    own = min(count, hosts[d])
    usual = max(1.0, hosts.sum() / n)
    for i in range(own):
        served = (hosts[d] - i + count - 1) // count
        for s in range(n):
            below[s] = hosts[s] * served
        if again:
            for place in range(reached - 1, 0, -1):
                v = np.int64(queue[place])
                c = first[v] + np.int64(ports[i, d, v])
                load[c] -= below[v]
                below[to[c]] += below[v]
            for s in range(n):
                below[s] = hosts[s] * served
        for place in range(1, reached):  # what lies behind each switch, nearest first
            v = np.int64(queue[place])
            tail[v] = np.inf
            for c in range(first[v], first[v + 1]):
                if distance[to[c]] + 1 == distance[v]:
                    tail[v] = min(tail[v], grown_cost(load[c], usual, scale[c]) + tail[to[c]])
        for place in range(reached - 1, 0, -1):  # the farthest switches choose first
            v = np.int64(queue[place])
            begin, degree = first[v], first[v + 1] - first[v]
            least, best, c = np.inf, np.int64(-1), begin + (d + v + i) % degree
            for _ in range(degree):
                if distance[to[c]] + 1 == distance[v]:
                    cost = grown_cost(load[c], max(1.0, below[v]), scale[c]) + tail[to[c]]
                    if cost < least:
                        least, best = cost, c
                c = c + 1 if c + 1 < begin + degree else begin
            ports[i, d, v] = best - begin
            load[best] += below[v]
            below[to[best]] += below[v]
    for i in range(own, count):
        ports[i, d] = ports[i % max(1, own), d]

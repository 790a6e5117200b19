"""Random halves of the hosts that send to each other: count the flows on the channels of the tables."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.core.random_streams.kernels import shuffle


@allocating
def bisections(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, switch: np.ndarray, states: np.ndarray, means: np.ndarray
) -> None:
    """Simulate one bisection per state: host order[i] sends to host order[half + i], at 1 / the flows on its fullest channel.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels of a topology: first[s] .. first[s + 1] - 1 leave switch s; channel c leads to to[c].
    ports : uint[n, n]
        The tables: ports[d, s] is the port of switch s towards d.
    switch : int64[hosts]
        The switch of each host.
    states : uint64[b, 1]
        A random stream for each bisection.
    means : float64[b]
        Set to the mean rate of the flows of each bisection.
    """
    hosts = switch.size
    half = hosts // 2
    order, flows = np.empty(hosts, np.int64), np.zeros(to.size, np.int64)
    for number in range(states.shape[0]):
        for each in range(hosts):
            order[each] = each
        shuffle(states[number], order)
        for i in range(half):
            s, d = switch[order[i]], switch[order[half + i]]
            while s != d:
                c = first[s] + np.int64(ports[d, s])
                flows[c] += 1
                s = np.int64(to[c])
        total = 0.0
        for i in range(half):
            s, d = switch[order[i]], switch[order[half + i]]
            most = 1  # the host's own link carries one flow
            while s != d:
                c = first[s] + np.int64(ports[d, s])
                most = max(most, flows[c])
                s = np.int64(to[c])
            total += 1.0 / most
        means[number] = total / half
        for i in range(half):
            s, d = switch[order[i]], switch[order[half + i]]
            while s != d:
                c = first[s] + np.int64(ports[d, s])
                flows[c] = 0
                s = np.int64(to[c])

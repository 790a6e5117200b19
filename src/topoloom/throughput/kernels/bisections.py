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


@allocating
def rated_bisections(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    switch: np.ndarray,
    rate: np.ndarray,
    capacity: np.ndarray,
    states: np.ndarray,
    means: np.ndarray,
) -> None:
    """Simulate the bisections of `bisections` where hosts or channels differ in rate.

    A flow asks for the lower rate of its two hosts, and gets the share that its fullest channel has for all its flows.

    Parameters
    ----------
    first, to, ports, switch, states
        As for `bisections`.
    rate, capacity : float64[hosts], float64[2 m]
    means : float64[b]
        Set to the rate of all flows of each bisection, as a share of what they ask for.
    """
    hosts = switch.size
    half = hosts // 2
    order, asked = np.empty(hosts, np.int64), np.zeros(to.size)
    for number in range(states.shape[0]):
        for each in range(hosts):
            order[each] = each
        shuffle(states[number], order)
        asked[:] = 0.0
        for i in range(half):
            s, d = switch[order[i]], switch[order[half + i]]
            amount = min(rate[order[i]], rate[order[half + i]])
            while s != d:
                c = first[s] + np.int64(ports[d, s])
                asked[c] += amount
                s = np.int64(to[c])
        total, wanted = 0.0, 0.0
        for i in range(half):
            s, d = switch[order[i]], switch[order[half + i]]
            amount, share = min(rate[order[i]], rate[order[half + i]]), 1.0
            while s != d:
                c = first[s] + np.int64(ports[d, s])
                share = min(share, capacity[c] / asked[c])
                s = np.int64(to[c])
            total += amount * share
            wanted += amount
        means[number] = total / wanted

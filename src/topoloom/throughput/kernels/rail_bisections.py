"""Random halves of the hosts that send to each other on all rails: count the flows on the channels of several tables."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.core.random_streams.kernels import shuffle


@allocating
def rail_bisections(
    first: np.ndarray,
    to: np.ndarray,
    tables: np.ndarray,
    table: np.ndarray,
    switch: np.ndarray,
    states: np.ndarray,
    means: np.ndarray,
) -> None:
    """Simulate one bisection per state: host order[i] sends to host order[half + i], one flow on every rail.

    A flow's rate is 1 over the number of flows on its fullest channel.

    Parameters
    ----------
    first, to : int64[n + 1], int[2 m]
        The channels of a topology: first[s] .. first[s + 1] - 1 leave switch s; channel c leads to to[c].
    tables : uint[tables, n, n]
        tables[t, d, s] is the port of switch s towards d in table t.
    table, switch : int64[hosts, rails]
        The table that leads to a host's port on each rail, and the port's switch.
    states : uint64[b, 1]
        A random stream for each bisection.
    means : float64[b]
        Set to the mean rate of the flows of each bisection.
    """
    hosts, rails = switch.shape
    half = hosts // 2
    order, flows = np.empty(hosts, np.int64), np.empty(to.size, np.int64)
    for number in range(states.shape[0]):
        for each in range(hosts):
            order[each] = each
        shuffle(states[number], order)
        flows[:] = 0
        for i in range(half):
            for r in range(rails):
                s, d, t = switch[order[i], r], switch[order[half + i], r], table[order[half + i], r]
                while s != d:
                    c = first[s] + np.int64(tables[t, d, s])
                    flows[c] += 1
                    s = np.int64(to[c])
        total = 0.0
        for i in range(half):
            for r in range(rails):
                s, d, t = switch[order[i], r], switch[order[half + i], r], table[order[half + i], r]
                most = 1  # the host's own link carries one flow
                while s != d:
                    c = first[s] + np.int64(tables[t, d, s])
                    most = max(most, flows[c])
                    s = np.int64(to[c])
                total += 1.0 / most
        means[number] = total / (half * rails)


@allocating
def rated_rail_bisections(
    first: np.ndarray,
    to: np.ndarray,
    tables: np.ndarray,
    table: np.ndarray,
    switch: np.ndarray,
    rate: np.ndarray,
    capacity: np.ndarray,
    states: np.ndarray,
    means: np.ndarray,
) -> None:
    """Simulate the bisections of `rail_bisections` where ports or channels differ in rate.

    A flow asks for the lower rate of its two ports, and gets the share that its fullest channel has for all its flows.

    Parameters
    ----------
    first, to, tables, table, switch, states
        As for `rail_bisections`.
    rate, capacity : float64[hosts, rails], float64[2 m]
    means : float64[b]
        Set to the rate of all flows of each bisection, as a share of what they ask for.
    """
    hosts, rails = switch.shape
    half = hosts // 2
    order, asked = np.empty(hosts, np.int64), np.empty(to.size)
    for number in range(states.shape[0]):
        for each in range(hosts):
            order[each] = each
        shuffle(states[number], order)
        asked[:] = 0.0
        for i in range(half):
            for r in range(rails):
                s, d, t = switch[order[i], r], switch[order[half + i], r], table[order[half + i], r]
                amount = min(rate[order[i], r], rate[order[half + i], r])
                while s != d:
                    c = first[s] + np.int64(tables[t, d, s])
                    asked[c] += amount
                    s = np.int64(to[c])
        total, wanted = 0.0, 0.0
        for i in range(half):
            for r in range(rails):
                s, d, t = switch[order[i], r], switch[order[half + i], r], table[order[half + i], r]
                amount, share = min(rate[order[i], r], rate[order[half + i], r]), 1.0
                while s != d:
                    c = first[s] + np.int64(tables[t, d, s])
                    share = min(share, capacity[c] / asked[c])
                    s = np.int64(to[c])
                total += amount * share
                wanted += amount
        means[number] = total / wanted

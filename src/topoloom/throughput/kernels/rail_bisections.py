"""Random halves of hosts that send to each other on all their rails: flows counted on the channels of several tables."""

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
    """One bisection a state: host order[i] sends to host order[half + i] on every rail, a flow each.

    A flow gets 1 / the flows on its fullest channel.

    Parameters
    ----------
    tables : uint[tables, n, n]
        The ports of each table.
    table, switch : int64[hosts, rails]
        The table that leads to a host's port, and its switch.
    states : uint64[b, 1]
        A random stream for each bisection.
    means : float64[b]
        Gets the mean share of the flows of each.
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

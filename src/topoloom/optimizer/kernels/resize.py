"""Linking of free ports: of the farthest switches first, then at random."""

import numpy as np

from topoloom.core.compiling.decorators import allocating
from topoloom.core.random_streams.kernels import shuffle
from topoloom.graph.kernels.tables import join, join_through, linked

#: Most random links tried for two ports that cannot be joined, per switch of the network.
_TRIES = 20


@allocating
def fill_ports(table: np.ndarray, filled: np.ndarray, degree: int, old: int, state: np.ndarray) -> int:
    """Give every switch `degree` links by joining free ports at random, in place; return the number of free ports left.

    table: int32[n, degree], filled: int32[n]. Two ports u and v of one switch, of linked switches, or of two new switches old
    .. n - 1 (which should be far from each other) replace a random link x - y with u - x and v - y. One port stays free if
    their number is odd.
    """
    n = filled.size
    ports = np.repeat(np.arange(n), degree - filled)
    shuffle(state, ports)
    left = ports.size % 2
    for i in range(0, ports.size - 1, 2):
        u, v = ports[i], ports[i + 1]
        if u != v and min(u, v) < old and not linked(table, filled, u, v):
            join(table, filled, u, v)
        elif not join_through(table, filled, u, v, _TRIES * n, state):
            left += 2
    return left


@allocating
def join_first(
    table: np.ndarray, filled: np.ndarray, degree: int, u: np.ndarray, v: np.ndarray, order: np.ndarray
) -> int:
    """Link u[i] - v[i] for i in `order` if neither got a link in this call and both have a free port; return the number of
    links.

    table, filled as in `fill_ports`; u, v: int64[p], different switches that are not linked.
    """
    fresh = np.ones(filled.size, np.bool_)
    made = 0
    for i in order:
        a, b = u[i], v[i]
        if fresh[a] and fresh[b] and filled[a] < degree and filled[b] < degree:
            fresh[a] = fresh[b] = False
            join(table, filled, a, b)
            made += 1
    return made

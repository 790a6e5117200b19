"""Links between clusters are exchanged at random; their degrees stay, and none comes to lie inside a cluster."""

import numpy as np

from topoloom.core.compiling.decorators import kernel
from topoloom.core.random_streams.kernels import next_below
from topoloom.graph.kernels.tables import join, linked, part


@kernel
def exchange_between(
    table: np.ndarray, filled: np.ndarray, links: np.ndarray, cluster: np.ndarray, state: np.ndarray, tries: int
) -> int:
    """Exchange the second ends of two random links, `tries` times, in place; return how many links are still doubled.

    table int32[n, degree], filled int32[n]: scratch. links int64[m, 2]: between different clusters, some may be doubled.
    cluster int64[n]. An exchange is made if both new links join different clusters and no two switches that are linked
    already, so that doubled links become fewer; cost O(degree) per try.
    """
    filled[:] = 0
    for i in range(links.shape[0]):
        join(table, filled, links[i, 0], links[i, 1])
    for _ in range(tries):
        i, j = next_below(state, links.shape[0]), next_below(state, links.shape[0])
        side = next_below(state, 2)
        u, v = links[i, 0], links[i, 1]
        x, y = links[j, side], links[j, 1 - side]
        if cluster[u] == cluster[y] or cluster[x] == cluster[v]:
            continue
        if linked(table, filled, u, y) or linked(table, filled, x, v):
            continue
        part(table, filled, u, v)
        part(table, filled, x, y)
        join(table, filled, u, y)
        join(table, filled, x, v)
        links[i, 1] = y
        links[j, 0] = x
        links[j, 1] = v
    doubled = 0
    for u in range(filled.size):
        for slot in range(filled[u]):
            for earlier in range(slot):
                if table[u, earlier] == table[u, slot]:
                    doubled += 1
                    break
    return doubled // 2

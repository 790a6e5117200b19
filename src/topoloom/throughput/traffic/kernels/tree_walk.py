"""The trees that tables describe, one per destination, and the loads on them.

first int64[n + 1], to int[2 m]: the channels of a topology; ports[d, s]: the tables of a `Routing`.
"""

import numpy as np

from topoloom.core.compiling.decorators import allocating, inner


@inner
def preorder(
    first: np.ndarray,
    to: np.ndarray,
    port: np.ndarray,
    d: int,
    order: np.ndarray,
    above: np.ndarray,
    child: np.ndarray,
    after: np.ndarray,
) -> int:
    """List the switches that reach d in preorder: each before all that reach d through it. Return how many reach d.

    port uint[n]: the port of each switch towards d. order int[n]: the switches, with the subtree of each in one run. above
    (int64[n]): the channel by which each switch sends. child and after (int64[n]) are scratch. Switches whose paths loop or end
    elsewhere are not listed.
    """
    n = first.size - 1
    child[:] = -1
    for v in range(n):
        link = np.int64(port[v])
        if v != d and link < first[v + 1] - first[v]:
            above[v] = first[v] + link
            w = np.int64(to[above[v]])
            after[v], child[w] = child[w], v
    # `after` is the next child of the same switch; `above` leads back up.
    count, v = 0, d
    while True:
        order[count] = v
        count += 1
        if child[v] >= 0:
            v = child[v]
            continue
        while v != d and after[v] < 0:
            v = np.int64(to[above[v]])
        if v == d:
            return count
        v = after[v]


@allocating
def add_loads(
    first: np.ndarray, to: np.ndarray, ports: np.ndarray, begin: int, demand: np.ndarray, load: np.ndarray
) -> int:
    """Send demand[i, s] from s to switch begin + i along the tables, and add the load of each channel to load (float64[2 m]).

    Returns the first of these destinations that some of its traffic does not reach, or -1.
    """
    n = first.size - 1
    order, above = np.empty(n, np.int64), np.empty(n, np.int64)
    child, after, amount = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    for row in range(demand.shape[0]):
        d, wanted = begin + row, 0
        for v in range(n):
            amount[v] = demand[row, v]
            wanted += amount[v] > 0.0
        if wanted == 0:
            continue
        count = preorder(first, to, ports[d], d, order, above, child, after)
        for place in range(count):
            wanted -= amount[order[place]] > 0.0
        if wanted:
            return d
        for place in range(count - 1, 0, -1):
            v = order[place]
            load[above[v]] += amount[v]
            amount[to[above[v]]] += amount[v]
    return -1


@allocating
def fill_trees(
    first: np.ndarray,
    to: np.ndarray,
    ports: np.ndarray,
    hosts: np.ndarray,
    goal: np.ndarray,
    begin: int,
    end: int,
    order: np.ndarray,
    place: np.ndarray,
    size: np.ndarray,
) -> int:
    """Fill in the trees of the rows begin .. end - 1: order, place and size, uint16[rows, n].

    Row i leads to switch goal[i] (int64[rows]; -1: to none) by the ports of row i (uint[rows, n]). The switches that reach it
    through v, including v, are order[i, place[i, v] : place[i, v] + size[i, v]]; size 0 means that v does not reach it. hosts:
    int64[n] per switch. Returns the first destination that some switch with hosts does not reach, or -1.
    """
    n = first.size - 1
    above, child, after = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    carriers = np.count_nonzero(hosts)
    for row in range(begin, end):
        size[row], place[row] = 0, 0
        if goal[row] < 0:
            continue
        count = preorder(first, to, ports[row], goal[row], order[row], above, child, after)
        reached = 0
        for i in range(count):
            reached += hosts[order[row, i]] > 0
            size[row, order[row, i]] = 1
        if reached < carriers:
            return goal[row]
        for i in range(count - 1, 0, -1):
            v = np.int64(order[row, i])
            place[row, v] = i
            size[row, to[above[v]]] += size[row, v]
    return -1

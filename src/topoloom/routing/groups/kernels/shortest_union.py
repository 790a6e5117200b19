"""Shortest-Union(K): cheapest walks over the VRFs of all routers, as eBGP finds them.

first int64[n + 1], to int32[2 m]: the channels of a topology. State 0 is VRF K, which has the hosts; state i is VRF i. From
VRF K, a channel leads into VRF i at cost i; from VRF i < K into VRF i + 1 at cost 1; and from VRF 1 also into VRF 1 at cost 1.
"""

import numpy as np

from topoloom.core.compiling.decorators import inner, kernel


@inner
def _leads_back(idom: np.ndarray, n: int, node: int, v: int, root: int) -> bool:
    """Return whether all cheapest walks from a node pass through router v."""
    while node != root:
        if node % n == v:
            return True
        node = idom[node]
    return False


@inner
def _common(idom: np.ndarray, depth: np.ndarray, x: int, y: int) -> int:
    """Return the first node that all cheapest walks from x and from y share."""
    while x != y:
        if depth[x] >= depth[y]:
            x = idom[x]
        else:
            y = idom[y]
    return x


@inner
def _edges(q: int, states: int) -> int:
    """Return how many VRFs a channel leads to from state q."""
    return states if q == 0 else 2 if q == 1 else 1


@inner
def _edge(q: int, number: int, states: int) -> tuple[int, int]:
    """Return the state that an edge from state q leads to, and its cost."""
    if q == 0:
        return (number + 1) % states, number + 1
    return (1 if number else (q + 1) % states), 1


@kernel
def unite(
    first: np.ndarray,
    to: np.ndarray,
    begin: int,
    states: int,
    cost: np.ndarray,
    idom: np.ndarray,
    depth: np.ndarray,
    width: np.ndarray,
    port: np.ndarray,
    next_state: np.ndarray,
) -> int:
    """Write the groups of all switches in all states to the destinations begin .. begin + k - 1.

    cost, idom, depth: int64[states * n], scratch; cost is that of the last destination. width: int64[k, states, n]; port
    uint16[capacity], next_state uint8[capacity]: the members of these groups, one after the other. Returns the members; more
    than the capacity: those that are needed at least, and the arrays are not filled.

    A BGP router drops a path with its own number. So a next hop whose cheapest walks all lead back through the router is none;
    only walks over three or more VRFs can. A router without a next hop at one cost has one at a higher cost, or none.
    """
    n, members, capacity = first.size - 1, 0, port.size
    for i in range(width.shape[0]):
        d = begin + i
        cost[:] = -1
        cost[d], idom[d], depth[d] = 0, d, 0
        price, latest = 0, 0
        while price <= latest + states:
            price += 1
            for q in range(states):
                if price < states - q:  # no walk from this state to VRF K costs less
                    continue
                for v in range(n):
                    node, common = q * n + v, -1
                    if v == d or cost[node] >= 0:
                        continue
                    for number in range(_edges(q, states)):
                        j, paid = _edge(q, number, states)
                        row, wanted = j * n, price - paid
                        if wanted < 0:
                            continue
                        for c in range(first[v], first[v + 1]):
                            other = row + to[c]
                            if cost[other] != wanted:
                                continue
                            if states > 2 and _leads_back(idom, n, other, v, d):
                                continue
                            common = other if common < 0 else _common(idom, depth, common, other)
                    if common >= 0:
                        cost[node], idom[node], depth[node], latest = price, common, depth[common] + 1, price
        for q in range(states):
            for v in range(n):
                node, before = q * n + v, members
                width[i, q, v] = 0
                if v == d or cost[node] < 0:
                    continue
                for number in range(_edges(q, states)):
                    j, paid = _edge(q, number, states)
                    row, wanted = j * n, cost[node] - paid
                    if wanted < 0:
                        continue
                    for c in range(first[v], first[v + 1]):
                        if cost[row + to[c]] != wanted:
                            continue
                        if states > 2 and _leads_back(idom, n, row + to[c], v, d):
                            continue
                        if members < capacity:
                            port[members], next_state[members] = c - first[v], j
                        members += 1
                width[i, q, v] = members - before
        if members > capacity:
            return members
    return members

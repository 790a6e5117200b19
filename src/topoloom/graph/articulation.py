"""Switches whose loss disconnects the remaining ones."""

import numpy as np

from topoloom.model.topology import Topology


def articulation_switches(topology: Topology) -> np.ndarray:
    """The switches (articulation points) whose loss splits their component, int64[k], ascending.

    One depth-first search (Hopcroft and Tarjan, 1973): a switch is one if some subtree below it has no link to a switch above
    it.

    Examples
    --------
    >>> articulation_switches(Topology(links=[(0, 1), (1, 2), (2, 0), (2, 3)], switches=4)).tolist()
    [2]
    """
    offsets, neighbours = (array.tolist() for array in topology.csr[:2])
    n = topology.switches
    splits = np.zeros(n, np.bool_)
    order, low, place = [-1] * n, [0] * n, list(offsets[:-1])
    count = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        order[root] = low[root] = count
        count += 1
        stack, below_root = [(root, -1)], 0
        while stack:
            u, parent = stack[-1]
            if place[u] < offsets[u + 1]:
                v = neighbours[place[u]]
                place[u] += 1
                if order[v] < 0:
                    order[v] = low[v] = count
                    count += 1
                    stack.append((v, u))
                elif v != parent:
                    low[u] = min(low[u], order[v])
                continue
            stack.pop()
            if not stack:
                continue
            low[parent] = min(low[parent], low[u])
            if parent == root:
                below_root += 1
            elif low[u] >= order[parent]:
                splits[parent] = True
        splits[root] = below_root > 1
    return np.flatnonzero(splits)

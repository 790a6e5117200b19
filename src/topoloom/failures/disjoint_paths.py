"""Paths between two switches that share no link, the shortest first."""

from collections import deque
from itertools import pairwise

import numpy as np

from topoloom.model.topology import Topology


def disjoint_paths(topology: Topology, source: int, destination: int) -> tuple[tuple[int, ...], ...]:
    """As many paths between two switches as possible that share no link.

    Parameters
    ----------
    topology : Topology
    source, destination : int
        Two different switches.

    Returns
    -------
    tuple of tuple of int
        The switches of each path, the shortest path first; empty where no path exists.

    Notes
    -----
    A maximum flow with one unit per link (Menger), taken apart path by path.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> disjoint_paths(build("ring:n=5"), 0, 2)
    ((0, 1, 2), (0, 4, 3, 2))
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n = topology.switches
    ends = np.concatenate([topology.links, topology.links[:, ::-1]])
    graph = csr_array((np.ones(len(ends), np.int32), (ends[:, 0], ends[:, 1])), shape=(n, n))
    flow = maximum_flow(graph, source, destination).flow.tocoo()
    left: dict[int, dict[int, int]] = {}
    for u, v, units in zip(flow.row.tolist(), flow.col.tolist(), flow.data.tolist(), strict=True):
        if units > 0:
            left.setdefault(u, {})[v] = units
    paths = []
    while path := _shortest(left, source, destination):
        for u, v in pairwise(path):
            left[u][v] -= 1
            if not left[u][v]:
                del left[u][v]
        paths.append(tuple(path))
    return tuple(sorted(paths, key=lambda path: (len(path), path)))


def _shortest(left: dict[int, dict[int, int]], source: int, destination: int) -> list[int]:
    """A shortest path over the links that are left; empty if there is none."""
    before, waiting = {source: source}, deque([source])
    while waiting and destination not in before:
        switch = waiting.popleft()
        for other in left.get(switch, ()):
            if other not in before:
                before[other] = switch
                waiting.append(other)
    if destination not in before:
        return []
    path = [destination]
    while path[-1] != source:
        path.append(before[path[-1]])
    return path[::-1]

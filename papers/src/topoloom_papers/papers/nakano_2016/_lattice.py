"""Step 1 of Nakano 2016: a K-regular, L-restricted graph that links neighbours."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.geometry import geometry_of
from topoloom.model.topology import Topology


def lattice(topology: Topology, degree: int, length: int) -> Topology:
    """Link the switches of a grid or diagrid greedily: pairs in ascending distance, while both have a free port.

    Then open ports are paired. For two switches u and v with open ports, the shortest possible links u-x and v-y replace a
    link x-y. If u and v are too far apart for that, only u-x replaces it, and the open port moves to y, which is nearer to
    v. Nakano 2016 (III, step 1) only states that adjacent nodes are connected appropriately.

    Raises
    ------
    InputError
        The switches have no positions, or open ports remain.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> lattice(build("grid:rows=10,columns=10,degree=4,length=3"), 4, 3).degrees.tolist() == [4] * 100
    True
    """
    geometry = geometry_of(topology)
    if geometry is None:
        raise InputError(f"{topology.name}: a lattice needs switches on a grid (labels x, y or row, column)")
    n = topology.switches
    numbers = np.arange(n)
    apart = geometry.distance(numbers[:, None], numbers)
    pairs = np.argwhere(np.triu(apart <= length, 1))
    free = np.full(n, degree)
    linked = np.zeros((n, n), bool)
    for u, v in pairs[np.argsort(apart[pairs[:, 0], pairs[:, 1]], kind="stable")]:
        if free[u] and free[v]:
            linked[u, v] = linked[v, u] = True
            free[[u, v]] -= 1
    gaps = np.repeat(numbers, free).tolist()
    while len(gaps) > 1:
        u, v = gaps.pop(0), gaps.pop()
        x, y = np.nonzero(linked)
        takes = (apart[u, x] <= length) & ~linked[u, x] & (x != u) & (y != u)
        fits = takes & (apart[v, y] <= length) & ~linked[v, y] & (x != v) & (y != v)
        nearer = takes & (apart[y, v] < apart[u, v])
        if not (fits.any() or nearer.any()):
            raise InputError(f"{topology.name}: no lattice of degree {degree} with links up to {length} was found")
        longer = apart[u, x] - apart[x, y] + (apart[v, y] if fits.any() else 0)
        best = np.where(fits if fits.any() else nearer, longer, n).argmin()
        x, y = x[best], y[best]
        linked[x, y] = linked[y, x] = False
        linked[u, x] = linked[x, u] = True
        if fits.any():
            linked[v, y] = linked[y, v] = True
        else:
            gaps = [int(y), *gaps, v]
    return Topology(links=np.argwhere(np.triu(linked)), switches=n, labels=topology.labels, name="lattice")

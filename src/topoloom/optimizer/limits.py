"""Lower bounds for an optimisation: Moore's bound, and bounds for limited link lengths."""

import math

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.distances import distance_matrix
from topoloom.graph.geometry import Geometry
from topoloom.graph.grid_bounds import grid_bounds
from topoloom.graph.moore import moore_within
from topoloom.model.topology import Topology
from topoloom.optimizer.result import GraphBounds
from topoloom.optimizer.rules import GraphRules

#: Distances over the allowed links take n^2 bytes; larger networks get Moore's bound only.
_MOST_SWITCHES = 8192


def limits(
    topology: Topology, rules: GraphRules, geometry: Geometry | None = None, length: int | None = None
) -> GraphBounds:
    """Compute lower bounds on diameter and hops from the order, the highest degree, and the allowed links.

    On a grid as in Nakano 2016, IV; under any other rule the same with d(i) counted over the allowed links.

    Parameters
    ----------
    topology : Topology
        The network; only its order and degree count.
    rules : GraphRules
        The rules of the search.
    geometry : Geometry, optional
        The grid of the switches.
    length : int, optional
        The longest link on the grid, in steps.

    Returns
    -------
    GraphBounds
        No network under these rules has a smaller diameter or fewer hops.

    Raises
    ------
    InputError
        The degree, or the allowed links, cannot connect the switches.

    Examples
    --------
    >>> ring = Topology(links=[(i, (i + 1) % 10) for i in range(10)], switches=10)
    >>> found = limits(ring, GraphRules())
    >>> found.diameter, round(found.aspl, 4)
    (5, 2.7778)
    """
    n = topology.switches
    pairs = n * (n - 1)
    degree = int(topology.degrees.max())
    if geometry is not None and length is not None:
        grid = grid_bounds(geometry, degree, length)
        if grid.aspl == math.inf:
            raise InputError(_apart(topology, degree))
        return GraphBounds(int(grid.diameter), grid.distance_sum, pairs)
    moore = np.array(moore_within(n, degree))
    if moore[-1] < n:
        raise InputError(_apart(topology, degree))
    if rules.near is None or n > _MOST_SWITCHES:
        return GraphBounds(moore.size - 1, int((n - moore).sum()) * n, pairs)
    offsets, near = rules.near
    allowed = np.stack([np.repeat(np.arange(n), np.diff(offsets)), near], axis=1)
    apart = distance_matrix(Topology(links=allowed[allowed[:, 0] < allowed[:, 1]], switches=n))
    if apart.max() == np.iinfo(apart.dtype).max:
        raise InputError(f"{topology.name}: the allowed links cannot connect the switches; allow longer ones")
    rounds = max(int(apart.max()) + 1, moore.size)
    within = np.stack([(apart <= i).sum(axis=1) for i in range(rounds)], axis=1)
    return _limits(n - np.minimum(within, np.pad(moore, (0, rounds - moore.size), mode="edge")), pairs)


def _limits(left: np.ndarray, pairs: int) -> GraphBounds:
    """The bounds from the number of switches not within i hops of each, int64[n, i]."""
    return GraphBounds(int((left > 0).sum(axis=1).max()), int(left.sum()), pairs)


def _apart(topology: Topology, degree: int) -> str:
    return (
        f"{topology.name}: {degree} links per switch cannot connect {topology.switches} switches; use a higher degree"
    )

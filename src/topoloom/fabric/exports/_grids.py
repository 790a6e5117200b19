"""Grids that some simulators support by name: tori, meshes and HyperX networks, recognised by their links alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

_KINDS = ("torus", "mesh", "hyperx")


@dataclass(frozen=True, eq=False)
class Grid:
    """A network of switches at the points of a grid, numbered with the last coordinate varying fastest.

    Attributes
    ----------
    kind : "torus", "mesh" or "hyperx"
        HyperX if a side of 2 leaves it open; a full mesh is a HyperX of one side.
    dims : tuple of int
        Switches along each dimension, all 2 or more.
    width : int
        Number of parallel links between two switches.
    dimension : int64[links]
        The dimension along which each link goes.
    """

    kind: str
    dims: tuple[int, ...]
    width: int
    dimension: np.ndarray


def network_grid(topology: Topology) -> Grid | None:
    """The network as a grid; None if it is not one.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> [(grid.kind, grid.dims) for grid in map(network_grid, map(build, ("torus:dims=4x3", "hypercube:n=3", "ring:n=5")))]
    [('torus', (4, 3)), ('hyperx', (2, 2, 2)), ('torus', (5,))]
    >>> network_grid(build("petersen")) is None
    True
    """
    if topology.switches < 2 or not len(topology.links):
        return None
    pairs, counts = np.unique(topology.links, axis=0, return_counts=True)
    width = int(counts[0])
    if (counts != width).any():
        return None
    for dims in _sides(topology):
        degree = int(topology.degrees.max()) // width
        for kind in _KINDS if any(side > 2 for side in dims) else ("hyperx",):
            most = {"torus": 2 * len(dims), "mesh": 2 * len(dims), "hyperx": sum(dims) - len(dims)}[kind]
            # Large tori are quick to build, large full meshes are not.
            if degree > most or (kind == "hyperx" and degree != most):
                continue
            if np.array_equal(_links_of(kind, dims), pairs):
                points = np.stack(np.unravel_index(topology.links, dims))
                return Grid(kind, dims, width, np.argmax(points[:, :, 0] != points[:, :, 1], axis=0).astype(np.int64))
    return None


def _links_of(kind: str, dims: tuple[int, ...]) -> np.ndarray:
    """The links of a grid; empty if the grid is too large to build."""
    try:
        return build(f"{kind}:dims={'x'.join(map(str, dims))}").links
    except InputError:
        return np.empty((0, 2), np.int32)


def _sides(topology: Topology) -> Iterator[tuple[int, ...]]:
    """Possible sides of a grid with this number of switches: from its coordinates, one side, or all sides 2."""
    coordinates: list[np.ndarray] = []
    while f"x{len(coordinates)}" in topology.labels:
        coordinates.append(topology.labels[f"x{len(coordinates)}"])
    if coordinates and all(values.dtype.kind == "i" and values.min() == 0 for values in coordinates):
        dims = tuple(side for side in (int(values.max()) + 1 for values in coordinates) if side > 1)
        if prod(dims) == topology.switches:
            yield dims
    yield (topology.switches,)
    size = topology.switches.bit_length() - 1
    if size > 1 and 1 << size == topology.switches:
        yield (2,) * size

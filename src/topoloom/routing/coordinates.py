"""Networks with coordinates: every link changes exactly one coordinate, and all lines of a dimension have the same links."""

from typing import NamedTuple

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of

_LINE, _RING, _MESH = "line", "ring", "full mesh"


class Dimension(NamedTuple):
    """One dimension of a network.

    side : int
        The number of coordinates in the dimension.
    kind : "line", "ring" or "full mesh"
        How the switches of each of its lines are linked.
    port, width : int32[n, side]
        For each switch and each coordinate on its line: the first port to it, and the number of parallel ports (0: none).
    """

    side: int
    kind: str
    port: np.ndarray
    width: np.ndarray


class Coordinates(NamedTuple):
    """at : int64[n, dimensions], the coordinates of each switch; and the dimensions."""

    at: np.ndarray
    dimensions: list[Dimension]


def coordinates_of(topology: Topology) -> Coordinates:
    """The coordinates of each switch: the labels x0, x1, ..., or for rings and hypercubes its number.

    Raises
    ------
    InputError
        The network has no coordinates, or its links do not run along them.
    """
    at = places_of(topology)
    sides = at.max(axis=0, initial=0) + 1
    u, v = topology.links[:, 0], topology.links[:, 1]
    differs = at[u] != at[v]
    if at.shape[0] != int(np.prod(sides)) or not (differs.sum(axis=1) == 1).all():
        raise _refusal(topology)
    channels = channels_of(topology)
    n = topology.switches
    dimensions = []
    for axis, side in enumerate(sides.tolist()):
        port, width = np.full((n, side), n * side, np.int32), np.zeros((n, side), np.int32)
        along = np.flatnonzero(at[channels.origin, axis] != at[channels.to, axis])
        sender, target = channels.origin[along], at[channels.to[along], axis]
        np.add.at(width, (sender, target), 1)
        np.minimum.at(port, (sender, target), along - channels.first[sender])
        dimensions.append(Dimension(side, _kind(topology, at[:, axis], width), port, width))
    return Coordinates(at, dimensions)


def places_of(topology: Topology) -> np.ndarray:
    """The possible coordinates of each switch, int64[n, dimensions], from labels or from its number; links are not checked."""
    labels, n = topology.labels, topology.switches
    axes = [f"x{axis}" for axis in range(len(labels)) if f"x{axis}" in labels]
    if axes:
        return np.stack([np.asarray(labels[name], np.int64) for name in axes], axis=1)
    number = np.arange(n)[:, None]
    bits = max(1, (n - 1).bit_length())
    apart = topology.links[:, 0] ^ topology.links[:, 1]
    if n > 4 and n == 1 << bits and (apart & (apart - 1) == 0).all() and (topology.degrees == bits).all():
        return number >> np.arange(bits) & 1
    return number


def _kind(topology: Topology, at: np.ndarray, width: np.ndarray) -> str:
    """How the switches on the lines of a dimension are linked: as a line, a ring or a full mesh."""
    side = width.shape[1]
    linked = width > 0
    own, other = at[:, None], np.arange(side)
    near = np.abs(own - other) == 1
    if (linked == (own != other)).all() and side != 2:
        return _MESH if side > 3 else _RING if side == 3 else _LINE
    if (linked == near).all():
        return _LINE
    if (linked == (near | (np.abs(own - other) == side - 1))).all():
        return _RING
    raise _refusal(topology)


def _refusal(topology: Topology) -> InputError:
    return InputError(
        f"{topology.name}: its links do not run along coordinates; dimension order needs a mesh, torus, ring, hypercube, HyperX"
        " or flattened butterfly (engine orders routes anything)"
    )

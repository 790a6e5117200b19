"""Blocks of networks whose switches have coordinates: lattices of any number of dimensions, grids, and cubes by bits."""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from topoloom.drawing._parts import Part, points_part, switch_part
from topoloom.model.topology import Topology

#: Most switches of a lattice that is one block, and about how many a tile of a larger one has.
_MOST_IN_LATTICE, _IN_TILE, _MOST_TILES = 144, 20, 100
#: Most blocks of a dimension that stand in two rows, as a closed loop.
_MOST_IN_LOOP = 14
#: Fewest switches of a cube.
_LEAST_CUBE = 8
#: The two bits of each place in Gray's order.
_GRAY_WORDS = np.array(["00", "01", "11", "10"])


def lattice_axes(topology: Topology) -> list[str]:
    """The labels ``x0``, ``x1``, ... in their order."""
    names = [name for name in topology.labels if name[:1] == "x" and name[1:].isdecimal()]
    return sorted(names, key=lambda name: int(name[1:]))


def lattice_part(topology: Topology, kind: str, name: str, switches: np.ndarray) -> Part:
    """A block of a lattice: its last two dimensions are rows and columns, further ones are blocks in blocks."""
    axes = lattice_axes(topology)
    values = {axis: np.unique(topology.labels[axis][switches], return_inverse=True) for axis in axes}
    axes = [axis for axis in axes if values[axis][0].size > 1]
    at = np.stack([values[axis][1].reshape(-1) for axis in axes], axis=1) if axes else np.zeros((switches.size, 0), int)
    shown = [(axis, values[axis][0]) for axis in axes]
    return _nested(kind, name, switches, at, shown, _splits(topology, switches, axes))


def _splits(topology: Topology, switches: np.ndarray, axes: Sequence[str]) -> list[int]:
    """How many dimensions each level of blocks has, the outermost first; a unit (label `group`) is not parted."""
    outer = 0
    if "group" in topology.labels and len(axes) > 3:
        group = topology.labels["group"][switches]
        order = np.argsort(group, kind="stable")
        same = np.diff(np.unique(group, return_inverse=True)[1].reshape(-1)[order]) == 0
        constant = [not (np.diff(topology.labels[axis][switches][order])[same]).any() for axis in axes]
        outer = constant.index(False) if False in constant else 0
        outer = outer if outer > 1 and len(axes) - outer > 1 else 0
    return [*_pairs(outer), *_pairs(len(axes) - outer)]


def _pairs(count: int) -> list[int]:
    return [1] * (count % 2) + [2] * (count // 2)


def _nested(
    kind: str,
    name: str,
    switches: np.ndarray,
    at: np.ndarray,
    shown: Sequence[tuple[str, np.ndarray]],
    splits: Sequence[int],
) -> Part:
    if len(splits) < 2:
        if at.shape[1] < 2:
            return switch_part(kind, name, switches, "switch", "ring")
        return tiled_part(kind, name, at[:, ::-1].astype(np.float64), switches)
    own = splits[0]
    key = np.ravel_multi_index(tuple(at[:, :own].T), tuple(values.size for _, values in shown[:own]))
    cells, first, place = np.unique(key, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place, minlength=cells.size))
    blocks, points = [], []
    for number, (chosen, start) in enumerate(zip(np.split(order, ends[:-1]), first, strict=True)):
        where = at[start, :own]
        words = ", ".join(f"{axis} = {values[i]}" for (axis, values), i in zip(shown[:own], where, strict=True))
        blocks.append(_nested("slice", words, switches[chosen], at[chosen, own:], shown[own:], splits[1:]))
        # Two rows close a ring: the last block stands next to the first.
        wide = (
            cells.size
            if cells.size <= 3
            else ceil(cells.size / (2 if cells.size <= _MOST_IN_LOOP else sqrt(cells.size)))
        )
        down, right = divmod(number, wide)
        # Back and forth, so that neighbours stand next to each other.
        points.append(tuple(where[::-1]) if own == 2 else (wide - 1 - right if down % 2 else right, down))
    return points_part(kind, name, np.array(points, np.float64), blocks)


def tiled_part(kind: str, name: str, points: np.ndarray, switches: np.ndarray) -> Part:
    """Switches at points of a lattice of step 1; many of them are parted into square tiles."""
    if switches.size <= _MOST_IN_LATTICE:
        return points_part(kind, name, points, switches)
    low = points.min(axis=0)
    span = np.ptp(points, axis=0) + 1
    share = switches.size / span.prod()
    side = max(2, round(sqrt(_IN_TILE / share)), ceil(sqrt(span.prod() / _MOST_TILES)))
    tile = ((points - low) // side).astype(np.int64)
    across = int(tile[:, 0].max()) + 1
    numbers, place = np.unique(tile[:, 1] * across + tile[:, 0], return_inverse=True)
    order = np.argsort(place.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(place.reshape(-1)))
    blocks = []
    for number, chosen in zip(numbers.tolist(), np.split(order, ends[:-1]), strict=True):
        words = f"row {number // across}, column {number % across}"
        blocks.append(tiled_part("tile", f"tile in {words}", points[chosen], switches[chosen]))
    where = np.stack([numbers % across, numbers // across], axis=1).astype(np.float64)
    return points_part(kind, name, where, blocks)


def cube_axes(topology: Topology) -> np.ndarray | None:
    """The coordinates of a cube whose switches are linked where their numbers differ in one bit; None for other networks.

    Returns
    -------
    int64[n, axes] or None
        Two bits per axis, in Gray's order, so that neighbours in a row are linked.
    """
    n = topology.switches
    if n < _LEAST_CUBE:
        return None
    bits = (n - 1).bit_length()
    number = np.arange(n)
    links = topology.links.astype(np.int64)
    keys = links[:, 0] * n + links[:, 1]
    pairs = [(low, low | 1 << bit) for bit in range(bits) for low in [number[(number >> bit & 1 == 0)]]]
    wanted = np.concatenate([low[high < n] * n + high[high < n] for low, high in pairs])
    if keys.size > 2 * wanted.size or not np.isin(wanted, keys).all():
        return None
    gray = np.array([0, 1, 3, 2])
    return np.stack([gray[number >> bit & 3] for bit in range(0, bits, 2)][::-1], axis=1)


def cube_part(kind: str, name: str, switches: np.ndarray, at: np.ndarray) -> Part:
    """A block of a cube, with blocks of 16 switches in blocks of 16 blocks."""
    axes = at.shape[1]
    shown = []
    for axis in range(axes):
        low = 2 * (axes - 1 - axis)
        single = at[:, axis].max(initial=0) < 2
        shown.append((f"bit {low}", np.array(["0", "1"])) if single else (f"bits {low + 1}, {low}", _GRAY_WORDS))
    return _nested(kind, name, switches, at, shown, _pairs(axes))

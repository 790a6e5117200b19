"""Parts of a drawing: a tree of blocks, each with the places of what it contains, in units of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, pi, sin, sqrt

import numpy as np

#: Most switches of a block of a tier, and of any other block; most blocks in a row, on a ring, and on a grid.
_MOST_IN_TIER, MOST_TOGETHER = 16, 64
MOST_IN_ROW, MOST_ON_RING, MOST_ON_GRID = 16, 40, 100
#: Most blocks on a ring of blocks that part more: their bundles are all pairs of them.
_PARTED_RING = 24


@dataclass(frozen=True, eq=False)
class Part:
    """A block, with either blocks or switches in it.

    Attributes
    ----------
    kind : str
        plane, tier, group, pod, tile, rack ...
    name : str
        Its name for people.
    points : float64[items, 2]
        The middle of each item, x to the right and y downwards, in units of its own.
    children : tuple of Part
    switches : int64[n]
        The switches of a block without blocks.
    role : str
        What its switches are: leaf, spine, core, switch.
    cells : float64[items, 2]
        Width and height of each item, in the same units; none overlap.
    rigid : bool
        Whether width and height keep their proportion, as a circle does; otherwise the items fill the block.
    """

    kind: str
    name: str
    points: np.ndarray
    children: tuple["Part", ...] = ()
    switches: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    role: str = "switch"
    cells: np.ndarray = field(default_factory=lambda: np.ones((1, 2)))
    rigid: bool = False

    @property
    def extent(self) -> np.ndarray:
        """The corners of all items: [[left, top], [right, bottom]]."""
        return np.stack([(self.points - self.cells / 2).min(axis=0), (self.points + self.cells / 2).max(axis=0)])

    def called(self, kind: str, name: str) -> "Part":
        """The same block with another kind and name."""
        return replace(self, kind=kind, name=name)


def row_points(count: int) -> np.ndarray:
    """Places side by side, float64[count, 2]."""
    return np.stack([np.arange(count, dtype=np.float64), np.zeros(count)], axis=1)


def column_points(heights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Places below each other with these heights, and their cells."""
    high = np.asarray(heights, np.float64)
    points = np.stack([np.zeros(high.size), np.cumsum(high) - high / 2], axis=1)
    return points, np.stack([np.ones(high.size), high], axis=1)


def grid_points(count: int, columns: int | None = None) -> np.ndarray:
    """Places row by row on a grid that is about as wide as high."""
    wide = columns or max(1, ceil(sqrt(count)))
    down, right = np.divmod(np.arange(count), wide)
    return np.stack([right, down], axis=1).astype(np.float64)


def ring_points(count: int) -> np.ndarray:
    """Places on a circle, the first on top, clockwise, so far apart that squares of side 1 do not overlap."""
    if count < 3:
        return row_points(count) * 1.5
    turn = 2 * pi * np.arange(count) / count
    # Neighbours are sqrt(2) apart, so they differ by 1 along one of the axes.
    return np.stack([np.sin(turn), -np.cos(turn)], axis=1) * (sqrt(2) / (2 * sin(pi / count)))


def near_divisor(count: int) -> int:
    """A size of equal pieces near the square root; a divisor of `count` if there is one."""
    root = sqrt(count)
    near = [size for size in range(max(2, int(root / 1.7)), int(root * 1.7) + 1) if count % size == 0]
    return max(min(near, key=lambda size: (abs(np.log(size / root)), -size)), 2) if near else ceil(root)


def span_name(role: str, numbers: np.ndarray) -> str:
    """The name of consecutive or other switches: ``leaf 8 to 15``."""
    low, high = int(numbers.min()), int(numbers.max())
    return f"{role} {low}" if low == high else f"{role} {low} to {high}"


def switch_part(kind: str, name: str, switches: np.ndarray, role: str, shape: str) -> Part:
    """A block of switches in a "row", on a "ring" or on a "grid"; many of them are parted into blocks of consecutive ones."""
    count = switches.size
    most = _MOST_IN_TIER if shape == "row" else MOST_TOGETHER
    if count <= most:
        return _placed(Part(kind, name, row_points(count), switches=switches, role=role), shape)
    size = near_divisor(count)
    size = max(size, ceil(count / _PARTED_RING))
    inner = "grid" if shape != "row" or size > _MOST_IN_TIER else "row"
    pieces = [switches[at : at + size] for at in range(0, count, size)]
    names = [span_name(role, piece) for piece in pieces]
    # Switches of a label's value need not be consecutive, so that two spans may be alike.
    names = [f"{each} ({at})" if names.count(each) > 1 else each for at, each in enumerate(names, start=1)]
    blocks = [switch_part("switches", each, piece, role, inner) for each, piece in zip(names, pieces, strict=True)]
    return block_part(kind, name, blocks, shape)


def block_part(kind: str, name: str, blocks: Sequence[Part], shape: str) -> Part:
    """A block of blocks in a "row", on a "ring" or on a "grid"; many of them are parted into blocks of consecutive ones."""
    most = {"row": MOST_IN_ROW, "ring": MOST_ON_RING}.get(shape, MOST_ON_GRID)
    if len(blocks) > most:
        size = ceil(len(blocks) / min(most, _PARTED_RING))
        pieces = [blocks[at : at + size] for at in range(0, len(blocks), size)]
        inner = shape if size <= most else "grid"
        blocks = [
            piece[0] if len(piece) == 1 else block_part(_plural(piece[0].kind), _from_to(piece), piece, inner)
            for piece in pieces
        ]
    return _placed(Part(kind, name, row_points(len(blocks)), tuple(blocks)), shape)


def rows_part(kind: str, name: str, rows: Sequence[tuple[Part, float]]) -> Part:
    """Blocks below each other, each with its height compared with the others."""
    points, cells = column_points([high for _, high in rows])
    return Part(kind, name, points, tuple(part for part, _ in rows), cells=cells)


def points_part(
    kind: str, name: str, points: np.ndarray, items: Sequence[Part] | np.ndarray, role: str = "switch"
) -> Part:
    """A block whose items have places of a lattice of step 1; items in one place share its cell."""
    keys = np.round(4 * points).astype(np.int64)
    keys = keys[:, 1] * (int(np.ptp(keys[:, 0])) + 1) + keys[:, 0]
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    place = place.reshape(-1)
    most = int(count.max(initial=1))
    cells = np.ones((1, 2))
    if most > 1:
        order = np.argsort(place, kind="stable")
        rank = np.empty(place.size, np.int64)
        rank[order] = np.arange(place.size) - np.repeat(np.cumsum(count) - count, count)
        side = ceil(sqrt(most))
        points = points + (np.stack([rank % side, rank // side], axis=1) - (side - 1) / 2) / side
        cells = cells / side
    if isinstance(items, np.ndarray):
        return Part(kind, name, points, switches=items, role=role, cells=cells, rigid=True)
    return Part(kind, name, points, tuple(items), cells=cells, rigid=True)


def _placed(part: Part, shape: str) -> Part:
    count = len(part.points)
    if shape == "row":
        return replace(part, points=row_points(count))
    points = ring_points(count) if shape == "ring" else grid_points(count)
    return replace(part, points=points, rigid=shape == "ring")


def _plural(kind: str) -> str:
    return kind if kind.endswith("s") else f"{kind}s"


def _from_to(parts: Sequence[Part]) -> str:
    """The name of several blocks: ``group 0 to 6``, also of blocks that have such names."""
    first, last = parts[0].name, parts[-1].name
    words, _, number = last.rpartition(" ")
    start, _, _ = first.partition(" to ")
    return f"{start} to {number}" if words and start.startswith(f"{words.partition(' ')[0]} ") else f"{first} to {last}"

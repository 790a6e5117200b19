"""The cells of BT and SP: p squared ranks cut a cube into p^3 cells, and each rank has one cell in every slab of each axis."""

from typing import NamedTuple

from topoloom.simulation.applications.nas.actions import TraceLines
from topoloom.simulation.applications.nas.skeleton import NasRun, check_ranks, share

_TAGS = ((2000, 3000), (4000, 5000), (7000, 6000))
"""Tags of messages forward and back along each axis."""


class Cells(NamedTuple):
    """A rank's cells: ``at[c]`` is the position of cell c by axis, ``sizes[c]`` its points; and its neighbour ranks by axis."""

    side: int
    at: list[tuple[int, int, int]]
    sizes: list[tuple[int, int, int]]
    before: tuple[int, int, int]
    after: tuple[int, int, int]

    def slab(self, axis: int, place: int) -> int:
        """Return the cell of this rank in a given slab of an axis."""
        return next(cell for cell, at in enumerate(self.at) if at[axis] == place)

    def points(self, cell: int) -> int:
        """Return the number of points of a cell."""
        x, y, z = self.sizes[cell]
        return x * y * z


def check_cells(name: str, run: NasRun, points: int) -> None:
    """Refuse numbers of ranks that are not square, or whose cells would have fewer than three points per side.

    Parameters
    ----------
    name : str
        The benchmark, for the message.
    run : NasRun
        The requested run, with its ranks and class.
    points : int
        Grid points along each side of the cube.

    Raises
    ------
    InputError
        Numbers of ranks as above.
    """
    most = (points // 3) ** 2
    check_ranks(
        name,
        run.ranks,
        f"a square of at most {most} for class {run.size}",
        lambda ranks: _root(ranks) ** 2 == ranks and ranks <= most,
    )


def _root(ranks: int) -> int:
    return int((ranks + 0.5) ** 0.5)


def cells_of(points: int, ranks: int, rank: int) -> Cells:
    """Return the cells of a rank: one step forward along x is one back along y and one forward along z.

    Parameters
    ----------
    points : int
        Grid points along each side of the cube.
    ranks : int
        A square number; its root is the number of cells along a side.
    rank : int
        The rank, from 0.

    Returns
    -------
    Cells
        One cell in each layer along z, with its size in points, and the neighbouring ranks before and after along x,
        y and z.
    """
    side = _root(ranks)
    row, column = divmod(rank, side)
    at = [((column + step) % side, (row - step) % side, step) for step in range(side)]
    sizes = [(share(points, side, x), share(points, side, y), share(points, side, z)) for x, y, z in at]

    def rank_at(column: int, row: int) -> int:
        return column % side + side * (row % side)

    before = (rank_at(column - 1, row), rank_at(column, row - 1), rank_at(column + 1, row - 1))
    after = (rank_at(column + 1, row), rank_at(column, row + 1), rank_at(column - 1, row + 1))
    return Cells(side, at, sizes, before, after)


def faces(me: TraceLines, cells: Cells) -> str:
    """Return the exchange of the cells' faces, two points deep with five numbers per point, on all axes at once."""
    if cells.side == 1:
        return ""
    posted = sent = ""
    for axis, (forth, back) in enumerate(_TAGS):
        across = [_across(size, axis) * 10 for size in cells.sizes]
        ahead = sum(face for face, at in zip(across, cells.at, strict=True) if at[axis] < cells.side - 1)
        behind = sum(face for face, at in zip(across, cells.at, strict=True) if at[axis] > 0)
        after, before = cells.after[axis], cells.before[axis]
        posted += me.irecv(after, back, ahead) + me.irecv(before, forth, behind)
        sent += me.isend(after, forth, ahead) + me.isend(before, back, behind)
    return posted + sent + me.waitall(12)


def _across(size: tuple[int, int, int], axis: int) -> int:
    x, y, z = size
    return (y * z, x * z, x * y)[axis]

"""Switches at points of a plane grid or diagonal grid, and distances along its lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology

#: Most entries of the table of prefix sums: 1.6 GB.
_MOST_CELLS = 200_000_000


@dataclass(frozen=True, eq=False)
class Geometry:
    """Points and the distance between them.

    Attributes
    ----------
    points : int64[n, 2]
        Grid: (x, y). Diagrid: (X, Y) with X = 2 column + (row mod 2) and Y = row, so that diagonal neighbours differ by one
        along each axis.
    kind : "grid" or "diagrid"
        Grid: Manhattan distance |dX| + |dY|. Diagrid: Manhattan distance along the diagonals, max(|dX|, |dY|);
        horizontal neighbours are 2 apart, diagonal ones 1.

    Source: Nakano 2016, III and VI; errata of Nakano 2016, 3 and Nakano 2016, 4.

    Examples
    --------
    >>> diagrid = Geometry.diagrid(14, 7)
    >>> int(diagrid.distance(0, 97))
    13
    """

    points: np.ndarray
    kind: Literal["grid", "diagrid"]

    @classmethod
    def grid(cls, rows: int, columns: int) -> "Geometry":
        """A grid; point (x, y) has the number y * columns + x."""
        y, x = np.divmod(np.arange(_size(rows, columns)), columns)
        return cls(np.stack([x, y], axis=1), "grid")

    @classmethod
    def diagrid(cls, rows: int, columns: int) -> "Geometry":
        """A diagonal grid of `rows` rows with `columns` points each; Nakano 2016's "7 x 14" is ``diagrid(14, 7)``."""
        row, column = np.divmod(np.arange(_size(rows, columns)), columns)
        return cls(np.stack([2 * column + row % 2, row], axis=1), "diagrid")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, including those without points."""
        x, y = (np.ptp(self.points, axis=0) if len(self.points) else np.full(2, -1)).tolist()
        return y + 1, (x if self.kind == "grid" else x // 2) + 1

    def distance(self, a: int | np.ndarray, b: int | np.ndarray) -> np.ndarray:
        """Distance between points `a` and `b` (numbers or arrays, which broadcast), int64."""
        apart = np.abs(self.points[a] - self.points[b])
        return np.asarray(apart.sum(axis=-1) if self.kind == "grid" else apart.max(axis=-1))

    def points_within(self, length: int, of: np.ndarray | None = None) -> np.ndarray:
        """For each point, the number of points at most i * length away, for i = 0, 1, ... until all are: int64[n, D + 1].

        Parameters
        ----------
        length : int
            The longest step, in the geometry's distance.
        of : int[k], optional
            The points to start from; all when omitted.

        Returns
        -------
        int64[k, D + 1]

        Raises
        ------
        InputError
            As `rounds_within`.
        """
        return np.stack(list(self.rounds_within(length, of)), axis=1)

    def rounds_within(self, length: int, of: np.ndarray | None = None) -> Iterator[np.ndarray]:
        """Yield the columns of `points_within` one by one, for geometries whose table does not fit in memory.

        d(i) of Nakano 2016, equation (3). Both distances have square balls (Manhattan's along x + y and x - y), so each entry
        needs four look-ups in a table of prefix sums.

        Parameters
        ----------
        length : int
        of : int[k], optional

        Yields
        ------
        int64[k]
            The number of points at most i * length away from each, for i = 0, 1, ...

        Raises
        ------
        InputError
            `length` is below 1, or the points are scattered over too many rows and columns for the table.
        """
        if length < 1:
            raise InputError(f"length {length}: the longest link must be at least 1")
        x, y = self.points.astype(np.int64).T
        u, v = (x + y, x - y) if self.kind == "grid" else (x, y)
        rows, row = np.unique(u, return_inverse=True)
        columns, column = np.unique(v, return_inverse=True)
        if rows.size * columns.size > _MOST_CELLS:
            raise InputError(
                f"{len(u)} points in {rows.size} x {columns.size} diagonals are too scattered for a grid; check the labels"
            )
        table = np.zeros((rows.size + 1, columns.size + 1), np.int64)
        np.add.at(table, (row + 1, column + 1), 1)
        table = table.cumsum(axis=0).cumsum(axis=1)
        farthest = int(max(np.ptp(u), np.ptp(v)))
        if of is not None:
            row, column = row[of], column[of]
        for reach in range(0, -(-farthest // length) * length + 1, length):
            top, bottom = np.searchsorted(rows, rows - reach)[row], np.searchsorted(rows, rows + reach, "right")[row]
            left, right = (
                np.searchsorted(columns, columns - reach)[column],
                np.searchsorted(columns, columns + reach, "right")[column],
            )
            yield table[bottom, right] - table[top, right] - table[bottom, left] + table[top, left]

    def near(self, length: int) -> tuple[np.ndarray, np.ndarray]:
        """The points within `length` of each, without the point itself: CSR (int64[n + 1], int32[...], ascending).

        Examples
        --------
        >>> offsets, near = Geometry.grid(2, 3).near(1)
        >>> near[offsets[1] : offsets[2]].tolist()
        [0, 2, 4]
        """
        from scipy.spatial import cKDTree

        norm = 1 if self.kind == "grid" else np.inf
        pairs = cKDTree(self.points).query_pairs(length, p=norm, output_type="ndarray")
        ends = np.concatenate([pairs, pairs[:, ::-1]])
        ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=len(self.points)))])
        return offsets.astype(np.int64), ends[:, 1].astype(np.int32)


def geometry_of(topology: Topology) -> Geometry | None:
    """The places of a topology's switches, from labels ``x, y`` (a grid) or ``row, column`` (a diagrid); otherwise None."""
    labels = topology.labels
    if set(labels) == {"x", "y"}:
        return Geometry(np.stack([labels["x"], labels["y"]], axis=1).astype(np.int64), "grid")
    if set(labels) == {"row", "column"}:
        row, column = labels["row"].astype(np.int64), labels["column"].astype(np.int64)
        return Geometry(np.stack([2 * column + row % 2, row], axis=1), "diagrid")
    return None


def longest_link(topology: Topology, geometry: Geometry) -> int:
    """The length of the longest link; 0 without links."""
    if not len(topology.links):
        return 0
    return int(geometry.distance(topology.links[:, 0], topology.links[:, 1]).max())


def _size(rows: int, columns: int) -> int:
    if rows < 1 or columns < 1:
        raise InputError(f"a grid of {rows} rows and {columns} columns is empty; both must be at least 1")
    return rows * columns

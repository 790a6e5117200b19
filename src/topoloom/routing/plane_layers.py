"""Layers of tables of a network of planes: equal planes share one copy, and whole tables are made when they are asked for."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np


class PlaneLayers(Sequence[np.ndarray]):
    """Tables [n, n] in which switches of other planes have no port, kept as the tables of the planes.

    A table of the whole network takes planes^2 times the memory of a plane's, and a fat tree has one per host of a switch: for
    eight planes of 768 switches with 256 hosts each, 19 GB in place of 0.3.

    Parameters
    ----------
    places : sequence of int64[m]
        The switches of each plane in the whole network, ascending.
    kinds : sequence of int
        The index in `tables` of the tables of each plane.
    tables : sequence of (sequence of uint8 or uint16[m, m])
        Different tables, one per layer; all of one type.

    Examples
    --------
    >>> table = np.array([[255, 0], [1, 255]], np.uint8)
    >>> layers = PlaneLayers([np.array([0, 1]), np.array([2, 3])], [0, 0], [[table]])
    >>> len(layers), layers[0].tolist()
    (1, [[255, 0, 255, 255], [1, 255, 255, 255], [255, 255, 255, 0], [255, 255, 1, 255]])
    """

    def __init__(
        self, places: Sequence[np.ndarray], kinds: Sequence[int], tables: Sequence[Sequence[np.ndarray]]
    ) -> None:
        self.places, self.kinds = tuple(places), tuple(kinds)
        self.tables = tuple(tuple(layers) for layers in tables)

    def __len__(self) -> int:
        return len(self.tables[0])

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[np.ndarray, ...]: ...

    def __getitem__(self, index: int | slice) -> np.ndarray | tuple[np.ndarray, ...]:
        """A whole table, made for this call; of a slice, a tuple of them."""
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        n, kind = self.plane_of.size, self.tables[0][index].dtype
        whole: np.ndarray = np.full((n, n), np.iinfo(kind).max, kind)
        for place, tables in zip(self.places, self._of_planes(), strict=True):
            whole[np.ix_(place, place)] = tables[index]
        return whole

    def of_plane(self, plane: int) -> tuple[np.ndarray, ...]:
        """The tables of a plane, one per layer: the arrays that are kept, not copies."""
        return self.tables[self.kinds[plane]]

    @property
    def plane_of(self) -> np.ndarray:
        """The plane of each switch of the whole network, int64[n]."""
        plane = np.empty(sum(place.size for place in self.places), np.int64)
        for number, place in enumerate(self.places):
            plane[place] = number
        return plane

    def _of_planes(self) -> Iterator[tuple[np.ndarray, ...]]:
        return (self.of_plane(plane) for plane in range(len(self.places)))

"""How long a link between any two switches would be: on a grid, or on the floor of a layout."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.geometry import Geometry
from topoloom.placement.layout.layout import Layout

#: The table takes two bytes a pair: 800 MB for so many.
MOST_SWITCHES = 20_000
#: Rows of the table that are made at a time.
_BLOCK = 256
#: Lengths are told apart by numbers of 16 bits.
_MOST_KINDS = 65_535
#: A floor has fewer metres.
_MOST_M = 10_000


@dataclass(frozen=True, eq=False)
class LinkLengths:
    """The length of a link between any two switches.

    There are few different lengths, so the table holds numbers of kinds. Lengths are kept to the millimetre; to the
    centimetre where a floor has more than 65,535 of them.

    Attributes
    ----------
    kind : uint16[n, n]
        The kind of a link between two switches, symmetric.
    length_m : float64[kinds]
        The length of each kind.
    between : bool[kinds]
        Whether such a link runs between racks.
    overhead_m : float
        What every link has beside the distance of its switches: at both ends together. ``length_m - overhead_m`` obeys the
        triangle inequality, for bounds; unless `metric` says that the floor's distances do not.
    metric : bool
    """

    kind: np.ndarray
    length_m: np.ndarray
    between: np.ndarray
    overhead_m: float
    metric: bool = True

    @classmethod
    def of_geometry(
        cls, geometry: Geometry, pitch_m: float | tuple[float, float] = 1.0, overhead_end_m: float = 0.0
    ) -> "LinkLengths":
        """Racks on a grid, `pitch_m` apart along either axis (one number: along both), a switch in each.

        A grid's axes are x and y. A diagrid's are its diagonals (X + Y) / 2 and (X - Y) / 2, along which its cables run
        (Nakano 2016, VI): turned by 45 degrees it is a grid that does not fill its square.

        Parameters
        ----------
        geometry : Geometry
            The grid or diagrid.
        pitch_m : float or (float, float)
            Metres between neighbouring racks along the first and the second axis.
        overhead_end_m : float
            Metres that a cable has more at each of its ends.

        Returns
        -------
        LinkLengths
            Of every pair of switches.

        Raises
        ------
        InputError
            A pitch or overhead that is no length, or too many switches.

        Examples
        --------
        >>> lengths = LinkLengths.of_geometry(Geometry.diagrid(14, 7))
        >>> float(lengths.between_m(0, 97))
        13.0
        """
        pitch = np.broadcast_to(np.asarray(pitch_m, float), (2,))
        if not (np.isfinite(pitch).all() and (pitch > 0).all()):
            raise InputError(f"pitch_m={pitch_m}: racks stand a number of metres above 0 apart")
        if not 0 <= overhead_end_m < _MOST_M:
            raise InputError(f"overhead_end_m={overhead_end_m:g}: what a cable has at its end is 0 m or more")
        x, y = geometry.points.astype(float).T
        x, y = (x, y) if geometry.kind == "grid" else ((x + y) / 2, (x - y) / 2)
        x, y = x * pitch[0], y * pitch[1]

        def rows(part: slice) -> tuple[np.ndarray, np.ndarray]:
            length_m = np.abs(x[part, None] - x) + np.abs(y[part, None] - y) + 2 * overhead_end_m
            return length_m, np.ones(length_m.shape, bool)

        return cls._made(x.size, rows, 2 * overhead_end_m)

    @classmethod
    def of_layout(cls, layout: Layout) -> "LinkLengths":
        """The floor of a layout: its slots, its overheads, and which switches share a rack.

        Raises
        ------
        InputError
            Too many switches.
        """
        floor, slots, slot = layout.floor, layout.slots, layout.slot

        def rows(part: slice) -> tuple[np.ndarray, np.ndarray]:
            mine = slot[part, None]
            between = mine != slot
            return floor.cable_m(slots.apart_m(mine, slot[None, :]), between), between

        shared = layout.racks < layout.topology.switches
        overhead_m = min(floor.inside_m, 2 * floor.overhead_end_m) if shared else 2 * floor.overhead_end_m
        return cls._made(layout.topology.switches, rows, overhead_m, metric=slots.given_m is None)

    @classmethod
    def _made(
        cls, n: int, rows: Callable[[slice], tuple[np.ndarray, np.ndarray]], overhead_m: float, *, metric: bool = True
    ) -> "LinkLengths":
        """The table from blocks of its rows: `rows` gives their lengths and which of them run between racks."""
        if n > MOST_SWITCHES:
            raise InputError(
                f"{n} switches are too many for the lengths of all pairs (at most {MOST_SWITCHES}); optimise hops"
            )
        parts = [slice(first, first + _BLOCK) for first in range(0, n, _BLOCK)]
        for per_metre in (1000, 100):

            def code(part: slice, per_metre: int = per_metre) -> np.ndarray:
                length_m, between = rows(part)
                if not length_m.max(initial=0.0) < _MOST_M:
                    raise InputError(f"a link of {length_m.max():g} m: a floor has links of less than {_MOST_M:,} m")
                return np.asarray(2 * np.rint(length_m * per_metre).astype(np.int32) + between)

            present = np.zeros(2 * _MOST_M * per_metre, bool)
            for part in parts:
                present[code(part)] = True
            codes = np.flatnonzero(present)
            if codes.size <= _MOST_KINDS:
                break
        else:
            raise InputError(f"{codes.size} different lengths are more than can be told apart ({_MOST_KINDS})")
        number = np.zeros(present.size, np.uint16)
        number[codes] = np.arange(codes.size)
        kind = np.empty((n, n), np.uint16)
        for part in parts:
            kind[part] = number[code(part)]
        return cls(kind, codes // 2 / per_metre, codes % 2 == 1, overhead_m, metric)

    def __len__(self) -> int:
        return len(self.kind)

    def between_m(self, a: int | np.ndarray, b: int | np.ndarray) -> np.ndarray:
        """The length of a link between switches `a` and `b` (numbers or arrays of numbers, which broadcast)."""
        return np.asarray(self.length_m[self.kind[a, b]])

    def within(self, cap_m: float) -> tuple[np.ndarray, np.ndarray]:
        """CSR of the switches that each may be linked to by a cable of at most `cap_m`.

        Returns
        -------
        offsets : int64[n + 1]
        near : int32[...]
            Ascending for each switch, itself omitted.

        Examples
        --------
        >>> offsets, near = LinkLengths.of_geometry(Geometry.grid(2, 3)).within(1.0)
        >>> near[offsets[1] : offsets[2]].tolist()
        [0, 2, 4]
        """
        fits = self.length_m <= cap_m + 1e-9
        near, counts = [], np.zeros(len(self) + 1, np.int64)
        for u, kinds in enumerate(self.kind):
            others = np.flatnonzero(fits[kinds])
            near.append(others[others != u].astype(np.int32))
            counts[u + 1] = near[-1].size
        return counts.cumsum(), np.concatenate(near)

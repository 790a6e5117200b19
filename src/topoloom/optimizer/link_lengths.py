"""The length of a link between any two switches, on a grid or on the floor of a layout."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.geometry import Geometry
from topoloom.placement.layout.layout import Layout

#: Most switches: the table takes two bytes per pair, 800 MB in total.
MOST_SWITCHES = 20_000
#: Rows of the table per block.
_BLOCK = 256
#: Most different lengths: they are numbered with 16 bits.
_MOST_KINDS = 65_535
#: Upper limit of lengths on a floor, in metres.
_MOST_M = 10_000


@dataclass(frozen=True, eq=False)
class LinkLengths:
    """The length of a link between any two switches.

    There are few different lengths, so the table holds numbers of kinds. Lengths are rounded to the millimetre, or to the
    centimetre if a floor has more than 65,535 different ones.

    Attributes
    ----------
    kind : uint16[n, n]
        The kind of a link between two switches, symmetric.
    length_m : float64[kinds]
        The length of each kind.
    between : bool[kinds]
        Whether a link of this kind is between racks.
    overhead_m : float
        The length of every link in addition to the distance of its switches, for both ends together. If `metric`,
        ``length_m - overhead_m`` obeys the triangle inequality, which bounds need.
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
        """Lengths for racks on a grid, `pitch_m` apart along the axes (one number: along both), with one switch per rack.

        A grid's axes are x and y. A diagrid's are its diagonals (X + Y) / 2 and (X - Y) / 2, along which its cables run
        (Nakano 2016, VI): turned by 45 degrees it is a grid that does not fill its square.

        Parameters
        ----------
        geometry : Geometry
            The grid or diagrid.
        pitch_m : float or (float, float)
            Metres between neighbouring racks along the first and the second axis.
        overhead_end_m : float
            Additional metres of a cable at each end.

        Returns
        -------
        LinkLengths
            For every pair of switches.

        Raises
        ------
        InputError
            A pitch or overhead that is not a length, or too many switches.

        Examples
        --------
        >>> lengths = LinkLengths.of_geometry(Geometry.diagrid(14, 7))
        >>> float(lengths.between_m(0, 97))
        13.0
        """
        pitch = np.broadcast_to(np.asarray(pitch_m, float), (2,))
        if not (np.isfinite(pitch).all() and (pitch > 0).all()):
            raise InputError(f"pitch_m={pitch_m}: the pitch of racks must be a number of metres above 0")
        if not 0 <= overhead_end_m < _MOST_M:
            raise InputError(
                f"overhead_end_m={overhead_end_m:g}: the overhead must be 0 m or more, and below {_MOST_M:,} m"
            )
        x, y = geometry.points.astype(float).T
        x, y = (x, y) if geometry.kind == "grid" else ((x + y) / 2, (x - y) / 2)
        x, y = x * pitch[0], y * pitch[1]

        def rows(part: slice) -> tuple[np.ndarray, np.ndarray]:
            length_m = np.abs(x[part, None] - x) + np.abs(y[part, None] - y) + 2 * overhead_end_m
            return length_m, np.ones(length_m.shape, bool)

        return cls._made(x.size, rows, 2 * overhead_end_m)

    @classmethod
    def of_layout(cls, layout: Layout) -> "LinkLengths":
        """Lengths on the floor of a layout: its slots, its overheads, and the switches that share a rack.

        Raises
        ------
        InputError
            Too many switches.
        """
        floor, slots, slot = layout.floor, layout.slots, layout.slot

        def rows(part: slice) -> tuple[np.ndarray, np.ndarray]:
            own_slots = slot[part, None]
            between = own_slots != slot
            return floor.cable_m(slots.apart_m(own_slots, slot[None, :]), between), between

        shared = layout.racks < layout.topology.switches
        overhead_m = min(floor.inside_m, 2 * floor.overhead_end_m) if shared else 2 * floor.overhead_end_m
        return cls._made(layout.topology.switches, rows, overhead_m, metric=slots.given_m is None)

    @classmethod
    def _made(
        cls, n: int, rows: Callable[[slice], tuple[np.ndarray, np.ndarray]], overhead_m: float, *, metric: bool = True
    ) -> "LinkLengths":
        """Make the table from blocks of rows: `rows` returns their lengths, and which of them are between racks."""
        if n > MOST_SWITCHES:
            raise InputError(
                f"{n} switches are too many for the lengths of all pairs (at most {MOST_SWITCHES}); use objective='hops'"
            )
        parts = [slice(first, first + _BLOCK) for first in range(0, n, _BLOCK)]
        for per_metre in (1000, 100):

            def code(part: slice, per_metre: int = per_metre) -> np.ndarray:
                length_m, between = rows(part)
                if not length_m.max(initial=0.0) < _MOST_M:
                    raise InputError(f"a link of {length_m.max():g} m; links must be shorter than {_MOST_M:,} m")
                return np.asarray(2 * np.rint(length_m * per_metre).astype(np.int32) + between)

            present = np.zeros(2 * _MOST_M * per_metre, bool)
            for part in parts:
                present[code(part)] = True
            codes = np.flatnonzero(present)
            if codes.size <= _MOST_KINDS:
                break
        else:
            raise InputError(f"{codes.size} different lengths; at most {_MOST_KINDS} are supported")
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
        """The switches that each switch may be linked to by a cable of at most `cap_m`, as CSR.

        Returns
        -------
        offsets : int64[n + 1]
        near : int32[...]
            Ascending for each switch, without itself.

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

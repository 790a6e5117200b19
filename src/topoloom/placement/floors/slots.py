"""Slots: where racks can stand on a floor, what each holds, and how far a cable runs between two of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError

#: What a slot without a limit holds.
NO_LIMIT = float("inf")

#: More slots than this have no distance matrix: it would take gigabytes.
MOST_SLOTS_WITH_MATRIX = 8_192


@dataclass(frozen=True, eq=False)
class Slots:
    """The places of a floor where a rack can stand, in the order in which they are filled.

    Attributes
    ----------
    names : tuple of str
        What is painted on the floor: ``A01`` is the first place of the first row.
    place_m : float64[slots, 2]
        The (x, y) of each rack's centre, in metres.
    limits : float64[slots, 3]
        What a rack there may hold: switches, hosts, watts; inf without a limit.
    rule : str
        ``manhattan`` or ``euclidean``: the distance of two places; ``matrix`` and ``trays`` say that `given_m` holds it.
    given_m : float64[slots, slots], optional
        Distances, symmetric, zero on the diagonal.
    rows, columns : int
        The shape of a generated floor, filled row by row; 0 when the places were listed.
    """

    names: tuple[str, ...]
    place_m: np.ndarray
    limits: np.ndarray
    rule: str = "manhattan"
    given_m: np.ndarray | None = None
    rows: int = 0
    columns: int = 0

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        """Equal by content: names, places, limits, rule and distances."""
        if not isinstance(other, Slots):
            return NotImplemented
        return (
            (self.names, self.rule, self.rows, self.columns) == (other.names, other.rule, other.rows, other.columns)
            and np.array_equal(self.place_m, other.place_m)
            and np.array_equal(self.limits, other.limits)
            and (
                self.given_m is other.given_m
                or (
                    self.given_m is not None
                    and other.given_m is not None
                    and np.array_equal(self.given_m, other.given_m)
                )
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def apart_m(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """How far a cable runs from each slot of `a` to that of `b`, without overhead: float64, like `a`."""
        if self.given_m is not None:
            return np.asarray(self.given_m[a, b])
        steps = self.place_m[a] - self.place_m[b]
        if self.rule == "euclidean":
            return np.asarray(np.hypot(steps[..., 0], steps[..., 1]))
        return np.asarray(np.abs(steps).sum(axis=-1))

    @cached_property
    def matrix_m(self) -> np.ndarray:
        """All distances, float64[slots, slots].

        Raises
        ------
        InputError
            More than `MOST_SLOTS_WITH_MATRIX` slots.
        """
        if len(self) > MOST_SLOTS_WITH_MATRIX:
            raise InputError(
                f"{len(self)} slots are too many for a matrix of their distances (at most {MOST_SLOTS_WITH_MATRIX})"
            )
        every = np.arange(len(self))
        return self.apart_m(every[:, None], every[None, :])

    def only(self, chosen: np.ndarray) -> "Slots":
        """The slots of the given numbers, int64[...], as a floor of their own."""
        given_m = None if self.given_m is None else self.given_m[np.ix_(chosen, chosen)]
        names = tuple(self.names[slot] for slot in chosen.tolist())
        return Slots(names, self.place_m[chosen], self.limits[chosen], self.rule, given_m)

    def compact(self, allowed: np.ndarray, count: int) -> np.ndarray:
        """`count` of the `allowed` slots that lie together, int64[count], rising.

        Those nearest to the slot that has so many nearest of all; of equals, the first.
        """
        if len(allowed) <= count:
            return allowed
        inner = self.only(allowed)
        if inner.given_m is not None:
            near = np.argsort(inner.given_m, axis=1, kind="stable")[:, :count]
            spread = np.take_along_axis(inner.given_m, near, axis=1).sum(axis=1)
            return np.sort(allowed[near[int(spread.argmin())]])
        from scipy.spatial import cKDTree

        norm = 1 if self.rule == "manhattan" else 2
        tree = cKDTree(inner.place_m)
        # Some hundred neighbours tell where slots lie close together; all of them would take too much memory.
        apart_m, _ = tree.query(inner.place_m, min(count, 256), p=norm)
        _, near = tree.query(inner.place_m[int(apart_m.sum(axis=1).argmin())], count, p=norm)
        return np.sort(allowed[near])

    def serpentine(self) -> np.ndarray:
        """Slots row by row, every other row backwards (Koibuchi 2013 IV.D's baseline), int64[slots].

        A row is the slots of one y, in the order of x; the rows go upwards in y.
        """
        _, row = np.unique(np.round(self.place_m[:, 1], 6), return_inverse=True)
        x = self.place_m[:, 0] * np.where(row % 2 == 0, 1.0, -1.0)
        return np.lexsort((x, row))


def grid_names(rows: int, columns: int) -> tuple[str, ...]:
    """Names for the places of a grid, row by row: rows A, B .. Z, AA ..; columns 01, 02 .."""
    digits = max(2, len(str(columns)))
    return tuple(f"{_letters(row)}{column + 1:0{digits}d}" for row in range(rows) for column in range(columns))


def _letters(number: int) -> str:
    """0 is A, 25 is Z, 26 is AA, as a spreadsheet names columns."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text

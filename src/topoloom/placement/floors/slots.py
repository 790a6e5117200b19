"""Slots: the places for racks on a floor, their limits, and the length of a cable between two of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.core.errors import InputError

#: The limit of a slot without a limit.
NO_LIMIT = float("inf")

#: Most slots with a distance matrix; for more it would take gigabytes.
MOST_SLOTS_WITH_MATRIX = 8_192


@dataclass(frozen=True, eq=False)
class Slots:
    """The places for racks on a floor, in the order in which they are filled.

    Attributes
    ----------
    names : tuple of str
        The names on the floor's markings: ``A01`` is the first place of the first row.
    place_m : float64[slots, 2]
        The (x, y) of each rack's centre, in metres.
    limits : float64[slots, 3]
        The limits of a rack there: switches, hosts, watts; inf without a limit.
    rule : str
        ``manhattan`` or ``euclidean``: the distance of two positions; ``matrix`` or ``trays``: `given_m` has the distances.
    given_m : float64[slots, slots], optional
        Distances, symmetric, zero on the diagonal.
    rows, columns : int
        The shape of a generated floor, filled row by row; 0 where slots are listed.
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
        """The length of a cable from each slot of `a` to that of `b`, without overhead: float64, shaped like `a`."""
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
        """The slots with the given numbers, int64[...], as separate `Slots`."""
        given_m = None if self.given_m is None else self.given_m[np.ix_(chosen, chosen)]
        names = tuple(self.names[slot] for slot in chosen.tolist())
        return Slots(names, self.place_m[chosen], self.limits[chosen], self.rule, given_m)

    def compact(self, allowed: np.ndarray, count: int) -> np.ndarray:
        """`count` of the `allowed` slots that are close together, int64[count], in increasing order.

        They are the slots nearest to the slot whose `count` nearest slots are nearest; of equal ones, the first.
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
        # Some hundred neighbours suffice to find where slots are dense; all of them would take too much memory.
        apart_m, _ = tree.query(inner.place_m, min(count, 256), p=norm)
        _, near = tree.query(inner.place_m[int(apart_m.sum(axis=1).argmin())], count, p=norm)
        return np.sort(allowed[near])

    def serpentine(self) -> np.ndarray:
        """The slots row by row, every other row backwards (baseline of Koibuchi 2013 IV.D), int64[slots].

        A row contains the slots of one y, ordered by x; rows are ordered by y.
        """
        _, row = np.unique(np.round(self.place_m[:, 1], 6), return_inverse=True)
        x = self.place_m[:, 0] * np.where(row % 2 == 0, 1.0, -1.0)
        return np.lexsort((x, row))


def grid_names(rows: int, columns: int) -> tuple[str, ...]:
    """Names for the places of a grid, row by row: rows A, B .. Z, AA ..; columns 01, 02 .."""
    digits = max(2, len(str(columns)))
    return tuple(f"{_letters(row)}{column + 1:0{digits}d}" for row in range(rows) for column in range(columns))


def _letters(number: int) -> str:
    """The name of a row: 0 is A, 25 is Z, 26 is AA, as spreadsheets name columns."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text

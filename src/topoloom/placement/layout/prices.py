"""The prices that placement minimises: of a cable between any two slots, from length, cost, or the longest cable."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import MOST_SLOTS_WITH_MATRIX, Slots

#: A price of cables: (length_m float64[...], between racks bool[...]) -> float64[...]; inf where no cable exists.
CablePrice = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: Most slots with a table of all pairs, which fits into the caches; for more, lengths are computed from coordinates.
MOST_IN_TABLE = 4096
#: Rows of a table that are computed at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Prices:
    """The price of a cable between slots s and t.

    It is table[s, t] (float32[slots, slots]) or, without a table, `inside` for s = t, else |dx| + |dy| + extra + inside.
    """

    table: np.ndarray | None
    x: np.ndarray
    y: np.ndarray
    extra: np.float32
    inside: float

    def total(self, topology: Topology, slot: np.ndarray) -> float:
        """The sum over all links when each switch is in the given slot."""
        a, b = slot[topology.links].T
        if self.table is not None:
            return float(self.table[a, b].sum(dtype=np.float64))
        apart = np.abs(self.x[a] - self.x[b]).astype(np.float64) + np.abs(self.y[a] - self.y[b])
        return float(np.where(a == b, 0.0, apart + self.extra).sum() + self.inside * len(a))

    def between(self) -> np.ndarray:
        """The prices between racks, float64[slots, slots], zero on the diagonal."""
        if self.table is not None:
            prices = self.table.astype(float)
        else:
            x, y = self.x.astype(float), self.y.astype(float)
            prices = np.abs(x[:, None] - x) + np.abs(y[:, None] - y) + float(self.extra) + self.inside
        np.fill_diagonal(prices, 0.0)
        return prices


def length_prices(floor: Floor, slots: Slots) -> Prices:
    """Prices where the price of a cable is its length.

    Raises
    ------
    InputError
        There are too many slots for a table, and distances are not Manhattan distances.
    """
    if slots.given_m is None and slots.rule == "manhattan" and len(slots) > MOST_IN_TABLE:
        x, y = slots.place_m.T.astype(np.float32)
        extra = np.float32(2 * floor.overhead_end_m - floor.inside_m)
        return Prices(None, np.ascontiguousarray(x), np.ascontiguousarray(y), extra, floor.inside_m)
    return _tabled(floor, slots, lambda length_m, _: length_m)


def cable_prices(floor: Floor, slots: Slots, price: CablePrice) -> Prices:
    """Prices where `price` gives the price of a cable by its length; an impossible cable costs 1,000 times the most expensive.

    Of cables with equal prices the shorter one is preferred: up to a ten-thousandth of the highest price is added by length.

    Parameters
    ----------
    floor : Floor
        The rules for cable lengths.
    slots : Slots
        The slots for racks.
    price : callable (length_m, between) to float64
        The price of cables of these lengths, metres, between racks or inside; inf for cables that do not exist.

    Returns
    -------
    Prices
        For every pair of slots.

    Raises
    ------
    InputError
        There are too many slots for a table.
    """
    prices = _tabled(floor, slots, price)
    lengths = _tabled(floor, slots, lambda length_m, _: length_m)
    table, length_m = prices.table, lengths.table
    if table is not None and length_m is not None:
        exists = np.isfinite(table)
        highest = float(table[exists].max(initial=0.0))
        table += length_m * np.float32(1e-4 * (highest or 1.0) / max(1.0, float(length_m.max())))
        table[~exists] = 1000.0 * max(1.0, highest)
    return prices


def above_prices(length_m: np.ndarray, most_m: float) -> Prices:
    """Prices that penalise length above `most_m`, plus a hundredth of the length: to shorten the longest cable."""
    above = length_m > most_m + 1e-9
    return _table(np.where(above, length_m - most_m + 1.0, 0.0) + length_m / 100.0)


def cut_prices(count: int) -> Prices:
    """Prices of 1 between racks and 0 inside: to reduce the number of cables between `count` racks."""
    return _table(1.0 - np.eye(count))


def _table(values: np.ndarray) -> Prices:
    none = np.zeros(0, np.float32)
    return Prices(np.ascontiguousarray(values, np.float32), none, none, np.float32(0), 0.0)


def _tabled(floor: Floor, slots: Slots, price: CablePrice) -> Prices:
    """The table of `price`, computed in blocks of rows: all lengths at once would take several times its memory."""
    count = len(slots)
    if count > MOST_SLOTS_WITH_MATRIX:
        raise InputError(
            f"floor '{floor.name}': a search needs the distances of all pairs of its {count} slots, but allows at most"
            f" {MOST_SLOTS_WITH_MATRIX} slots; use map='rows', or put more switches in a rack"
        )
    table = np.empty((count, count), np.float32)
    every = np.arange(count)
    for first in range(0, count, _BLOCK):
        rows = every[first : first + _BLOCK, None]
        between = rows != every
        length_m = floor.cable_m(slots.apart_m(rows, every[None, :]), between)
        table[rows[:, 0]] = np.asarray(price(length_m.ravel(), between.ravel())).reshape(length_m.shape)
    return _table(table)


def lengths_m(floor: Floor, slots: Slots) -> np.ndarray:
    """The length of a cable between any two slots, float64[slots, slots]; on the diagonal, inside a rack."""
    return floor.cable_m(slots.matrix_m, ~np.eye(len(slots), dtype=bool))

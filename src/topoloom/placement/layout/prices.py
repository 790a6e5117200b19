"""What placement minimises: a price for a cable between any two slots, from the length, the cost, or the longest cable."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import MOST_SLOTS_WITH_MATRIX, Slots

#: A price of a cable: (length_m float64[...], between racks? bool[...]) -> float64[...]; inf where there is none.
CablePrice = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: Up to so many slots a table of all pairs fits the caches well enough; beyond, lengths come from coordinates.
MOST_IN_TABLE = 4096
#: Rows of a table that are made at a time.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Prices:
    """The price of a cable between slots s and t.

    table[s, t] (float32[slots, slots]) or, without a table, `inside` for s = t and else |dx| + |dy| + extra + inside.
    """

    table: np.ndarray | None
    x: np.ndarray
    y: np.ndarray
    extra: np.float32
    inside: float

    def total(self, topology: Topology, slot: np.ndarray) -> float:
        """The sum over all links when each switch stands in `slot`."""
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
    """The price of a cable is its length.

    Raises
    ------
    InputError
        Too many slots for a table, and distances that are not Manhattan's.
    """
    if slots.given_m is None and slots.rule == "manhattan" and len(slots) > MOST_IN_TABLE:
        x, y = slots.place_m.T.astype(np.float32)
        extra = np.float32(2 * floor.overhead_end_m - floor.inside_m)
        return Prices(None, np.ascontiguousarray(x), np.ascontiguousarray(y), extra, floor.inside_m)
    return _tabled(floor, slots, lambda length_m, _: length_m)


def cable_prices(floor: Floor, slots: Slots, price: CablePrice) -> Prices:
    """The price of a cable is what `price` says of its length; one that cannot be had is a thousand times the dearest.

    Of cables with the same price the shorter is better by a ten-thousandth of the dearest, spread over the longest.

    Parameters
    ----------
    floor : Floor
        How long a cable between two slots is.
    slots : Slots
        Where racks may stand.
    price : callable (length_m, between) to float64
        The price of cables of these lengths, metres, that run between racks or not; inf for those that cannot be
        had.

    Returns
    -------
    Prices
        For every pair of slots.

    Raises
    ------
    InputError
        Too many slots for a table.
    """
    prices = _tabled(floor, slots, price)
    lengths = _tabled(floor, slots, lambda length_m, _: length_m)
    table, length_m = prices.table, lengths.table
    if table is not None and length_m is not None:
        had = np.isfinite(table)
        dearest = float(table[had].max(initial=0.0))
        table += length_m * np.float32(1e-4 * (dearest or 1.0) / max(1.0, float(length_m.max())))
        table[~had] = 1000.0 * max(1.0, dearest)
    return prices


def above_prices(length_m: np.ndarray, most_m: float) -> Prices:
    """The price of a cable is what it is longer than `most_m`, and a hundredth of its length: to shorten the longest."""
    above = length_m > most_m + 1e-9
    return _table(np.where(above, length_m - most_m + 1.0, 0.0) + length_m / 100.0)


def cut_prices(count: int) -> Prices:
    """The price of a cable is 1 between racks and 0 inside: to have few cables between `count` racks."""
    return _table(1.0 - np.eye(count))


def _table(values: np.ndarray) -> Prices:
    none = np.zeros(0, np.float32)
    return Prices(np.ascontiguousarray(values, np.float32), none, none, np.float32(0), 0.0)


def _tabled(floor: Floor, slots: Slots, price: CablePrice) -> Prices:
    """The table of `price`, made some rows at a time: all at once, the lengths would take several times its memory."""
    count = len(slots)
    if count > MOST_SLOTS_WITH_MATRIX:
        raise InputError(
            f"floor '{floor.name}': a search that needs the distance of any two of its {count} slots takes at most"
            f" {MOST_SLOTS_WITH_MATRIX}; use map='rows', or put more switches in a rack"
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
    """The length of a cable between any two slots, float64[slots, slots]; on the diagonal that inside a rack."""
    return floor.cable_m(slots.matrix_m, ~np.eye(len(slots), dtype=bool))

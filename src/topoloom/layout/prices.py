"""What placement minimises: a price for a cable between any two slots, from the length, the cost, or the longest cable."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.layout.floor import Floor
from topoloom.layout.slots import Slots
from topoloom.topology import Topology

#: A price of a cable: (length_m float64[...], between cabinets? bool[...]) -> float64[...]; inf where there is none.
CablePrice = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: Up to so many slots a table of all pairs fits the caches well enough; beyond, lengths come from coordinates.
_MOST_IN_TABLE = 4096


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

    def between(self, slots: np.ndarray) -> np.ndarray:
        """The prices between cabinets in the given slots, float64[k, k], zero on the diagonal."""
        if self.table is not None:
            prices = self.table[np.ix_(slots, slots)].astype(float)
        else:
            x, y = self.x[slots].astype(float), self.y[slots].astype(float)
            prices = np.abs(x[:, None] - x) + np.abs(y[:, None] - y) + float(self.extra) + self.inside
        np.fill_diagonal(prices, 0.0)
        return prices


def length_prices(floor: Floor, slots: Slots) -> Prices:
    """The price of a cable is its length."""
    if slots.given_m is None and slots.rule == "manhattan" and len(slots) > _MOST_IN_TABLE:
        x, y = slots.place_m.T.astype(np.float32)
        return Prices(None, x, y, np.float32(2 * floor.overhead_end_m - floor.inside_m), floor.inside_m)
    return _table(lengths_m(floor, slots))


def cable_prices(floor: Floor, slots: Slots, price: CablePrice) -> Prices:
    """The price of a cable is what `price` says of its length; one that cannot be had is a thousand times the dearest."""
    length_m = lengths_m(floor, slots)
    between = ~np.eye(len(slots), dtype=bool)
    usd = np.asarray(price(length_m.ravel(), between.ravel())).reshape(length_m.shape)
    had = np.isfinite(usd)
    return _table(np.where(had, usd, 1000.0 * max(1.0, float(usd[had].max(initial=0.0)))))


def above_prices(length_m: np.ndarray, most_m: float) -> Prices:
    """The price of a cable is what it is longer than `most_m`, and a hundredth of its length: to shorten the longest."""
    above = length_m > most_m + 1e-9
    return _table(np.where(above, length_m - most_m + 1.0, 0.0) + length_m / 100.0)


def cut_prices(count: int) -> Prices:
    """The price of a cable is 1 between cabinets and 0 inside: to have few cables between `count` cabinets."""
    return _table(1.0 - np.eye(count))


def _table(values: np.ndarray) -> Prices:
    none = np.zeros(0, np.float32)
    return Prices(np.ascontiguousarray(values, np.float32), none, none, np.float32(0), 0.0)


def lengths_m(floor: Floor, slots: Slots) -> np.ndarray:
    """The length of a cable between any two slots, float64[slots, slots]; on the diagonal that inside a cabinet."""
    length_m = slots.matrix_m + 2 * floor.overhead_end_m
    np.fill_diagonal(length_m, floor.inside_m)
    return length_m

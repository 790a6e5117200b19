"""Every cable that a crew lays, in the order of work: cables of links and hosts, and cords and trunks between panels."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.layout.layout import Layout

#: The kinds of cables, in the order of work within a bundle.
KINDS = ("trunk", "cord", "loop plug", "link", "host")
TRUNK, CORD, LOOP, LINK, HOST = range(len(KINDS))


@dataclass(frozen=True, eq=False)
class LaidCables:
    """The cables that are laid, as columns in the order of work.

    A link through panels is no cable: its cords and trunks are, and each of them occurs once, however many links it carries.

    Attributes
    ----------
    row : int64[cables]
        The row of the cabling; -1 for a cord or a trunk.
    fibre : int64[cables]
        The number of the cord or trunk in the plant, from 0; -1 for the cable of a link or a host.
    turned : bool[cables]
        Whether end a of a cord or trunk is the second end in the plant.
    kind : int64[cables]
        By `KINDS`.
    racks : int64[cables, 2]
        The racks of both ends; of a host that stands with its switch, the rack of the switch.
    bundle : int64[cables]
        From 0; -1 for a cable within a rack.
    number : int64[cables]
        The numbers on the cables; no two are equal.
    length_m, stock_m : float64[cables]
        The length on the floor, and as bought.
    """

    row: np.ndarray
    fibre: np.ndarray
    turned: np.ndarray
    kind: np.ndarray
    racks: np.ndarray
    bundle: np.ndarray
    number: np.ndarray
    length_m: np.ndarray
    stock_m: np.ndarray

    def __len__(self) -> int:
        return len(self.row)

    @property
    def own(self) -> np.ndarray:
        """Whether each is the cable of a link or a host, bool[cables]."""
        return np.asarray(self.row >= 0)

    def number_of_rows(self, rows: int) -> np.ndarray:
        """The number of each row of the cabling, int64[rows]; 0 for a link through panels.

        Parameters
        ----------
        rows : int
        """
        out = np.zeros(rows, np.int64)
        out[self.row[self.own]] = self.number[self.own]
        return out

    def ends(self, plant: Plant) -> np.ndarray:
        """The device and the port at ends a and b of each cord and trunk, int64[cords and trunks, 2, 2], in the order of work.

        Parameters
        ----------
        plant : Plant
        """
        fibres = ~self.own
        ends = plant.ends[self.fibre[fibres]].astype(np.int64)
        turned = self.turned[fibres]
        ends[turned] = ends[turned, ::-1]
        return np.asarray(ends)


class OrderOfWork:
    """The order in which the cables of a layout are laid.

    Parameters
    ----------
    layout : Layout
    ends, port : int32[rows, 2]
        Switch, or switch and host, and port at ends a and b of each link and host.
    racks : int64[rows, 2]
        Their racks.
    own : bool[rows]
        Whether each is a cable of its own.
    between : bool[rows]
        Whether its racks differ.
    to_host : bool[rows]

    Attributes
    ----------
    rows : int64[rows]
        The rows in their order; links through panels are the last.
    bundle : int64[rows]
        The bundle of each row, in the given order, from 0; -1 within a rack, and for a link through panels.
    pairs : int64[bundles, 2]
        The racks of each bundle.
    """

    def __init__(
        self,
        layout: Layout,
        ends: np.ndarray,
        port: np.ndarray,
        racks: np.ndarray,
        own: np.ndarray,
        between: np.ndarray,
        to_host: np.ndarray,
    ) -> None:
        fibres, count = _fibres(layout), len(ends)
        self._layout, self._own, self._turned = layout, own, fibres.turned
        self._kind = np.concatenate([np.where(to_host, HOST, LINK), fibres.kind])
        self._racks = np.concatenate([racks, fibres.racks])
        out = np.concatenate([between & own, fibres.racks[:, 0] != fibres.racks[:, 1]])
        bundle = np.full(len(out), -1)
        self.pairs, bundle[out] = _bundles(layout, np.sort(self._racks[out], axis=1), np.minimum(self._kind[out], LINK))
        self._bundle, self.bundle = bundle, bundle[:count]
        work = np.where(bundle >= 0, bundle, len(self.pairs) + self._racks[:, 0])
        work[:count][~own] = len(self.pairs) + layout.racks
        unit = np.concatenate([layout.height[ends[:, 0]], fibres.unit])
        device = np.concatenate([np.zeros(count, np.int64), fibres.device])
        self._order = np.lexsort((np.concatenate([port[:, 0], fibres.port]), device, unit, self._kind, work))
        self.rows = self._order[self._order < count]

    def laid(self, length_m: np.ndarray, stock_m: np.ndarray, number: np.ndarray) -> LaidCables:
        """The cables in this order.

        Parameters
        ----------
        length_m : float64[rows]
            In the given order.
        stock_m : float64[rows]
            In the order of `rows`.
        number : int64[rows]
            The existing numbers on the cables, in the given order; 0 where there is none.

        Raises
        ------
        InputError
            Only some cables have numbers, or two have the same.
        """
        plant, count = self._layout.plant, len(self._own)
        own = np.concatenate([self._own, np.ones(len(self._order) - count, bool)])
        laid = self._order[own[self._order]]
        of_row = laid < count
        rows, fibres = laid[of_row], laid[~of_row] - count
        place = np.empty(count, np.int64)
        place[self.rows] = np.arange(count)
        row, fibre, turned = np.full(len(laid), -1), np.full(len(laid), -1), np.zeros(len(laid), bool)
        row[of_row], fibre[~of_row], turned[~of_row] = place[rows], fibres, self._turned[fibres]
        metres = np.empty((2, len(laid)))
        metres[:, of_row] = length_m[rows], stock_m[place[rows]]
        if plant is not None:
            metres[:, ~of_row] = plant.length_m[fibres], plant.stock_m[fibres]
        fixed = None if plant is None or not plant.number.size else plant.number[fibres]
        numbers = _numbers(number[rows], of_row, fixed, self._layout.topology.name)
        return LaidCables(row, fibre, turned, self._kind[laid], self._racks[laid], self._bundle[laid], numbers, *metres)


def _numbers(existing: np.ndarray, of_row: np.ndarray, fixed: np.ndarray | None, name: str) -> np.ndarray:
    """The numbers of the cables in the order of work: their existing ones, or 1, 2, ..; cords and trunks have those left.

    `fixed` are the numbers that cords and trunks have already.
    """
    if fixed is not None and not existing.any():
        # Cables that are listed for the first time follow.
        existing = int(fixed.max(initial=0)) + np.arange(1, len(existing) + 1)
    if fixed is None and not existing.any():
        return np.arange(1, len(of_row) + 1)
    if len(np.unique(existing)) < len(existing) or (existing < 1).any():
        raise InputError(f"{name}: some cables have no number, or two have the same; number all cables")
    number = np.empty(len(of_row), np.int64)
    number[of_row] = existing
    if fixed is not None:
        number[~of_row] = fixed
        if len(np.unique(number)) < len(number):
            raise InputError(f"{name}: a cable has the number of a cord or trunk; number all cables")
        return number
    number[~of_row] = np.setdiff1d(np.arange(1, len(of_row) + 1), existing)[: int((~of_row).sum())]
    return number


def _bundles(layout: Layout, ends: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rack pairs in the order of work, int64[bundles, 2], and the bundle of each cable between racks."""
    keys, member = np.unique(ends.astype(np.int64) @ (layout.racks, 1), return_inverse=True)
    pairs = np.stack(np.divmod(keys, layout.racks), axis=1)
    apart_m = layout.slots.apart_m(layout.used[pairs[:, 0]], layout.used[pairs[:, 1]])
    first = np.full(len(pairs), LINK)
    np.minimum.at(first, member.ravel(), kind)
    # Sums of distances are not exact: pairs at equal distances must not be sorted by the last digits.
    order = np.lexsort((pairs[:, 1], -np.round(apart_m, 6), pairs[:, 0], first))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return pairs[order], rank[member.ravel()]


@dataclass(frozen=True, eq=False)
class _Fibres:
    """Where the cords and trunks of a layout run, in the order of its plant.

    Attributes
    ----------
    racks : int64[cords and trunks, 2]
        The racks of ends a and b: a is in the rack that comes first on the floor.
    turned : bool[cords and trunks]
        Whether a is the second end in the plant.
    kind : int64[cords and trunks]
        By `KINDS`.
    unit, device, port : float64 or int64[cords and trunks]
        The unit, the device and the port of end a, by which they are sorted in a rack.
    """

    racks: np.ndarray
    turned: np.ndarray
    kind: np.ndarray
    unit: np.ndarray
    device: np.ndarray
    port: np.ndarray


def _fibres(layout: Layout) -> _Fibres:
    """Where the cords and trunks of a layout run; no rows without panels."""
    plant = layout.plant
    if plant is None:
        none = np.zeros(0, np.int64)
        return _Fibres(np.zeros((0, 2), np.int64), none.astype(bool), none, none.astype(float), none, none)
    racks = np.searchsorted(layout.used, plant.slots_of_ends(layout.slot)).astype(np.int64)
    turned = racks[:, 0] > racks[:, 1]
    racks = np.where(turned[:, None], racks[:, ::-1], racks)
    device, port = np.where(turned[:, None], plant.ends[:, 1], plant.ends[:, 0]).astype(np.int64).T
    units = np.concatenate([np.asarray(layout.height, float), panel_units_of(layout)])
    kind = np.select([plant.is_trunk, plant.is_loop], [TRUNK, LOOP], CORD)
    return _Fibres(racks, turned, kind, units[device], device, port)


def panel_units_of(layout: Layout) -> np.ndarray:
    """The lowest unit of each panel, float64[panels]; NaN for one without a unit of its own.

    Parameters
    ----------
    layout : Layout
    """
    if layout.plant is None:
        return np.zeros(0)
    place = {name: number for number, name in enumerate(layout.plant.names)}
    units = np.full(len(place), np.nan)
    for rack in np.unique(np.searchsorted(layout.used, layout.plant.slot)).tolist():
        for name, _, unit in layout.devices_in(rack):
            if name in place and unit is not None:
                units[place[name]] = unit
    return units

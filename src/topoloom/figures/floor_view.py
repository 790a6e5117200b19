"""A layout as drawn on paper, x to the right and y upwards: the content of the picture, and its colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topoloom.model.topology import Topology
    from topoloom.placement.fibre.plant import Plant
    from topoloom.placement.floors.floor import Floor
    from topoloom.placement.floors.slots import Slots

#: Okabe and Ito's colours, distinct for every kind of colour blindness: media of cables, known ones first.
_INSIDE, _BETWEEN = "#009E73", "#0072B2"
_KNOWN = {"copper": "#D55E00", "electric": "#D55E00", "optical": "#0072B2", "fibre": "#0072B2", "fiber": "#0072B2"}
_OTHERS = ("#E69F00", "#56B4E9", "#009E73", "#000000", "#0072B2", "#D55E00", "#8a8a8a")
#: Colour of cables between switches and hosts in separate racks.
HOST_CABLES = "#CC79A7"
#: Colours of trunks and of cords between panels.
TRUNKS, CORDS = "#000000", "#E69F00"

#: Least ratio of a picture's shorter side to the longer one.
_SLIMMEST = 0.16


class DrawnLayout(Protocol):
    """The attributes of a layout that are drawn, like `layout.layout.Layout`."""

    @property
    def floor(self) -> "Floor": ...

    @property
    def slots(self) -> "Slots": ...

    @property
    def topology(self) -> "Topology": ...

    @property
    def slot(self) -> np.ndarray: ...

    @property
    def rack(self) -> np.ndarray: ...

    @property
    def plant(self) -> "Plant | None": ...

    @property
    def cabled_alone(self) -> np.ndarray: ...

    @property
    def length_m(self) -> np.ndarray: ...

    @property
    def place_m(self) -> np.ndarray: ...

    @property
    def between(self) -> np.ndarray: ...

    @property
    def used(self) -> np.ndarray: ...

    @property
    def bundles(self) -> tuple[np.ndarray, np.ndarray]: ...

    @property
    def host_slot(self) -> np.ndarray | None: ...

    @property
    def host_rack(self) -> np.ndarray: ...

    @property
    def host_between(self) -> np.ndarray: ...

    @property
    def host_length_m(self) -> np.ndarray: ...

    @property
    def racks(self) -> int: ...

    @property
    def rack_names(self) -> tuple[str, ...]: ...

    @property
    def total_m(self) -> float: ...

    @property
    def mean_length_m(self) -> float: ...

    @property
    def longest_m(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Wires:
    """Cables as drawn, without those of hosts: their racks, int64[cables, 2], and lengths; their kinds, each (name, colour)."""

    racks: np.ndarray
    kind: np.ndarray
    kinds: list[tuple[str, str]]
    length_m: np.ndarray


@dataclass(frozen=True, eq=False)
class View:
    """A layout as drawn: seen from above, x to the right and y upwards, as in floor files.

    `medium` is the medium of each link, or another kind of it, `watts` the maximum power of each rack; None where it is not
    known. `held` is the content of each rack, abbreviated, where the layout does not have all of it; `others` are the slots of
    racks that stand there and are not the layout's.
    """

    layout: DrawnLayout
    medium: np.ndarray | None = None
    watts: np.ndarray | None = None
    held: Sequence[str] | None = None
    others: np.ndarray | None = None

    @property
    def free(self) -> np.ndarray:
        """The slots without a rack, int64[...]."""
        layout = self.layout
        taken = layout.used if self.others is None else np.concatenate([layout.used, self.others])
        return np.setdiff1d(np.arange(len(layout.slots)), taken)

    @cached_property
    def box_m(self) -> np.ndarray:
        """The corners (x, y) of the drawn area, low and high: float64[2, 2]."""
        floor = self.layout.floor
        half = np.array([floor.width_m, floor.depth_m]) / 2
        others = [place_m for _, *place_m in floor.blocked]
        centres = np.concatenate([self.layout.slots.place_m, np.array(others).reshape(-1, 2)])
        corners = [centres - half, centres + half, np.array(floor.trays_m).reshape(-1, 2)]
        for x, y, width, depth in floor.pillars_m:
            corners.append(np.array([[x - width / 2, y - depth / 2], [x + width / 2, y + depth / 2]]))
        every = np.concatenate(corners)
        box = np.array([every.min(axis=0), every.max(axis=0)])
        sides = box[1] - box[0]
        # A single row of racks needs room for the arcs between them.
        missing = np.maximum(0.0, _SLIMMEST * sides.max() - sides)
        return box + np.outer([-0.5, 0.5], missing)

    @cached_property
    def shape_m(self) -> tuple[float, float]:
        """Width and height of the drawn area, in metres."""
        width, depth = (self.box_m[1] - self.box_m[0]).tolist()
        return width, depth

    def frame(self, axes: "Axes", pad_m: float, foot_m: float = 0.0) -> None:
        """Set scale, limits and labels of the axes: `pad_m` around the floor, and `foot_m` more below.

        Parameters
        ----------
        axes : Axes
            The axes to draw on.
        pad_m : float
            Space around the floor, metres.
        foot_m : float
            Additional space below it, metres.
        """
        from matplotlib.ticker import MaxNLocator

        (low_x, low_y), (high_x, high_y) = self.box_m
        below_m = pad_m + foot_m
        axes.set_xlim(low_x - pad_m, high_x + pad_m)
        axes.set_ylim(low_y - below_m, high_y + pad_m)
        axes.set_aspect("equal")
        axes.set_facecolor("#f6f7f9")
        axes.set_xlabel("x [m]", labelpad=1)
        axes.set_ylabel("y [m]", labelpad=1)
        axes.tick_params(labelsize=7.5, length=2.5, pad=1.5)
        axes.set_anchor("NW")
        width, height = high_x - low_x + 2 * pad_m, high_y - low_y + pad_m + below_m
        for axis, share in ((axes.xaxis, 1.2 * width / height), (axes.yaxis, 1.2 * height / width)):
            axis.set_major_locator(MaxNLocator(integer=True, nbins=int(np.clip(8 * share, 1, 8))))

    def rectangle(self, x_m: float, y_m: float, width_m: float, depth_m: float, inset: float = 0.0) -> dict[str, Any]:
        """The arguments of matplotlib's Rectangle for a rectangle around a centre.

        Parameters
        ----------
        x_m, y_m : float
            The centre, metres.
        width_m, depth_m : float
            The sides along x and y, metres.
        inset : float
            How far each side is moved inwards, as a share of the shorter one.

        Returns
        -------
        dict
            ``xy``, ``width`` and ``height``.
        """
        sides = np.array([width_m, depth_m])
        sides = sides - 2 * inset * sides.min()
        return {"xy": tuple(np.array([x_m, y_m]) - sides / 2), "width": float(sides[0]), "height": float(sides[1])}

    @cached_property
    def leaving(self) -> np.ndarray:
        """Number of cables that leave each rack, int64[racks]."""
        return cables_leaving(self.layout)

    @cached_property
    def kinds(self) -> tuple[np.ndarray, list[tuple[str, str]]]:
        """The kind of every link, int64[links], and the (name, colour) of each kind: its medium, or inside and between."""
        if self.medium is None:
            return self.layout.between.astype(np.int64), [("inside a rack", _INSIDE), ("between racks", _BETWEEN)]
        names, kind = np.unique(np.asarray(self.medium, dtype=str), return_inverse=True)
        return kind.reshape(-1), list(zip(names.tolist(), _colours(names.tolist()), strict=True))

    @cached_property
    def wires(self) -> Wires:
        """The cables of links that are no links through panels, and the cords and trunks of those."""
        layout, plant = self.layout, self.layout.plant
        (kind, kinds), own = self.kinds, layout.cabled_alone
        racks, length_m = layout.rack[layout.topology.links[own]], layout.length_m[own]
        if plant is None:
            return Wires(racks, kind, kinds, length_m)
        fibre_racks = np.searchsorted(layout.used, plant.slots_of_ends(layout.slot))
        return Wires(
            np.concatenate([racks, fibre_racks]),
            np.concatenate([kind[own], len(kinds) + plant.is_trunk]),
            [*kinds, ("cord", CORDS), ("trunk", TRUNKS)],
            np.concatenate([length_m, plant.length_m]),
        )

    @cached_property
    def bundles(self) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """All bundles: the pairs of racks, the numbers of cables, and the colours; first of links, then of host cables."""
        wires = self.wires
        # Cables of several kinds between two racks are several bundles.
        out = wires.racks[:, 0] != wires.racks[:, 1]
        ends = np.sort(wires.racks[out], axis=1)
        key, cables = np.unique(np.column_stack([ends, wires.kind[out]]).reshape(-1, 3), axis=0, return_counts=True)
        pairs = key[:, :2]
        colours = [wires.kinds[number][1] for number in key[:, 2].tolist()]
        to_hosts, host_cables = host_bundles(self.layout)
        every = np.concatenate([pairs, to_hosts])
        return every, np.concatenate([cables, host_cables]), colours + [HOST_CABLES] * len(to_hosts)


def _colours(media: list[str]) -> list[str]:
    """A colour for each medium: that of copper or glass if the name contains these, else a free one."""
    chosen: list[str] = []
    for name in media:
        own = next((colour for word, colour in _KNOWN.items() if word in name.lower()), None)
        free = [colour for colour in _OTHERS if colour not in chosen] or list(_OTHERS)
        chosen.append(own if own is not None and own not in chosen else free[0])
    return chosen


def host_bundles(layout: DrawnLayout) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of racks with cables between switches and hosts, with their number; none where hosts stand with switches."""
    if layout.host_slot is None:
        return np.empty((0, 2), np.int64), np.empty(0, np.int64)
    topology, out = layout.topology, layout.host_between
    ends = np.stack([layout.rack[topology.endpoints[out]], layout.host_rack[topology.host[out]]], axis=1)
    pairs, cables = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    return pairs.reshape(-1, 2).astype(np.int64), cables


def cables_leaving(layout: DrawnLayout) -> np.ndarray:
    """Number of cables that leave each rack, int64[racks], including those to hosts in separate racks."""
    total = np.zeros(layout.racks, np.int64)
    for pairs, cables in (layout.bundles, host_bundles(layout)):
        total += np.bincount(pairs.ravel(), np.repeat(cables, 2), minlength=layout.racks).astype(np.int64)
    return total


def racks_hold(layout: DrawnLayout) -> list[str]:
    """The contents of each rack, abbreviated: ``8 sw``, ``4 hosts``, ``32 panels``, or several of them."""
    switches = np.bincount(layout.rack, minlength=layout.racks).tolist()
    if layout.host_slot is None and layout.plant is None:
        return [f"{switch_count} sw" for switch_count in switches]
    hosts = (
        [0] * layout.racks
        if layout.host_slot is None
        else np.bincount(layout.host_rack, minlength=layout.racks).tolist()
    )
    panels = [0] * layout.racks
    if layout.plant is not None:
        panels = np.bincount(np.searchsorted(layout.used, layout.plant.slot), minlength=layout.racks).tolist()
    return [
        ", ".join(
            [f"{switch_count} sw"] * (switch_count > 0)
            + [f"{host_count} host{'s' * (host_count > 1)}"] * (host_count > 0)
            + [f"{panel_count} panel{'s' * (panel_count > 1)}"] * (panel_count > 0)
        )
        for switch_count, host_count, panel_count in zip(switches, hosts, panels, strict=True)
    ]


def rack_hints(layout: DrawnLayout, power: Sequence[str] | None = None, held: Sequence[str] | None = None) -> list[str]:
    """A tooltip per rack: its number and slot, its contents, its power if given, and the cables that leave it.

    Parameters
    ----------
    layout : Layout
    power : sequence of str, optional
        The power of each rack, in words.
    held : sequence of str, optional
        The content of each rack, abbreviated, where the layout does not have all of it.

    Returns
    -------
    list of str
    """
    held = [text.replace(" sw", " switches") for text in (racks_hold(layout) if held is None else held)]
    power = [""] * layout.racks if power is None else [f"{words}, " for words in power]
    each = zip(layout.rack_names, held, power, cables_leaving(layout).tolist(), strict=True)
    return [
        f"rack {number}: {name}, {holds}, {draws}{leaving} cables leave it"
        for number, (name, holds, draws, leaving) in enumerate(each)
    ]

"""Layouts with panels: where racks of panels stand, and the cords and trunks between all racks, for the fewest metres."""

from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.searches import Effort
from topoloom.placement.fibre.kit import Kit
from topoloom.placement.fibre.methods import RACK_U
from topoloom.placement.fibre.plant import Plant
from topoloom.placement.fibre.shuffled import panel_groups, shuffle_plant
from topoloom.placement.fibre.trunked import field_plant, zone_plant
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.layout import Layout
from topoloom.placement.qap.assign import assign
from topoloom.topologies.families.shuffled import boxes_of

_FEW_SLOTS = 128
#: Most racks that change places: the search takes seconds for a thousand.
_MOST_SEARCHED = 2048


def with_panels(layout: Layout, method: str, kit: Kit, effort: Effort, *, search: bool = True) -> Layout:
    """A layout whose links pass through panels.

    Panels of ``racks`` and ``rows`` stand above the switches of their racks, and no rack moves. Panels of ``shuffle`` and
    ``field`` have racks of their own, which start in the middle of the racks that they serve; then all racks change places as
    long as that shortens cords, trunks and host cables in total.

    Parameters
    ----------
    layout : Layout
        Without panels.
    method : "shuffle", "racks", "rows" or "field"
    kit : Kit
    effort : Effort
    search : bool
        Whether racks change places; more than 2,048 never do.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        The network has no shuffle boxes, or the floor has no free slots for the racks of panels.
    """
    if method in ("racks", "rows"):
        plant = _zoned(layout, method, kit)
        if not plant.through.any():
            raise InputError(
                f"panels: no two {method} have {-(-kit.panel.front // 2)} links between them, half of those of a trunk; choose"
                " smaller panels, or a field"
            )
        return replace(layout, plant=plant)
    plant, serves = _apart(layout, method, kit)
    racks = layout.racks + len(serves)
    floor = layout.floor
    if floor.fixed is not None:
        slot = _free_slots(layout, plant)
        return replace(layout, plant=replace(plant, slot=np.concatenate([layout.used, slot])[plant.slot]))
    slots = floor.slots_for(racks)
    # Each rack of panels stands in the middle of the racks that it serves.
    place = np.concatenate([np.arange(layout.racks), serves])
    slot = np.empty(racks, np.int64)
    slot[np.argsort(place, kind="stable")] = slots.serpentine()[:racks]
    if search and racks <= _MOST_SEARCHED:
        slot = _searched(layout, plant, slots, slot, effort)
    return replace(
        layout,
        slots=slots,
        slot=slot[layout.rack],
        host_slot=None if layout.host_slot is None else slot[layout.host_rack],
        plant=replace(plant, slot=slot[plant.slot]),
        length_bound_m=0.0,
    )


def _zoned(layout: Layout, method: str, kit: Kit) -> Plant:
    """Trunks between racks, or between rows of racks; a row's panels stand in the rack in its middle."""
    if method == "racks":
        return zone_plant(layout.topology, layout.rack.astype(np.int64), layout.used, kit, method)
    _, row = np.unique(np.round(layout.place_m[:, 1], 6), return_inverse=True)
    middle = []
    for number in range(int(row.max()) + 1):
        of_row = np.flatnonzero(row == number)
        along = of_row[np.argsort(layout.place_m[of_row, 0], kind="stable")]
        middle.append(int(layout.used[along[along.size // 2]]))
    return zone_plant(layout.topology, row[layout.rack].astype(np.int64), np.array(middle), kit, method)


def _apart(layout: Layout, method: str, kit: Kit) -> tuple[Plant, np.ndarray]:
    """Panels in racks of their own, whose slots are numbers of racks: those of the layout, then the new ones.

    Returns the plant, and the mean number of the racks that each new rack serves, float64[new racks].
    """
    topology = layout.topology
    rack_u = RACK_U if layout.housing is None else float(layout.housing.rack.u)
    fit = int(rack_u / kit.panel.u + 1e-9) if kit.panel.u else topology.switches
    if fit < 1:
        raise InputError(
            f"panels: '{kit.panel.name}' is {kit.panel.u:g} units high, and a rack has {rack_u:g}; choose lower panels"
        )
    if method == "shuffle":
        boxes = boxes_of(topology)
        rack, wired = panel_groups(boxes, fit)
        # Racks of boxes whose switches come later stand behind the last rack.
        serves = np.array([layout.rack[each].mean() if each.size else layout.racks - 1 for each in wired])
        return replace(shuffle_plant(topology, boxes, kit), slot=layout.racks + rack), serves
    rack_of = layout.rack.astype(np.int64)
    plant = field_plant(topology, rack_of, np.zeros(1, np.int64), topology.switches, kit)
    racks = max(1, -(-int(plant.panel.size // 2) // fit))
    plant = field_plant(topology, rack_of, layout.racks + np.arange(racks), fit, kit)
    return plant, np.full(racks, (layout.racks - 1) / 2)


def _free_slots(layout: Layout, plant: Plant) -> np.ndarray:
    """On a floor of listed slots: the free slot of each new rack with the shortest cords and trunks to racks that stand."""
    free = np.setdiff1d(np.arange(len(layout.slots)), layout.used)
    racks = int(plant.slot.max(initial=layout.racks - 1)) + 1 - layout.racks
    if free.size < racks:
        raise InputError(
            f"floor '{layout.floor.name}': {racks} racks of panels need a slot each, and {free.size} slots are free; add"
            " slots, or choose higher racks or lower panels"
        )
    flow = _flow(layout, plant, layout.racks + racks)
    stands = np.concatenate([layout.used, np.full(racks, -1)])
    for rack in range(layout.racks, layout.racks + racks):
        placed = np.flatnonzero((stands >= 0) & (flow[rack] > 0))
        metres = layout.slots.apart_m(free[:, None], stands[placed][None, :]) @ flow[rack, placed]
        best = int(metres.argmin())
        stands[rack] = free[best]
        free = np.delete(free, best)
    return stands[layout.racks :]


def _flow(layout: Layout, plant: Plant, racks: int) -> np.ndarray:
    """The cables between every two racks, float64[racks, racks]: links alone, cords, trunks, and those of hosts."""
    switch_rack = layout.rack.astype(np.int64)
    pairs = [switch_rack[layout.topology.links[~plant.through]], plant.slots_of_ends(switch_rack).astype(np.int64)]
    if layout.host_slot is not None:
        hosts = layout.host_rack[layout.topology.host]
        pairs.append(np.stack([switch_rack[layout.topology.endpoints], hosts], axis=1))
    ends = np.concatenate(pairs)
    flow = np.zeros((racks, racks))
    np.add.at(flow, (ends[:, 0], ends[:, 1]), 1.0)
    flow += flow.T
    np.fill_diagonal(flow, 0.0)
    return flow


def _searched(layout: Layout, plant: Plant, slots: Slots, slot: np.ndarray, effort: Effort) -> np.ndarray:
    """The slot of each rack with the fewest metres of cables that the search finds; `slot` where none is shorter."""
    flow = _flow(layout, plant, slot.size)
    place = np.arange(len(slots))
    apart_m = slots.apart_m(place[:, None], place[None, :])
    method = "both" if len(slots) <= _FEW_SLOTS else "anneal"
    limits = {"moves": effort.moves, "runs": effort.runs}
    assignment = assign(
        flow, apart_m, method, slot, effort.seed, effort.seconds, jobs=effort.jobs, work=effort.work, **limits
    )  # fmt: skip
    return np.asarray(assignment.place, np.int64)

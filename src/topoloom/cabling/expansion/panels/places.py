"""The places of new panels: racks of panels with free units, else free slots."""

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.core.errors import InputError
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes


def place_panels(floor: GrowingFloor, boxes: ShuffleBoxes, fit: int) -> None:
    """Put the new panels of a step into racks, and state where the cords of its new switches lead.

    All of them go to one rack as far as possible: that with the shortest trunks to panels that are placed, of the racks of
    panels with enough free units, or else of the free slots.

    Parameters
    ----------
    floor : GrowingFloor
        Changed: its panels, and `GrowingFloor.cords_to`.
    boxes : ShuffleBoxes
        After the step; the box of a panel has its number.
    fit : int
        Panels that a rack holds.

    Raises
    ------
    InputError
        The floor has no space.
    """
    new = list(range(floor.panel_slot.size, len(boxes.switch_at)))
    while new:
        racks = floor.panel_racks
        room = np.array([fit - int((floor.panel_slot == rack).sum()) for rack in racks.tolist()], np.int64)
        count = min(len(new), fit)
        slots = racks[room >= count]
        if not slots.size:
            slots = floor.free
        if not slots.size:
            slots = racks[room > 0]
        if not slots.size:
            raise InputError(
                f"floor '{floor.floor.name}': no rack of panels has room for {len(new)} more, and no slot is free; give a floor"
                " with more rows or slots"
            )
        slot = _nearest(floor, boxes, new[:count], slots)
        left = fit - int((floor.panel_slot == slot).sum())
        floor.stand_panels(np.full(min(count, left), slot))
        new = new[min(count, left) :]
    box, place = np.nonzero(boxes.switch_at >= floor.slot.size)
    switch, slot_of = boxes.switch_at[box, place], floor.panel_slot[box]
    floor.cords_to = {number: slot_of[switch == number] for number in np.unique(switch).tolist()}


def _nearest(floor: GrowingFloor, boxes: ShuffleBoxes, new: list[int], slots: np.ndarray) -> int:
    """The slot with the shortest trunks from these boxes to those that are placed; the first of equal ones."""
    joined = boxes.far[new]
    near = floor.panel_slot[joined[(joined >= 0) & (joined < floor.panel_slot.size)]]
    total_m = floor.length_m(slots[:, None], near[None, :]).sum(axis=1)
    return int(slots[np.round(total_m, 6).argmin()])

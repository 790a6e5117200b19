"""The room of a growing machine: its racks stay at their places, and new racks take free ones."""

from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.machine.machine import Machine
from topoloom.machine.racks import MachineRacks
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.housed import slots_of_racks


@dataclass(frozen=True, eq=False)
class GrownFloor:
    """The floor of a grown machine, its slots, and the slot of each rack, int64[racks]."""

    floor: Floor
    slots: Slots
    slot: np.ndarray


def room_for(machine: Machine, floor: Floor, racks: MachineRacks) -> GrownFloor:
    """The room with all racks of a grown machine.

    A floor whose size depends on its racks gets more rows, or more columns if its rows are given.

    Parameters
    ----------
    machine : Machine
    floor : Floor
        As the file has it.
    racks : MachineRacks
        The existing ones, then the new ones.

    Returns
    -------
    GrownFloor

    Raises
    ------
    InputError
        An existing rack has no place on the floor, or another one; the floor has too few places.
    """
    existing, slots = len(machine.racks), machine.slots
    if floor.fixed is None and slots.columns:
        wanted = max(len(slots), len(racks))
        if floor.rows is None:
            floor = replace(floor, columns=floor.columns or slots.columns)
            rows = -(-wanted // (floor.columns or 1))
            floor = replace(floor, rows=max(rows, slots.rows))
        elif floor.columns is None:
            floor = replace(floor, columns=max(slots.columns, -(-wanted // floor.rows)))
    now = floor.slots_for(1)
    number = {name: at for at, name in enumerate(now.names)}
    taken = np.array([number.get(name, -1) for name in machine.rack_names], np.int64)
    for name, at, before in zip(machine.rack_names, taken.tolist(), machine.slot.tolist(), strict=True):
        if at < 0 or not np.allclose(now.place_m[at], slots.place_m[before], atol=1e-6):
            what = "has no place on it" if at < 0 else "stands elsewhere on it"
            raise InputError(
                f"floor '{floor.name}': rack {name} of the machine {what}; an existing rack keeps its place: give a floor with"
                " the same places, and more"
            )
    if len(racks) == existing:
        return GrownFloor(floor, now, taken)
    _, free = slots_of_racks(floor, racks.contents[existing:], taken)
    if free.size < len(racks) - existing:
        raise InputError(
            f"floor '{floor.name}': {len(racks) - existing} new racks find {free.size} free places; give a floor with more, or"
            " let a rack hold more"
        )
    return GrownFloor(floor, now, np.concatenate([taken, free]))

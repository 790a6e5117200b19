"""Layouts whose racks are known: a source (a sheet, NetBox, a canu paddle) states the rack of every switch."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import NO_LIMIT, Slots
from topoloom.placement.layout.layout import Layout

log = logging.getLogger("topoloom")

_MADE = "the racks that the source states"
_ROW_AND_PLACE = re.compile(r"(.*?)([0-9]{1,6})[^0-9]*")


def in_stated_racks(topology: Topology, floor: Floor, racks: Sequence[str], *, named: bool) -> Layout | None:
    """The layout with every switch in its rack.

    Parameters
    ----------
    topology : Topology
    floor : Floor
        Its rules; its slots if it is a floor of the user's.
    racks : sequence of str
        The name of the rack of each switch.
    named : bool
        Whether the user named the floor. Otherwise the racks stand in rows by their names: rack B07 is the 7th of row B.

    Returns
    -------
    Layout or None
        None if the named floor does not have a slot of each rack's name; a warning says so.
    """
    names, number = np.unique(np.array(racks), return_inverse=True)
    if named:
        slots = floor.slots_for(len(names))
        place = {name: slot for slot, name in enumerate(slots.names)}
        missing = [name for name in names.tolist() if name not in place]
        if missing:
            log.warning(
                "floor '%s' has no slot '%s' (%d of %d racks are not there); the switches get other places; name its slots like"
                " the racks to keep them in place",
                *(floor.name, missing[0], len(missing), len(names)),
            )
            return None
        return Layout(topology, floor, slots, np.array([place[name] for name in racks], np.int32), made=_MADE)
    log.warning(
        "%s: racks stand in rows by their names, %s to %s; give a floor with slots of these names for true lengths",
        *(topology.name, names[0], names[-1]),
    )
    slots = Slots(tuple(names.tolist()), _by_names(names.tolist(), floor), np.full((len(names), 3), NO_LIMIT))
    own: dict[str, Any] = {
        "rows": None,
        "columns": None,
        "switches_per_rack": None,
        "hosts_per_rack": None,
        "power_w_per_rack": None,
    }
    floor = replace(floor, name=f"racks of {topology.name}", source="", fixed=slots, **own)
    return Layout(topology, floor, slots, number.reshape(-1).astype(np.int32), made=_MADE)


def _by_names(names: Sequence[str], floor: Floor) -> np.ndarray:
    """Places in rows, float64[racks, 2]: the last number of a name is the place in the row of what stands before it."""
    matches = [_ROW_AND_PLACE.fullmatch(name) for name in names]
    keys = [("", place) if match is None else (match[1], int(match[2])) for place, match in enumerate(matches)]
    rows = {row: number for number, row in enumerate(dict.fromkeys(row for row, _ in keys))}
    taken: set[tuple[int, int]] = set()
    places = []
    for row, place in keys:
        column = place
        while (rows[row], column) in taken:
            column += 1
        taken.add((rows[row], column))
        places.append((column * floor.width_m, rows[row] * floor.depth_m))
    return np.array(places, np.float64)

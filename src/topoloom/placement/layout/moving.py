"""Racks that change their places on the floor: each move takes a rack to a slot; a rack that stands there takes its place."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError, hint
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.stated import Stated


def moved_slots(slots: Slots, moves: Sequence[Sequence[str]]) -> np.ndarray:
    """The slot where the rack of each slot stands after some moves, int64[slots].

    Parameters
    ----------
    slots : Slots
    moves : sequence of (str, str)
        The names of slots, from and to, one move after another.

    Raises
    ------
    InputError
        The floor has no such slot, or a move has not two slots.

    Examples
    --------
    >>> from topoloom.placement.floors.chosen import chosen_floor
    >>> moved_slots(chosen_floor("slimfly-2014", 1, 3, None).slots_for(3), [["A01", "A02"], ["A02", "A03"]]).tolist()
    [2, 0, 1]
    """
    number = {name: at for at, name in enumerate(slots.names)}
    stands, rack_in = np.arange(len(slots)), np.arange(len(slots))
    for move in moves:
        if len(move) != 2:
            raise InputError(f"moved: a move has two slots, from and to, not {len(move)}")
        for name in move:
            if name not in number:
                raise InputError(f"moved: the floor has no slot '{name}' ({hint(name, number)})")
        origin, target = number[move[0]], number[move[1]]
        rack_in[[origin, target]] = rack_in[[target, origin]]
        stands[rack_in[[origin, target]]] = origin, target
    return stands


def moved_layout(layout: Layout, moves: Sequence[Sequence[str]]) -> Layout:
    """The layout with racks in other slots.

    Stated lengths hold for the cables whose two racks stay; other cables are as long as the floor makes them.

    Parameters
    ----------
    layout : Layout
    moves : sequence of (str, str)
        As `moved_slots` takes them.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        As `moved_slots`; or more switches or hosts than a slot takes.
    """
    stands = moved_slots(layout.slots, moves)
    if (stands == np.arange(len(stands))).all():
        return layout
    slot = stands[layout.slot]
    host_slot = None if layout.host_slot is None else stands[layout.host_slot]
    plant = None if layout.plant is None else replace(layout.plant, slot=stands[layout.plant.slot])
    moved = replace(
        layout, slot=slot, host_slot=host_slot, length_bound_m=0.0, stated=_stated(layout, stands), plant=plant
    )
    counts = np.stack([moved.switches_in_rack, moved.hosts_in_rack], axis=1)
    refuse_overfull(moved.rack_names, moved.slots.limits[moved.used], counts)
    return moved


def _stated(layout: Layout, stands: np.ndarray) -> Stated | None:
    """What the source states of cables between racks that stay, and of units, which move with their racks."""
    stated, topology = layout.stated, layout.topology
    if stated is None:
        return None
    at_hosts = layout.slot[topology.endpoints] if layout.host_slot is None else layout.host_slot[topology.host]
    stays = stands == np.arange(len(stands))
    links, hosts = (
        stays[layout.slot[topology.links]].all(axis=1),
        stays[layout.slot[topology.endpoints]] & stays[at_hosts],
    )
    names = layout.slots.names
    to = {name: names[target] for name, target in zip(names, stands.tolist(), strict=True)}
    taken = {to.get(rack, rack): units for rack, units in stated.taken.items()}
    return Stated(np.where(links, stated.link_m, 0.0), np.where(hosts, stated.host_m, 0.0), stated.unit, taken)


def refuse_overfull(names: Sequence[str], limits: np.ndarray, contents: np.ndarray) -> None:
    """Refuse racks with more switches or hosts than their slots take.

    Parameters
    ----------
    names : sequence of str
        The slot of each rack.
    limits : float64[racks, ...]
        The limits of these slots: switches, hosts, and others that do not count here.
    contents : [racks, ...]
        The switches and the hosts of each rack.

    Raises
    ------
    InputError
        A slot takes less than the rack holds.
    """
    for column, what in enumerate(("switches", "hosts")):
        over = np.flatnonzero(contents[:, column] > limits[:, column])
        if over.size:
            rack = int(over[0])
            raise InputError(
                f"moved: slot {names[rack]} takes {limits[rack, column]:,.0f} {what}, not {contents[rack, column]:,.0f};"
                " move the rack elsewhere"
            )

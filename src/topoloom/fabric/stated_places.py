"""Layouts with what the source of a cabled network states: the lengths of cables, and the units of switches in their racks."""

import logging
import re
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.stated import Stated

log = logging.getLogger("topoloom")

#: Racks are not higher.
MOST_UNITS = 100
#: ``40``, ``U40``, ``u07``, ``40-41`` (the lowest counts), ``12.5``.
_UNIT = re.compile(r"\s*(?:U|RU)?\s*0*([0-9]{1,9})(?:\.[0-9]+)?\s*(?:(?:-|\.\.)\s*(?:U|RU)?[0-9]+\s*)?", re.IGNORECASE)


def as_stated(layout: Layout, fabric: Fabric) -> Layout:
    """The layout with the lengths and units that the source of its fabric states, where it states any.

    A length holds wherever the devices stand. A unit holds for a switch in the rack that the source states.

    Parameters
    ----------
    layout : Layout
    fabric : Fabric
        Of the same network.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        A unit is above every rack.
    """
    racks = np.array(layout.rack_names)[layout.rack] if layout.topology.switches else np.empty(0, np.str_)
    own = fabric.switch_rack == racks
    unit = np.where(own, _units(fabric, fabric.switch_unit), 0).astype(np.int32)
    links, hosts = fabric.link_length_m, fabric.endpoint_length_m
    if not (unit.any() or (links > 0).any() or (hosts > 0).any()):
        return layout
    bound = 0.0 if (links > 0).any() else layout.length_bound_m
    at_hosts = zip(fabric.host_rack.tolist(), _units(fabric, fabric.host_unit).tolist(), strict=True)
    units: dict[str, set[int]] = {}
    for rack, at in at_hosts:
        if at:
            units.setdefault(rack, set()).add(at)
    taken = {rack: frozenset(some) for rack, some in units.items()}
    return replace(layout, stated=Stated(links, hosts, unit, taken), length_bound_m=bound)


def tell_shared_units(layout: Layout, fabric: Fabric) -> None:
    """Warn where two devices, of which one is a switch, are in one unit of a rack, as the source states."""
    if layout.stated is None or not layout.stated.unit.any():
        return
    names, hosts = distinct_names(fabric)
    held: dict[tuple[str, int], str] = {}
    shared = []
    for rack, unit, name in zip(
        fabric.host_rack.tolist(), _units(fabric, fabric.host_unit).tolist(), hosts, strict=True
    ):
        if unit:
            held.setdefault((rack, unit), name)
    tall = np.maximum(np.ceil(layout.switch_units - 1e-9), 1).astype(np.int64).tolist()
    for switch, (rack, unit) in enumerate(zip(fabric.switch_rack.tolist(), layout.stated.unit.tolist(), strict=True)):
        for own in range(unit, unit + tall[switch]) if unit else ():
            other = held.setdefault((rack, own), names[switch])
            if other != names[switch]:
                shared.append((names[switch], other, own, rack))
                break
    if shared:
        more = f"; {len(shared)} units are shared so" if len(shared) > 1 else ""
        log.warning("%s: %s and %s are both in unit %d of rack %s%s", fabric.made, *shared[0], more)


def _units(fabric: Fabric, texts: np.ndarray) -> np.ndarray:
    """The lowest unit in each text, int32; 0 where there is none.

    Raises
    ------
    InputError
        A unit is above every rack.
    """
    matches = [_UNIT.fullmatch(text) for text in texts.tolist()]
    units = [0 if match is None else int(match[1]) for match in matches]
    high = next((unit for unit in units if unit > MOST_UNITS), None)
    if high is not None:
        names, racks = (
            (fabric.switch_names, fabric.switch_rack)
            if texts is fabric.switch_unit
            else (fabric.host_names, fabric.host_rack)
        )
        device = units.index(high)
        raise InputError(
            f"{fabric.made}: {names[device]} is in unit {high} of rack {racks[device]}, and racks have at most {MOST_UNITS}"
            " units; correct its unit, or leave it empty"
        )
    return np.array(units, np.int32)

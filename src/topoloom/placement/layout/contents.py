"""The contents of racks: which device stands at which unit, and the types of racks that a room has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from topoloom.placement.hosts.housing import host_names
from topoloom.placement.hosts.stack import host_units
from topoloom.placement.layout.layout import Layout

#: The height of a rack without a rule.
USUAL_UNITS = 42


@dataclass(frozen=True)
class Standing:
    """A device in a rack.

    Attributes
    ----------
    kind : "host", "switch" or "device"
    name : str
        ``node0017`` or ``S3``; of a further device its rack and number, ``A01 power shelf 2``.
    product : str
        The kind of host or device; empty for a switch.
    unit : float or None
        Its lowest unit, from 1; None for a device that takes no unit.
    units : float
        Its height.
    """

    kind: Literal["host", "switch", "device"]
    name: str
    product: str
    unit: float | None
    units: float


@dataclass(frozen=True)
class RackType:
    """Racks with the same contents.

    Attributes
    ----------
    name : str
        ``type 1``: types are in the order of their first racks.
    racks : tuple of int
        The racks of this type.
    switches, hosts : int
        The contents of each.
    height : float
        Units in use, up to the top of the highest device.
    panels : int
        The passive panels in each.
    """

    name: str
    racks: tuple[int, ...]
    switches: int
    hosts: int
    height: float
    panels: int = 0


def rack_units(layout: Layout) -> int:
    """The height of a rack in units: by its rule, else 42, or what the fullest rack needs."""
    if layout.housing is not None:
        return round(layout.housing.rack.u)
    return max(USUAL_UNITS, round(float(layout.rack_u.max(initial=0.0))))


def rack_types(layout: Layout, products: Sequence[str] | None = None) -> list[RackType]:
    """The types of racks, in the order of their first racks.

    Parameters
    ----------
    layout : Layout
    products : sequence of str, optional
        The product of each switch; racks of other products are other types.

    Returns
    -------
    list of RackType
    """
    piles = _piles(layout, products), _panels(layout)
    pairs = np.stack([layout.switches_in_rack, layout.hosts_in_rack, *piles], axis=1)
    kinds, first, member = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    return [
        RackType(
            f"type {number}",
            tuple(np.flatnonzero(member.reshape(-1) == kind).tolist()),
            int(kinds[kind, 0]),
            int(kinds[kind, 1]),
            float(layout.rack_u[first[kind]]),
            0 if layout.plant is None else int((layout.plant.slot == layout.used[first[kind]]).sum()),
        )
        for number, kind in enumerate(np.argsort(first).tolist(), 1)
    ]


def _piles(layout: Layout, products: Sequence[str] | None) -> np.ndarray:
    """A number for the switches of each rack, from the bottom: their heights, products and stated units; int64[racks]."""
    names = [""] * layout.topology.switches if products is None else list(products)
    stated = layout.stated is not None and bool(layout.stated.unit.any())
    if not isinstance(layout.switch_u, np.ndarray) and len(set(names)) < 2 and not stated:
        return np.zeros(layout.racks, np.int64)
    order = np.argsort(layout.rack, kind="stable")
    ends = np.cumsum(layout.switches_in_rack)[:-1]
    units, heights = layout.switch_units.tolist(), layout.height.tolist() if stated else [0] * layout.topology.switches
    piles = [
        tuple((units[switch], names[switch], heights[switch]) for switch in some.tolist())
        for some in np.split(order, ends)
    ]
    numbers = {pile: number for number, pile in enumerate(dict.fromkeys(piles))}
    return np.array([numbers[pile] for pile in piles], np.int64)


def _panels(layout: Layout) -> np.ndarray:
    """A number for the panels of each rack: their numbers of each kind; int64[racks]."""
    plant = layout.plant
    if plant is None:
        return np.zeros(layout.racks, np.int64)
    counts = np.zeros((layout.racks, len(plant.panels)), np.int64)
    np.add.at(counts, (np.searchsorted(layout.used, plant.slot), plant.panel), 1)
    return np.unique(counts, axis=0, return_inverse=True)[1].reshape(-1)


def rack_contents(layout: Layout, rack: int, switch_names: Sequence[str] | None = None) -> list[Standing]:
    """The devices of a rack: its hosts, its switches, and the further devices, each kind from the bottom.

    Parameters
    ----------
    layout : Layout
    rack : int
    switch_names : sequence of str, optional
        The real name of each switch; ``S3`` when omitted.

    Returns
    -------
    list of Standing
    """
    housing = layout.housing
    standing = []
    if layout.host_slot is not None and housing is not None:
        names = host_names(housing, layout.topology.hosts)
        here = layout.host_rack == rack
        units = layout.host_unit.tolist()
        # In a machine, the management ports of a network's own switches are on it, too.
        own = set(switch_names or ()) if housing.shared else set()
        standing = [
            Standing("host", names[host], kind.name, units[host] if kind.units else None, host_units(kind.units))
            for kind, hosts in housing.kinds(layout.topology.hosts)
            for host in (hosts.start + np.flatnonzero(here[hosts.start : hosts.stop])).tolist()
            if names[host] not in own
        ]
    standing += [
        Standing(
            "switch",
            switch_names[switch] if switch_names else f"S{switch}",
            "",
            float(layout.height[switch]),
            float(layout.switch_units[switch]),
        )
        for switch in np.flatnonzero(layout.rack == rack).tolist()
    ]
    for name, device, unit in layout.devices_in(rack):
        standing.append(Standing("device", name, device.name, None if unit is None else float(unit), device.u))
    return standing

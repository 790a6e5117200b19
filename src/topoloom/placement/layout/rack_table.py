"""The table of a layout's racks: hosts, switches, units, power, weight, and the cables inside and leaving."""

import math
from typing import Any

import numpy as np

from topoloom.placement.layout.layout import Layout


def rack_rows(
    layout: Layout, switch_w: float | np.ndarray, switch_kg: float | np.ndarray = math.nan
) -> list[dict[str, Any]]:
    """One row per rack, in the order of the floor.

    Parameters
    ----------
    layout : Layout
        A layout with hosts in racks.
    switch_w : float or float64[switches]
        Power of a switch that a rack must supply, W; NaN where it is not known.
    switch_kg : float or float64[switches]
        Weight of a switch, kg; NaN where it is not known.

    Returns
    -------
    list of dict
        rack, switches, hosts, units, power_w, weight_kg (None where it is not known), cables inside and cables that leave.
    """
    if layout.housing is None:
        return []
    host, rack, topology = layout.housing.host, layout.housing.rack, layout.topology
    count, switches, hosts = layout.racks, layout.switches_in_rack, layout.hosts_in_rack
    units = [layout.stack.height(*pair) for pair in zip(switches.tolist(), hosts.tolist(), strict=True)]
    watts = _of_switches(layout, switch_w) + _total_of(hosts, host.power_w or math.nan)
    each_host_kg = math.nan if host.weight_kg is None else host.weight_kg
    weight = _of_switches(layout, switch_kg) + _total_of(hosts, each_host_kg)
    for device in rack.device:
        has = np.full(count, True) if device.racks == "all" else (hosts > 0) == (device.racks == "hosts")
        watts = watts + _total_of(has * device.count, math.nan if device.power_w is None else device.power_w)
        weight = weight + _total_of(has * device.count, math.nan if device.weight_kg is None else device.weight_kg)
    inside, leaving = np.zeros(count, np.int64), np.zeros(count, np.int64)
    ends = np.concatenate(
        [
            layout.rack[topology.links],
            np.stack([layout.rack[topology.endpoints], layout.host_rack[topology.host]], axis=1),
        ]
    )
    stays = ends[:, 0] == ends[:, 1]
    np.add.at(inside, ends[stays, 0], 1)
    np.add.at(leaving, ends[~stays].ravel(), 1)
    columns = (layout.rack_names, switches, hosts, units, watts, weight, inside, leaving)
    names = ("rack", "switches", "hosts", "units", "power_w", "weight_kg", "cables_inside", "cables_leaving")
    return [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in zip(*columns, strict=True)]


def _of_switches(layout: Layout, each: float | np.ndarray) -> np.ndarray:
    """The sum over the switches of each rack, float64[racks]; NaN where that of any of its switches is not known."""
    if isinstance(each, np.ndarray):
        return np.bincount(layout.rack, each, layout.racks)
    return _total_of(np.bincount(layout.rack, minlength=layout.racks), each)


def _total_of(count: np.ndarray, each: float) -> np.ndarray:
    """`count` times `each`; 0 where the count is 0, even if `each` is NaN (not known)."""
    return np.where(count > 0, count * each, 0.0)


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python number, and NaN as None."""
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and math.isnan(plain) else plain

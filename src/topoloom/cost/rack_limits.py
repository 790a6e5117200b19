"""The power of transceivers and cables in racks of limited power: what a placement adds to each switch and host for it."""

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.cost.facility_sums import optics_of_racks, rack_sums
from topoloom.cost.terms import Terms
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.hosts.rack_device import FacilityRule
from topoloom.placement.layout.layout import Layout

#: Most placements; each counts the transceivers and cables of the one before.
_MOST_TRIES = 4
_ROUNDING = 1 + 1e-9


def within_power(
    placed: Callable[[float | np.ndarray, Housing | None], Layout],
    switch_w: float | np.ndarray,
    housing: Housing | None,
    terms: Terms,
) -> Layout:
    """A layout whose racks supply their transceivers and cables, too.

    The products of the cables follow from their lengths, thus from the layout. A layout whose racks take more than their limit
    is replaced by one that adds to every switch and host what the transceivers and cables of the fullest racks take.

    Parameters
    ----------
    placed : callable
        Places with the power of a switch, W, and with hosts.
    switch_w : float or float64[switches]
        The power of a switch without transceivers.
    housing : Housing or None
    terms : Terms
        The catalogue and the rate.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        A rack holds no host or no switch with its transceivers, or still exceeds its limit.
    """
    at_switch = at_host = 0.0
    for _ in range(_MOST_TRIES):
        counted = housing
        if housing is not None and at_host:
            host = msgspec.structs.replace(housing.host, power_w=housing.host.power_w + at_host)
            counted = msgspec.structs.replace(housing, host=host)
        layout = placed(switch_w + at_switch, counted)
        layout = layout if counted is housing else replace(layout, housing=housing)
        limit_w = _limits(layout)
        if np.isinf(limit_w).all():
            return layout
        try:
            watts = rack_sums(layout, terms, FacilityRule()).amounts["max_w"]
            if not (watts > limit_w * _ROUNDING).any():
                return layout
            optics = optics_of_racks(layout, terms)
        except InputError:
            # The catalogue sells no suitable switch or cable, which the bill reports.
            return layout
        at_switches = optics["switch"] if housing is not None else optics["switch"] + optics["host"]
        at_switch = max(at_switch, _each(at_switches, layout.switches_in_rack))
        at_host = max(at_host, _each(optics["host"], layout.hosts_in_rack))
    rack = int(np.argmax(watts - limit_w))
    raise InputError(
        f"rack {layout.rack_names[rack]} takes {watts[rack]:,.0f} W with its transceivers and cables, but its limit is"
        f" {limit_w[rack]:,.0f}: raise the limit, or let a rack hold less (`hosts` or `switches` in [rack])"
    )


def _limits(layout: Layout) -> np.ndarray:
    """The limit of each rack's power, W, float64[racks]: of its place, of `[rack]` and of its feeds; inf without one."""
    limit_w: np.ndarray = layout.slots.limits[layout.used, 2]
    rule = None if layout.housing is None else layout.housing.rack
    return limit_w if rule is None else np.minimum(limit_w, rule.supply_w)


def _each(watts: np.ndarray, count: np.ndarray) -> float:
    """The greatest mean of a rack, W."""
    return float((watts / np.maximum(1, count)).max(initial=0.0))

"""The limits of racks, rows and of the room: the first that is exceeded is an error that names the rack and the remedy."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.rack_device import FacilityRule

if TYPE_CHECKING:
    from topoloom.cost.facility import Supply

_ROUNDING = 1 + 1e-9


def check_limits(
    rack_rule: RackRule,
    place_w: np.ndarray,
    racks: "tuple[Supply, ...]",
    rows: "tuple[Supply, ...]",
    total: "Supply",
    rule: FacilityRule,
) -> None:
    """Refuse racks with a rack, or a sum, beyond a limit of `[rack]`, `[facility]` or the floor.

    Parameters
    ----------
    rack_rule : RackRule
    place_w : float64[racks]
        The limit of power of each rack's place, W; inf without one.
    racks, rows : tuple of Supply
    total : Supply
    rule : FacilityRule

    Raises
    ------
    InputError
        The first limit that is exceeded, or a limit of liquid without `liquid_k`.
    """
    limits_of_liquid = rule.rack_liquid_l_min, rule.row_liquid_l_min, rule.liquid_l_min
    if total.liquid_w and rule.liquid_k is None and any(limit is not None for limit in limits_of_liquid):
        raise InputError(
            "[facility] limits the liquid, but not how much warmer it leaves a rack; give liquid_k in [facility], or liquid_k"
        )
    for supply, limit_w in zip(racks, place_w.tolist(), strict=True):
        for value, most, unit, what, remedy in _limits(supply, limit_w, rack_rule, rule):
            if value is not None and value > most * _ROUNDING:
                raise InputError(
                    f"rack {supply.name} {what} {value:,.0f} {unit}, but its limit is {most:,.0f}: {remedy}, or let a rack hold"
                    f" less (`hosts` or `switches` in [rack])"
                )
    of_rows = (
        ("max_w", rule.row_power_w, "W", "takes", "row_power_w"),
        ("air_m3h", rule.row_air_m3h, "m³/h of air", "needs", "row_air_m3h"),
        ("liquid_l_min", rule.row_liquid_l_min, "L/min of liquid", "needs", "row_liquid_l_min"),
    )
    for row in rows:
        for name, limit, unit, what, key in of_rows:
            value = getattr(row, name)
            if limit is not None and value is not None and value > limit * _ROUNDING:
                raise InputError(
                    f"row {row.name} {what} {value:,.0f} {unit}, but its limit is {limit:,.0f}: raise {key} in [facility], or"
                    " give a floor with fewer racks per row (`columns`)"
                )
    if (liquid := total.liquid_l_min) is not None and liquid > (rule.liquid_l_min or math.inf) * _ROUNDING:
        raise InputError(
            f"all racks need {liquid:,.0f} L/min of liquid, but [facility] liquid_l_min is {rule.liquid_l_min:,.0f}: raise it,"
            " or take fewer hosts"
        )
    if total.max_w is not None:
        check_total(total.max_w, rule)


def check_total(max_w: float, rule: FacilityRule) -> None:
    """Refuse a maximum power of all IT beyond that of `[facility]`.

    Parameters
    ----------
    max_w : float
        The maximum power of all IT, W.
    rule : FacilityRule

    Raises
    ------
    InputError
        It is more.
    """
    if rule.power_w is not None and max_w > rule.power_w * _ROUNDING:
        raise InputError(
            f"all IT takes {max_w:,.0f} W, but [facility] power_w is {rule.power_w:,.0f}: raise it, or take fewer hosts"
        )


def _limits(
    supply: "Supply", limit_w: float, rack: RackRule, rule: FacilityRule
) -> Iterator[tuple[float | None, float, str, str, str]]:
    """The value of each limited quantity of a rack, its limit, its unit, and the words of the error."""
    if np.isfinite(limit_w):
        yield supply.max_w, limit_w, "W", "takes", "raise the power of its place on the floor"
    if rack.power_w is not None:
        yield supply.max_w, rack.power_w, "W", "takes", "raise power_w in [rack]"
    if rack.feed_w is not None:
        left = max(1, rack.feeds - 1)
        words = f"with {left} of {rack.feeds} feeds takes" if rack.feeds > 1 else "with its feed takes"
        yield supply.max_w, left * rack.feed_w, "W", words, "raise feed_w or feeds in [rack]"
    if rack.load_kg is not None:
        yield supply.weight_kg, rack.load_kg, "kg", "carries", "raise load_kg in [rack]"
    if rule.rack_kg is not None and supply.weight_kg is not None:
        yield supply.weight_kg + (rack.empty_kg or 0.0), rule.rack_kg, "kg", "weighs", "raise rack_kg in [facility]"
    if rack.air_m3h is not None:
        yield supply.air_m3h, rack.air_m3h, "m³/h", "needs", "raise air_m3h in [rack]"
    if rule.rack_liquid_l_min is not None:
        yield supply.liquid_l_min, rule.rack_liquid_l_min, "L/min", "needs", "raise rack_liquid_l_min in [facility]"

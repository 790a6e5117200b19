"""The limits of racks, rows and of the room: the first that is exceeded is an error that names the rack and the remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topoloom.core.errors import InputError
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.rack_device import FacilityRule

if TYPE_CHECKING:
    from topoloom.cost.facility import Supply

_ROUNDING = 1 + 1e-9
_LESS = "or let a rack hold less (`hosts` or `switches` in [rack])"
#: The field of `Supply` that counts the devices without a figure, by the unit of the sum.
_UNKNOWN = {"W": "max_unknown", "kg": "weight_unknown", "m³/h": "air_unknown", "L/min": "liquid_unknown"}


@dataclass(frozen=True)
class LimitedSum:
    """A sum of a rack, a row or the room that a limit applies to.

    Attributes
    ----------
    limit : str
        Where it is stated: ``[rack] power_w``.
    where : str
        ``rack A01``, ``row A``, ``all racks``.
    value : float or None
        None where it is not known.
    most : float
        The limit.
    unit : str
    unknown : int
        The devices whose figure is not known; the value is then a lower bound.
    does, remedy, of, but : str
        For the message: what it does with the value, what to change, of what it is, and the words before the limit.
    """

    limit: str
    where: str
    value: float | None
    most: float
    unit: str
    unknown: int
    does: str
    remedy: str
    of: str = ""
    but: str = "its limit is"

    @property
    def exceeded(self) -> str:
        """One sentence where the value exceeds the limit; else empty."""
        if self.value is None or self.value <= self.most * _ROUNDING:
            return ""
        value = f"{self.value:,.0f} {self.unit}{self.of}"
        return f"{self.where} {self.does} {value}, but {self.but} {self.most:,.0f}: {self.remedy}"


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
    for limited in limited_sums(rack_rule, place_w, racks, rows, total, rule):
        if words := limited.exceeded:
            raise InputError(words)


def limited_sums(
    rack_rule: RackRule,
    place_w: np.ndarray,
    racks: "tuple[Supply, ...]",
    rows: "tuple[Supply, ...]",
    total: "Supply",
    rule: FacilityRule,
) -> Iterator[LimitedSum]:
    """Yield every sum of a rack, a row or the room to which a limit of `[rack]`, `[facility]` or the floor applies.

    Parameters
    ----------
    rack_rule : RackRule
    place_w : float64[racks]
        The limit of power of each rack's place, W; inf without one.
    racks, rows : tuple of Supply
    total : Supply
    rule : FacilityRule

    Yields
    ------
    LimitedSum
        Racks first, then rows, then the room.
    """
    for supply, limit_w in zip(racks, place_w.tolist(), strict=True):
        yield from _of_rack(supply, limit_w, rack_rule, rule)
    of_rows = (
        ("max_w", rule.row_power_w, "W", "", "takes", "row_power_w"),
        ("air_m3h", rule.row_air_m3h, "m³/h", " of air", "needs", "row_air_m3h"),
        ("liquid_l_min", rule.row_liquid_l_min, "L/min", " of liquid", "needs", "row_liquid_l_min"),
    )
    for row in rows:
        for name, limit, unit, of, does, key in of_rows:
            if limit is not None:
                remedy = f"raise {key} in [facility], or give a floor with fewer racks per row (`columns`)"
                unknown = getattr(row, _UNKNOWN[unit])
                where = f"row {row.name}"
                yield LimitedSum(f"[facility] {key}", where, getattr(row, name), limit, unit, unknown, does, remedy, of)
    remedy = "raise it, or take fewer hosts"
    if rule.liquid_l_min is not None:
        key, value, unknown = "[facility] liquid_l_min", total.liquid_l_min, total.liquid_unknown
        of, but = " of liquid", f"{key} is"
        yield LimitedSum(key, "all racks", value, rule.liquid_l_min, "L/min", unknown, "need", remedy, of, but)
    if rule.power_w is not None:
        yield _of_all_it(total.max_w, rule.power_w, total.max_unknown)


def _of_all_it(max_w: float | None, power_w: float, unknown: int) -> LimitedSum:
    key = "[facility] power_w"
    return LimitedSum(
        key, "all IT", max_w, power_w, "W", unknown, "takes", "raise it, or take fewer hosts", but=f"{key} is"
    )


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
    if rule.power_w is not None and (words := _of_all_it(max_w, rule.power_w, 0).exceeded):
        raise InputError(words)


def _of_rack(supply: "Supply", limit_w: float, rack: RackRule, rule: FacilityRule) -> Iterator[LimitedSum]:
    """The sums of a rack that are limited."""
    left = max(1, rack.feeds - 1)
    feeds = f"with {left} of {rack.feeds} feeds takes" if rack.feeds > 1 else "with its feed takes"
    gross_kg = None if supply.weight_kg is None else supply.weight_kg + (rack.empty_kg or 0.0)
    place, feed_w = (limit_w if np.isfinite(limit_w) else None), (None if rack.feed_w is None else left * rack.feed_w)
    for limit, value, most, unit, does, remedy in (
        (
            "power of its place on the floor",
            supply.max_w,
            place,
            "W",
            "takes",
            "raise the power of its place on the floor",
        ),
        ("[rack] power_w", supply.max_w, rack.power_w, "W", "takes", "raise power_w in [rack]"),
        ("[rack] feed_w", supply.max_w, feed_w, "W", feeds, "raise feed_w or feeds in [rack]"),
        ("[rack] load_kg", supply.weight_kg, rack.load_kg, "kg", "carries", "raise load_kg in [rack]"),
        ("[facility] rack_kg", gross_kg, rule.rack_kg, "kg", "weighs", "raise rack_kg in [facility]"),
        ("[rack] air_m3h", supply.air_m3h, rack.air_m3h, "m³/h", "needs", "raise air_m3h in [rack]"),
        (
            *("[facility] rack_liquid_l_min", supply.liquid_l_min, rule.rack_liquid_l_min, "L/min", "needs"),
            "raise rack_liquid_l_min in [facility]",
        ),
    ):
        if most is not None:
            unknown, where = getattr(supply, _UNKNOWN[unit]), f"rack {supply.name}"
            yield LimitedSum(limit, where, value, most, unit, unknown, does, f"{remedy}, {_LESS}")

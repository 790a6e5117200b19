"""The floor of a network that grows: of racks of switches, or with hosts in racks."""

import numpy as np

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.housed_floor import HousedFloor
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import switch_feeds_w
from topoloom.placement.layout.layout import Layout


def floor_for_growth(
    layout: Layout,
    more: int,
    parts: Parts,
    rate_gbps: float,
    group: np.ndarray | None = None,
    switch_w: float | None = None,
) -> GrowingFloor:
    """The floor with space for more racks.

    Parameters
    ----------
    layout : Layout
    more : int
        Racks to be added at most.
    parts : Parts
    rate_gbps : float
    group : int64[switches], optional
        The groups of all future switches.
    switch_w : float, optional
        The power of a switch; what it takes without its transceivers, if omitted.

    Returns
    -------
    GrowingFloor
        With hosts in racks, a `HousedFloor`.
    """
    watts = feed_of_switch_w(layout, parts, rate_gbps) if switch_w is None else switch_w
    if layout.housing is not None:
        return HousedFloor(layout, max(0, more), watts)
    return GrowingFloor(layout, max(0, more), watts, group)


def feed_of_switch_w(layout: Layout, parts: Parts, rate_gbps: float) -> float:
    """The power that a rack must supply to a switch without its transceivers.

    Parameters
    ----------
    layout : Layout
    parts : Parts
    rate_gbps : float

    Returns
    -------
    float
        In W; 0 where nothing limits it.
    """
    limited = layout.housing is not None or layout.floor.limits_power
    return float(np.max(switch_feeds_w(layout.topology, parts, rate_gbps))) if limited else 0.0

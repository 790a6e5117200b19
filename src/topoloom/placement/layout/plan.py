"""The plan of racks before they are placed: which switches share a rack, and which slots may hold a rack."""

import logging
from dataclasses import dataclass

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.joint import Seating, joint
from topoloom.placement.layout.prices import cut_prices
from topoloom.placement.layout.racks import assign_racks, fill_slots, uniform_limits

log = logging.getLogger("topoloom")


@dataclass(frozen=True, eq=False)
class LayoutPlan:
    """The racks of a layout before they are mapped to slots.

    Attributes
    ----------
    slots : Slots
    allowed : int64[...]
        The slots that can hold a planned rack.
    rack : int32[switches], optional
        The rack of every switch.
    slot : int32[switches], optional
        The slot of every switch, where slots differ too much for uniform racks, and each is filled to its own limits.
    """

    slots: Slots
    allowed: np.ndarray
    rack: np.ndarray | None = None
    slot: np.ndarray | None = None


#: Slots per rack that a search considers; on a larger floor, those that are close together.
_SLOTS_PER_RACK = 4
_FEWEST_SLOTS = 64


def search_area(plan: LayoutPlan) -> np.ndarray:
    """The slots that a search considers, int64[...], in increasing order: all allowed ones, or a multiple of the racks."""
    if plan.rack is not None:
        count = max(_FEWEST_SLOTS, _SLOTS_PER_RACK * (int(plan.rack.max()) + 1))
        return plan.slots.compact(plan.allowed, count)
    used = np.unique(np.asarray(plan.slot))
    return np.union1d(used, plan.slots.compact(plan.allowed, max(_FEWEST_SLOTS, _SLOTS_PER_RACK * len(used))))


def plan_racks(
    topology: Topology, floor: Floor, cluster: str, loads: np.ndarray, improve: bool, effort: Effort
) -> LayoutPlan:
    """The racks by `cluster`, with fewer links between them if `improve` is set, and the slots that may hold them.

    Parameters
    ----------
    topology : Topology
        The network.
    floor : Floor
        The slots and their limits.
    cluster : str
        The method of `assign_racks`.
    loads : float64[switches, 3]
        Switches (1 each), hosts and watts, as in `Slots.limits`.
    improve : bool
        Whether switches change racks afterwards, to reduce the links between racks.
    effort : Effort
        Seed, seconds or moves, and what can stop the search.

    Returns
    -------
    LayoutPlan
        Racks and the slots for them; or, where the slots differ too much for racks of one size, the slot of every switch.

    Raises
    ------
    InputError
        The floor has too little room.
    """

    def racks(limited: Floor) -> np.ndarray:
        rack = assign_racks(topology, limited, cluster, loads, effort.seed, effort.jobs, work=effort.work)
        return fewer_links_between(topology, rack, loads, effort) if improve else rack

    if floor.fixed is None:
        rack = racks(floor)
        slots = floor.slots_for(int(rack.max()) + 1)
        return LayoutPlan(slots, np.arange(len(slots)), rack)
    for limited, allowed in uniform_limits(floor, loads):
        rack = racks(limited)
        if rack.max() < len(allowed):
            return LayoutPlan(floor.fixed, allowed, rack)
    log.warning(
        "floor '%s': its slots differ too much for racks of one size; they are filled one by one, and `cluster`, "
        "`improve` and maps of whole racks do not apply",
        floor.name,
    )
    order = np.argsort(topology.labels["group"], kind="stable") if "group" in topology.labels else np.arange(len(loads))
    return LayoutPlan(floor.fixed, np.arange(len(floor.fixed)), slot=fill_slots(floor, order, loads))


def fewer_links_between(topology: Topology, rack: np.ndarray, loads: np.ndarray, effort: Effort) -> np.ndarray:
    """Racks with fewer links between them, int32[switches]; never more links, and no rack fuller than the fullest before.

    Uses joint placement on a floor where all racks are adjacent, and the price of a cable is 1 between racks: switches move to
    empty places, or swap, by annealing and finally only while the price falls.

    Parameters
    ----------
    topology : Topology
        The network.
    rack : int[switches]
        The rack of each switch, from 0.
    loads : float64[switches, resources]
        Demand of each switch; the first resource is 1 for each.
    effort : Effort
        Seed, seconds or moves, and what can stop the search.

    Returns
    -------
    int32[switches]
        The rack of each switch, numbered without gaps.
    """
    count = int(rack.max()) + 1
    if count < 2:
        return rack
    held = np.zeros((count, loads.shape[1]))
    np.add.at(held, rack, loads)
    seats = np.full(count, int(held[:, 0].max()))
    limits = np.tile(held.max(axis=0), (count, 1))
    prices = cut_prices(count)
    adjacent = Slots(("",) * count, np.zeros((count, 2)), limits, "matrix", 1.0 - np.eye(count))
    seating = Seating(seats, loads[:, 1:], limits[:, 1:])
    rack_of_switch = joint(topology, adjacent, rack.astype(np.int32), seating, prices, effort)
    # A rack may have become empty: number the others without gaps.
    return np.unique(rack_of_switch, return_inverse=True)[1].astype(np.int32)

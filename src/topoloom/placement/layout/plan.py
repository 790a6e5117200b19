"""Cabinets before they stand anywhere: which switches share one, where they may stand, and who may sit where."""

import logging
from dataclasses import dataclass

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.cabinets import assign_cabinets, fill_slots, uniform_limits
from topoloom.placement.layout.joint import Seating, joint
from topoloom.placement.layout.prices import cut_prices

log = logging.getLogger("topoloom")


@dataclass(frozen=True, eq=False)
class LayoutPlan:
    """What is known before anything is mapped.

    Attributes
    ----------
    slots : Slots
    allowed : int64[...]
        The slots that hold a cabinet as planned.
    cabinet : int32[switches], optional
        The cabinet of every switch.
    slot : int32[switches], optional
        The slot of every switch, where the slots differ too much for cabinets of one kind: each is filled to its own limits.
    """

    slots: Slots
    allowed: np.ndarray
    cabinet: np.ndarray | None = None
    slot: np.ndarray | None = None


#: A search looks at so many slots for each cabinet: on a larger floor, at those that lie together.
_SLOTS_A_CABINET = 4
_FEWEST_SLOTS = 64


def search_area(plan: LayoutPlan) -> np.ndarray:
    """The slots that a search looks at, int64[...], rising: all that may be used, or some times as many as cabinets."""
    if plan.cabinet is not None:
        count = max(_FEWEST_SLOTS, _SLOTS_A_CABINET * (int(plan.cabinet.max()) + 1))
        return plan.slots.compact(plan.allowed, count)
    used = np.unique(np.asarray(plan.slot))
    return np.union1d(used, plan.slots.compact(plan.allowed, max(_FEWEST_SLOTS, _SLOTS_A_CABINET * len(used))))


def plan_cabinets(
    topology: Topology, floor: Floor, cluster: str, loads: np.ndarray, improve: bool, effort: Effort
) -> LayoutPlan:
    """The cabinets by `cluster`, with fewer links between them if `improve`, and the slots where they may stand.

    Parameters
    ----------
    topology : Topology
        The network.
    floor : Floor
        The places and their limits.
    cluster : str
        The method of `assign_cabinets`.
    loads : float64[switches, 3]
        Switches (1 each), hosts and watts: what `Slots.limits` counts.
    improve : bool
        Whether switches change cabinets afterwards, so that fewer links run between these.
    effort : Effort
        Seed, seconds or moves, and what stops the search.

    Returns
    -------
    LayoutPlan
        Cabinets and the slots for them; or, where the slots differ too much for cabinets of one size, the slot of
        every switch.

    Raises
    ------
    InputError
        The floor has too little room.
    """

    def cabinets(limited: Floor) -> np.ndarray:
        cabinet = assign_cabinets(topology, limited, cluster, loads, effort.seed, effort.jobs, work=effort.work)
        return fewer_links_between(topology, cabinet, loads, effort) if improve else cabinet

    if floor.fixed is None:
        cabinet = cabinets(floor)
        slots = floor.slots_for(int(cabinet.max()) + 1)
        return LayoutPlan(slots, np.arange(len(slots)), cabinet)
    for limited, allowed in uniform_limits(floor, loads):
        cabinet = cabinets(limited)
        if cabinet.max() < len(allowed):
            return LayoutPlan(floor.fixed, allowed, cabinet)
    log.warning(
        "floor '%s': its slots differ too much for cabinets of one size; they are filled one after another, and `cluster`, "
        "`improve` and whole cabinets' maps do not apply",
        floor.name,
    )
    order = np.argsort(topology.labels["group"], kind="stable") if "group" in topology.labels else np.arange(len(loads))
    return LayoutPlan(floor.fixed, np.arange(len(floor.fixed)), slot=fill_slots(floor, order, loads))


def fewer_links_between(topology: Topology, cabinet: np.ndarray, loads: np.ndarray, effort: Effort) -> np.ndarray:
    """Cabinets with fewer links between them, int32[switches]; never more than before, and none fuller than the fullest.

    Joint placement on a floor where all cabinets are next to each other: the price of a cable is 1 between cabinets. A
    switch moves to an empty place, or two change theirs, by annealing and at last only while the price falls.

    Parameters
    ----------
    topology : Topology
        The network.
    cabinet : int[switches]
        The cabinet of each switch, from 0.
    loads : float64[switches, resources]
        What each switch takes of a cabinet; the first is 1 for each.
    effort : Effort
        Seed, seconds or moves, and what stops the search.

    Returns
    -------
    int32[switches]
        The cabinet of each switch, numbered without gaps.
    """
    count = int(cabinet.max()) + 1
    if count < 2:
        return cabinet
    held = np.zeros((count, loads.shape[1]))
    np.add.at(held, cabinet, loads)
    seats = np.full(count, int(held[:, 0].max()))
    limits = np.tile(held.max(axis=0), (count, 1))
    prices = cut_prices(count)
    none = Slots(("",) * count, np.zeros((count, 2)), limits, "matrix", 1.0 - np.eye(count))
    seating = Seating(seats, loads[:, 1:], limits[:, 1:])
    found = joint(topology, none, cabinet.astype(np.int32), seating, prices, effort)
    # Some cabinet may have given all its switches away.
    return np.unique(found, return_inverse=True)[1].astype(np.int32)

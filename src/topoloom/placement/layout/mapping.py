"""Mapping racks to slots: row by row, in a serpentine, or as a quadratic assignment problem (Koibuchi 2013 IV.D)."""

import logging

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.prices import Prices

log = logging.getLogger("topoloom")

#: Most slots that are searched; with more, the matrices of the QAP would take gigabytes.
MOST_MAPPED = 4096


def rack_links(topology: Topology, rack: np.ndarray) -> np.ndarray:
    """The cables between each two racks, float64[racks, racks], symmetric, zero on the diagonal."""
    count = int(rack.max()) + 1
    a, b = rack[topology.links].T.astype(np.int64)
    flow = np.bincount(a * count + b, minlength=count * count).reshape(count, count).astype(float)
    flow += flow.T
    np.fill_diagonal(flow, 0.0)
    return flow


def first_slots(slots: Slots, allowed: np.ndarray, racks: int, serpentine: bool) -> np.ndarray:
    """The first allowed slots in the floor's order, or in a serpentine through its rows: int64[racks].

    Parameters
    ----------
    slots : Slots
        The floor's slots, in its own order.
    allowed : int64[k]
        The slots that may be used.
    racks : int
        Number of slots to return; fewer where fewer are allowed.
    serpentine : bool
        Whether every other row is traversed backwards.

    Returns
    -------
    int64[racks]
        Slot numbers.
    """
    order = slots.serpentine() if serpentine else np.arange(len(slots))
    return order[np.isin(order, allowed)][:racks]


def map_racks(
    topology: Topology, rack: np.ndarray, slots: Slots, prices: Prices, method: str, effort: Effort
) -> np.ndarray:
    """The slot of every rack, int64[racks], with the least total price of cables that the search finds.

    `method`: ``anneal``, ``tabu`` or ``both``. The search starts from the better of row by row and serpentine, and its result
    is never worse.

    Parameters
    ----------
    topology : Topology
        The network.
    rack : int[switches]
        The rack of each switch, from 0.
    slots : Slots
        The slots for racks, at least as many as racks.
    prices : Prices
        The price of a cable between two slots.
    method : "anneal", "tabu" or "both"
        The method of the search.
    effort : Effort
        Seed, seconds or moves, and what can stop the search.

    Returns
    -------
    int64[racks]
        No slot occurs twice.
    """
    from topoloom.placement.qap.assign import assign

    flow = rack_links(topology, rack)
    count = len(flow)
    starts = [first_slots(slots, np.arange(len(slots)), count, serpentine) for serpentine in (False, True)]
    start = min(starts, key=lambda slot: prices.total(topology, slot[rack]))
    if len(slots) > MOST_MAPPED:
        log.warning(
            "%s: with more than %d slots, racks are not placed by a search but row by row or in a serpentine",
            topology.name,
            MOST_MAPPED,
        )
        return start
    if effort.stopped or count < 2 or not flow.any():
        return start
    assignment = assign(
        flow,
        prices.between(),
        method,
        start,
        effort.seed,
        effort.seconds,
        effort.moves,
        effort.jobs,
        runs=effort.runs,
        work=effort.work,
    )
    return np.asarray(assignment.place)

"""Racks onto the floor: row by row, in a serpentine, or by the quadratic assignment problem (Koibuchi 2013 IV.D)."""

import logging

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.prices import Prices

log = logging.getLogger("topoloom")

#: On more slots than this racks stay where the serpentine puts them: the matrices of the QAP would take gigabytes.
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
    """The slots of racks in the floor's order, or in a serpentine through its rows: int64[racks].

    Parameters
    ----------
    slots : Slots
        The floor's places, in its own order.
    allowed : int64[k]
        Those that may be used.
    racks : int
        How many are wanted; fewer come back where fewer are allowed.
    serpentine : bool
        Every other row backwards.

    Returns
    -------
    int64[racks]
        Slots.
    """
    order = slots.serpentine() if serpentine else np.arange(len(slots))
    return order[np.isin(order, allowed)][:racks]


def map_racks(
    topology: Topology, rack: np.ndarray, slots: Slots, prices: Prices, method: str, effort: Effort
) -> np.ndarray:
    """The slot of every rack, int64[racks], so that their cables cost as little as the search finds.

    `method`: ``anneal``, ``tabu`` or ``both``. The search starts from the better of row by row and serpentine, and never
    ends above it.

    Parameters
    ----------
    topology : Topology
        The network.
    rack : int[switches]
        The rack of each switch, from 0.
    slots : Slots
        Where racks may stand, at least as many as there are racks.
    prices : Prices
        What a cable between two slots costs.
    method : "anneal", "tabu" or "both"
        The search.
    effort : Effort
        Seed, seconds or moves, and what stops the search.

    Returns
    -------
    int64[racks]
        No slot twice.
    """
    from topoloom.placement.qap.assign import assign

    flow = rack_links(topology, rack)
    count = len(flow)
    starts = [first_slots(slots, np.arange(len(slots)), count, serpentine) for serpentine in (False, True)]
    start = min(starts, key=lambda slot: prices.total(topology, slot[rack]))
    if len(slots) > MOST_MAPPED:
        log.warning(
            "%s: more than %d slots are not mapped by a search, but row by row or in a serpentine",
            topology.name,
            MOST_MAPPED,
        )
        return start
    if effort.stopped or count < 2 or not flow.any():
        return start
    found = assign(
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
    return np.asarray(found.place)

"""Cabinets onto the floor: row by row, in a serpentine, or by the quadratic assignment problem (000 IV.D)."""

from dataclasses import dataclass

import numpy as np

from topoloom.layout.prices import Prices
from topoloom.layout.slots import Slots
from topoloom.topology import Topology

#: More cabinets than this stay where the serpentine puts them: the matrices of the QAP would take gigabytes.
MOST_MAPPED = 4096


@dataclass(frozen=True, eq=False)
class Mapped:
    """The slot of every cabinet, int64[cabinets], and whether Ctrl-C ended the search for it."""

    slot: np.ndarray
    stopped: bool = False


def cabinet_links(topology: Topology, cabinet: np.ndarray) -> np.ndarray:
    """The cables between each two cabinets, float64[cabinets, cabinets], symmetric, zero on the diagonal."""
    count = int(cabinet.max()) + 1
    a, b = cabinet[topology.links].T.astype(np.int64)
    flow = np.bincount(a * count + b, minlength=count * count).reshape(count, count).astype(float)
    flow += flow.T
    np.fill_diagonal(flow, 0.0)
    return flow


def first_slots(slots: Slots, allowed: np.ndarray, cabinets: int, serpentine: bool) -> np.ndarray:
    """The slots of cabinets in the floor's order, or in a serpentine through its rows: int64[cabinets]."""
    order = slots.serpentine() if serpentine else np.arange(len(slots))
    return order[np.isin(order, allowed)][:cabinets]


def map_cabinets(
    topology: Topology, cabinet: np.ndarray, slots: Slots, allowed: np.ndarray, prices: Prices, method: str,
    seed: int = 1, seconds: float | None = None, jobs: int | None = None,
) -> Mapped:  # fmt: skip
    """Cabinets on slots so that their cables cost as little as the search finds.

    `allowed`: the slots that may be used. `method`: ``anneal``, ``tabu`` or ``both``. The search starts from the better
    of row by row and serpentine, and never ends above it.
    """
    from topoloom.qap.assign import assign

    flow = cabinet_links(topology, cabinet)
    count = len(flow)
    starts = [first_slots(slots, allowed, count, serpentine) for serpentine in (False, True)]
    start = min(starts, key=lambda slot: prices.total(topology, slot[cabinet]))
    if count < 2 or count > MOST_MAPPED or len(allowed) > MOST_MAPPED or not flow.any():
        return Mapped(start)
    distance = prices.between(allowed)
    found = assign(flow, distance, method, np.searchsorted(allowed, start), seed, seconds, jobs=jobs)
    return Mapped(np.asarray(allowed[found.place]), found.stopped)

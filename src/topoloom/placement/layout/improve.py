"""Local improvement of cabinets: switches change places while fewer links run between cabinets."""

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.joint import Seating, joint
from topoloom.placement.layout.prices import cut_prices


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

"""Moves that adaptive functions declare (`Adaptive.moves`)."""

import numpy as np

from topoloom.graph.distances import distances_from
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of


def moves_by_hop(topology: Topology, destination: int, classes: int) -> np.ndarray:
    """Each hop in the next class, over any channel from whose end the destination is within the hops that are left.

    A packet waits for higher classes only, so there is no cycle (Gopal, 1985); it arrives within `classes` hops.

    Parameters
    ----------
    topology : Topology
    destination : int
    classes : int

    Returns
    -------
    bool[classes + 1, channels, classes]
        As `Adaptive.moves` describes.
    """
    left = distances_from(topology, np.array([destination]), 1)[0, channels_of(topology).to]
    moves = np.zeros((classes + 1, left.size, classes), np.bool_)
    for hop in range(classes):
        moves[hop, :, hop] = (left >= 0) & (left <= classes - 1 - hop)
    return moves

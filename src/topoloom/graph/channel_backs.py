"""Channels: the two directions of every link, in the order of `Topology.csr`."""

import numpy as np

from topoloom.model.topology import Topology


def channel_backs(topology: Topology) -> np.ndarray:
    """For each channel, the channel of the same link in the other direction, int32[2 m]."""
    link = topology.csr[2]
    order = np.argsort(link, kind="stable")
    back = np.empty(link.size, np.int32)
    back[order[0::2]], back[order[1::2]] = order[1::2], order[0::2]
    return back

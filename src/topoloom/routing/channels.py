"""Channels: each link is two of them, one a direction; numbered by switch and then by port."""

from typing import NamedTuple

import numpy as np

from topoloom.graph.channel_backs import channel_backs
from topoloom.model.topology import Topology


class Channels(NamedTuple):
    """The channels of a topology; channel c is the link of port c - first[origin[c]] of its origin, links counted from 0.

    first : int64[n + 1]
        Where each switch's channels begin.
    to, origin : int32[2 m]
        The switch that each leads to, and that it comes from.
    back : int32[2 m]
        The channel of the same link in the other direction.
    turn_first : int64[n + 1]
        Where the turns of each switch begin; a turn's place is that + in-port * degree + out-port.
    """

    first: np.ndarray
    to: np.ndarray
    origin: np.ndarray
    back: np.ndarray
    turn_first: np.ndarray


def channels_of(topology: Topology) -> Channels:
    """The channels of a topology, in the order of `Topology.csr`: neighbours ascending, parallel links apart.

    Examples
    --------
    >>> found = channels_of(Topology(links=[(0, 1), (1, 2)], switches=3))
    >>> found.to.tolist(), found.back.tolist()
    ([1, 0, 2, 1], [1, 0, 3, 2])
    """
    first, to, _ = topology.csr
    back = channel_backs(topology)
    origin = np.repeat(np.arange(topology.switches, dtype=np.int32), topology.degrees)
    turn_first = np.concatenate([[0], np.cumsum(topology.degrees * topology.degrees)])
    return Channels(first, to, origin, back, turn_first)


def turn_rows(channels: Channels) -> np.ndarray:
    """Of each channel the turn from it to the first port of the switch that it leads to, int64[2 m]."""
    begins, degrees = channels.first[channels.to], np.diff(channels.first)
    return np.asarray(channels.turn_first[channels.to] + (channels.back - begins) * degrees[channels.to], np.int64)

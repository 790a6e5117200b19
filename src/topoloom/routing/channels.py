"""Channels: two per link, one per direction, numbered by switch and then by port."""

from typing import NamedTuple

import numpy as np

from topoloom.graph.channel_backs import channel_backs
from topoloom.model.topology import Topology


class Channels(NamedTuple):
    """The channels of a topology; channel c belongs to port c - first[origin[c]] of switch origin[c], ports counted from 0.

    first : int64[n + 1]
        Where each switch's channels begin.
    to, origin : int32[2 m]
        The switch that each channel leads to, and the switch where it begins.
    back : int32[2 m]
        The channel of the same link in the other direction.
    turn_first : int64[n + 1]
        The first turn of each switch; a turn has the index turn_first[switch] + in-port * degree + out-port.
    """

    first: np.ndarray
    to: np.ndarray
    origin: np.ndarray
    back: np.ndarray
    turn_first: np.ndarray


def channels_of(topology: Topology) -> Channels:
    """The channels of a topology, in the order of `Topology.csr`: neighbours ascending, parallel links separately.

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


def bundle_starts(origin: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Whether each channel is the first of a bundle: of neighbouring channels from one switch to another, bool[channels].

    Parameters
    ----------
    origin, to : int[channels]
        The ends of channels, those of a bundle next to each other, as `channels_of` has them.

    Examples
    --------
    >>> bundle_starts(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 2])).tolist()
    [True, False, True, True]
    """
    starts = np.ones(to.size, np.bool_)
    starts[1:] = (np.diff(to) != 0) | (np.diff(origin) != 0)
    return starts


def turn_rows(channels: Channels) -> np.ndarray:
    """For each channel, the turn from it to the first port of the switch that it leads to, int64[2 m]."""
    begins, degrees = channels.first[channels.to], np.diff(channels.first)
    return np.asarray(channels.turn_first[channels.to] + (channels.back - begins) * degrees[channels.to], np.int64)

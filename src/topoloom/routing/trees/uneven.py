"""Tables per host in trees that are not wired evenly: bundles of different widths, missing cables."""

import numpy as np

from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, bundle_starts
from topoloom.routing.routing import host_weights

#: How often the tables of each destination are made again, with the loads of all others known.
_AGAIN = 3


def wired_evenly(level: np.ndarray, channels: Channels) -> bool:
    """Whether all switches of a level have the same number of cables up, in bundles of the same width.

    Parameters
    ----------
    level : int64[n]
        The level of each switch.
    channels : Channels

    Examples
    --------
    >>> from topoloom.routing.channels import channels_of
    >>> pair = Topology([(0, 2), (0, 3), (0, 3), (1, 2), (1, 2), (1, 3)], 4)
    >>> wired_evenly(np.array([0, 0, 1, 1]), channels_of(pair))
    False
    """
    rises = np.flatnonzero(level[channels.to] > level[channels.origin])
    ups = np.bincount(channels.origin[rises], minlength=level.size)
    starts = np.flatnonzero(bundle_starts(channels.origin[rises], channels.to[rises]))
    width, low = np.diff(np.r_[starts, rises.size]), level[channels.origin[rises[starts]]]
    return all(
        np.unique(ups[level == height]).size <= 1 and np.unique(width[low == height]).size <= 1
        for height in range(int(level.max(initial=0)))
    )


def uneven_tables(
    topology: Topology,
    channels: Channels,
    level: np.ndarray,
    rank: np.ndarray,
    stride: np.ndarray,
    count: int,
    ports: np.ndarray,
    work: Work,
) -> None:
    """Write the tables for the hosts of every lowest switch, with even loads and hosts of one switch on different cables.

    Parameters
    ----------
    topology : Topology
        A tree: every top switch reaches all lowest switches.
    channels : Channels
    level, rank, stride : int64[n], int64[n], int64[levels]
        As the engine ``fat-tree`` has them.
    count : int
        Tables: hosts i, i + count, ... of a switch use table i.
    ports : uint8 or uint16[count, n, n]
        The rows of the lowest switches are written.
    work : Work

    Raises
    ------
    Stopped
        `work` was stopped before all tables were made.
    """
    from topoloom.routing.trees.kernels.host_trees import host_trees

    rises = level[channels.to] > level[channels.origin]
    in_order = np.lexsort((rank[channels.to], channels.origin))
    upward = in_order[rises[in_order]]
    first_up = np.searchsorted(channels.origin[upward], np.arange(topology.switches + 1))
    starts = np.flatnonzero(bundle_starts(channels.origin[upward], channels.to[upward]))
    width = np.diff(np.r_[starts, upward.size])
    rising = np.lexsort((rank, level))
    load = np.zeros(channels.to.size, np.int64)
    hosts = host_weights(topology)
    leaves = rising[: int((level == 0).sum())]
    work.begin(leaves.size * (1 + _AGAIN), "destinations")
    for again in range(1 + _AGAIN):
        for leaf, d in enumerate(leaves.tolist()):
            work.check()
            host_trees(
                channels.first,
                channels.to,
                channels.back,
                level,
                rising,
                upward,
                first_up,
                np.repeat(width, width),
                stride,
                hosts,
                leaf,
                d,
                ports,
                load,
                again > 0,
            )
            work.advance()

"""Shortest-path trees with even loads, the start of many engines."""

import numpy as np

from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import host_weights
from topoloom.routing.trees.parallel import make_trees

#: Above this many switches, 64 trees are made at a time: three times as fast, with loads less even by a few hundredths of the
#: mean.
_LARGE = 8192


def fill_minimal(
    topology: Topology,
    destinations: np.ndarray,
    ports: np.ndarray,
    rounds: int,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> np.ndarray:
    """Write to ports[d] shortest-path trees for the destinations, in this order; return the pairs over each channel, int64[2
    m].

    Each switch uses the channel with the fewest pairs so far. Every tree is rebuilt `rounds` times with the loads of all others
    known (in very large networks, half of the trees once). Pairs are weighted by hosts (`host_weights`).

    Parameters
    ----------
    topology : Topology
        Connected.
    destinations : int64[k]
        In the order in which their trees are made.
    ports : uint8 or uint16[n, n]
        Rows of `destinations` are written.
    rounds : int
        Number of times that every tree is rebuilt.
    jobs : int, optional
        Threads; no table depends on them.
    work : Work, optional
        Receives the progress of trees.

    Returns
    -------
    int64[2 m]

    Raises
    ------
    Stopped
        `work` was stopped before all trees were made.

    Source: Hoefler, Schneider and Lumsdaine, Optimized routing for large-scale InfiniBand networks, HOTI 2009 (SSSP); rounds
    are our own.
    """
    from topoloom.routing.trees.kernels.trees import minimal_trees
    from topoloom.routing.trees.kernels.wide_trees import trees_within

    work = Work() if work is None else work
    channels = channels_of(topology)
    load, pairs = np.zeros(channels.to.size, np.int64), host_weights(topology)

    def make(some: np.ndarray, loads: np.ndarray, again: bool) -> int:
        first, to = channels.first, channels.to
        minimal_trees(first, to, first, to, some, ports, loads, again, pairs)
        return 0

    anywhere, unsaid = np.zeros(channels.to.size, np.uint16), np.empty((0, 0), np.uint8)
    nobody_stuck = np.empty(0, np.int32)

    def make_many(some: np.ndarray, loads: np.ndarray, again: bool) -> int:
        # A virtual channel in which no rank rises forbids no turn.
        refused: int = trees_within(
            channels.first,
            channels.to,
            anywhere,
            1,
            some,
            ports,
            unsaid,
            loads,
            again,
            pairs,
            work.flag,
            1,
            nobody_stuck,
        )
        return refused

    if topology.switches > _LARGE:
        make_trees(destinations, load, make_many, 0, jobs, 64, work=work)
        if rounds:  # the first half was made with the fewest known loads
            first_half = destinations[: destinations.size // 2]
            make_trees(first_half, load, lambda some, loads, _: make_many(some, loads, True), 0, jobs, 64, work=work)
    else:
        make_trees(destinations, load, make, rounds, jobs, work=work)
    return load

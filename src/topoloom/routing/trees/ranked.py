"""Tables per host in trees of any wiring: paths rise and fall in an order of the switches, with even loads."""

import numpy as np

from topoloom.core.work import Work
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import empty_ports, host_weights
from topoloom.routing.trees.digits import ranks, strides
from topoloom.routing.trees.least_load import least_channel_load
from topoloom.routing.trees.relief import relieved, rows_of_hosts
from topoloom.routing.trees.turned import with_repeats

#: Starts of the search: whether hosts first keep the ways of their digits, and what it costs that hosts of one switch share a
#: channel from the same source, as a share of the cost of its load.
_STARTS = ((True, 0.25), (False, 0.05), (False, 0.25), (False, 0.0))
#: How often the tables of each destination are made in one start, with the loads of all others known; and the most channels
#: times host tables that are looked at in all starts together.
_ROUNDS, _MOST_WORK = 7, 5e8


def ranked_tables(
    topology: Topology, level: np.ndarray, count: int, jobs: int | None = None, work: Work | None = None
) -> np.ndarray:
    """Make the tables for the hosts of every switch; of all rounds the one with the smallest maximum channel load counts.

    The search ends early where no tables can be better (`least_channel_load`). What is left to it is taken from the fullest
    channels entry by entry (`relieved`).

    Parameters
    ----------
    topology : Topology
        Connected.
    level : int64[n]
        The level of each switch; links join different levels, and paths between switches with hosts rise and then fall.
    count : int
        Tables: hosts i, i + count, ... of a switch use table i.
    jobs : int, optional
    work : Work, optional

    Returns
    -------
    uint8 or uint16[count, n, n]
        As `Routing.ports`, one per table.

    Raises
    ------
    Stopped
        `work` was stopped before all tables were made.
    """
    from topoloom.routing.trees.kernels.ranked_trees import ranked_trees

    work = Work() if work is None else work
    n, channels = topology.switches, channels_of(topology)
    height = np.unique(level, return_inverse=True)[1].reshape(-1)
    place = ranks(topology, height)
    rising = np.lexsort((place, height))
    rises = height[channels.to] > height[channels.origin]
    in_order = np.lexsort((place[channels.to], channels.origin))
    upward = in_order[rises[in_order]]
    first_up = np.searchsorted(channels.origin[upward], np.arange(n + 1))
    ups = np.diff(first_up)
    hosts = host_weights(topology)
    destinations = rising[hosts[rising] > 0]
    most = [int(ups[height == low].max(initial=1)) for low in range(int(height.max()))]
    stride = strides(most, destinations.size * count)
    begins = np.append(np.flatnonzero(np.diff(height[rising], prepend=-1)), n)
    ports = np.stack([empty_ports(topology)] * count)
    scale = 1.0 / capacities(topology).channels
    least = least_channel_load(topology, level)
    best, best_load = ports, np.inf
    passes = int(max(4, min(len(_STARTS) * _ROUNDS, _MOST_WORK / max(1, hosts.sum() * channels.to.size))))
    work.begin(destinations.size * passes, "destinations")
    for number in range(passes):
        start, again = divmod(number, _ROUNDS if passes >= len(_STARTS) * _ROUNDS else -(-passes // 2))
        if not again:
            load = np.zeros(channels.to.size)
        for leaf, d in enumerate(destinations.tolist()):
            work.check()
            ranked_trees(
                channels.first,
                channels.to,
                channels.back,
                rises,
                rising,
                begins,
                height,
                upward,
                first_up,
                stride,
                hosts,
                scale,
                leaf,
                d,
                ports,
                load,
                again > 0,
                _STARTS[start][0] and not again,
                _STARTS[start][1],
            )
            work.advance()
        largest = float((load * scale).max(initial=0.0))
        if largest < best_load:
            best, best_load = ports.copy(), largest
        if largest <= least:
            break
    if best_load > least:
        rows = rows_of_hosts(topology, level, best)
        best = relieved(channels, rows, least, work=work)[0].reshape(best.shape)
    return with_repeats(topology, best, jobs, work=work)

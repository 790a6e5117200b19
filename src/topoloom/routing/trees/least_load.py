"""What no tables of a fabric can do without: the pairs of hosts that must leave a part of it over the cables of this part."""

import numpy as np

from topoloom.graph.connectivity import parts_among
from topoloom.model.capacities import capacities
from topoloom.model.topology import Topology
from topoloom.routing.routing import host_weights


def least_channel_load(topology: Topology, level: np.ndarray | None = None, *, paths_per_pair: int = 1) -> float:
    """A lower bound on the maximum channel load of any tables, in pairs of hosts over a channel of the lowest rate.

    A part with h of H hosts sends h (H - h) pairs over its channels outwards. The parts are the switches with hosts and, in a
    tree, the subtrees below each level. With one path per pair, the hosts of a switch pass a channel together or not at all, so
    that loads are multiples of the greatest common divisor of the hosts per switch.

    Parameters
    ----------
    topology : Topology
    level : int64[n], optional
        The levels of a tree, as in `TreeOrder`.
    paths_per_pair : int
        Paths over which the data of a pair is split.

    Returns
    -------
    float
        Pairs of hosts.

    Examples
    --------
    >>> leaves_and_spines = [(leaf, spine) for leaf in range(3) for spine in (3, 4)]
    >>> least_channel_load(Topology(leaves_and_spines, 5, endpoints=[0, 0, 0, 1, 1, 1, 2, 2, 2]))
    9.0
    """
    hosts, rates = host_weights(topology), capacities(topology).channels
    offsets, to, _ = topology.csr
    origin = np.repeat(np.arange(topology.switches), np.diff(offsets))
    heights = [] if level is None else np.unique(level)[:-1].tolist()
    parts = [np.arange(topology.switches), *(parts_among(topology, np.asarray(level) <= high) for high in heights)]
    least = 0.0
    for part in parts:
        inside = np.bincount(part, hosts).astype(np.float64)
        room = np.bincount(part[origin], rates * (part[origin] != part[to]), inside.size)
        crossing = (inside > 0) & (room > 0)
        pairs = inside * (hosts.sum() - inside)
        least = max(least, float((pairs[crossing] / room[crossing]).max(initial=0.0)))
    step = int(np.gcd.reduce(hosts)) if paths_per_pair == 1 and (rates == 1).all() else 0
    return float(-(-least // step) * step) if step else least

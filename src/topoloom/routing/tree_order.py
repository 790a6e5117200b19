"""Trees without labels, as they are discovered: an order of the switches in which paths between hosts rise and then fall.

The level of a switch is its distance from the switches with many hosts. That is robust against what real fabrics have: a few
hosts on upper switches (management nodes, in-network aggregation), leaves with few hosts or few cables up, bundles, missing
cables and switches, levels of different sizes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.graph.connectivity import parts_among
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of

#: The largest share of hosts on upper switches, and of pairs of switches whose path is longer than the shortest.
_FEW_HOSTS, _FEW_LONGER = 0.34, 0.1
#: The largest share of links between switches of one level.
_FEW_LEVEL_LINKS = 0.02
#: How many sets of lowest switches, and how many roots, are tried.
_MOST_SETS, _MOST_ROOTS = 6, 48
_UNREACHED = 1 << 40


@dataclass(frozen=True, eq=False)
class TreeOrder:
    """An order in which paths between all switches with hosts rise and then fall.

    Attributes
    ----------
    level : int64[n]
        The level of each switch, from 0; links join different levels. Where hosts on upper switches would have no path, the
        levels count down from a root, so that hosts are on many of them.
    longer_pairs : int
        Pairs of switches with hosts whose path is longer than the shortest.
    rooted : bool
        Whether the levels count down from a root.
    """

    level: np.ndarray
    longer_pairs: int
    rooted: bool


def tree_order(topology: Topology) -> TreeOrder | None:
    """Recognise a tree by the distances of its switches from those with hosts; None if it is no tree.

    Parameters
    ----------
    topology : Topology
        Connected.

    Examples
    --------
    >>> leaves_and_spines = [(leaf, spine) for leaf in range(3) for spine in (3, 4)]
    >>> tree_order(Topology(leaves_and_spines, 5, endpoints=[0, 0, 1, 1, 2, 2])).level.tolist()
    [0, 0, 0, 1, 1]
    >>> tree_order(Topology([(0, 1), (1, 2), (2, 0)], 3, endpoints=[0, 1, 2])) is None
    True
    """
    hosts = topology.endpoints_at
    if topology.switches < 3 or int((hosts > 0).sum()) < 2:
        return None
    channels, busy = channels_of(topology), np.flatnonzero(hosts)
    best: TreeOrder | None = None
    for level in _levels(topology, channels):
        orders = [(level, False)]
        if _longer(topology, channels, level, busy) != 0:
            leaves = busy[np.lexsort((-topology.degrees[busy], level[busy]))][:_MOST_ROOTS]
            orders += [(_below(topology, channels, int(root)), True) for root in leaves.tolist()]
        for heights, rooted in orders:
            longer = _longer(topology, channels, heights, busy)
            if longer is not None and (best is None or longer < best.longer_pairs):
                best = TreeOrder(heights, longer, rooted)
            if longer == 0:
                return best
    if best is None or best.longer_pairs > _FEW_LONGER * busy.size * (busy.size - 1):
        return None
    return best


def _levels(topology: Topology, channels: Channels) -> Iterator[np.ndarray]:
    """The levels by the distance from the lowest switches: those with any host, then those with more and more hosts."""
    hosts = topology.endpoints_at
    for few in [0, *np.unique(hosts[hosts > 0]).tolist()][:_MOST_SETS]:
        lowest = np.flatnonzero(hosts > few)
        if lowest.size < 2 or hosts[hosts <= few].sum() > _FEW_HOSTS * hosts.sum():
            return
        level = _distance(topology, channels, lowest)
        level_links = (level[topology.links[:, 0]] == level[topology.links[:, 1]]).sum()
        if level.max() and level_links <= _FEW_LEVEL_LINKS * len(topology.links):
            yield _ordered(topology, _with_low_leaves(topology, channels, level))


def _ordered(topology: Topology, level: np.ndarray) -> np.ndarray:
    """The levels; where a link joins two switches of one level, a level for every switch, in the same order."""
    if (level[topology.links[:, 0]] != level[topology.links[:, 1]]).all():
        return level
    return np.argsort(np.argsort(level, kind="stable"))


def _distance(topology: Topology, channels: Channels, sources: np.ndarray) -> np.ndarray:
    """Hops from the nearest of `sources`, int64[n]."""
    distance = np.full(topology.switches, -1)
    distance[sources] = 0
    reached = sources
    while reached.size:
        ahead = np.isin(channels.origin, reached)
        neighbours = np.unique(channels.to[ahead])
        hops = int(distance[reached[0]]) + 1
        reached = neighbours[distance[neighbours] < 0]
        distance[reached] = hops
    return distance


def _below(topology: Topology, channels: Channels, root: int) -> np.ndarray:
    """Levels that count down from a root, from 0."""
    distance = _distance(topology, channels, np.array([root]))
    return _ordered(topology, distance.max() - distance)


def _with_low_leaves(topology: Topology, channels: Channels, level: np.ndarray) -> np.ndarray:
    """Put leaves with few hosts, which look like top switches, at the level of other leaves.

    A top switch joins parts of the network that are apart without the levels from its own on; a leaf's cables up lead to one.
    """
    hosts, level = topology.endpoints_at, level.copy()
    above = np.zeros(topology.switches, np.int64)
    np.maximum.at(above, channels.origin, level[channels.to])
    for high in range(2, int(level.max()) + 1):
        tops = np.flatnonzero((level == high) & (above < high) & (hosts > 0))
        if not tops.size:
            continue
        part = parts_among(topology, level < high)
        for switch in tops.tolist():
            neighbours = channels.to[channels.first[switch] : channels.first[switch + 1]]
            if np.unique(part[neighbours]).size == 1:
                level[switch] = high - 2
    return level


def _longer(topology: Topology, channels: Channels, level: np.ndarray, busy: np.ndarray) -> int | None:
    """The number of pairs of switches with hosts whose path in this order is not a shortest; None: a pair has no path."""
    from topoloom.graph.distances import distances_from
    from topoloom.routing.trees.kernels.ranked_trees import ordered_hops

    rises = level[channels.to] > level[channels.origin]
    rising = np.argsort(level, kind="stable")
    longer = 0
    for begin in range(0, busy.size, 256):
        some = busy[begin : begin + 256]
        hops = np.empty((some.size, topology.switches), np.int64)
        ordered_hops(channels.first, channels.to, rises, rising, some, hops)
        between = hops[:, busy]
        if (between >= _UNREACHED).any():
            return None
        longer += int((between > distances_from(topology, some, 1)[:, busy]).sum())
    return longer

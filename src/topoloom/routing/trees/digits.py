"""The digits of d-mod-k: the place of each switch in its level, and how many destinations share a digit."""

import numpy as np

from topoloom.graph.connectivity import parts_among
from topoloom.model.topology import Topology


def strides(ups: list[int], numbers: int) -> np.ndarray:
    """How many consecutive destination numbers share the deciding digit at each level, int64[levels].

    As in d-mod-k, the product of the ports up of all levels below. If that leaves fewer digits than ports up (few pods under
    bundles of cables), the digit of the level below decides again, because the sender's number was added to it there.
    """
    strides = [1]
    for low, count in enumerate(ups[:-1]):
        stride = strides[-1] * count
        strides.append(stride if -(-numbers // stride) >= ups[low + 1] else strides[-1])
    return np.array([*strides, strides[-1] * ups[-1] if ups else 1], np.int64)


def ranks(topology: Topology, level: np.ndarray) -> np.ndarray:
    """The rank of each switch, level by level, int64[n]: its own number if switches are in this order, as families make them.

    Otherwise (for example, from a file) switches of one subtree are adjacent, in the same order in each subtree. The components
    of the network without the levels above, and without the levels below, determine the subtrees.
    """
    n = level.size
    if (np.diff(level) >= 0).all():
        return np.arange(n)
    top = int(level.max())
    without = [level <= high for high in range(top - 1, -1, -1)] + [level >= low for low in range(1, top + 1)]
    keys = [level, *(np.where(among, parts_among(topology, among), 0) for among in without)]
    rank = np.empty(n, np.int64)
    rank[np.lexsort([np.arange(n), *keys[::-1]])] = np.arange(n)
    return rank

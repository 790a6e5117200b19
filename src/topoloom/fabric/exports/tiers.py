"""Tiers: the distance of each switch from the nearest one with hosts, and the parts of the network below a tier."""

import numpy as np

from topoloom.model.topology import Topology


def tiers(topology: Topology) -> np.ndarray:
    """The tier of each switch, int64[switches]: 0 with hosts, otherwise 1 + that of its lowest neighbour; -1 without a path."""
    level = np.full(topology.switches, -1)
    now = np.flatnonzero(topology.endpoints_at).tolist()
    level[now] = 0
    offsets, to, _ = topology.csr
    while now:
        now = sorted({int(v) for u in now for v in to[offsets[u] : offsets[u + 1]] if level[v] < 0})
        level[now] = level.max() + 1
    return level

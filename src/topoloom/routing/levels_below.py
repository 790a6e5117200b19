"""Trees by levels: which of the lowest switches lie below each switch, and which of them have a common ancestor."""

import numpy as np

from topoloom.model.topology import Topology
from topoloom.routing.channels import channels_of

#: The lowest switches are handled in blocks of this size: one bit per switch of the network and per lowest switch.
_BLOCK = 2048


def reach(topology: Topology, level: np.ndarray) -> tuple[bool, bool]:
    """Whether every top switch leads down to every lowest switch, and whether any two of the lowest have a common ancestor.

    Parameters
    ----------
    topology : Topology
        Whose links join neighbouring levels only.
    level : int64[n]
        The level of each switch, from 0.

    Returns
    -------
    (bool, bool)
        Whether every top switch is an ancestor of all lowest switches; whether any two lowest switches have a common ancestor
        (the first implies the second).

    Notes
    -----
    Bit sets, one block of lowest switches at a time; time and memory grow with links times lowest switches / 8.
    """
    channels = channels_of(topology)
    leaves, top = np.flatnonzero(level == 0), int(level.max())
    falls, rises = (_by_origin(channels.origin, channels.to, level, step) for step in (-1, 1))
    all_below, all_joined = True, True
    for begin in range(0, leaves.size, _BLOCK):
        some = leaves[begin : begin + _BLOCK]
        bits = np.zeros((topology.switches, some.size), np.bool_)
        bits[some, np.arange(some.size)] = True
        packed = np.packbits(bits, axis=1)
        for high in range(1, top + 1):
            _gather(packed, *falls[high])
        whole = np.packbits(np.ones(some.size, np.bool_))
        all_below = all_below and bool((packed[level == top] == whole).all())
        for low in range(top - 1, -1, -1):
            _gather(packed, *rises[low])
        all_joined = all_joined and bool((packed[leaves] == whole).all())
        if not all_below and not all_joined:
            break
    return all_below, all_joined


def _by_origin(
    origin: np.ndarray, to: np.ndarray, level: np.ndarray, step: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each level: its switches with links to the next level (down or up), the index of each one's first link, and the
    ends.
    """
    by_level = []
    for at in range(int(level.max()) + 1):
        chosen = np.flatnonzero((level[origin] == at) & (level[to] == at + step))
        switches, begins = np.unique(origin[chosen], return_index=True)
        by_level.append((switches, begins, to[chosen]))
    return by_level


def _gather(packed: np.ndarray, switches: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> None:
    """Add to each switch the bits of the switches that its links lead to."""
    if switches.size:
        packed[switches] |= np.bitwise_or.reduceat(packed[ends], begins, axis=0)

"""How a topology hangs together: components, the links whose loss splits it, and disjoint paths."""

import numpy as np

from topoloom.topology import Topology


def components(topology: Topology) -> np.ndarray:
    """The component of every switch, int32[n], numbered in order of their smallest switch.

    Examples
    --------
    >>> components(Topology(links=[(0, 2), (1, 3)], switches=5)).tolist()
    [0, 1, 0, 1, 2]
    """
    from topoloom.graph._bfs_kernels import component_of

    offsets, neighbours, _ = topology.csr
    found: np.ndarray = component_of(offsets, neighbours)
    return found

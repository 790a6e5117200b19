"""The girth: the length of the shortest cycle."""

import math

import numpy as np

from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


@topology_measure(
    "girth", "length of the shortest cycle; two parallel links are one of length 2", "links", better="more"
)
def girth(topology: Topology) -> float:
    """The length of the shortest cycle, in links; infinite without cycles.

    By one breadth-first search per switch, O(n m). Two parallel links are a cycle of length 2.

    Examples
    --------
    >>> girth(Topology(links=[(0, 1), (1, 2), (2, 0)], switches=3)), girth(Topology(links=[(0, 1)], switches=2))
    (3.0, inf)
    """
    from topoloom.graph.kernels.brandes import shortest_cycle

    if len(np.unique(np.sort(topology.links, axis=1), axis=0)) < len(topology.links):
        return 2.0
    offsets, neighbours, _ = topology.csr
    return float(shortest_cycle(offsets, neighbours)) or math.inf

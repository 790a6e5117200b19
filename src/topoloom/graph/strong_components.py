"""Strong components of directed networks."""

import numpy as np

from topoloom.model.directed import DirectedTopology


def strong_component_count(topology: DirectedTopology) -> int:
    """The number of strong components (largest sets of switches that all reach each other); 1 if strongly connected.

    Examples
    --------
    >>> strong_component_count(DirectedTopology(arcs=[(0, 1), (1, 0), (1, 2)], switches=3))
    2
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    offsets, heads = topology.out_csr
    n = topology.switches
    graph = csr_array((np.ones(heads.size, np.int8), heads, offsets), shape=(n, n))
    return int(connected_components(graph, directed=True, connection="strong", return_labels=False))

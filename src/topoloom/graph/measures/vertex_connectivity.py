"""The vertex connectivity: the fewest switches whose loss disconnects the others."""

from itertools import combinations

import numpy as np

from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


@topology_measure("vertex-connectivity", "fewest switches whose loss disconnects the others", "switches", better="more")
def vertex_connectivity(topology: Topology) -> int:
    """The fewest switches whose loss disconnects the others; n - 1 if all are neighbours, 0 if disconnected.

    Exact, by maximum flows between a switch of least degree and the switches that are not its neighbours, and between its
    neighbours (Esfahanian and Hakimi 1984): about n flows, whose capacities are the switches.

    Examples
    --------
    >>> vertex_connectivity(Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 0)], switches=5))
    2
    """
    from scipy.sparse import coo_array, csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    from topoloom.graph.connectivity import component_count

    n = topology.switches
    if n == 1 or component_count(topology) > 1:
        return 0
    u, v = np.unique(np.sort(topology.links, axis=1), axis=0).T
    degrees = np.bincount(np.concatenate([u, v]), minlength=n)
    # Switch s is an arc from s to n + s of capacity 1; a link joins the ends of such arcs.
    tails = np.concatenate([np.arange(n), n + u, n + v])
    heads = np.concatenate([n + np.arange(n), v, u])
    capacities = csr_matrix(coo_array((np.ones(tails.size, np.int32), (tails, heads)), shape=(2 * n, 2 * n)))
    joined = {(int(a), int(b)) for a, b in zip(u, v, strict=True)}
    least = int(degrees.argmin())
    neighbours = sorted({int(b if a == least else a) for a, b in joined if least in (a, b)})
    apart = set(range(n)) - set(neighbours) - {least}
    pairs = [(least, other) for other in sorted(apart)]
    pairs += [pair for pair in combinations(neighbours, 2) if pair not in joined]
    fewest = int(degrees[least])
    for source, sink in pairs:
        fewest = min(fewest, int(maximum_flow(capacities, n + source, sink).flow_value))
    return fewest

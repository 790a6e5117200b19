"""What the tests of resilience share: small networks, and an oracle that knows only NetworkX."""

import networkx
import numpy as np

from topoloom import Topology, build
from topoloom.failures.failure_orders import failing, failures_at, states

RING = build("torus:dims=12")
#: Two triangles joined by two links, of which one is doubled.
TWIN = Topology(
    links=[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (0, 3), (1, 4)],
    switches=6,
    endpoints=[0, 0, 2, 5],
    name="twin",
)


def left(topology, fail, gone, unit):
    """A NetworkX graph without the failed links (by number), or without the switches of the failed units."""
    graph = topology.to_networkx()
    if fail == "links":
        graph.remove_edges_from([tuple(topology.links[link]) for link in gone])
    else:
        graph.remove_nodes_from(np.flatnonzero(np.isin(unit, gone)).tolist())
    return graph


def length(graph, counted, metric):
    """Diameter or mean hops between the counted switches that are left; inf when apart, or none is left; 0 if connected
    when only connectedness is asked for."""
    among = [switch for switch in graph if switch in counted]
    if not among:
        return np.inf
    far = []
    for one in among:
        reached = networkx.single_source_shortest_path_length(graph, one)
        if any(other not in reached for other in among):
            return np.inf
        far += [reached[other] for other in among if other != one]
    if metric == "disconnection" or not far:
        return 0.0
    return max(far) if metric == "diameter" else float(np.mean(far))


def oracle(topology, fail, metric, of, share, samples, order="random", racks=None, seed=1):
    """The lengths in the samples that `resilience` looks at, found one by one."""
    what = failing(topology, fail, order, racks)
    counted = set(range(topology.switches)) if of == "switches" else set(topology.endpoints.tolist())
    lengths = []
    for state in states(seed, 0, samples).tolist():
        gone = what.drawn(state)[: failures_at(share, what.units)]
        lengths.append(length(left(topology, fail, gone, what.unit), counted, metric))
    return lengths

"""The shortest paths that SimGrid finds by itself, where a platform has no tables: by Floyd's and by Dijkstra's algorithm."""

from collections.abc import Callable

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing, empty_ports


def floyd(topology: Topology) -> np.ndarray:
    """The next switch on the path from each switch to each other one, int64[n, n].

    A new path is taken only where it is shorter, through the first middle switch that makes it so.
    """
    n = topology.switches
    far, follow = np.full((n, n), n), np.tile(np.arange(n), (n, 1))
    far[tuple(topology.links.T)] = far[tuple(topology.links.T[::-1])] = 1
    np.fill_diagonal(far, 0)
    for middle in range(n):
        through = far[:, middle, None] + far[None, middle]
        shorter = through < far
        far[shorter] = through[shorter]
        follow = np.where(shorter, follow[:, middle, None], follow)
    return follow


def dijkstra(topology: Topology) -> np.ndarray:
    """The same, int64[n, n], by the neighbour of the lowest number that is nearer: the first that Dijkstra's queue gives."""
    far = distance_matrix(topology)
    offsets, neighbours, _ = topology.csr
    follow = np.tile(np.arange(topology.switches), (topology.switches, 1))
    for switch in range(topology.switches):
        mine = neighbours[offsets[switch] : offsets[switch + 1]]
        nearer = far[mine] < far[switch]
        follow[switch] = np.where(nearer.any(axis=0), mine[np.argmax(nearer, axis=0)], follow[switch])
    return follow


#: By the name of SimGrid's routing.
ALGORITHMS: dict[str, Callable[[Topology], np.ndarray]] = {"Floyd": floyd, "Dijkstra": dijkstra}


def simgrid_routing(topology: Topology, name: str) -> Routing:
    """The paths of SimGrid's routing ``Floyd`` or ``Dijkstra`` as tables, in one virtual channel."""
    offsets, neighbours, _ = topology.csr
    follow, ports = ALGORITHMS[name](topology), empty_ports(topology)
    for switch in range(topology.switches):
        others = np.arange(topology.switches) != switch
        mine = neighbours[offsets[switch] : offsets[switch + 1]]
        ports[others, switch] = np.searchsorted(mine, follow[switch, others])
    return Routing(topology, name.lower(), ports, minimal=True)

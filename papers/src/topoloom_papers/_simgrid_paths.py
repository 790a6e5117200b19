"""Shortest paths as SimGrid computes them for platforms without routing tables: Floyd's and Dijkstra's algorithms."""

from collections.abc import Callable

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing, empty_ports


def floyd(topology: Topology) -> np.ndarray:
    """The next switch on the path from each switch (row) to each other switch (column), int64[n, n], by Floyd's algorithm.

    A path is replaced only by a shorter one, so that the first intermediate switch of several equal ones wins.
    """
    n = topology.switches
    distance, next_switch = np.full((n, n), n), np.tile(np.arange(n), (n, 1))
    distance[tuple(topology.links.T)] = distance[tuple(topology.links.T[::-1])] = 1
    np.fill_diagonal(distance, 0)
    for middle in range(n):
        through = distance[:, middle, None] + distance[None, middle]
        shorter = through < distance
        distance[shorter] = through[shorter]
        next_switch = np.where(shorter, next_switch[:, middle, None], next_switch)
    return next_switch


def dijkstra(topology: Topology) -> np.ndarray:
    """The next switch on each path, int64[n, n]: the nearer neighbour with the lowest number, first in Dijkstra's queue."""
    distance = distance_matrix(topology)
    offsets, neighbours, _ = topology.csr
    next_switch = np.tile(np.arange(topology.switches), (topology.switches, 1))
    for switch in range(topology.switches):
        neighbours_here = neighbours[offsets[switch] : offsets[switch + 1]]
        nearer = distance[neighbours_here] < distance[switch]
        next_switch[switch] = np.where(
            nearer.any(axis=0), neighbours_here[np.argmax(nearer, axis=0)], next_switch[switch]
        )
    return next_switch


#: The algorithms by the name of SimGrid's routing.
ALGORITHMS: dict[str, Callable[[Topology], np.ndarray]] = {"Floyd": floyd, "Dijkstra": dijkstra}


def simgrid_routing(topology: Topology, name: str) -> Routing:
    """Routing tables with the paths of SimGrid's routing ``Floyd`` or ``Dijkstra``, in one virtual channel."""
    offsets, neighbours, _ = topology.csr
    next_switch, ports = ALGORITHMS[name](topology), empty_ports(topology)
    for switch in range(topology.switches):
        others = np.arange(topology.switches) != switch
        neighbours_here = neighbours[offsets[switch] : offsets[switch + 1]]
        ports[others, switch] = np.searchsorted(neighbours_here, next_switch[switch, others])
    return Routing(topology, name.lower(), ports, minimal=True)

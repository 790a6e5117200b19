"""Floyd's shortest ways: a new one only where it is shorter, through the first middle switch that makes it so."""

import numpy as np

from topoloom.routing.routing import Routing, empty_ports
from topoloom.topology import Topology


def floyd(topology: Topology) -> np.ndarray:
    """The next switch on the way from each switch to each other one, int64[n, n]."""
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


def floyd_routing(topology: Topology) -> Routing:
    """The same as tables, in one lane."""
    offsets, neighbours, _ = topology.csr
    follow, ports = floyd(topology), empty_ports(topology)
    for switch in range(topology.switches):
        others = np.arange(topology.switches) != switch
        mine = neighbours[offsets[switch] : offsets[switch + 1]]
        ports[others, switch] = np.searchsorted(mine, follow[switch, others])
    return Routing(topology, "floyd", ports, minimal=True)

"""Broadcast by a chain of hosts on each port: every host receives and sends at the full rate of all its ports."""

from itertools import pairwise

import numpy as np

from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.forest import Tree, TreeEdge

#: The name of the algorithm.
CHAINS = "chains"


def chains(topology: Topology, homes: np.ndarray, root: int) -> tuple[Tree, ...]:
    """Return one chain from a root for each port of a host, with one chunk each and without paths.

    Ranks follow each other in the order of the switches of their first ports, so that few messages leave a switch. Chunk p uses
    port p of every host.

    Parameters
    ----------
    topology : Topology
    homes : int64[ranks]
        The host of each rank.
    root : int
        The rank that broadcasts.

    Returns
    -------
    tuple of Tree

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> for tree in chains(build("complete:n=3,hosts=1+planes:count=2"), np.arange(3), 1):
    ...     print(tree.first, [(edge.sender, edge.receiver) for edge in tree.edges])
    0 [(1, 2), (2, 0)]
    1 [(1, 2), (2, 0)]
    """
    ports = ports_by_host(topology)
    order = np.argsort(topology.endpoints[ports[homes, 0]], kind="stable")
    ranks = np.roll(order, -int(np.flatnonzero(order == root)[0])).tolist()
    edges = tuple(TreeEdge(sender, receiver, ()) for sender, receiver in pairwise(ranks))
    return tuple(Tree(root, port, 1, edges) for port in range(ports.shape[1]))

"""Rings of rails: the accelerators of hosts with several ports, each with its own port, and a scale-up network inside hosts."""

from itertools import pairwise

import numpy as np

from topoloom.core.errors import InputError
from topoloom.graph.host_ports import ports_by_host
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.forest import Tree, TreeEdge
from topoloom.simulation.flows.state import FlowNetwork

#: The name of the algorithm.
RAIL_RING = "rail-ring"


def accelerators_on(topology: Topology, accelerators: int | None) -> int:
    """The accelerators of each host: as given, or one per port.

    Raises
    ------
    InputError
        Hosts differ in their number of ports, or neither number divides the other.
    """
    ports = ports_by_host(topology).shape[1]
    count = ports if accelerators is None else accelerators
    if count % ports and ports % count:
        raise InputError(
            f"{topology.name}: {count} accelerators on {ports} ports of a host; give a multiple of the ports, or a divisor"
        )
    return count


def rail_trees(topology: Topology, hosts: np.ndarray, accelerators: int) -> tuple[tuple[Tree, ...], int]:
    """Return trees of rings on all rails and planes, and their number of chunks.

    Each accelerator is the root of one tree for each of its ports. The tree follows the ring of hosts on that port, and in each
    host a chain of its accelerators, over the scale-up network.

    Parameters
    ----------
    topology : Topology
    hosts : int64[hosts]
        The hosts; accelerator a of host i is rank i accelerators + a.
    accelerators : int
        Those of a host.

    Returns
    -------
    trees : tuple of Tree
        With one chunk each; edges have no switches, as the paths are those of the tables between two ports.
    chunks : int

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> trees, chunks = rail_trees(build("complete:n=2,hosts=1+planes:count=2"), np.arange(2), 2)
    >>> chunks, [(edge.sender, edge.receiver) for edge in trees[0].edges]
    (4, [(0, 1), (0, 2), (2, 3)])
    """
    ports = ports_by_host(topology)
    each = max(1, ports.shape[1] // accelerators)
    # Rings visit the hosts of a switch one after the other.
    order = np.argsort(topology.endpoints[ports[hosts, 0]], kind="stable").tolist()
    count, trees = len(order), []
    for place, first_host in sorted(enumerate(order), key=lambda pair: pair[1]):
        ring = order[place:] + order[:place]
        for accelerator in range(accelerators):
            edges = []
            for number, host in enumerate(ring):
                if number:
                    before = ring[number - 1] * accelerators + accelerator
                    edges.append(TreeEdge(before, host * accelerators + accelerator, ()))
                inside = [host * accelerators + (accelerator + step) % accelerators for step in range(accelerators)]
                edges += [TreeEdge(*ends, ()) for ends in pairwise(inside)]
            root = first_host * accelerators + accelerator
            trees += [Tree(root, root * each + port, 1, tuple(edges)) for port in range(each)]
    return tuple(trees), count * accelerators * each


def with_scale_up(fabric: FlowNetwork, hosts: np.ndarray, rate: float) -> FlowNetwork:
    """Return a network in which each rank has a further port, to the scale-up network of its host.

    Parameters
    ----------
    fabric : FlowNetwork
    hosts : int64[ranks]
        The host of each rank.
    rate : float
        What a rank sends to the others of its host, and receives, in bytes per second.

    Returns
    -------
    FlowNetwork
        The port of rank r has the number `fabric.port.size` + r; all ports of a host are on one more switch.
    """
    ranks, ports, base = hosts.size, fabric.switch.size, fabric.capacity.size
    channels, out, into = np.split(fabric.resource, [fabric.to.size, fabric.to.size + ports])
    own = base + np.arange(ranks)
    return fabric._replace(
        resource=np.concatenate([channels, out, own, into, own + ranks]),
        capacity=np.concatenate([fabric.capacity, np.full(2 * ranks, rate)]),
        switch=np.concatenate([fabric.switch, fabric.first.size - 1 + np.asarray(hosts, np.int64)]),
        row=np.concatenate([fabric.row, np.zeros(ranks, np.int64)]),
        sent_from=np.concatenate([fabric.sent_from, np.full(ranks, -1, np.int32)]),
        top=max(fabric.top, rate),
    )

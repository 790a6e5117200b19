"""Rings and binomial trees over ranks: schedules that need no packing."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.collectives.forest import Tree, TreeEdge


def ring_order(topology: Topology, hosts: np.ndarray) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return ranks in the order in which a depth-first walk meets their switches, and the switches between neighbours.

    Parameters
    ----------
    topology : Topology
    hosts : int64[ranks]
        The host of each rank.

    Returns
    -------
    order : list of int
        The ranks around the ring.
    steps : list of tuple of int
        The switches from each rank to the next, and from the last to the first. Around the whole ring, no link is used more
        than once in either direction (Patarasuk and Yuan, JPDC 69(2), 2009, section 4).

    Raises
    ------
    InputError
        A host without a port on a switch that the walk meets.
    """
    offsets, neighbours, _ = topology.csr
    ranks_on: dict[int, list[int]] = {}
    ports: dict[int, list[int]] = {}
    for host, switch in zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True):
        ports.setdefault(host, []).append(switch)
    start = ports[int(hosts[0])][0]
    above, walk, seen = {start: -1}, [], {start}
    # Depth first, without recursion: `at` has the next neighbour of each switch on the stack.
    stack, at = [start], {start: int(offsets[start])}
    walk.append(start)
    while stack:
        switch = stack[-1]
        if at[switch] == offsets[switch + 1]:
            stack.pop()
            continue
        other = int(neighbours[at[switch]])
        at[switch] += 1
        if other not in seen:
            seen.add(other)
            above[other] = switch
            at[other] = int(offsets[other])
            walk.append(other)
            stack.append(other)
    for rank, host in enumerate(hosts.tolist()):
        near = [switch for switch in ports[host] if switch in seen]
        if not near:
            raise InputError(
                f"{topology.name}: host {host} has no port in the part of the network that contains the ring"
            )
        ranks_on.setdefault(near[0], []).append(rank)
    order = [rank for switch in walk for rank in ranks_on.get(switch, [])]
    place = {rank: switch for switch, ranks in ranks_on.items() for rank in ranks}
    steps = [_tree_path(above, place[rank], place[order[(i + 1) % len(order)]]) for i, rank in enumerate(order)]
    return order, steps


def _tree_path(above: dict[int, int], source: int, goal: int) -> tuple[int, ...]:
    """Return the path up to the first common ancestor and down."""
    up, down = [source], [goal]
    while up[-1] >= 0:
        up.append(above[up[-1]])
    place = {switch: i for i, switch in enumerate(up)}
    while down[-1] not in place:
        down.append(above[down[-1]])
    return (*up[: place[down[-1]]], *down[::-1])


def binomial_tree(ranks: int, root: int) -> Tree:
    """Return a binomial tree from a root, which doubles the reached ranks in each step; paths are left to tables.

    Examples
    --------
    >>> [(edge.sender, edge.receiver) for edge in binomial_tree(5, 0).edges]
    [(0, 4), (0, 2), (0, 1), (2, 3)]
    """
    edges = []
    bit = 1 << max(0, (ranks - 1).bit_length() - 1)
    while bit:
        edges += [(low, low + bit) for low in range(0, ranks - bit, 2 * bit)]
        bit //= 2
    return Tree(root, 0, 1, tuple(TreeEdge((root + a) % ranks, (root + b) % ranks, ()) for a, b in edges))


def pair_trees(ranks: int) -> tuple[Tree, ...]:
    """Return one tree per pair of ranks, by the tables; step by step to the rank that many after the sender."""
    return tuple(
        Tree(rank, rank * ranks + (rank + step) % ranks, 1, (TreeEdge(rank, (rank + step) % ranks, ()),))
        for step in range(1, ranks)
        for rank in range(ranks)
    )

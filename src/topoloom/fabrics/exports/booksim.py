"""BookSim 2: the network file of its topology ``anynet``, a line for each router with its nodes and neighbours."""

import numpy as np

from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import Order, export
from topoloom.topology import Topology


@export("booksim", "network file for BookSim 2 (topology = anynet)", tables=False)
def booksim(order: Order) -> dict[str, str]:
    """network.anynet."""
    return {"network.anynet": anynet_text(order.fabric.topology)}


def anynet_text(topology: Topology) -> str:
    """Router numbers are switch numbers, node numbers those of hosts; every link is there from both ends.

    Raises
    ------
    InputError
        Parallel links or hosts with several ports, which anynet does not know; no hosts.

    Examples
    --------
    >>> print(anynet_text(Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])), end="")
    router 0 node 0 router 1
    router 1 node 1 router 0
    """
    name = topology.name
    if not topology.endpoints.size:
        raise InputError(f"{name}: no hosts, so nothing would send; add them to the spec, as in hosts=4")
    twice = np.flatnonzero((np.diff(topology.links, axis=0) == 0).all(axis=1))
    if twice.size:
        u, v = topology.links[twice[0]].tolist()
        raise InputError(
            f"{name}: switches {u} and {v} are joined by two links; anynet has one link between two routers"
        )
    if topology.hosts < topology.host.size:
        raise InputError(
            f"{name}: hosts with several ports; a node of anynet has one router: give a single plane, or hosts with one port"
        )
    offsets, to, _ = topology.csr
    nodes: list[list[int]] = [[] for _ in range(topology.switches)]
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        nodes[switch].append(host)
    lines = []
    for switch, own in enumerate(nodes):
        far = to[offsets[switch] : offsets[switch + 1]].tolist()
        lines.append(" ".join([f"router {switch}", *(f"node {h}" for h in own), *(f"router {v}" for v in far)]))
    return "\n".join(lines) + "\n"

"""BookSim 2: the network file of its topology ``anynet``, a line for each router with its nodes and neighbours."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import refuse_hostless, refuse_parallel, refuse_planes
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.topology import Topology


@export("booksim", "network file for BookSim 2 (topology = anynet)", tables=False, timed=True)
def booksim(order: ExportRequest) -> Files:
    """network.anynet, with the cycles of links where the lengths of cables are known."""
    return {"network.anynet": anynet_text(order.topology, order.cycles(order.link_ns) if order.measured else None)}


def anynet_text(topology: Topology, link_cycles: np.ndarray | None = None) -> str:
    """Router numbers are switch numbers, node numbers those of hosts; every link is there from both ends.

    A number after a neighbour is the cycles of the way there. After a node there is none: BookSim (28f4329) would take the
    node for a neighbour of that number.

    Parameters
    ----------
    topology : Topology
    link_cycles : int64[links], optional
        What each link takes; without them nothing is said, which BookSim takes for one cycle.

    Raises
    ------
    InputError
        Parallel links or hosts with several ports, which anynet does not know; no hosts.

    Examples
    --------
    >>> pair = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1])
    >>> print(anynet_text(pair), end="")
    router 0 node 0 router 1
    router 1 node 1 router 0
    >>> print(anynet_text(pair, np.array([50])), end="")
    router 0 node 0 router 1 50
    router 1 node 1 router 0 50
    """
    name = topology.name
    refuse_hostless(topology)
    refuse_parallel(topology, "anynet")
    if topology.hosts < topology.host.size:
        raise InputError(
            f"{name}: hosts with several ports; a node of anynet has one router: give a single plane, or hosts with one port"
        )
    refuse_planes(topology, "anynet")
    offsets, to, link = topology.csr
    ways = [""] * to.size if link_cycles is None else [f" {n}" for n in link_cycles[link].tolist()]
    nodes: list[list[str]] = [[] for _ in range(topology.switches)]
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        nodes[switch].append(f"node {host}")
    far = [f"router {v}{way}" for v, way in zip(to.tolist(), ways, strict=True)]
    lines = [
        " ".join([f"router {switch}", *own, *far[offsets[switch] : offsets[switch + 1]]])
        for switch, own in enumerate(nodes)
    ]
    return "\n".join(lines) + "\n"

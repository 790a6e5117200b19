"""BookSim 2: the network file of its topology ``anynet``, one line per router with its nodes and neighbours."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import refuse_hostless, refuse_parallel, refuse_planes
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.topology import Topology


@export(
    "booksim",
    "network file for BookSim 2 (topology = anynet)",
    tables=False,
    timed=True,
    one_rate="BookSim's anynet has a latency per channel, and every channel passes one flit per cycle",
)
def booksim(request: ExportRequest) -> Files:
    """network.anynet, with the cycles of links if the lengths of cables are known."""
    return {
        "network.anynet": anynet_text(request.topology, request.cycles(request.link_ns) if request.measured else None)
    }


def anynet_text(topology: Topology, link_cycles: np.ndarray | None = None) -> str:
    """Router numbers are switch numbers, node numbers are host numbers; every link appears from both ends.

    A number after a neighbour is the delay to it in cycles. Nodes have no such number: BookSim (28f4329) would read it as the
    number of a neighbour.

    Parameters
    ----------
    topology : Topology
    link_cycles : int64[links], optional
        The delay of each link; when omitted, none is written, and BookSim assumes one cycle.

    Raises
    ------
    InputError
        There are parallel links or hosts with several ports, which anynet does not support, or no hosts.

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
            f"{name}: hosts with several ports; a node of anynet has one router; give a single plane, or hosts with one port"
        )
    refuse_planes(topology, "anynet")
    offsets, to, link = topology.csr
    delays = [""] * to.size if link_cycles is None else [f" {n}" for n in link_cycles[link].tolist()]
    nodes: list[list[str]] = [[] for _ in range(topology.switches)]
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        nodes[switch].append(f"node {host}")
    neighbours = [f"router {v}{delay}" for v, delay in zip(to.tolist(), delays, strict=True)]
    lines = [
        " ".join([f"router {switch}", *own, *neighbours[offsets[switch] : offsets[switch + 1]]])
        for switch, own in enumerate(nodes)
    ]
    return "\n".join(lines) + "\n"

"""CAMINOS: the file of its topology ``File`` with the neighbours of every router; the keywords are Spanish.

Source: ``src/topology/neighbourslists.rs`` of caminos-lib (172016e).
"""

from topoloom.fabric.exports._shared import equal_hosts, refuse_parallel, refuse_planes
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.topology import Topology


@export("caminos", "network of CAMINOS (topology: File) with the lines for its cfg", tables=False)
def caminos(request: ExportRequest) -> Files:
    """network.nodos, and topology.cfg with the matching lines of an experiment."""
    topology = request.topology
    hosts = equal_hosts(topology, "CAMINOS")
    refuse_planes(topology, "CAMINOS")
    name = "".join(c if c.isprintable() and c not in '"\\' else "_" for c in topology.name)
    cfg = f"""topology: File{{
\tfilename: "network.nodos",
\tformat: 0,
\tservers_per_router: {hosts},
\tlegend_name: "{name}",
}},
"""
    return {"network.nodos": nodos_text(topology), "topology.cfg": cfg}


def nodos_text(topology: Topology) -> str:
    """``NODOS`` routers, ``GRADO`` the greatest degree, then per router a line ``N`` and a line of neighbours.

    Raises
    ------
    InputError
        Parallel links.

    Examples
    --------
    >>> print(nodos_text(Topology(links=[(0, 1), (1, 2)], switches=3)), end="")
    NODOS 3
    GRADO 2
    N 0
    1
    N 1
    0 2
    N 2
    1
    """
    refuse_parallel(topology, "CAMINOS")
    offsets, to, _ = topology.csr
    lines = [f"NODOS {topology.switches}", f"GRADO {int(topology.degrees.max())}"]
    neighbours = list(map(str, to.tolist()))
    for switch in range(topology.switches):
        lines += [f"N {switch}", " ".join(neighbours[offsets[switch] : offsets[switch + 1]])]
    return "\n".join(lines) + "\n"

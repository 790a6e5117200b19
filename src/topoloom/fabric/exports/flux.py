"""Flux: a resource graph of Fluxion in its JSON Graph Format (JGF): the cluster, its switches, its nodes, their cores and GPUs.

Ranks follow the numbers in the nodes' names: rank 0 is the first node in this order.
"""

import json
from typing import Any

from topoloom.fabric.distinct_names import natural_key
from topoloom.fabric.exports.kueue import switches_above
from topoloom.fabric.exports.node_tree import NodeTree, report_notes
from topoloom.fabric.exports.nodes import SELECTION
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.topologies.spec import Integer

_MOST_PARTS = 4096


@export(
    "flux",
    "a resource graph (JGF) for Flux",
    tables=False,
    asked=True,
    common=SELECTION,
    cores=Integer(0, _MOST_PARTS, "cores of each node", default=0),
    gpus=Integer(0, _MOST_PARTS, "GPUs of each node", default=0),
)
def flux(request: ExportRequest, cores: int, gpus: int, **selection: Any) -> dict[str, str]:
    """graph.json."""
    tree = NodeTree.of(request, **selection)
    report_notes(request, tree)
    graph = _Graph()
    cluster = graph.add("cluster", "cluster0", None)
    above = switches_above(tree)
    switches: dict[str, int] = {}
    order = {node: rank for rank, node in enumerate(sorted(above, key=natural_key))}
    for node, path in above.items():
        parent = cluster
        for switch in reversed(path):
            if switch not in switches:
                # Fluxion separates the names of a path by slashes.
                switches[switch] = graph.add("switch", switch.replace("/", "-"), parent)
            parent = switches[switch]
        place = graph.add("node", node, parent, order[node])
        for kind, count in (("core", cores), ("gpu", gpus)):
            for number in range(count):
                graph.add(kind, f"{kind}{number}", place, order[node], number)
    return {"graph.json": json.dumps({"graph": {"nodes": graph.nodes, "edges": graph.edges}}, indent=1) + "\n"}


class _Graph:
    """The nodes and edges of a resource graph."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []
        self._counts: dict[str, int] = {}

    def add(self, kind: str, name: str, parent: int | None, rank: int = -1, number: int | None = None) -> int:
        """Add a resource below another one, and return its number in the graph."""
        uniq = len(self.nodes)
        count = self._counts.get(kind, 0)
        self._counts[kind] = count + 1
        path = "" if parent is None else self.nodes[parent]["metadata"]["paths"]["containment"]
        self.nodes.append(
            {
                "id": str(uniq),
                "metadata": {
                    "type": kind,
                    "basename": kind,
                    "name": name,
                    "id": count if number is None else number,
                    "uniq_id": uniq,
                    "rank": rank,
                    "exclusive": False,
                    "unit": "",
                    "size": 1,
                    "paths": {"containment": f"{path}/{name}"},
                },
            }
        )
        if parent is not None:
            edge = {"source": str(parent), "target": str(uniq), "metadata": {"subsystem": "containment"}}
            self.edges.append(edge)
        return uniq

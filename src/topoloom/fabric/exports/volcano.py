"""Volcano: a HyperNode (topology.volcano.sh/v1alpha1) for each leaf and for each group of leaves; tier 1 is the nearest."""

from typing import Any

from topoloom.fabric.exports.kubernetes_names import node_name, object_names
from topoloom.fabric.exports.node_tree import NodeTree, report_notes
from topoloom.fabric.exports.nodes import SELECTION
from topoloom.fabric.exports.registry import ExportRequest, export


@export("volcano", "HyperNodes for Volcano", tables=False, asked=True, common=SELECTION)
def volcano(request: ExportRequest, **selection: Any) -> dict[str, str]:
    """hypernodes.yaml."""
    tree = NodeTree.of(request, **selection)
    report_notes(request, tree)
    entries = tree.tree()
    names = object_names([name for name, _, _ in entries])
    tier: dict[str, int] = {}
    documents = ["".join(f"# {note}\n" for note in tree.notes)] if tree.notes else []
    for name, kind, members in entries:
        # A leaf is tier 1; a group is one above the highest of its members.
        tier[name] = 1 if kind == "nodes" else 1 + max(tier[member] for member in members)
        lines = [
            *("apiVersion: topology.volcano.sh/v1alpha1", "kind: HyperNode", "metadata:", f'  name: "{names[name]}"'),
            *("spec:", f"  tier: {tier[name]}", "  members:"),
        ]
        for member in members:
            shown = node_name(member) if kind == "nodes" else names[member]
            lines += [f"  - type: {'Node' if kind == 'nodes' else 'HyperNode'}", "    selector:", "      exactMatch:"]
            lines.append(f'        name: "{shown}"')
        documents.append("\n".join(lines) + "\n")
    return {"hypernodes.yaml": "---\n".join(documents)}

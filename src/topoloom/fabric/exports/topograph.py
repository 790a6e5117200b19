"""Topograph: a model of the network, from which it makes the files and labels of schedulers.

The form is that of Topograph 1.0: ``switches`` maps each switch to the switches below it, each with one parent; ``blocks``
lists the nodes of each leaf, divided by scale-up domains.
"""

import json
from typing import Any

from topoloom.fabric.exports.node_tree import BLOCKS, NodeTree, gathered, report_notes
from topoloom.fabric.exports.nodes import SELECTION
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.fabric.exports.slurm import hostlist

#: The annotation of a block with its scale-up domain.
_DOMAIN = "accelerator.topology.test/domain"


@export(
    "topograph",
    "a model for NVIDIA Topograph 1.0",
    tables=False,
    asked=True,
    common=SELECTION | {"domains": BLOCKS["domains"]},
)
def topograph(request: ExportRequest, **selection: Any) -> dict[str, str]:
    """model.yaml: the tree of switches, and the nodes of each leaf."""
    tree = NodeTree.of(request, **selection)
    report_notes(request, tree)
    lines = ["switches:"]
    blocks = ["blocks:"]
    for name, kind, members in tree.tree():
        if kind == "children":
            lines += [f"  {json.dumps(name)}:", "    switches:", *(f"    - {json.dumps(member)}" for member in members)]
            continue
        lines.append(f"  {json.dumps(name)}: {{}}")
        for nodes in gathered(members, [tree.domains.get(node, "") for node in members]):
            blocks += [f"- switch: {json.dumps(name)}", "  nodes:"]
            blocks += [f"  - {json.dumps(part)}" for part in _parts(hostlist(nodes))]
            if domain := tree.domains.get(nodes[0]):
                blocks += ["  annotations:", f"    {_DOMAIN}: {json.dumps(domain)}"]
    return {"model.yaml": "\n".join([*(f"# {note}" for note in tree.notes), *lines, *blocks]) + "\n"}


def _parts(text: str) -> list[str]:
    """The names and ranges of a list; commas in brackets separate ranges of one name."""
    parts: list[str] = []
    for part in text.split(","):
        if parts and parts[-1].count("[") > parts[-1].count("]"):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts

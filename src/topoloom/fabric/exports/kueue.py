"""Kueue: the levels of the network as a Topology (v1beta2), and the labels of the nodes to which they refer.

Levels go from the widest to the nearest, and end with the host, as Kueue requires. The labels are those of Topograph 1.0, so
that either tool can keep them up to date. Where some nodes have fewer switches above them than others, their highest switch
takes the place of the missing ones, because Kueue ignores nodes that lack a label.
"""

from typing import Any

from topoloom.core.errors import InputError
from topoloom.fabric.exports.kubernetes_names import node_name, object_names
from topoloom.fabric.exports.lab import shell_script
from topoloom.fabric.exports.node_tree import BLOCKS, NodeTree, report_notes
from topoloom.fabric.exports.nodes import SELECTION
from topoloom.fabric.exports.registry import ExportRequest, export

_TIER, _DOMAIN, _HOST = "fabric.topograph.run/tier-", "accelerator.topograph.run/domain", "kubernetes.io/hostname"
#: Most levels of a Topology.
_MOST_LEVELS = 16


@export(
    "kueue",
    "a Topology for Kueue, and a script that labels the nodes",
    tables=False,
    asked=True,
    common=SELECTION | {"domains": BLOCKS["domains"]},
)
def kueue(request: ExportRequest, **selection: Any) -> dict[str, str]:
    """topology.yaml and labels.sh.

    Raises
    ------
    InputError
        There are no nodes, more than 16 levels, or names that Kubernetes does not accept.
    """
    tree = NodeTree.of(request, **selection)
    report_notes(request, tree)
    above = switches_above(tree)
    names = object_names([name for name, _, _ in tree.tree()])
    depth = max(map(len, above.values()))
    nested = bool(tree.domains) and _nested(tree, above)
    keys = [f"{_TIER}{tier}" for tier in reversed(range(depth))] + [_DOMAIN] * nested + [_HOST]
    if len(keys) > _MOST_LEVELS:
        raise InputError(f"{request.topology.name}: {len(keys)} levels; a Topology of Kueue has at most {_MOST_LEVELS}")
    lines = [
        "apiVersion: kueue.x-k8s.io/v1beta2",
        "kind: Topology",
        "metadata:",
        "  name: fabric",
        "spec:",
        "  levels:",
    ]
    commands = [f"# {note}" for note in tree.notes]
    for node, switches in above.items():
        path = [*switches, *[switches[-1]] * (depth - len(switches))]
        labels = [f"{_TIER}{tier}={names[switch]}" for tier, switch in enumerate(path)]
        if domain := tree.domains.get(node):
            labels.append(f"{_DOMAIN}={object_names([domain])[domain]}")
        commands.append(f"kubectl label node {node_name(node)} --overwrite {' '.join(labels)}")
    return {
        "topology.yaml": "\n".join([*lines, *(f'  - nodeLabel: "{key}"' for key in keys)]) + "\n",
        "labels.sh": shell_script(commands),
    }


def switches_above(tree: NodeTree) -> dict[str, list[str]]:
    """The switches above each node, from its leaf to its root."""
    parent: dict[str, str] = {}
    leaves: dict[str, list[str]] = {}
    for name, kind, members in tree.tree():
        if kind == "nodes":
            leaves[name] = members
        else:
            parent.update(dict.fromkeys(members, name))
    above: dict[str, list[str]] = {}
    for leaf, nodes in leaves.items():
        path = [leaf]
        while path[-1] in parent:
            path.append(parent[path[-1]])
        above.update((node, path) for node in nodes)
    return above


def _nested(tree: NodeTree, above: dict[str, list[str]]) -> bool:
    """Whether each domain is under one leaf, so that it can be a level below the leaf."""
    leaf_of: dict[str, str] = {}
    return len(tree.domains) >= len(above) and all(
        leaf_of.setdefault(tree.domains.get(node, ""), switches[0]) == switches[0] for node, switches in above.items()
    )

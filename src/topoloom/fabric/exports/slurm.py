"""SLURM: topology.conf or topology.yaml, so that jobs get nodes that are close to each other.

A tree: if leaf switches are joined through switches without hosts, as in fat trees, the tree is the network's: leaves that
share upper switches form a block, and blocks that share switches above these form a larger one. If leaves are joined
directly, all of them are under one root, since any other grouping would be invented. Blocks: the nodes of a group, a pod, a
rack, a leaf or a scale-up domain. A three-dimensional torus with a host on every switch: the torus.

topology.yaml is read by Slurm 25.05 and later (torus3d: 26.05), which ignore a topology.conf next to it; the forms follow
the manual pages topology.conf(5) and topology.yaml(5).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.node_tree import BLOCKS, NodeTree, report_notes
from topoloom.fabric.exports.nodes import SELECTION, some_names
from topoloom.fabric.exports.registry import ExportRequest, export
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Choice

#: The longest name of a switch that Slurm accepts.
_MOST_NAME_CHARACTERS = 64


@export(
    "slurm",
    "topology.conf or topology.yaml for SLURM",
    tables=False,
    sometimes=("topology.conf", "topology.yaml"),
    file=Choice(
        ("conf", "yaml", "both"), "topology.conf, or topology.yaml with several views (Slurm 25.05)", default="conf"
    ),
    topology=Choice(
        ("all", "tree", "block", "torus3d"),
        "views: all that the network has (topology.conf holds one: the tree), or only this one",
        default="all",
    ),
    common=BLOCKS | SELECTION,
)
def slurm(
    request: ExportRequest, file: str, topology: str, blocks: str, domains: str | None, **selection: Any
) -> dict[str, str]:
    """topology.conf or topology.yaml.

    Parameters
    ----------
    request : ExportRequest
    file, topology : str
        As described above.
    blocks, domains : str
        As in `topoloom.fabric.exports.node_tree.BLOCKS`.
    **selection : object
        The options of `topoloom.fabric.exports.nodes.SELECTION`.

    Raises
    ------
    InputError
        There are no nodes, an option selects nothing, or the network or file lacks the view.
    """
    seen = _View.of(request, domains, **selection)
    files = {}
    if blocks != "auto" and topology != "block" and (file == "conf" or topology != "all"):
        raise InputError(f"blocks={blocks}: no blocks are written; add topology=block, or file=yaml for several views")
    if file != "yaml":
        if topology == "torus3d":
            raise InputError("topology=torus3d: current Slurm reads no torus from topology.conf; add file=yaml")
        files["topology.conf"] = seen.block_conf(blocks) if topology == "block" else seen.tree_conf()
    if file != "conf":
        files["topology.yaml"] = _yaml(seen, topology, blocks)
    return files


def _yaml(seen: "_View", topology: str, blocks: str) -> str:
    """topology.yaml; the first view is the default for partitions that name none."""
    views = []
    if topology in ("all", "tree"):
        views.append(seen.tree_yaml())
    several = seen.nodes.blocks(blocks) if topology == "all" else []
    # Blocks of one node each, or one block of all nodes, carry no information; they are written only if requested.
    if (
        topology == "block"
        or (topology == "all" and blocks != "auto")
        or (len(several) > 1 and max(map(len, several)) > 1)
    ):
        views.append(seen.block_yaml(blocks))
    if topology == "torus3d" or (topology == "all" and seen.torus is not None):
        views.append(seen.torus_yaml())
    for place, view in enumerate(views):
        view.insert(1, f"  cluster_default: {'false' if place else 'true'}")
    return (
        "\n".join(["---", *seen.comments(tree=topology in ("all", "tree")), *(line for view in views for line in view)])
        + "\n"
    )


@dataclass(frozen=True, eq=False)
class _View:
    """The network as SLURM models it: every node is under one switch.

    Attributes
    ----------
    nodes : NodeTree
    """

    nodes: NodeTree

    @classmethod
    def of(cls, request: ExportRequest, domains: str | None, **selection: Any) -> "_View":
        """The SLURM model of a fabric; what it merges or omits is reported."""
        tree = NodeTree.of(request, domains, **selection)
        for name in tree.names:
            if len(name) > _MOST_NAME_CHARACTERS:
                raise InputError(
                    f"{request.topology.name}: switch {name!a}: SLURM accepts names of at most {_MOST_NAME_CHARACTERS}"
                    " characters"
                )
        report_notes(request, tree)
        return cls(tree)

    @property
    def torus(self) -> tuple[tuple[int, int, int], list[str]] | None:
        """The sides of a three-dimensional torus, x first, and its nodes, with x varying fastest; None for other networks."""
        topology, under = self.nodes.topology, self.nodes.under
        sides = _sides(topology)
        if sides is None or any(len(under.get(s, ())) != 1 for s in range(topology.switches)):
            return None
        x, y, z = (topology.labels[f"x{axis}"] for axis in (2, 1, 0))
        return sides, [under[s][0] for s in np.lexsort((x, y, z)).tolist()]

    def comments(self, tree: bool) -> list[str]:
        """What was merged or omitted, and the parts of a tree with several roots, as comments."""
        lines = [f"# {note}" for note in self.nodes.notes]
        lines += [f"# {names[0]} stands for {hostlist(names)}" for names in self.nodes.merged.values()]
        if tree and self.nodes.roots > 1:
            lines.append(
                f"# {self.nodes.roots} roots: no cable joins these parts; jobs stay within one (TopologyParam=TopoOptional"
                " lifts this); only TopologyParam=RouteTree needs a single root"
            )
        return lines

    def without_block(self, blocks: Sequence[Sequence[str]]) -> list[str]:
        """A comment that names the nodes that are in no block: those outside rack-scale units, such as login nodes."""
        inside = {node for block in blocks for node in block}
        names = [node for node in self.nodes.outside if node not in inside]
        return [f"# {some_names(names, 'node')} in no rack-scale unit: in no block"] if names else []

    def tree_conf(self) -> str:
        """topology.conf for topology/tree."""
        lines = ["# slurm.conf: TopologyPlugin=topology/tree", *self.comments(tree=True)]
        for name, kind, members in self.nodes.tree():
            lines.append(f"SwitchName={name} {'Nodes' if kind == 'nodes' else 'Switches'}={hostlist(members)}")
        return "\n".join(lines) + "\n"

    def block_conf(self, kind: str) -> str:
        """topology.conf for topology/block (Slurm 23.11)."""
        blocks = self.nodes.blocks(kind)
        lines = ["# slurm.conf: TopologyPlugin=topology/block", *self.comments(tree=False), *self.without_block(blocks)]
        lines += [f"BlockName=b{number} Nodes={hostlist(nodes)}" for number, nodes in enumerate(blocks)]
        return "\n".join([*lines, f"BlockSizes={','.join(map(str, block_sizes(blocks)))}"]) + "\n"

    def tree_yaml(self) -> list[str]:
        """The tree, as lines of topology.yaml."""
        lines = ["- topology: tree", "  tree:", "    switches:"]
        for name, kind, members in self.nodes.tree():
            lines += [f"      - switch: {json.dumps(name)}", f"        {kind}: {json.dumps(hostlist(members))}"]
        return lines

    def block_yaml(self, kind: str) -> list[str]:
        """The blocks, as lines of topology.yaml."""
        blocks = self.nodes.blocks(kind)
        sizes = ", ".join(map(str, block_sizes(blocks)))
        lines = [
            "- topology: block",
            "  block:",
            f"    block_sizes: [{sizes}]",
            *self.without_block(blocks),
            "    blocks:",
        ]
        for number, nodes in enumerate(blocks):
            lines += [f"      - block: b{number}", f"        nodes: {json.dumps(hostlist(nodes))}"]
        return lines

    def torus_yaml(self) -> list[str]:
        """The torus, as lines of topology.yaml."""
        torus = self.torus
        if torus is None:
            raise InputError(
                f"{self.nodes.topology.name}: topology=torus3d needs a three-dimensional torus with one host per switch"
            )
        (x, y, z), nodes = torus
        return [
            "- topology: torus",
            "  torus3d:",
            "    toruses:",
            "      - name: torus",
            f"        dims: {{x: {x}, y: {y}, z: {z}}}",
            f"        nodes: {json.dumps(_in_order(nodes))}",
        ]


def block_sizes(blocks: Sequence[Sequence[str]]) -> list[int]:
    """The sizes by which SLURM plans: that of the smallest block, doubled as long as there are enough blocks.

    Examples
    --------
    >>> block_sizes([["a", "b", "c"]] * 5)
    [3, 6, 12]
    """
    least = min(map(len, blocks))
    return [least << step for step in range(len(blocks).bit_length())]


def _sides(topology: Topology) -> tuple[int, int, int] | None:
    """The sides of a 3-D torus, by its labels x0, x1, x2 (the last is SLURM's x); None for other networks."""
    if not all(f"x{axis}" in topology.labels for axis in range(3)) or "x3" in topology.labels:
        return None
    at = np.stack([topology.labels[f"x{axis}"] for axis in range(3)], axis=1).astype(np.int64)
    dims = at.max(axis=0) + 1
    if dims.prod() != topology.switches or np.unique(at @ (dims[1] * dims[2], dims[2], 1)).size != topology.switches:
        return None
    step = np.abs(at[topology.links[:, 0]] - at[topology.links[:, 1]])
    near = (step == 1) | ((step == dims - 1) & (dims > 2))
    straight = ((step == 0).sum(axis=1) == 2) & (near.sum(axis=1) == 1)
    # A ring has as many links as switches, two switches have one, and a side of one switch has none.
    wanted = sum(topology.switches if side > 2 else topology.switches // 2 for side in dims.tolist() if side > 1)
    distinct = np.unique(np.sort(topology.links, axis=1), axis=0)
    if not straight.all() or len(distinct) != wanted:
        return None
    return int(dims[2]), int(dims[1]), int(dims[0])


def _in_order(names: Sequence[str]) -> str:
    """Names as a SLURM list that keeps their order: only consecutive numbers are combined."""
    runs: list[list[str]] = []
    for name in names:
        match = re.fullmatch(r"([^\[\],]*?)([0-9]{1,9})", name)
        last_match = re.fullmatch(r"([^\[\],]*?)([0-9]{1,9})", runs[-1][-1]) if runs else None
        follows = (
            match is not None
            and last_match is not None
            and match[1] == last_match[1]
            and match[2] == f"{int(last_match[2]) + 1:0{len(last_match[2])}d}"
        )
        if follows:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ",".join(hostlist(run) for run in runs)


def hostlist(names: Sequence[str]) -> str:
    """Names as a SLURM list: ``H[0-3,7],login``; names that differ only in their last number are combined.

    Examples
    --------
    >>> hostlist(["n1", "n2", "n3", "n07", "n08", "login"])
    'n[1-3],n[07-08],login'
    """
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    order: list[tuple[str, int] | str] = []
    for name in names:
        match = re.fullmatch(r"([^\[\],]*?)([0-9]{1,9})", name)
        if not match:
            plain.append(name)
            order.append(name)
            continue
        # Leading zeros are kept: such a number is combined only with numbers of the same width.
        key = (match[1], len(match[2]) if match[2][0] == "0" and len(match[2]) > 1 else 0)
        if key not in groups:
            order.append(key)
        groups.setdefault(key, []).append(int(match[2]))
    return ",".join(key if isinstance(key, str) else _ranges(key[0], groups[key], key[1]) for key in order)


def _ranges(stem: str, numbers: list[int], width: int) -> str:
    values = np.unique(numbers)
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 2) != 1)
    ends = np.append(starts[1:] - 1, values.size - 1)
    parts = [
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}"
        for low, high in zip(values[starts].tolist(), values[ends].tolist(), strict=True)
    ]
    return f"{stem}{parts[0]}" if len(values) == 1 else f"{stem}[{','.join(parts)}]"

"""SLURM: topology.conf for the plugin topology/tree, so that jobs get nodes that are near each other.

SLURM knows trees only. Where leaf switches are joined through switches without hosts, as in fat trees, the tree is the real
one: leaves that share upper switches are a block, blocks that share switches above these a larger one. In a network whose
leaves are joined directly all leaves stand under one root, for any other grouping would be made up.
"""

import re
from collections.abc import Sequence

import numpy as np

from topoloom.errors import InputError
from topoloom.fabrics.exports.registry import Order, export, words
from topoloom.fabrics.fabric import Fabric
from topoloom.graph.planes import distinct_planes, plane_count
from topoloom.topology import Topology


@export("slurm", "topology.conf for SLURM's topology/tree", tables=False)
def slurm(order: Order) -> dict[str, str]:
    """topology.conf."""
    return {"topology.conf": slurm_text(order.fabric)}


def slurm_text(fabric: Fabric) -> str:
    """The switches that hosts hang on with their nodes, and the blocks above them; of planes that are alike, the first one's.

    A node is called by the first word of its host's name: ``node17 HCA-1`` is the node ``node17``.

    Raises
    ------
    InputError
        No hosts; a node on two switches, which a tree cannot say; a fabric in parts.
    """
    topology, names = fabric.topology, fabric.switch_names
    if not topology.endpoints.size:
        raise InputError(f"{topology.name}: no hosts, so there is nothing to schedule; add them, as in hosts=4")
    nodes = [name.split()[0] for name in fabric.host_names]
    if plane_count(topology) > 1:
        (plane, alike), *others = distinct_planes(topology)
        if others or plane.hosts.size < topology.hosts:
            raise InputError(
                f"{topology.name}: {alike + sum(count for _, count in others)} planes that differ, and SLURM's tree has a node"
                " under one switch; export the plane that jobs are placed by"
            )
        nodes = [nodes[host] for host in plane.hosts.tolist()]
        topology, names = plane.topology, tuple(names[s] for s in plane.switches.tolist())
    switches = words(names, "switches")
    under: dict[int, dict[str, None]] = {}
    home: dict[str, int] = {}
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        if home.setdefault(nodes[host], switch) != switch:
            one, other = switches[home[nodes[host]]], switches[switch]
            raise InputError(
                f"{topology.name}: node {nodes[host]} hangs on {one} and on {other}; SLURM's tree has a node under one switch:"
                " give hosts with one port, as the same network without rails has them"
            )
        under.setdefault(switch, {})[nodes[host]] = None
    lines = [
        "# slurm.conf: TopologyPlugin=topology/tree",
        *(f"SwitchName={switches[s]} Nodes={hostlist(list(names))}" for s, names in sorted(under.items())),
    ]
    members = {s: switches[s] for s in sorted(under)}
    for level, blocks in enumerate(_blocks(topology), start=1):
        last = len(blocks) == 1
        named = {}
        for number, block in enumerate(blocks):
            name = "fabric" if last else f"block{level}-{number}"
            inside = [members[root] for root in sorted(members) if root in block]
            lines.append(f"SwitchName={name} Switches={hostlist(inside)}")
            named[min(root for root in members if root in block)] = name
        members = named
    return "\n".join(lines) + "\n"


def _blocks(topology: Topology) -> list[list[set[int]]]:
    """The blocks of leaves from the smallest upwards, each as the set of its leaves; the last level is one block.

    A switch's level is how far it is from the nearest leaf; leaves that are joined through switches of lower levels are in
    one block.
    """
    from topoloom.graph.connectivity import component_count

    leaves = np.flatnonzero(topology.endpoints_at)
    if component_count(topology) > 1:
        raise InputError(f"{topology.name}: in parts that no cable joins; SLURM's tree needs one root")
    level = np.full(topology.switches, -1)
    level[leaves] = 0
    offsets, to, _ = topology.csr
    now = leaves.tolist()
    while now:
        now = sorted({int(v) for u in now for v in to[offsets[u] : offsets[u + 1]] if level[v] < 0})
        level[now] = level.max() + 1
    top = int(level.max())
    found: list[list[set[int]]] = []
    for height in range(0 if topology.links.size else top + 1, top + 1):
        parts = _parts(topology, level <= height, leaves)
        # A level that joins nothing, or the same as the one below, is no block.
        if len(parts) < (len(found[-1]) if found else leaves.size):
            found.append(parts)
    return found or [[set(leaves.tolist())]]


def _parts(topology: Topology, inside: np.ndarray, leaves: np.ndarray) -> list[set[int]]:
    """The leaves of each part of the network of these switches, in the order of their first leaf."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = topology.links[inside[topology.links].all(axis=1)]
    shape = (topology.switches, topology.switches)
    _, part = connected_components(coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape), directed=False)
    groups: dict[int, set[int]] = {}
    for leaf in leaves.tolist():
        groups.setdefault(int(part[leaf]), set()).add(leaf)
    return list(groups.values())


def hostlist(names: Sequence[str]) -> str:
    """Names as SLURM writes lists: ``H[0-3,7],login``; names that differ in their last number alone are one.

    Examples
    --------
    >>> hostlist(["n1", "n2", "n3", "n07", "n08", "login"])
    'n[1-3],n[07-08],login'
    """
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    order: list[tuple[str, int] | str] = []
    for name in names:
        found = re.fullmatch(r"([^\[\],]*?)([0-9]{1,9})", name)
        if not found:
            plain.append(name)
            order.append(name)
            continue
        # Zeros in front are kept: a number of them is only like those of the same width.
        key = (found[1], len(found[2]) if found[2][0] == "0" and len(found[2]) > 1 else 0)
        if key not in groups:
            order.append(key)
        groups.setdefault(key, []).append(int(found[2]))
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

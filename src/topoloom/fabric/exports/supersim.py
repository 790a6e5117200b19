"""SuperSim: the parameters of the networks that it knows: tori, meshes, HyperX, Dragonflies, fat trees, one router.

The numbers of its routers are ours, but for fat trees. Source: ``src/network/*/Network.cc`` of supersim (2ee12fe).
"""

import json
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._grids import Grid, network_grid
from topoloom.fabric.exports._shared import equal_hosts, nodes_of_hosts, refuse_hostless
from topoloom.fabric.exports._trees import ExportTree, tree_of
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.topology import Topology


@export(
    "supersim",
    "network of SuperSim: tori, meshes, HyperX, Dragonflies, fat trees",
    tables=False,
    sometimes=("hosts.csv",),
    timed=True,
)
def supersim(order: ExportRequest) -> Files:
    """network.json: the block ``network`` of a configuration, without its routers, interfaces and protocol classes.

    And hosts.csv where SuperSim numbers the hosts otherwise.
    """
    found, node = parameters(order)
    files = {"network.json": json.dumps({"network": found}, indent=1) + "\n"}
    numbers = nodes_of_hosts(node)
    if numbers is not None:
        files["hosts.csv"] = numbers
    return files


def parameters(order: ExportRequest) -> tuple[dict[str, Any], np.ndarray]:
    """What SuperSim builds the network from, and its number of each host, int64[hosts].

    Channels have the mean delay of their kind in cycles.

    Raises
    ------
    InputError
        A network that it does not know; hosts with several ports.
    """
    topology = order.topology
    refuse_hostless(topology)
    if topology.hosts < topology.endpoints.size:
        raise InputError(f"{topology.name}: hosts with several ports; SuperSim joins an interface to one router")
    outside = {"interface_ports": 1, "external_channel": _channel(order, order.host_ns)}
    same = np.arange(topology.hosts)
    if topology.switches == 1:
        return {"topology": "single_router", "concentration": topology.hosts, **outside}, same
    if not topology.endpoints_at.all():
        tree = tree_of(topology, "SuperSim")
        return {**_fat_tree(order, tree), **outside}, tree.places(topology)
    each = equal_hosts(topology, "SuperSim")
    grid = network_grid(topology)
    if grid is not None:
        return {**_grid(order, grid), "concentration": each, **outside}, same
    group = _groups(topology)
    if group is None:
        raise InputError(
            f"{topology.name}: SuperSim knows tori, meshes, HyperX networks, Dragonflies and fat trees; anytopo, booksim"
            " and garnet take any graph"
        )
    found, router = _dragonfly(order, group)
    node = np.empty(topology.hosts, np.int64)
    node[topology.host] = router[topology.endpoints] * each + np.arange(topology.hosts) % each
    return {**found, "concentration": each, **outside}, node


def _channel(order: ExportRequest, delay_ns: np.ndarray) -> dict[str, int]:
    mean = float(delay_ns.mean()) if delay_ns.size else 0.0
    return {"latency": int(order.cycles(mean))}


def _grid(order: ExportRequest, grid: Grid) -> dict[str, Any]:
    # SuperSim counts the first coordinate fastest.
    widths = list(reversed(grid.dims))
    if grid.kind == "torus" and 2 in grid.dims:
        raise InputError(
            f"{order.topology.name}: a side of 2 is one link here and two in SuperSim's torus; take other sides"
        )
    found: dict[str, Any] = {
        "topology": grid.kind,
        "dimension_widths": widths,
        "dimension_weights": [grid.width] * len(widths),
        "internal_channel": _channel(order, order.link_ns),
    }
    return found | ({"channel_mode": "fixed"} if grid.kind == "hyperx" else {})


def _groups(topology: Topology) -> np.ndarray | None:
    """The group of each switch, if there are equal groups of fully joined switches, numbered one after the other."""
    group = topology.labels.get("group")
    if group is None or group.dtype.kind != "i" or group.min() != 0:
        return None
    groups, n = int(group.max()) + 1, topology.switches
    if groups < 2 or n % groups or not np.array_equal(group, np.arange(n) // (n // groups)):
        return None
    inside = topology.links[group[topology.links[:, 0]] == group[topology.links[:, 1]]]
    width = n // groups
    _, counts = np.unique(inside, axis=0, return_counts=True)
    full = counts.size == groups * width * (width - 1) // 2 and (not counts.size or (counts == counts[0]).all())
    return np.asarray(group) if full else None


def _dragonfly(order: ExportRequest, group: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """A Dragonfly whose global links are those that SuperSim lays, and its number of each router.

    Its global port k leads k + 1 groups on; those of ``wiring=palmtree`` as many back, so that groups are counted backwards.
    """
    topology = order.topology
    groups = int(group.max()) + 1
    width = topology.switches // groups
    inside = group[topology.links[:, 0]] == group[topology.links[:, 1]]
    pairs = groups * width * (width - 1) // 2
    local = int(inside.sum()) // pairs if pairs else 1
    weight = int((~inside).sum()) // (groups * (groups - 1) // 2)
    same = np.arange(topology.switches)
    back = (-group) % groups * width + same % width
    lays = _links(groups, width, local, weight) if weight else np.empty((0, 2), np.int32)
    router = next((way for way in (same, back) if np.array_equal(_sorted(way[topology.links]), lays)), None)
    if router is None:
        raise InputError(
            f"{topology.name}: its global links are not those of SuperSim's Dragonfly of {groups} groups of {width};"
            " dragonfly with wiring=palmtree has them"
        )
    return {
        "topology": "dragonfly",
        "local_width": width,
        "local_weight": local,
        "global_width": groups,
        "global_weight": weight,
        "channel_mode": "fixed",
        "local_channel": _channel(order, order.link_ns[inside]),
        "global_channel": _channel(order, order.link_ns[~inside]),
    }, router


def _sorted(links: np.ndarray) -> np.ndarray:
    """Links with the lower switch first, in order."""
    links = np.sort(links, axis=1)
    return links[np.lexsort((links[:, 1], links[:, 0]))].astype(np.int32)


def _links(groups: int, width: int, local: int, weight: int) -> np.ndarray:
    """The links that SuperSim makes, sorted: global port (offset - 1) of each copy is on router port // ports a router."""
    ports = -(-((groups - 1) * weight) // width)
    copy, source, offset = (axis.ravel() for axis in np.indices((weight, groups, groups - 1)))
    offset = offset + 1
    target = (source + offset) % groups
    base = copy * (groups - 1)
    ends = (source * width + (base + offset - 1) // ports, target * width + (base + groups - offset - 1) // ports)
    once = source < target
    first, second = np.triu_indices(width, 1)
    within = np.arange(groups)[:, None] * width
    inside = np.stack([within + first, within + second], axis=-1).reshape(-1, 2)
    return _sorted(np.concatenate([*[inside] * local, np.stack(ends, axis=1)[once]]))


def _fat_tree(order: ExportRequest, tree: ExportTree) -> dict[str, Any]:
    topology = order.topology
    if any(count != 1 for count in tree.cables):
        raise InputError(f"{topology.name}: parallel cables; SuperSim's fat trees have one between two routers")
    of_link = tree.level[topology.links].min(axis=1)
    down_up: list[list[int]] = [[down, up] for down, up in zip(tree.down[:-1], tree.up, strict=True)]
    return {
        "topology": "fat_tree",
        "down_up": [*down_up, [tree.down[-1]]],
        "internal_channels": [_channel(order, order.link_ns[of_link == tier]) for tier in range(len(tree.up))],
    }

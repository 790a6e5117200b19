"""SuperSim: the parameters of the networks that it supports: tori, meshes, HyperX, Dragonflies, fat trees, one router.

Its router numbers equal topoloom's, except in fat trees. Source: ``src/network/*/Network.cc`` of supersim (2ee12fe).
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
    one_rate="SuperSim's channels have a latency each, and all pass a flit in the same time",
)
def supersim(request: ExportRequest) -> Files:
    """network.json: the block ``network`` of a configuration, without routers, interfaces and protocol classes.

    Also hosts.csv if SuperSim numbers the hosts differently.
    """
    network, node = parameters(request)
    files = {"network.json": json.dumps({"network": network}, indent=1) + "\n"}
    numbers = nodes_of_hosts(node)
    if numbers is not None:
        files["hosts.csv"] = numbers
    return files


def parameters(request: ExportRequest) -> tuple[dict[str, Any], np.ndarray]:
    """SuperSim's parameters of the network, and its number of each host, int64[hosts].

    Channels have the mean delay of their kind, in cycles.

    Raises
    ------
    InputError
        SuperSim does not support the network, or hosts have several ports.
    """
    topology = request.topology
    refuse_hostless(topology)
    if topology.hosts < topology.endpoints.size:
        raise InputError(f"{topology.name}: hosts with several ports; SuperSim joins an interface to one router")
    outside = {"interface_ports": 1, "external_channel": _channel(request, request.host_ns)}
    same = np.arange(topology.hosts)
    if topology.switches == 1:
        return {"topology": "single_router", "concentration": topology.hosts, **outside}, same
    if not topology.endpoints_at.all():
        tree = tree_of(topology, "SuperSim")
        return {**_fat_tree(request, tree), **outside}, tree.places(topology)
    each = equal_hosts(topology, "SuperSim")
    grid = network_grid(topology)
    if grid is not None:
        return {**_grid(request, grid), "concentration": each, **outside}, same
    group = _groups(topology)
    if group is None:
        raise InputError(
            f"{topology.name}: SuperSim supports tori, meshes, HyperX networks, Dragonflies and fat trees; anytopo, booksim"
            " and garnet take any graph"
        )
    network, router = _dragonfly(request, group)
    node = np.empty(topology.hosts, np.int64)
    node[topology.host] = router[topology.endpoints] * each + np.arange(topology.hosts) % each
    return {**network, "concentration": each, **outside}, node


def _channel(request: ExportRequest, delay_ns: np.ndarray) -> dict[str, int]:
    mean = float(delay_ns.mean()) if delay_ns.size else 0.0
    return {"latency": int(request.cycles(mean))}


def _grid(request: ExportRequest, grid: Grid) -> dict[str, Any]:
    # In SuperSim the first coordinate varies fastest.
    widths = list(reversed(grid.dims))
    if grid.kind == "torus" and 2 in grid.dims:
        raise InputError(
            f"{request.topology.name}: a side of 2 has one link here and two in SuperSim's torus; use other sides"
        )
    network: dict[str, Any] = {
        "topology": grid.kind,
        "dimension_widths": widths,
        "dimension_weights": [grid.width] * len(widths),
        "internal_channel": _channel(request, request.link_ns),
    }
    return network | ({"channel_mode": "fixed"} if grid.kind == "hyperx" else {})


def _groups(topology: Topology) -> np.ndarray | None:
    """The group of each switch, if the network has equal groups of fully connected switches, numbered consecutively."""
    group = topology.labels.get("group")
    if group is None or group.dtype.kind != "i" or group.min() != 0:
        return None
    groups, n = int(group.max()) + 1, topology.switches
    if groups < 2 or n % groups or not np.array_equal(group, np.arange(n) // (n // groups)):
        return None
    a, b = group[topology.links].T
    inside = topology.links[a == b]
    width = n // groups
    _, counts = np.unique(inside, axis=0, return_counts=True)
    full = counts.size == groups * width * (width - 1) // 2 and (not counts.size or (counts == counts[0]).all())
    return np.asarray(group) if full else None


def _dragonfly(request: ExportRequest, group: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """A Dragonfly whose global links are those that SuperSim creates, and SuperSim's number of each router.

    SuperSim's global port k leads k + 1 groups forward; that of ``wiring=palmtree`` as many back, so groups count backwards.
    """
    topology = request.topology
    groups = int(group.max()) + 1
    width = topology.switches // groups
    inside = group[topology.links[:, 0]] == group[topology.links[:, 1]]
    pairs = groups * width * (width - 1) // 2
    local = int(inside.sum()) // pairs if pairs else 1
    weight = int((~inside).sum()) // (groups * (groups - 1) // 2)
    as_here = np.arange(topology.switches)
    reversed_groups = (-group) % groups * width + as_here % width
    expected = _links(groups, width, local, weight) if weight else np.empty((0, 2), np.int32)
    router = next(
        (
            numbering
            for numbering in (as_here, reversed_groups)
            if np.array_equal(_sorted(numbering[topology.links]), expected)
        ),
        None,
    )
    if router is None:
        raise InputError(
            f"{topology.name}: its global links are not those of SuperSim's Dragonfly of {groups} groups of {width};"
            " use dragonfly with wiring=palmtree"
        )
    return {
        "topology": "dragonfly",
        "local_width": width,
        "local_weight": local,
        "global_width": groups,
        "global_weight": weight,
        "channel_mode": "fixed",
        "local_channel": _channel(request, request.link_ns[inside]),
        "global_channel": _channel(request, request.link_ns[~inside]),
    }, router


def _sorted(links: np.ndarray) -> np.ndarray:
    """Links with the lower switch first, sorted."""
    links = np.sort(links, axis=1)
    return links[np.lexsort((links[:, 1], links[:, 0]))].astype(np.int32)


def _links(groups: int, width: int, local: int, weight: int) -> np.ndarray:
    """The links that SuperSim creates, sorted; global port (offset - 1) of a copy is on router (port // ports per router)."""
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


def _fat_tree(request: ExportRequest, tree: ExportTree) -> dict[str, Any]:
    topology = request.topology
    if any(count != 1 for count in tree.cables):
        raise InputError(f"{topology.name}: parallel cables; SuperSim's fat trees have one cable between two routers")
    of_link = tree.level[topology.links].min(axis=1)
    down_up: list[list[int]] = [[down, up] for down, up in zip(tree.down[:-1], tree.up, strict=True)]
    return {
        "topology": "fat_tree",
        "down_up": [*down_up, [tree.down[-1]]],
        "internal_channels": [_channel(request, request.link_ns[of_link == tier]) for tier in range(len(tree.up))],
    }

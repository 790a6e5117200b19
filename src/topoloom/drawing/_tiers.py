"""Blocks of networks with levels and groups: tiers as rows, pods as columns, groups on a ring."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.drawing._parts import MOST_TOGETHER, Part, block_part, points_part, rows_part, switch_part
from topoloom.model.topology import Topology

#: The height of a tier of switches compared with a row of pods, which hold several tiers.
_TIER, _PODS = 1.0, 2.6
#: What the switches of a lowest level are that is a network of its own: of boards of accelerators, for example.
_NODE = "node"
#: The names of the levels of a tree.
_ROLES = {1: ("switch",), 2: ("leaf", "spine"), 3: ("leaf", "spine", "core")}


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels and groups of a network's switches.

    Attributes
    ----------
    level : int64[switches]
        From 0, the lowest.
    roles : tuple of str
        The name of each level's switches.
    group : int64[switches]
    group_names : tuple of str
    block : str[switches] or None
        The name of each switch's block in a network of several kinds of groups.
    """

    level: np.ndarray
    roles: tuple[str, ...]
    group: np.ndarray
    group_names: tuple[str, ...]
    block: np.ndarray | None = None

    @classmethod
    def labelled(cls, topology: Topology) -> "Levels":
        """The levels and groups of labels."""
        labels = topology.labels
        order = _row_order(topology)
        level = np.unique(order, return_inverse=True)[1].reshape(-1)
        value, group = np.unique(labels["group"], return_inverse=True) if "group" in labels else ([0], level * 0)
        names = tuple(map(str, value))
        return cls(level, _roles(topology, level), group.reshape(-1), names, labels.get("block"))


def _row_order(topology: Topology) -> np.ndarray:
    """The row of each switch, upwards: its level, or its layer where spines stand between two layers of leaves."""
    level = topology.labels["level"]
    layer = topology.labels.get("layer")
    if layer is None:
        return level
    top = int(level.max())
    # The layers of leaves stand on both sides of the spines.
    return np.where(level == top, 1, np.where(layer == layer.min(), 0, 2))


def _roles(topology: Topology, level: np.ndarray) -> tuple[str, ...]:
    count = int(level.max()) + 1
    own = topology.labels.get("level")
    if own is not None and np.unique(own).size < count:
        return ("leaf", "spine", "leaf")
    if (level[topology.links] == 0).all(axis=1).any() and count > 1:
        # The lowest level is a network of its own.
        return (_NODE, "switch") if count == 2 else (_NODE, *(f"switch level {number}" for number in range(1, count)))
    return _ROLES.get(count) or ("leaf", *(f"spine level {number}" for number in range(1, count - 1)), "core")


def is_row_of_levels(topology: Topology) -> bool:
    """Whether the label ``level`` only counts the switches of each group, as in a ring of supernodes."""
    labels = topology.labels
    if "group" not in labels:
        return False
    group = np.unique(labels["group"], return_inverse=True)[1].reshape(-1)
    level = np.unique(labels["level"], return_inverse=True)[1].reshape(-1)
    if int(level.max()) < 3 and "layer" not in labels:
        return False
    keys = [group * (int(level.max()) + 1) + level]
    if "layer" in labels:
        layer = np.unique(labels["layer"], return_inverse=True)[1].reshape(-1)
        keys = [keys[0] * (int(layer.max()) + 1) + layer]
        if np.unique(layer * (int(level.max()) + 1) + level).size == int(layer.max()) + 1:
            return False  # the layer says the level
    return bool(np.unique(keys[0]).size == keys[0].size)


def found_levels(topology: Topology) -> Levels | None:
    """The levels of a tree without labels: steps from the switches with hosts, where links only join neighbouring levels.

    Its pods are what stays connected without the highest level.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, links = topology.switches, topology.links
    served = topology.endpoints_at > 0
    if served.all() or not served.any() or not len(links):
        return None
    level = np.where(served, 0, n)
    for step in range(8):
        for near, other in (links.T, links.T[::-1]):
            np.minimum.at(level, other[level[near] == step], step + 1)
    if (level == n).any() or (np.abs(np.diff(level[links], axis=1)) != 1).any():
        return None
    below = links[(level[links] < level.max()).all(axis=1)]
    graph = coo_array((np.ones(len(below), np.int8), (below[:, 0], below[:, 1])), shape=(n, n))
    group = connected_components(graph, directed=False)[1]
    # Switches that are alone, such as those of the highest level, are in no pod.
    return Levels(level, _roles(topology, level), group, tuple(map(str, range(int(group.max()) + 1))))


def tiers_part(levels: Levels, kind: str, name: str, switches: np.ndarray) -> Part:
    """A block of tiers as rows, the highest on top; groups of several levels are pods in a row, or on a ring without tiers."""
    level, group = levels.level[switches], levels.group[switches]
    spread = _spread(group, level)
    pods = switches[spread[group]]
    rows: list[tuple[float, Part, float]] = []
    for number in np.unique(level[~spread[group]]).tolist():
        tier = switches[~spread[group] & (level == number)]
        high = _PODS if levels.roles[number] == _NODE else _TIER
        rows.append((number, _tier(levels, number, tier), high))
    if pods.size:
        groups = np.unique(levels.group[pods])
        if not rows and groups.size == 1:
            return _inner_rows(levels, kind, name, pods)
        if pods.size == switches.size and groups.size > 1:
            parts = [_pod(levels, "group", each, pods) for each in groups.tolist()]
            return block_part(kind, name, parts, "ring")
        parts = [_pod(levels, "pod", each, pods) for each in groups.tolist()]
        row = block_part("pods", "pods", parts, "row")
        rows.append((float(levels.level[pods].mean()), row, _PODS))
    if len(rows) == 1:
        return rows[0][1].called(kind, name)
    rows.sort(key=lambda row: -row[0])
    return rows_part(kind, name, [(part, high) for _, part, high in rows])


def _spread(group: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Whether each group has switches of several levels, bool[groups]."""
    low = np.full(int(group.max()) + 1, np.iinfo(np.int64).max)
    high = np.full(low.size, -1)
    np.minimum.at(low, group, level)
    np.maximum.at(high, group, level)
    return high > low


def _pod(levels: Levels, kind: str, number: int, switches: np.ndarray) -> Part:
    own = switches[levels.group[switches] == number]
    return _inner_rows(levels, kind, f"{kind} {levels.group_names[number]}", own)


def _inner_rows(levels: Levels, kind: str, name: str, switches: np.ndarray) -> Part:
    """The rows of a pod, one per level."""
    level = levels.level[switches]
    numbers = np.unique(level).tolist()[::-1]
    tiers = [(_tier(levels, number, switches[level == number]), 1.0) for number in numbers]
    if len(tiers) == 1:
        return tiers[0][0].called(kind, name)
    names = [tier.name for tier, _ in tiers]
    tiers = [
        (tier.called(tier.kind, f"{tier.name}, row {at}") if names.count(tier.name) > 1 else tier, high)
        for at, (tier, high) in enumerate(tiers)
    ]
    return rows_part(kind, name, tiers)


def _tier(levels: Levels, number: int, switches: np.ndarray) -> Part:
    """One tier: by the blocks of a mixed network, then by groups, then by consecutive switches."""
    role = levels.roles[number]
    name = role if levels.roles.count(role) == 1 else f"{role}, layer {0 if number == 0 else 1}"
    if levels.block is not None:
        blocks = list(dict.fromkeys(levels.block[switches].tolist()))
        if len(blocks) > 1:
            parts = [
                _grouped(levels, "block", str(block), switches[levels.block[switches] == block], role)
                for block in blocks
            ]
            return block_part("tier", name, parts, "row")
        name = str(blocks[0])
    return _grouped(levels, "tier", name, switches, role)


def _grouped(levels: Levels, kind: str, name: str, switches: np.ndarray, role: str) -> Part:
    group = levels.group[switches]
    numbers, sizes = np.unique(group, return_counts=True)
    if numbers.size == 1 or sizes.max() == 1:
        return switch_part(kind, name, switches, role, "row")
    order = np.argsort(group, kind="stable")
    pieces = np.split(switches[order], np.cumsum(sizes)[:-1])
    what = "board" if role == _NODE else "group"
    parts = [
        switch_part(what, f"{what} {levels.group_names[number]}", piece, role, "grid")
        for number, piece in zip(numbers.tolist(), pieces, strict=True)
    ]
    return block_part(kind, name, parts, "grid" if role == _NODE else "row")


def groups_part(topology: Topology, kind: str, name: str, switches: np.ndarray) -> Part:
    """Groups on a ring, each with its switches on a small circle, or in rows where a label parts them."""
    labels = topology.labels
    values, group, sizes = np.unique(labels["group"][switches], return_inverse=True, return_counts=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    pieces = np.split(switches[order], np.cumsum(sizes)[:-1])
    inner = _inside_groups(topology)
    block = labels.get("block")
    parts = [
        inner("group", f"group {value}" if block is None else f"{block[piece[0]]}, group {value}", piece)
        for value, piece in zip(values.tolist(), pieces, strict=True)
    ]
    return block_part(kind, name, parts, "ring")


def _inside_groups(topology: Topology) -> Callable[[str, str, np.ndarray], Part]:
    """How the switches of a group stand."""
    labels = topology.labels
    rows = next((labels[name] for name in ("subgraph", "chassis", "layer") if name in labels), None)

    def in_rows(kind: str, name: str, switches: np.ndarray) -> Part:
        if rows is None or switches.size > 2 * MOST_TOGETHER or np.unique(rows[switches]).size < 2:
            return switch_part(kind, name, switches, "switch", "ring")
        return points_part(kind, name, _row_by_row(rows[switches]), switches)

    return in_rows


def _row_by_row(rows: np.ndarray) -> np.ndarray:
    """Places by rows, each filled from the left."""
    _, row, sizes = np.unique(rows, return_inverse=True, return_counts=True)
    row = row.reshape(-1)
    order = np.argsort(row, kind="stable")
    column = np.empty(row.size, np.int64)
    column[order] = np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.stack([column, row], axis=1).astype(np.float64)

"""Fat trees that some simulators describe by numbers alone: all subtrees of a level are equal; recognised by their links."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import refuse_hostless
from topoloom.model.topology import Topology

_MOST_LEVELS = 3


@dataclass(frozen=True, eq=False)
class ExportTree:
    """A fat tree of equal subtrees, of one to three levels.

    Attributes
    ----------
    level : int64[switches]
        0 for leaves.
    down : tuple of int
        Children of a switch of each level: hosts at a leaf, then switches.
    up : tuple of int
        Parents of a switch of each level except the top.
    cables : tuple of int
        Parallel cables between a switch of each level except the top and each of its parents.
    pod : int64[leaves]
        The subtree below the top level that contains each leaf; with two levels, each leaf is its own.
    """

    level: np.ndarray
    down: tuple[int, ...]
    up: tuple[int, ...]
    cables: tuple[int, ...]
    pod: np.ndarray

    @property
    def leaves(self) -> np.ndarray:
        """The leaf switches, pod by pod, int64[leaves]."""
        return np.flatnonzero(self.level == 0)[np.argsort(self.pod, kind="stable")]

    def places(self, topology: Topology) -> np.ndarray:
        """The number of each host when hosts are counted pod by pod, leaf by leaf, int64[hosts]."""
        first = np.zeros(topology.switches, np.int64)
        first[self.leaves] = np.arange(self.leaves.size) * self.down[0]
        begin = np.searchsorted(topology.endpoints, topology.endpoints)
        place = np.empty(topology.hosts, np.int64)
        place[topology.host] = first[topology.endpoints] + np.arange(topology.endpoints.size) - begin
        return place


def tree_of(topology: Topology, tool: str) -> ExportTree:
    """The network as a fat tree.

    Parameters
    ----------
    topology : Topology
    tool : str
        The tool that supports only fat trees, for messages.

    Raises
    ------
    InputError
        The network is not a fat tree, or not uniform.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> tree = tree_of(build("fat-tree:k=4"), "htsim")
    >>> tree.down, tree.up, tree.cables
    ((2, 2, 4), (2, 2), (1, 1))
    """
    refuse_hostless(topology)
    refuse = _Refusal(topology, tool)
    if topology.hosts < topology.endpoints.size:
        raise refuse("hosts with several ports")
    level = _levels(topology, refuse)
    top = int(level.max())
    pairs, cables = np.unique(topology.links, axis=0, return_counts=True)
    low = np.where(level[pairs[:, 0]] < level[pairs[:, 1]], 0, 1)
    child = pairs[np.arange(len(pairs)), low]
    parent = pairs[np.arange(len(pairs)), 1 - low]
    down, up, width = [_one(topology.endpoints_at[level == 0], "hosts at a leaf", refuse)], [], []
    for here in range(top):
        rows = level[child] == here
        up.append(_one(np.bincount(child[rows], minlength=topology.switches)[level == here], "parents", refuse))
        down.append(_one(np.bincount(parent[rows], minlength=topology.switches)[level == here + 1], "children", refuse))
        width.append(_one(cables[rows], "cables to a parent", refuse))
    pod = _pods(child, parent, level, top, refuse)
    return ExportTree(level, tuple(down), tuple(up), tuple(width), pod)


class _Refusal:
    """Makes the error that states why a network is not a uniform tree."""

    def __init__(self, topology: Topology, tool: str) -> None:
        self._start = f"{topology.name}: {tool} supports fat trees of equal subtrees, of at most {_MOST_LEVELS} levels"

    def __call__(self, reason: str) -> InputError:
        return InputError(f"{self._start}; this network has {reason}")


def _levels(topology: Topology, refuse: _Refusal) -> np.ndarray:
    """The distance of each switch from the leaves; links go one level up."""
    level = np.where(topology.endpoints_at > 0, 0, -1)
    u, v = topology.links.T
    for here in range(topology.switches):
        reached = np.concatenate([v[level[u] == here], u[level[v] == here]])
        fresh = reached[level[reached] < 0]
        if not fresh.size:
            break
        level[fresh] = here + 1
    if (level < 0).any():
        raise refuse("switches that cannot be reached from hosts")
    if (np.abs(level[u] - level[v]) != 1).any():
        raise refuse("links within a level")
    if level.max() >= _MOST_LEVELS:
        raise refuse(f"{int(level.max()) + 1} levels")
    return level


def _one(values: np.ndarray, what: str, refuse: _Refusal) -> int:
    """The value that all have; refuses different values."""
    if values.min() != values.max():
        raise refuse(f"{values.min()} to {values.max()} {what}")
    return int(values[0])


def _pods(child: np.ndarray, parent: np.ndarray, level: np.ndarray, top: int, refuse: _Refusal) -> np.ndarray:
    """The pod of each leaf, int64[leaves]; refuses trees whose subtrees have different wiring."""
    leaves = np.flatnonzero(level == 0)
    whole = np.full(level.size, -1)
    whole[leaves] = np.arange(leaves.size)
    if top == 0:
        if leaves.size > 1:
            raise refuse(f"{leaves.size} switches without links")
        return np.zeros(1, np.int64)
    signature = _signatures(child, parent, level, 0)
    if top == 1:
        if len({signature[leaf] for leaf in leaves.tolist()}) != 1:
            raise refuse("leaves that do not reach every spine")
        return np.arange(leaves.size)
    pods = {key: number for number, key in enumerate(dict.fromkeys(signature[leaf] for leaf in leaves.tolist()))}
    pod = np.array([pods[signature[leaf]] for leaf in leaves.tolist()], np.int64)
    middles = [middle for key in pods for middle in key]
    if len(set(middles)) < len(middles):
        raise refuse("pods that share middle switches, or have different wiring")
    _one(np.bincount(pod), "leaves in a pod", refuse)
    upper = _signatures(child, parent, level, 1)
    # Each pod has one middle switch for each set of top switches, and the sets are the same in all pods.
    sets = {frozenset(upper[middle] for middle in key) for key in pods}
    if len(sets) != 1 or any(len({upper[middle] for middle in key}) < len(key) for key in pods):
        raise refuse("pods with different links to the top")
    reached = [s for uppers in next(iter(sets)) for s in uppers]
    if len(set(reached)) < len(reached):
        raise refuse("middle switches of one pod that share a top switch")
    return pod


def _signatures(child: np.ndarray, parent: np.ndarray, level: np.ndarray, tier: int) -> dict[int, tuple[int, ...]]:
    """The parents of each switch of a level."""
    parents: dict[int, list[int]] = {s: [] for s in np.flatnonzero(level == tier).tolist()}
    rows = level[child] == tier
    for low, high in zip(child[rows].tolist(), parent[rows].tolist(), strict=True):
        parents[low].append(high)
    return {low: tuple(sorted(highs)) for low, highs in parents.items()}

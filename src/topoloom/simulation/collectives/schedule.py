"""CollectiveSchedule: what each rank sends to whom, chunk by chunk and by which paths; written as JSON and read back."""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_path
from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.collectives.bound import OPERATIONS
from topoloom.simulation.collectives.forest import Tree, TreeEdge

#: What trees do: bring a root's chunks to all, add up what all have at the root, or one after the other.
GATHERS, REDUCES = ("allgather", "broadcast", "allreduce", "alltoall"), ("reduce-scatter", "allreduce")


@dataclass(frozen=True, eq=False)
class CollectiveSchedule(Result):
    """A collective as trees over its ranks.

    A tree carries `Tree.chunks` chunks from `Tree.first` on. In an all-gather or a broadcast they go from the root along the
    edges to all ranks. In a reduce-scatter they go the other way, from receiver to sender of each edge, the last edges first,
    and are added up on the way: the root has the sum. An all-reduce is that, and then the other. In an all-to-all chunk
    i ranks + j is what rank i has for rank j, and a tree's last edge ends there.

    Attributes
    ----------
    operation : str
    ranks : int
    bytes : int
        Of the whole, as `topoloom.simulation.collectives.bound.OPERATIONS` has it; of an all-to-all from each rank to
        each other.
    algorithm : "forest", "ring" or "direct"
    paths : "own" or "tables"
        Whether messages take the paths that stand here, or those of the tables, which are the same where they go forward and
        may be others where they go back.
    chunks : int
        All of them; those of root r are its share, in the order of ranks. Of an all-to-all ranks^2.
    pieces : int
        In how many pieces, one after the other, each message goes.
    hosts : int64[ranks]
    trees : tuple of Tree
    """

    record_name = "collective-schedule"
    derived = ("depth", "chunk_bytes")

    operation: str
    ranks: int
    bytes: int
    algorithm: str
    paths: str
    chunks: int
    pieces: int
    hosts: np.ndarray
    trees: tuple[Tree, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def depth(self) -> int:
        """The most messages in a row on a path from a root."""
        return max((tree.depth for tree in self.trees), default=0)

    @property
    def chunk_bytes(self) -> float:
        """Bytes of a chunk; of an all-to-all all of a pair's."""
        if self.operation == "alltoall":
            return float(self.bytes)
        return self.bytes / self.chunks if self.chunks else 0.0

    @property
    def edges(self) -> int:
        """Messages of all trees in one direction, those of several chunks as one."""
        return sum(len(tree.edges) for tree in self.trees)

    def rows(self) -> list[dict[str, Any]]:
        """A row an edge of each tree, in their order."""
        return [
            {
                "tree": number,
                "root": tree.root,
                "first": tree.first,
                "chunks": tree.chunks,
                "sender": edge.sender,
                "receiver": edge.receiver,
                "switches": " ".join(map(str, edge.switches)),
            }
            for number, tree in enumerate(self.trees)
            for edge in tree.edges
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw how deep the trees are: chunks by the depth of their tree."""
        depth, place = np.unique([tree.depth for tree in self.trees], return_inverse=True)
        amount = np.bincount(place.reshape(-1), [tree.chunks for tree in self.trees], depth.size)
        axes.bar(depth.astype(str), amount, color=COLOURS[0])
        axes.set_xlabel("messages in a row")
        axes.set_ylabel("chunks")
        axes.set_title(f"{self.operation}, {self.ranks} ranks by {self.algorithm}", loc="left")


def checked_schedule(schedule: CollectiveSchedule, source: str) -> CollectiveSchedule:
    """The same schedule, whose trees bring everybody what is due; refuse what does not, as a file that was changed may.

    Parameters
    ----------
    schedule : CollectiveSchedule
    source : str
        Where it comes from, for messages.

    Raises
    ------
    InputError
        Ranks, chunks or edges that there are not, a sender that has nothing yet, a rank that a tree leaves out.
    """
    n, pairs = schedule.ranks, schedule.operation == "alltoall"
    if schedule.operation not in OPERATIONS or n < 1 or len(schedule.hosts) != n or schedule.pieces < 1:
        raise InputError(f"{source}: a schedule needs an operation, a host for each rank, and pieces from 1 on")
    carried = np.zeros(max(0, min(schedule.chunks, 1 << 26)), np.int64)
    for number, tree in enumerate(schedule.trees):
        ends = [tree.root, *(one for edge in tree.edges for one in (edge.sender, edge.receiver))]
        if min(ends) < 0 or max(ends) >= n or tree.chunks < 1 or not 0 <= tree.first <= carried.size - tree.chunks:
            raise InputError(f"{source}: tree {number} has ranks or chunks that there are not")
        have = {tree.root}
        for edge in tree.edges:
            if edge.sender not in have or edge.receiver in have:
                raise InputError(
                    f"{source}: in tree {number} rank {edge.sender} sends to {edge.receiver}"
                    " what it does not have, or what is there"
                )
            have.add(edge.receiver)
        if not pairs and len(have) != n:
            raise InputError(f"{source}: tree {number} reaches {len(have)} of {n} ranks")
        if pairs and (
            tree.first // n != tree.root
            or not tree.edges
            or tree.edges[-1].receiver != tree.first % n
            or tree.chunks > 1
        ):
            raise InputError(f"{source}: tree {number} does not end at the rank that its chunk is for")
        carried[tree.first : tree.first + tree.chunks] += 1
        if schedule.operation != "broadcast" and not pairs and tree.chunks:
            share = schedule.chunks // n
            if tree.first // share != tree.root or (tree.first + tree.chunks - 1) // share != tree.root:
                raise InputError(f"{source}: tree {number} carries chunks that are not those of its root")
    wanted = np.ones(carried.size, np.int64)
    if pairs:
        wanted[:: n + 1] = 0
    if carried.size != schedule.chunks or not np.array_equal(carried, wanted):
        raise InputError(f"{source}: not every chunk is carried once")
    return schedule


def read_schedule(path: str | os.PathLike[str]) -> CollectiveSchedule:
    """The schedule in a file that `CollectiveSchedule.save` or ``topoloom collective -o`` wrote, checked.

    Raises
    ------
    InputError
        It is none, or its trees do not bring everybody what is due.
    """
    check_path(path, "read_schedule", "name a file")
    return checked_schedule(CollectiveSchedule.load(path), str(path))


def chain_trees(order: list[int], steps: list[tuple[int, ...]]) -> tuple[Tree, ...]:
    """A ring as trees: from each rank a chain round all others.

    Parameters
    ----------
    order : list of int
        Ranks round the ring.
    steps : list of tuple of int
        The switches between each and the next.

    Returns
    -------
    tuple of Tree
        By their roots, a chunk each.
    """
    n, found = len(order), []
    for begin in sorted(range(n), key=order.__getitem__):
        edges = tuple(
            TreeEdge(order[(begin + i) % n], order[(begin + i + 1) % n], steps[(begin + i) % n]) for i in range(n - 1)
        )
        found.append(Tree(order[begin], order[begin], 1, edges))
    return tuple(found)

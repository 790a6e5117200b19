"""CollectiveSchedule: the messages of a collective as trees of chunks with paths; it can be saved as JSON and read back."""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_path
from topoloom.core.files import read_text
from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result
from topoloom.simulation.collectives.bound import OPERATIONS
from topoloom.simulation.collectives.forest import Tree, TreeEdge
from topoloom.simulation.collectives.msccl_program import MscclProgram, begins_as_xml, read_msccl

#: What a plan of MSCCL++ has, and the most characters of a file.
_MSCCLPP, _MOST_CHARACTERS = '"threadblocks"', 1 << 28
#: Operations whose trees distribute a root's chunks to all ranks, and those whose trees add up chunks at the root.
GATHERS, REDUCES = ("allgather", "broadcast", "allreduce", "alltoall"), ("reduce-scatter", "allreduce")


@dataclass(frozen=True, eq=False)
class CollectiveSchedule(Result):
    """A collective as trees over its ranks.

    A tree carries `Tree.chunks` chunks, from number `Tree.first` on. In an all-gather or a broadcast they travel from the root
    along the edges to all ranks. In a reduce-scatter they travel in reverse, from receiver to sender of each edge, the last
    edges first, and are added up on the way: the root gets the sum. An all-reduce is a reduce-scatter followed by an
    all-gather. In an all-to-all, chunk i ranks + j is the data from rank i to rank j, and a tree's last edge ends there.

    Attributes
    ----------
    operation : str
    ranks : int
    bytes : int
        Bytes as in `topoloom.simulation.collectives.bound.OPERATIONS`; for an all-to-all, from each rank to each other.
    algorithm : "forest", "ring", "rings", "rail-ring", "chains", "binomial" or "direct"
    paths : "own" or "tables"
        Whether messages use the paths of the schedule, or those of the tables. Listed paths of the tables are those of the
        forward direction; the tables may use other paths in reverse.
    chunks : int
        The number of all chunks, in equal shares of the roots, in the order of ranks. For an all-to-all, ranks^2.
    pieces : int
        The number of pieces of each message, sent one after the other.
    hosts : int64[ranks]
        The host of each rank.
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
        """The most successive messages on a path from a root."""
        return max((tree.depth for tree in self.trees), default=0)

    @property
    def chunk_bytes(self) -> float:
        """Bytes per chunk; in an all-to-all, the bytes of a pair."""
        if self.operation == "alltoall":
            return float(self.bytes)
        return self.bytes / self.chunks if self.chunks else 0.0

    @property
    def edges(self) -> int:
        """Messages of all trees in one direction, counting those of several chunks as one."""
        return sum(len(tree.edges) for tree in self.trees)

    def rows(self) -> list[dict[str, Any]]:
        """One row per edge of each tree, in order."""
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
        axes.set_xlabel("depth of the tree [messages]")
        axes.set_ylabel("size [chunks]")
        axes.set_title(f"{self.operation}, {self.ranks} ranks by {self.algorithm}", loc="left")


def checked_schedule(schedule: CollectiveSchedule, source: str) -> CollectiveSchedule:
    """Return the schedule if its trees deliver all data; refuse it otherwise, as after a change of its file.

    Parameters
    ----------
    schedule : CollectiveSchedule
    source : str
        The source of the schedule, for messages.

    Raises
    ------
    InputError
        Unknown ranks or chunks, a sender that has no data yet, a rank that a tree does not reach.
    """
    n, pairs = schedule.ranks, schedule.operation == "alltoall"
    if schedule.operation not in OPERATIONS or n < 1 or len(schedule.hosts) != n or schedule.pieces < 1:
        raise InputError(f"{source}: a schedule needs an operation, a host for each rank, and at least 1 piece")
    stepped = any(tree.turns for tree in schedule.trees)
    carried = np.zeros(max(0, min(schedule.chunks, 1 << 26)), np.int64)
    for number, tree in enumerate(schedule.trees):
        ends = [tree.root, *(rank for edge in tree.edges for rank in (edge.sender, edge.receiver))]
        if min(ends) < 0 or max(ends) >= n or tree.chunks < 1 or not 0 <= tree.first <= carried.size - tree.chunks:
            raise InputError(f"{source}: tree {number} has unknown ranks or chunks")
        if stepped and (len(tree.turns) != len(tree.edges) or tree.chunks > 1):
            raise InputError(f"{source}: tree {number} needs one chunk, and a step per edge, as other trees have steps")
        have = {tree.root: -1}
        for place, edge in enumerate(tree.edges):
            if edge.sender not in have or edge.receiver in have:
                raise InputError(
                    f"{source}: in tree {number} rank {edge.sender} sends to {edge.receiver} data that it does not"
                    " have, or that"
                    " are already there"
                )
            have[edge.receiver] = tree.turns[place] if tree.turns else 0
            if tree.turns and have[edge.sender] >= tree.turns[place]:
                raise InputError(
                    f"{source}: in tree {number} rank {edge.sender} sends in step {tree.turns[place]} data that arrive in"
                    f" step {have[edge.sender]}"
                )
        if not pairs and len(have) != n:
            raise InputError(f"{source}: tree {number} reaches {len(have)} of {n} ranks")
        if pairs and (
            tree.first // n != tree.root
            or not tree.edges
            or tree.edges[-1].receiver != tree.first % n
            or tree.chunks > 1
        ):
            raise InputError(f"{source}: tree {number} does not end at the destination of its chunk")
        carried[tree.first : tree.first + tree.chunks] += 1
        if schedule.operation != "broadcast" and not pairs and tree.chunks:
            share = schedule.chunks // n
            if tree.first // share != tree.root or (tree.first + tree.chunks - 1) // share != tree.root:
                raise InputError(f"{source}: tree {number} carries chunks that do not belong to its root")
    wanted = np.ones(carried.size, np.int64)
    if pairs:
        wanted[:: n + 1] = 0
    if carried.size != schedule.chunks or not np.array_equal(carried, wanted):
        raise InputError(f"{source}: not every chunk is carried exactly once")
    return schedule


def read_schedule(path: str | os.PathLike[str]) -> CollectiveSchedule | MscclProgram:
    """Return the schedule in a file, after a check on symbols that every rank gets its data.

    Parameters
    ----------
    path : path
        JSON of `CollectiveSchedule.save` or ``topoloom collective -o``, or XML of MSCCL, of any program; the content decides.

    Returns
    -------
    CollectiveSchedule or MscclProgram

    Raises
    ------
    InputError
        The file is not a schedule, exceeds the limits of MSCCL's executor, or does not deliver all data.
    """
    from topoloom.simulation.collectives.msccl_check import check_msccl

    check_path(path, "read_schedule", "give a file")
    if begins_as_xml(path):
        program = read_msccl(path)
        check_msccl(program)
        return program
    try:
        schedule = CollectiveSchedule.load(path)
    except InputError:
        if _MSCCLPP in read_text(path, _MOST_CHARACTERS):
            raise InputError(
                f"{os.fspath(path)} is a plan of MSCCL++, which is not read; give JSON of topoloom collective -o,"
                " or XML of MSCCL"
            ) from None
        raise
    return checked_schedule(schedule, str(path))


def chain_trees(order: list[int], steps: list[tuple[int, ...]]) -> tuple[Tree, ...]:
    """Return a ring as trees: from each rank a chain around all others.

    Parameters
    ----------
    order : list of int
        The ranks around the ring.
    steps : list of tuple of int
        The switches between each rank and the next.

    Returns
    -------
    tuple of Tree
        The trees, sorted by their roots, with one chunk each.
    """
    n, trees = len(order), []
    for begin in sorted(range(n), key=order.__getitem__):
        edges = tuple(
            TreeEdge(order[(begin + i) % n], order[(begin + i + 1) % n], steps[(begin + i) % n]) for i in range(n - 1)
        )
        trees.append(Tree(order[begin], order[begin], 1, edges))
    return tuple(trees)

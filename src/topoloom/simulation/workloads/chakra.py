"""Chakra execution traces as schedules: nodes run after those that they need, and collectives message by message."""

import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

from topoloom.core.errors import InputError, check_path
from topoloom.core.files import read_text
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.rank_operations import MOST_RANKS, CircleError, Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of
from topoloom.simulation.flows.steps import collective_steps
from topoloom.simulation.workloads import chakra_nodes as nodes
from topoloom.simulation.workloads.chakra_nodes import NodeError, TraceNode, nodes_of

#: The CPUs of a rank, each doing one thing at a time: an accelerator, its messages, a processor, its memory.
ACCELERATOR, MESSAGES, PROCESSOR, MEMORY = range(4)
#: Collectives by Chakra's number: the name, and the possible algorithms, the default first.
_RING, _TREE = "ring", "tree"
COLLECTIVES: dict[int, tuple[str, tuple[str, ...]]] = {
    0: ("allreduce", ("ring", "doubling", "halving")),
    1: ("reduce", ("tree",)),
    2: ("allgather", ("ring", "doubling")),
    5: ("broadcast", ("tree",)),
    6: ("alltoall", ("shift", "xor")),
    7: ("reduce-scatter", ("ring",)),
    8: ("reduce-scatter", ("ring",)),
    9: ("barrier", ("doubling",)),
}
#: The number of tags for sends and receives; tags of collectives begin after them.
_OWN_TAGS = 1 << 31
_FILE = re.compile(r"(.*)\.(\d{1,7})\.et")
_MOST_GROUP_CHARACTERS = 1 << 26


@dataclass(frozen=True)
class Replay:
    """Settings of a trace's replay.

    Attributes
    ----------
    peak_gflops : float
        The speed of an accelerator in Gflop/s, for nodes with a number of operations. 0: nodes take as long
        as in the trace.
    memory_gbytes_s : float
        The bandwidth of its memory in GB/s, which also limits nodes with a tensor size; 0: no limit.
    algorithms : dict of str to str
        Algorithms of collectives, overriding the defaults: ``{"allreduce": "halving"}``.
    groups : path, optional
        A JSON file ``{"0": [0, 1, 2, 3]}``: the ranks of process groups by name, overriding those in the trace.
    controls : bool
        Whether nodes also wait for their control dependencies, if these are in the trace. In traces that Chakra's converter
        makes from PyTorch's, they name the calling function, which may be missing or end later; there, data dependencies are
        sufficient.
    streams : bool
        Whether nodes of an accelerator's stream (attribute ``stream``) also wait for each other, in the order of their start
        times, and nodes of equal times in the order of the file. Traces of PyTorch may state no dependencies between kernels.
    empty : bool
        Whether messages and collectives of 0 bytes, or without ``comm_size``, are replayed as empty messages, and traces of
        which no computation has a duration as messages only. Mostly they are errors of a converter, and refused.
    """

    peak_gflops: float = 0.0
    memory_gbytes_s: float = 0.0
    algorithms: dict[str, str] = field(default_factory=dict)
    groups: str | os.PathLike[str] | None = None
    controls: bool = True
    streams: bool = False
    empty: bool = False


def load_chakra(path: str | os.PathLike[str], replay: Replay | None = None) -> Schedule:
    """Return the schedule of the execution traces of all ranks.

    Parameters
    ----------
    path : path
        ``FOLDER/NAME`` for ``FOLDER/NAME.0.et``, ``NAME.1.et``, ..., or one of these files; or the folder, if it has the traces
        of one name only.
    replay : Replay, optional

    Returns
    -------
    Schedule
        The schedule, with the CPUs `ACCELERATOR`, `MESSAGES`, `PROCESSOR` and `MEMORY`; its notes count nodes that take 0 ns.

    Raises
    ------
    InputError
        No traces, or the trace of a rank is missing; a damaged file, or one of an older schema; a node that needs a missing
        node; undefined process groups; unknown collectives, or collectives that differ between the ranks of a group; messages
        without bytes; no computation with a duration; with `Replay.streams` no node of a stream.

    Notes
    -----
    Sridharan et al., Chakra: Advancing Performance Benchmarking and Co-design using Standardized Execution Traces, 2023;
    ``et_def.proto`` of MLCommons Chakra; bytes of collectives as in ASTRA-sim: of the whole vector for all-reduce,
    reduce-scatter and all-to-all, of a rank's part for all-gather.
    """
    check_path(path, "load_chakra", "give FOLDER/NAME")
    replay = Replay() if replay is None else replay
    files = _files(Path(path))
    groups = _Groups(len(files), replay.groups)
    readers = [_Reader(file, rank, len(files), replay, groups) for rank, file in enumerate(files)]
    ranks = [reader.read() for reader in readers]
    if replay.streams and not any(reader.streams for reader in readers):
        raise InputError(f"{files[0]}: no node of the traces has a stream; set streams=no")
    name = files[0].name.removesuffix(".0.et")
    try:
        schedule = schedule_of(name, ranks, eager=True)
    except CircleError as error:
        remedies = []
        if replay.controls:
            remedies.append(
                "where control dependencies name calling functions, as in traces of PyTorch, set controls=no"
            )
        if replay.streams:
            remedies.append("where the start times of a stream contradict the dependencies, set streams=no")
        raise InputError("; ".join([str(error), *remedies])) from None
    return replace(schedule, notes=_notes(files[0].with_name(name), readers, replay.empty))


def _notes(path: Path, readers: "list[_Reader]", empty: bool) -> tuple[str, ...]:
    """Return a sentence each for nodes without a duration and nodes without a type.

    Raises
    ------
    InputError
        There are computations, none of which has a duration, unless that is meant.
    """
    computing, at_once = (sum(reader.computing[zero] for reader in readers) for zero in (False, True))
    untyped = sum(reader.untyped for reader in readers)
    if at_once and not computing and not empty:
        raise InputError(
            f"{path}: none of its {at_once:,} computing nodes has a duration (duration_micros) or operations (num_ops);"
            " convert the trace again, or set empty=yes to replay the messages only"
        )
    notes = []
    if at_once:
        notes.append(
            f"{path}: {at_once:,} of {computing + at_once:,} computing nodes have no duration and no operations; they take 0 ns"
        )
    if untyped:
        notes.append(f"{path}: {untyped:,} nodes have no type; they take 0 ns")
    return tuple(notes)


def _files(path: Path) -> list[Path]:
    """Return the files of all ranks, in order."""
    folder, name = (path, None) if path.is_dir() else (path.parent, path.name)
    match_of_name = _FILE.fullmatch(name) if name is not None else None
    name = name if match_of_name is None else match_of_name[1]
    files_of_name: dict[str, dict[int, Path]] = {}
    try:
        listed = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}") from None
    for file in listed:
        match = _FILE.fullmatch(file.name)
        if match is not None and name in (None, match[1]):
            files_of_name.setdefault(match[1], {})[int(match[2])] = file
    if not files_of_name:
        raise InputError(f"{path}: no Chakra traces {name or 'NAME'}.RANK.et; give the folder, or FOLDER/NAME")
    if len(files_of_name) > 1:
        raise InputError(
            f"{path}: it has traces of {len(files_of_name)} names ({', '.join(sorted(files_of_name)[:5])}); add one to the path"
        )
    ((name, files),) = files_of_name.items()
    if len(files) > MOST_RANKS or max(files) != len(files) - 1:
        missing = next(rank for rank in range(len(files) + 1) if rank not in files)
        raise InputError(
            f"{folder / name}: the trace of rank {missing}, {name}.{missing}.et, is missing; ranks count from 0"
        )
    return [files[rank] for rank in range(len(files))]


class _Groups:
    """Process groups by name, and the collectives of each, which must be the same on all its ranks."""

    def __init__(self, ranks: int, path: str | os.PathLike[str] | None) -> None:
        self.ranks, self.everybody = ranks, tuple(range(ranks))
        self.given: dict[str, tuple[int, ...]] = {}
        self.numbers: dict[tuple[tuple[int, ...], int], int] = {}
        self.seen: dict[int, tuple[int, float, str]] = {}
        if path is not None:
            source = os.fspath(path)
            try:
                content = json.loads(read_text(path, _MOST_GROUP_CHARACTERS))
            except (ValueError, RecursionError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f'{source} is not JSON; write {{"0": [0, 1, 2, 3]}}') from None
            if not isinstance(content, dict):
                raise InputError(f'{source}: write process groups as {{"0": [0, 1, 2, 3]}}')
            self.given = {str(name): self._members(name, ranks, source) for name, ranks in content.items()}

    def _members(self, name: str, ranks: object, source: str) -> tuple[int, ...]:
        whole = isinstance(ranks, list) and all(isinstance(rank, int) and 0 <= rank < self.ranks for rank in ranks)
        if not isinstance(ranks, list) or not whole or len(set(ranks)) != len(ranks):
            raise InputError(
                f"{source}: process group '{str(name)[:40]}' is not a list of different ranks from 0 to {self.ranks - 1}"
            )
        return tuple(ranks) or self.everybody

    def in_trace(self, text: str, source: str) -> dict[str, tuple[int, ...]]:
        """Return the groups of a metadata node: ``[{"pg_name": "0", "ranks": [0, 1]}]``, as text in a list or by itself."""
        content: object = None
        for candidate in (text, text[2:-2]):
            try:
                content = json.loads(candidate)
                content = (
                    json.loads(content[0])
                    if isinstance(content, list) and content and isinstance(content[0], str)
                    else content
                )
                break
            except (ValueError, RecursionError):
                continue
        if not isinstance(content, list):
            return {}
        return {
            str(group["pg_name"]): self._members(group["pg_name"], group.get("ranks", []), source)
            for group in content
            if isinstance(group, dict) and "pg_name" in group
        }

    def next_tag(self, members: tuple[int, ...], turn: int, kind: int, size: float, where: str) -> int:
        """Return the tag of a group's collective with this number; all ranks of the group must request the same one."""
        number = self.numbers.setdefault((members, turn), len(self.numbers))
        before = self.seen.setdefault(number, (kind, size, where))
        if before[:2] != (kind, size):
            raise NodeError(
                f"it is collective {turn + 1} of its group, of type {kind} with {size:,.0f} bytes, but {before[2]} has type"
                f" {before[0]} with {before[1]:,.0f} bytes"
            )
        return _OWN_TAGS + number


class _Reader:
    """Reads the trace of a rank: every node becomes operations, and its last operation represents the node."""

    def __init__(self, file: Path, number: int, ranks: int, replay: Replay, groups: _Groups) -> None:
        self.file, self.number, self.ranks, self.replay, self.groups = file, number, ranks, replay, groups
        self.rank = Rank()
        self.named = dict(groups.given)
        self.turns: dict[tuple[int, ...], int] = {}
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.streams: dict[int, list[tuple[int, int]]] = {}
        #: How many nodes compute, and take 0 ns or not; and how many have no type.
        self.computing, self.untyped = Counter[bool](), 0

    def read(self) -> Rank:
        """Return the operations of the rank."""
        waiting: list[TraceNode] = []
        for node in nodes_of(self.file):
            try:
                if node.id in self.first:
                    raise NodeError("another node has the same number")
                self._take(node)
            except (NodeError, InputError) as error:
                raise InputError(f"{self.file}: node {node.id} '{node.name[:60]}': {error}") from None
            if node.needs or node.follows:
                waiting.append(node)
        for node in waiting:
            missing = next((requirement for requirement in node.needs if requirement not in self.last), None)
            if missing is not None:
                raise InputError(f"{self.file}: node {node.id} needs node {missing}, which is missing in the trace")
            follows = (
                [dependency for dependency in node.follows if dependency in self.last] if self.replay.controls else []
            )
            needs = dict.fromkeys([*node.needs, *follows])
            self.rank.requires(self.first[node.id], *(self.last[requirement] for requirement in needs))
        for stream in self.streams.values():
            in_order = sorted(stream, key=itemgetter(0))
            for (_, before), (_, after) in pairwise(in_order):
                self.rank.requires(self.first[after], self.last[before])
        return self.rank

    def _take(self, node: TraceNode) -> None:
        if self.replay.streams and "stream" in node.attributes and not node.number("is_cpu_op", 0):
            self.streams.setdefault(int(node.number("stream")), []).append((node.start, node.id))
        if node.type == nodes.METADATA and node.inputs:
            self.named = self.groups.in_trace(node.inputs, str(self.file)) | self.named
        if node.type in (nodes.INVALID, nodes.METADATA):
            self.untyped += node.type == nodes.INVALID
            self._one(node, self.rank.calc(0.0, PROCESSOR))
        elif node.type in (nodes.MEM_LOAD, nodes.MEM_STORE):
            self._computes(node, self._memory_ns(node), MEMORY)
        elif node.type == nodes.COMP:
            cpu = PROCESSOR if node.number("is_cpu_op", 0) else ACCELERATOR
            self._computes(node, self._compute_ns(node, cpu), cpu)
        elif node.type <= nodes.COMM_COLL and node.number("is_cpu_op", 0):
            # The processor's part of a message, the call. The accelerator's part is a separate node.
            self._computes(node, 1e3 * node.micros, PROCESSOR)
        elif node.type in (nodes.COMM_SEND, nodes.COMM_RECV):
            self._message(node)
        elif node.type == nodes.COMM_COLL:
            self._collective(node)
        else:
            raise NodeError(f"its type is {node.type}; known types are 0 to {nodes.COMM_COLL}")

    def _computes(self, node: TraceNode, ns: float, cpu: int) -> None:
        self.computing[ns == 0] += 1
        self._one(node, self.rank.calc(ns, cpu))

    def _one(self, node: TraceNode, operation: int) -> None:
        self.first[node.id] = self.last[node.id] = operation

    def _compute_ns(self, node: TraceNode, cpu: int) -> float:
        operations, size = node.number("num_ops", 0), node.number("tensor_size", 0)
        if cpu == ACCELERATOR and self.replay.peak_gflops and operations:
            waits = size / self.replay.memory_gbytes_s if self.replay.memory_gbytes_s else 0.0
            return max(operations / self.replay.peak_gflops, waits)
        if operations and not node.micros:
            raise NodeError("it has operations but no duration; give peak_gflops, the speed of an accelerator")
        return 1e3 * node.micros

    def _memory_ns(self, node: TraceNode) -> float:
        size = node.number("tensor_size", 0)
        if node.micros or not size:
            return 1e3 * node.micros
        if not self.replay.memory_gbytes_s:
            raise NodeError("it has a tensor_size but no duration; give memory_gbytes_s, the bandwidth of the memory")
        return size / self.replay.memory_gbytes_s

    def _message(self, node: TraceNode) -> None:
        sends = node.type == nodes.COMM_SEND
        own, other = ("comm_src", "comm_dst") if sends else ("comm_dst", "comm_src")
        if node.number(own, self.number) != self.number:
            raise NodeError(f"its {own} is rank {node.number(own):.0f}, in the trace of rank {self.number}")
        peer, tag = node.number(other), node.number("comm_tag", 0)
        if peer >= self.ranks:
            raise NodeError(f"its {other} is {peer:.0f}; ranks are 0 to {self.ranks - 1}")
        if tag >= _OWN_TAGS:
            raise NodeError(f"its comm_tag is {tag:.0f}; tags are 0 to 2^31 - 1")
        kind = SEND if sends else RECV
        self._one(node, self.rank.add(kind, int(peer), self._bytes(node), int(tag), MESSAGES))

    def _bytes(self, node: TraceNode) -> float:
        """Return the bytes of a message or a collective. ASTRA-sim, too, takes 0 for an error: no message has 0 bytes."""
        size = float(node.number("comm_size", 0))
        if not size and not self.replay.empty:
            wrong = "its comm_size is 0 bytes" if "comm_size" in node.attributes else "it has no comm_size in bytes"
            raise NodeError(f"{wrong}; convert the trace again, or set empty=yes if it sends nothing")
        return size

    def _collective(self, node: TraceNode) -> None:
        kind = int(node.number("comm_type"))
        if kind not in COLLECTIVES:
            raise NodeError(
                f"collective {kind} is not supported; supported are {', '.join(f'{n} {c[0]}' for n, c in COLLECTIVES.items())}"
            )
        dims = node.attributes.get("involved_dim")
        if isinstance(dims, list) and not all(dims) and "pg_name" not in node.attributes:
            raise NodeError(
                "involved_dim refers to dimensions of ASTRA-sim's network; define the ranks by pg_name and groups"
            )
        size = 0.0 if COLLECTIVES[kind][0] == "barrier" else self._bytes(node)
        members = self._members(node)
        if self.number not in members:
            raise NodeError(f"rank {self.number} is not in its process group")
        turn = self.turns.get(members, 0)
        self.turns[members] = turn + 1
        tag = self.groups.next_tag(members, turn, kind, size, str(self.file))
        begin = self.rank.calc(0.0, MESSAGES)
        last = [begin]
        place = members.index(self.number)
        for algorithm, amount in parts(COLLECTIVES[kind][0], size, len(members), self.replay.algorithms):
            last = collective_steps(self.rank, algorithm, amount, members, place, tag, last, MESSAGES)
        end = self.rank.calc(0.0, MESSAGES)
        self.rank.requires(end, *last)
        self.first[node.id], self.last[node.id] = begin, end

    def _members(self, node: TraceNode) -> tuple[int, ...]:
        name = node.attributes.get("pg_name", "")
        if name in ("", None):
            return self.groups.everybody
        if str(name) not in self.named:
            raise NodeError(
                f"process group '{str(name)[:40]}' is not defined; give groups, a JSON file {{\"NAME\": [0, 1]}}"
            )
        return self.named[str(name)]


def parts(operation: str, size: float, ranks: int, chosen: dict[str, str]) -> list[tuple[str, float]]:
    """Return the algorithms of a collective, one after the other, with their bytes.

    Parameters
    ----------
    operation : str
        A name in `COLLECTIVES`.
    size : float
        Bytes, as in ASTRA-sim.
    ranks : int
        The number of ranks in the group.
    chosen : dict of str to str
        Algorithms by operation, overriding the defaults.

    Returns
    -------
    list of (str, float)
        Names of `topoloom.simulation.flows.collectives.ALGORITHMS`, with bytes.

    Raises
    ------
    InputError
        An algorithm that the operation does not have.
    """
    algorithms = next(names for name, names in COLLECTIVES.values() if name == operation)
    algorithm = chosen.get(operation, algorithms[0])
    if algorithm not in algorithms:
        raise InputError(f"{operation} has no algorithm {algorithm}; use {', '.join(algorithms)}")
    if operation == "allreduce":
        return [("ring", size), ("ring", size)] if algorithm == "ring" else [(algorithm, size)]
    if operation == "allgather":
        return [("ring", size * ranks)] if algorithm == "ring" else [("gather", size)]
    if operation == "alltoall":
        return [(algorithm, size / ranks)]
    if operation == "barrier":
        return [("doubling", 0.0)]
    return [({"reduce-scatter": "ring", "broadcast": "tree", "reduce": "reduce"}[operation], size)]

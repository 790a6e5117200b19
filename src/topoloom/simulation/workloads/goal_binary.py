"""GOAL in LogGOPSim's binary format: packed little-endian numbers, a table of the ranks' places, 39 bytes per operation."""

import os
import struct
from typing import BinaryIO

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.operations import ANY, CALC, SEND
from topoloom.simulation.flows.rank_operations import MOST_RANKS, Operations, check_operations
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.workloads.goal_text import check_tags

#: The file's first eight bytes. All offsets count from the byte after them.
MAGIC = struct.pack("<Q", 4223)
#: Ranks, the greatest CPU and network interface; then the begin and the end of each rank.
_HEAD = struct.Struct("<IBB")
_NODE = np.dtype(
    [
        *(
            ("needs", "<u4"),
            ("kind", "u1"),
            ("peer", "<u4"),
            ("size", "<u8"),
            ("tag", "<u4"),
            ("cpu", "u1"),
            ("nic", "u1"),
        ),
        *(("done", "<u4"), ("done_first", "<u4"), ("start", "<u4"), ("start_first", "<u4")),
    ]
)
#: The number of operations that wait for an operation's end or its start, and where they begin in the rank's list.
_LISTS = (("done", "done_first"), ("start", "start_first"))
_ANY = (1 << 32) - 1
_MOST_AMOUNT = 1 << 53


def goal_of_bytes(file: BinaryIO, name: str, source: str) -> Schedule:
    """Return the schedule in a file, of which the first eight bytes have been read.

    Parameters
    ----------
    file : binary file
    name : str
        The name of the schedule.
    source : str
        The file, for messages.

    Raises
    ------
    InputError
        ``file: byte N: reason``. Sizes in the file are compared with the file's own size before anything is read.
    """
    size = os.fstat(file.fileno()).st_size - len(MAGIC)
    reader = _Reader(file, source, size)
    parts = [reader.rank(r, begin, end) for r, (begin, end) in enumerate(reader.table().tolist())]
    nodes = np.concatenate([rank_nodes for rank_nodes, _, _ in parts])
    first = np.concatenate([[0], np.cumsum([rank_nodes.size for rank_nodes, _, _ in parts])]).astype(np.int64)

    def lists(count: str, column: int) -> tuple[np.ndarray, np.ndarray]:
        following = [part[column] + first[rank] for rank, part in enumerate(parts)]
        return np.concatenate([[0], np.cumsum(nodes[count], dtype=np.int64)]), np.concatenate(following).astype(
            np.int32
        )

    passes = nodes["kind"] != CALC
    peer = np.where(nodes["peer"] == _ANY, ANY, np.minimum(nodes["peer"], np.uint32(MOST_RANKS)).astype(np.int64))
    operations = Operations(
        first,
        nodes["kind"].copy(),
        np.where(passes, peer, 0).astype(np.int32),
        nodes["size"].astype(np.float64),
        np.where(passes, np.where(nodes["tag"] == _ANY, ANY, nodes["tag"].astype(np.int64)), 0),
        nodes["cpu"].copy(),
        np.where(passes, nodes["nic"], 0).astype(np.uint8),
        *lists("done", 1),
        *lists("start", 2),
    )
    differs = np.flatnonzero(operations.needs != nodes["needs"])
    if differs.size:
        first_wrong = int(differs[0])
        raise InputError(
            f"{source}: an operation states that it waits for {int(nodes['needs'][first_wrong])} others, but"
            f" {int(operations.needs[first_wrong])} name it; the file is damaged, or LogGOPSim ran it with --save-mem, which"
            " writes into it"
        )
    check_operations(operations, name)
    return Schedule(name, operations)


class _Reader:
    """Reads a file piece by piece; all requested bytes must lie within the file."""

    def __init__(self, file: BinaryIO, source: str, size: int) -> None:
        self.file, self.source, self.size = file, source, size

    def fault(self, place: int, reason: str) -> InputError:
        return InputError(f"{self.source}: byte {place + len(MAGIC)}: {reason}")

    def bytes_at(self, place: int, count: int, what: str) -> bytes:
        if place < 0 or place + count > self.size:
            raise self.fault(
                min(place, self.size),
                f"{what} needs {count:,} bytes, but the file has only {max(0, self.size - place):,} more",
            )
        self.file.seek(place + len(MAGIC))
        data = self.file.read(count)
        if len(data) != count:
            raise self.fault(place, f"{what} is truncated")
        return data

    def table(self) -> np.ndarray:
        """Return where each rank begins and ends, int64[ranks, 2]."""
        ranks, _, _ = _HEAD.unpack(self.bytes_at(0, _HEAD.size, "the head"))
        if not 1 <= ranks <= MOST_RANKS:
            raise self.fault(0, f"{ranks:,} ranks; supported are 1 to {MOST_RANKS:,}")
        table = np.frombuffer(self.bytes_at(_HEAD.size, 16 * ranks, f"the table of {ranks} ranks"), "<u8").reshape(
            -1, 2
        )
        wrong = (table[:, 1] < table[:, 0]) | (table[:, 1] > self.size) | (table[:, 0] < _HEAD.size + 16 * ranks)
        if wrong.any():
            rank = int(np.argmax(wrong))
            begin, end = table[rank].tolist()
            raise self.fault(
                _HEAD.size + 16 * rank,
                f"rank {rank} is stated to lie from {begin} to {end}, but the file has {self.size} bytes after its head",
            )
        return table.astype(np.int64)

    def rank(self, rank: int, begin: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a rank's operations, and those that wait for the end, and for the start, of each."""
        what = f"rank {rank}"
        if end - begin < 8:
            raise self.fault(begin, f"{what} has {end - begin} bytes; its two counts alone need 8")
        nodes, roots = struct.unpack("<II", self.bytes_at(begin, 8, what))
        place = begin + 8 + 4 * roots
        edges = end - place - _NODE.itemsize * nodes
        if edges < 0 or edges % 4:
            raise self.fault(
                begin,
                f"{what} states {nodes:,} operations, {roots:,} of them first, which do not fit its {end - begin:,} bytes",
            )
        records = np.frombuffer(self.bytes_at(place, _NODE.itemsize * nodes, what), _NODE)
        after = place + _NODE.itemsize * nodes
        listed = np.frombuffer(self.bytes_at(after, edges, what), "<u4")
        wrong = (records["kind"] < SEND) | (records["kind"] > CALC) | (records["size"] > _MOST_AMOUNT)
        for count, first in _LISTS:
            wrong |= records[first].astype(np.int64) + records[count] > listed.size
        if wrong.any():
            first_wrong = int(np.argmax(wrong))
            raise self.fault(
                place + first_wrong * _NODE.itemsize,
                f"operation {first_wrong + 1} of {what} has an unknown kind, an invalid size or invalid successors",
            )
        if listed.size and int(listed.max()) >= nodes:
            first_wrong = int(np.argmax(listed >= nodes))
            raise self.fault(
                after + 4 * first_wrong, f"{what} has no operation {int(listed[first_wrong])}; it has {nodes}"
            )
        done, start = (_lists(listed, records[first], records[count]) for count, first in _LISTS)
        if done is None or start is None:
            raise self.fault(place, f"{what} states more waiting operations than it lists")
        return records, done, start


def _lists(listed: np.ndarray, first: np.ndarray, count: np.ndarray) -> np.ndarray | None:
    """Return the operations that wait for each operation, list after list; None if more are stated than listed."""
    if int(count.sum(dtype=np.int64)) > listed.size:
        return None
    return np.asarray(listed[_places(first, count)], np.int64)


def _places(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Return the indices of lists, one list after the other."""
    count, first = count.astype(np.int64), first.astype(np.int64)
    begins = np.cumsum(count) - count
    return np.asarray(np.arange(int(count.sum())) - np.repeat(begins - first, count))


def bytes_of_goal(schedule: Schedule) -> bytes:
    """Return a schedule in the format of LogGOPSim's ``txt2bin``.

    Raises
    ------
    InputError
        A tag, or an amount, that the format cannot represent.
    """
    check_tags(schedule)
    s = schedule.operations
    nodes = np.zeros(s.count, _NODE)
    passes = s.kind != CALC
    nodes["needs"], nodes["kind"] = s.needs, s.kind
    nodes["peer"] = np.where(passes & (s.peer == ANY), _ANY, s.peer)
    nodes["size"] = np.rint(s.amount)
    nodes["tag"] = np.where(s.tag == ANY, _ANY, s.tag)
    nodes["cpu"], nodes["nic"] = s.cpu, s.nic
    done, start = np.diff(s.done_first), np.diff(s.start_first)
    nodes["done"], nodes["start"] = done, start
    parts, table, place = [], [], _HEAD.size + 16 * s.ranks
    for rank in range(s.ranks):
        begin, end = int(s.first[rank]), int(s.first[rank + 1])
        rank_nodes = nodes[begin:end]
        both = np.stack([done[begin:end], start[begin:end]], axis=1).ravel()
        where = np.cumsum(both) - both
        rank_nodes["done_first"], rank_nodes["start_first"] = where[::2], where[1::2]
        edges = np.zeros(int(both.sum()), "<u4")
        for first, following, column in ((s.done_first, s.done_next, "done"), (s.start_first, s.start_next, "start")):
            listed = following[first[begin] : first[end]] - begin
            edges[_places(rank_nodes[f"{column}_first"], rank_nodes[column])] = listed
        roots = np.flatnonzero(rank_nodes["needs"] == 0).astype("<u4")
        data = struct.pack("<II", end - begin, roots.size) + roots.tobytes() + rank_nodes.tobytes() + edges.tobytes()
        table.append((place, place + len(data)))
        place += len(data)
        parts.append(data)
    head = _HEAD.pack(s.ranks, s.cpus - 1, s.nics - 1)
    return b"".join([MAGIC, head, np.array(table, "<u8").tobytes(), *parts])

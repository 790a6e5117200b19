"""GOAL as LogGOPSim reads it: packed little-endian numbers, a table of where each rank lies, 39 bytes an operation."""

import os
import struct
from typing import BinaryIO

import numpy as np

from topoloom.core.errors import InputError
from topoloom.simulation.flows.operations import ANY, CALC, SEND
from topoloom.simulation.flows.rank_operations import MOST_RANKS, Operations, check_operations
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.workloads.goal_text import check_tags

#: The file's first eight bytes. All offsets count from behind them.
MAGIC = struct.pack("<Q", 4223)
#: Ranks, the greatest cpu and network interface; then where each rank begins and ends.
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
#: How many wait for an operation's end, or its start, and where in the rank's list they begin.
_LISTS = (("done", "done_first"), ("start", "start_first"))
_ANY = (1 << 32) - 1
_MOST_AMOUNT = 1 << 53


def goal_of_bytes(file: BinaryIO, name: str, source: str) -> Schedule:
    """The schedule in a file, of which the first eight bytes are read.

    Parameters
    ----------
    file : binary file
    name : str
        Of the schedule.
    source : str
        The file, for messages.

    Returns
    -------
    Schedule

    Raises
    ------
    InputError
        ``file: byte N: reason``. What the file says of its sizes is held against its own size before anything is read.
    """
    size = os.fstat(file.fileno()).st_size - len(MAGIC)
    found = _Reader(file, source, size)
    parts = [found.rank(r, begin, end) for r, (begin, end) in enumerate(found.table().tolist())]
    nodes = np.concatenate([mine for mine, _, _ in parts])
    first = np.concatenate([[0], np.cumsum([mine.size for mine, _, _ in parts])]).astype(np.int64)

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
        one = int(differs[0])
        raise InputError(
            f"{source}: an operation says that it waits for {int(nodes['needs'][one])} others, and {int(operations.needs[one])}"
            " name it; the file is damaged, or LogGOPSim ran it with --save-mem, which writes into it"
        )
    check_operations(operations, name)
    return Schedule(name, operations)


class _Reader:
    """A file that is read piece by piece; whatever it asks for must lie within it."""

    def __init__(self, file: BinaryIO, source: str, size: int) -> None:
        self.file, self.source, self.size = file, source, size

    def fault(self, place: int, reason: str) -> InputError:
        return InputError(f"{self.source}: byte {place + len(MAGIC)}: {reason}")

    def bytes_at(self, place: int, count: int, what: str) -> bytes:
        if place < 0 or place + count > self.size:
            raise self.fault(
                min(place, self.size),
                f"{what} would take {count:,} bytes, and the file has {max(0, self.size - place):,} more",
            )
        self.file.seek(place + len(MAGIC))
        data = self.file.read(count)
        if len(data) != count:
            raise self.fault(place, f"{what} is cut short")
        return data

    def table(self) -> np.ndarray:
        """Where each rank begins and ends, int64[ranks, 2]."""
        ranks, _, _ = _HEAD.unpack(self.bytes_at(0, _HEAD.size, "the head"))
        if not 1 <= ranks <= MOST_RANKS:
            raise self.fault(0, f"{ranks:,} ranks; there are 1 to {MOST_RANKS:,}")
        table = np.frombuffer(self.bytes_at(_HEAD.size, 16 * ranks, f"the table of {ranks} ranks"), "<u8").reshape(
            -1, 2
        )
        wrong = (table[:, 1] < table[:, 0]) | (table[:, 1] > self.size) | (table[:, 0] < _HEAD.size + 16 * ranks)
        if wrong.any():
            rank = int(np.argmax(wrong))
            begin, end = table[rank].tolist()
            raise self.fault(
                _HEAD.size + 16 * rank,
                f"rank {rank} lies from {begin} to {end}, in a file of {self.size} bytes behind its head",
            )
        return table.astype(np.int64)

    def rank(self, rank: int, begin: int, end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A rank's operations, and those that wait for the end, and the start, of each."""
        what = f"rank {rank}"
        if end - begin < 8:
            raise self.fault(begin, f"{what} has {end - begin} bytes; its two counts take 8")
        nodes, roots = struct.unpack("<II", self.bytes_at(begin, 8, what))
        place = begin + 8 + 4 * roots
        edges = end - place - _NODE.itemsize * nodes
        if edges < 0 or edges % 4:
            raise self.fault(
                begin, f"{what} says {nodes:,} operations, {roots:,} of them first, which are not {end - begin:,} bytes"
            )
        found = np.frombuffer(self.bytes_at(place, _NODE.itemsize * nodes, what), _NODE)
        after = place + _NODE.itemsize * nodes
        listed = np.frombuffer(self.bytes_at(after, edges, what), "<u4")
        wrong = (found["kind"] < SEND) | (found["kind"] > CALC) | (found["size"] > _MOST_AMOUNT)
        for count, first in _LISTS:
            wrong |= found[first].astype(np.int64) + found[count] > listed.size
        if wrong.any():
            one = int(np.argmax(wrong))
            raise self.fault(
                place + one * _NODE.itemsize,
                f"operation {one + 1} of {what} has an unknown kind, an absurd size or no successors",
            )
        if listed.size and int(listed.max()) >= nodes:
            one = int(np.argmax(listed >= nodes))
            raise self.fault(after + 4 * one, f"{what} has no operation {int(listed[one])}; there are {nodes}")
        done, start = (_lists(listed, found[first], found[count]) for count, first in _LISTS)
        if done is None or start is None:
            raise self.fault(place, f"{what} says that more operations wait than it lists")
        return found, done, start


def _lists(listed: np.ndarray, first: np.ndarray, count: np.ndarray) -> np.ndarray | None:
    """Those that wait for each operation, one list after the other; None where there are more than are listed."""
    if int(count.sum(dtype=np.int64)) > listed.size:
        return None
    return np.asarray(listed[_places(first, count)], np.int64)


def _places(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The places of lists, one after the other."""
    count, first = count.astype(np.int64), first.astype(np.int64)
    begins = np.cumsum(count) - count
    return np.asarray(np.arange(int(count.sum())) - np.repeat(begins - first, count))


def bytes_of_goal(schedule: Schedule) -> bytes:
    """A schedule as LogGOPSim's ``txt2bin`` writes it.

    Raises
    ------
    InputError
        A tag, or an amount, that the format has no room for.
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
        mine = nodes[begin:end]
        both = np.stack([done[begin:end], start[begin:end]], axis=1).ravel()
        where = np.cumsum(both) - both
        mine["done_first"], mine["start_first"] = where[::2], where[1::2]
        edges = np.zeros(int(both.sum()), "<u4")
        for first, following, column in ((s.done_first, s.done_next, "done"), (s.start_first, s.start_next, "start")):
            listed = following[first[begin] : first[end]] - begin
            edges[_places(mine[f"{column}_first"], mine[column])] = listed
        roots = np.flatnonzero(mine["needs"] == 0).astype("<u4")
        data = struct.pack("<II", end - begin, roots.size) + roots.tobytes() + mine.tobytes() + edges.tobytes()
        table.append((place, place + len(data)))
        place += len(data)
        parts.append(data)
    head = _HEAD.pack(s.ranks, s.cpus - 1, s.nics - 1)
    return b"".join([MAGIC, head, np.array(table, "<u8").tobytes(), *parts])

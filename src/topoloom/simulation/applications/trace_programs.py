"""Time-independent traces as programs of ranks, with the same operations."""

import math

from topoloom.core.errors import InputError
from topoloom.core.text_parts import text_lines
from topoloom.simulation.applications.flow_algorithms import algorithms_of
from topoloom.simulation.applications.program import CLOCK_STARTS, CLOCK_STOPS, RankTraces
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows.programs import OTHER, Programs, Script

#: Bytes of SimGrid's datatypes by code: double, int, char, short, long, float, byte, logical, complex.
_BYTES = {0: 8, 1: 4, 2: 1, 3: 2, 4: 8, 5: 4, 6: 1, 23: 4, 43: 16}
#: The tag of messages that this module generates, which programs do not use.
_OWN_TAG = 1 << 30
#: The labels under which time is counted.
LABELS = (OTHER, "clock")


def trace_programs(trace: RankTraces, settings: AppSettings) -> Programs:
    """Return the operations of the ranks of a trace.

    Raises
    ------
    InputError
        An action that flows do not support.
    """
    import numpy as np

    text = trace.marked or trace.text
    scripts = tuple(_Reader(trace, rank, settings).read(text(rank)) for rank in range(trace.ranks))
    groups = (np.zeros(trace.ranks, np.int64),)
    return Programs(scripts, np.arange(trace.ranks), groups, LABELS, settings.speed_gflops * 1e9)


class _Reader:
    """Reads the trace of a rank; each open request has its own slot, and slots are reused."""

    def __init__(self, trace: RankTraces, rank: int, settings: AppSettings) -> None:
        self.name, self.ranks, self.rank, self.settings = trace.name, trace.ranks, rank, settings
        self.script = Script()
        self.posted: dict[tuple[int, int, int], list[int]] = {}
        self.free: list[int] = []
        self.slots = 0

    def read(self, text: str) -> Script:
        """Return the operations of the rank."""
        for number, line in enumerate(text_lines(text), 1):
            words = line.split()
            if not words:
                continue
            act = getattr(self, f"_{words[1].lower()}", None) if len(words) > 1 else None
            if act is None:
                raise InputError(
                    f"{self.name}: rank {self.rank}, line {number}: flows do not support the action"
                    f" {' '.join(words[1:2])[:40]}; use `simulator` simgrid"
                )
            try:
                act(*words[2:])
            except InputError:
                raise  # its message is more specific than that of an unreadable line
            except (TypeError, ValueError, IndexError):
                raise InputError(f"{self.name}: rank {self.rank}, line {number}: cannot be read: {line[:60]}") from None
        return self.script

    def _init(self, *_: str) -> None:
        pass

    _finalize = _comm_size = _init

    def _compute(self, operations: str) -> None:
        flops = _amount(operations)
        if flops in (CLOCK_STARTS, CLOCK_STOPS):
            self.script.clock(flops == CLOCK_STOPS, 1)
        else:
            self.script.compute(flops)

    def _send(self, to: str, tag: str, count: str, datatype: str = "0") -> None:
        self.script.send(self._peer(to), _size(count, datatype), self._tag(tag))

    def _recv(self, source: str, tag: str, count: str = "0", datatype: str = "0") -> None:
        self.script.receive(self._peer(source), self._tag(tag))

    def _isend(self, to: str, tag: str, count: str, datatype: str = "0") -> None:
        slot = self._slot((self.rank, self._peer(to), self._tag(tag)))
        self.script.post_send(slot, int(to), _size(count, datatype), int(tag))

    def _irecv(self, source: str, tag: str, count: str = "0", datatype: str = "0") -> None:
        slot = self._slot((self._peer(source), self.rank, self._tag(tag)))
        self.script.post_receive(slot, int(source), int(tag))

    def _wait(self, source: str, to: str, tag: str) -> None:
        waiting = self.posted.get((int(source), int(to), int(tag)))
        if waiting:
            slot = waiting.pop(0)
            self.script.wait(slot)
            self.free.append(slot)

    def _waitall(self, *_: str) -> None:
        for waiting in self.posted.values():
            for slot in waiting:
                self.script.wait(slot)
                self.free.append(slot)
        self.posted.clear()

    def _barrier(self, *_: str) -> None:
        """All send to rank 0, which then sends to all: SMPI's default (Open MPI's basic linear algorithm)."""
        if self.rank:
            self.script.send(0, 0.0, _OWN_TAG)
            self.script.receive(0, _OWN_TAG)
            return
        slots = [self._new_slot() for _ in range(1, self.ranks)]
        for other, slot in enumerate(slots, 1):
            self.script.post_receive(slot, other, _OWN_TAG)
        for slot in slots:
            self.script.wait(slot)
        for other in range(1, self.ranks):
            self.script.send(other, 0.0, _OWN_TAG)
        self.free += slots

    def _bcast(self, count: str, root: str = "0", datatype: str = "0") -> None:
        self._rooted(root)
        self._all("bcast", _size(count, datatype))

    def _reduce(self, count: str, flops: str, root: str = "0", datatype: str = "0") -> None:
        self._rooted(root)
        self._all("reduce", _size(count, datatype))
        self.script.compute(_amount(flops))

    def _allreduce(self, count: str, flops: str, datatype: str = "0") -> None:
        self._all("allreduce", _size(count, datatype))
        self.script.compute(_amount(flops))

    def _alltoall(self, count: str, _: str, datatype: str = "0", _1: str = "0") -> None:
        self._all("alltoall", _size(count, datatype))

    def _alltoallv(self, *words: str) -> None:
        """Each pair exchanges its own bytes, step by step; partners are chosen by XOR for a power of two of ranks, as in
        SMPI."""
        algorithms_of("alltoallv", self.settings, self.name)
        n = self.ranks
        sent, datatype = words[1 : 1 + n], words[2 * n + 2] if len(words) > 2 * n + 2 else "0"
        arrival, departure = self._new_slot(), self._new_slot()
        for step in range(1, n):
            paired = n & (n - 1) == 0
            to = self.rank ^ step if paired else (self.rank + step) % n
            source = self.rank ^ step if paired else (self.rank - step) % n
            self.script.post_receive(arrival, source, _OWN_TAG)
            self.script.post_send(departure, to, _size(sent[to], datatype), _OWN_TAG)
            self.script.wait(arrival)
            self.script.wait(departure)
        self.free += [arrival, departure]

    def _all(self, operation: str, size: float) -> None:
        for algorithm in algorithms_of(operation, self.settings, self.name):
            self.script.collective(algorithm, size)

    def _peer(self, word: str) -> int:
        peer = int(word)
        if not 0 <= peer < self.ranks:
            raise InputError(
                f"{self.name}: rank {self.rank} names rank {peer} of {self.ranks}; flows do not support receives from any"
                " source: use `simulator` simgrid"
            )
        return peer

    def _tag(self, word: str) -> int:
        tag = int(word)
        if not 0 <= tag < _OWN_TAG:
            raise InputError(f"{self.name}: rank {self.rank} has tag {tag}; flows support tags from 0 to 2^30 - 1")
        return tag

    def _rooted(self, root: str) -> None:
        if int(root):
            raise InputError(f"{self.name}: flows support the root rank 0 only, not {root}; use `simulator` simgrid")

    def _new_slot(self) -> int:
        if self.free:
            return self.free.pop()
        self.slots += 1
        return self.slots - 1

    def _slot(self, key: tuple[int, int, int]) -> int:
        slot = self._new_slot()
        self.posted.setdefault(key, []).append(slot)
        return slot


def _size(count: str, datatype: str) -> float:
    return _amount(count) * _BYTES.get(int(datatype), 8)


def _amount(text: str) -> float:
    """Return a number of elements or operations; ValueError when it is negative or no number."""
    amount = float(text)
    if not 0 <= amount < math.inf:
        raise ValueError(text)
    return amount

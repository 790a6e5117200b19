"""GOAL as text: ``rank 0 {``, one line per operation with a label, and one line per dependency."""

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.simulation.flows.operations import ANY, CALC, RECV, SEND
from topoloom.simulation.flows.rank_operations import MOST_RANKS, Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of

#: The longest line; the greatest whole number that is exact as an amount; the greatest tag of the binary format.
_MOST_LINE_BYTES, _MOST_AMOUNT, _MOST_TAG, _MOST_U8 = 1 << 16, 1 << 53, (1 << 32) - 2, 255
_OPERATION = re.compile(
    rb"(?:([A-Za-z]\w*)\s*:\s*)?(?:(calc)\s+(\d+)|(send)\s+(\d+)b\s+to\s+(\d+)|(recv)\s+(\d+)b\s+from\s+(-1|\d+))(.*)"
)
_OPTIONS = re.compile(rb"\s+(tag|cpu|nic)\s+(-1|\d+)")
#: The usual options: only a tag, which cannot be too great.
_TAG = re.compile(rb"\s+tag\s+(\d{1,9})")
_WAITS = re.compile(rb"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)")
_RANK = re.compile(rb"rank\s+(\d+)\s*(\{)?")
_RANKS = re.compile(rb"num_ranks\s+(\d+)")


def goal_of_text(beginning: bytes, file: BinaryIO, name: str, source: str) -> Schedule:
    """Return the schedule in a file, read line by line.

    Parameters
    ----------
    beginning : bytes
        The bytes already read.
    file : binary file
    name : str
        The name of the schedule.
    source : str
        The file, for messages.

    Raises
    ------
    InputError
        ``file:line: reason``.
    """
    reader, number = _Reader(source), 0
    for line in _lines(beginning, file):
        number += 1
        if len(line) > _MOST_LINE_BYTES:
            raise at(source, number, f"a line of more than {_MOST_LINE_BYTES} bytes; write one statement per line")
        reader.take(line, number)
    return reader.schedule(name, number)


def _lines(beginning: bytes, file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file of which some bytes are already read."""
    *whole, rest = beginning.split(b"\n")
    yield from whole
    first = rest + file.readline(_MOST_LINE_BYTES + 1)
    if first:
        yield first
    yield from iter(partial(file.readline, _MOST_LINE_BYTES + 1), b"")


class _Reader:
    """Reads lines: the current position in the file, and the operations so far."""

    def __init__(self, source: str) -> None:
        self.source, self.line = source, 0
        self.ranks: dict[int, Rank] = {}
        self.count = -1
        self.rank, self.within = Rank(), False
        self.opened = False
        self.in_comment = False
        self.labels: dict[bytes, int] = {}
        self.waits: list[tuple[bytes, bool, bytes, int]] = []

    def fault(self, reason: str, line: int | None = None) -> InputError:
        return at(self.source, self.line if line is None else line, reason)

    def take(self, line: bytes, number: int) -> None:
        """Read one more line."""
        self.line = number
        text = self._without_comments(line).strip()
        if not text:
            return
        if self.count < 0:
            self._head(text)
        elif not self.within:
            self._begin(text)
        elif not self.opened:
            if text != b"{":
                raise self.fault(f"'{_shown(text)}'; an opening brace must follow 'rank'")
            self.opened = True
        elif text == b"}":
            self._end()
        else:
            self._statement(text)

    def _without_comments(self, line: bytes) -> bytes:
        if not self.in_comment and b"/" not in line:
            return line
        code = b""
        while line:
            if self.in_comment:
                _, end, line = line.partition(b"*/")
                self.in_comment = not end
                continue
            block, rest = line.find(b"/*"), line.find(b"//")
            if rest >= 0 and (block < 0 or rest < block):
                return code + line[:rest]
            if block < 0:
                return code + line
            code, line, self.in_comment = code + line[:block] + b" ", line[block + 2 :], True
        return code

    def _head(self, text: bytes) -> None:
        match = _RANKS.fullmatch(text)
        if match is None:
            raise self.fault(f"'{_shown(text)}'; a GOAL schedule begins with 'num_ranks N'")
        self.count = _number(match[1])
        if not 1 <= self.count <= MOST_RANKS:
            raise self.fault(f"num_ranks {_shown(match[1])}; give 1 to {MOST_RANKS:,}")

    def _begin(self, text: bytes) -> None:
        match = _RANK.fullmatch(text)
        if match is None:
            raise self.fault(f"'{_shown(text)}'; between ranks, only 'rank R {{' is allowed")
        number = _number(match[1])
        if number >= self.count:
            raise self.fault(f"rank {_shown(match[1])}; ranks are 0 to {self.count - 1}")
        if number in self.ranks:
            raise self.fault(f"rank {number} occurs twice")
        self.rank, self.within = Rank(), True
        self.ranks[number] = self.rank
        self.opened = match[2] is not None
        self.labels, self.waits = {}, []

    def _end(self) -> None:
        for later, starts, earlier, line in self.waits:
            for label in (later, earlier):
                if label not in self.labels:
                    raise self.fault(f"no operation of this rank has the label '{_shown(label)}'", line)
            waits = self.rank.follows if starts else self.rank.requires
            waits(self.labels[later], self.labels[earlier])
        self.within = False

    def _statement(self, text: bytes) -> None:
        if b"requires" in text:
            waits = _WAITS.fullmatch(text)
            if waits is not None:
                self.waits.append((waits[1], waits[2] == b"irequires", waits[3], self.line))
                return
        match = _OPERATION.fullmatch(text)
        if match is None:
            raise self.fault(
                f"'{_shown(text)}' is not a GOAL statement; statements are 'calc NS', 'send BYTESb to RANK', 'recv"
                " BYTESb from RANK'"
                " and 'LABEL requires LABEL'"
            )
        label, calc, ns, send, out, to, _, room, source, rest = match.groups()
        options = self._options(rest) if rest else {}
        if calc:
            kind, amount, peer = CALC, ns, 0
            if "tag" in options or "nic" in options:
                raise self.fault(f"'{_shown(text)}': a calc may have a cpu, but no tag or nic")
        else:
            kind, amount, partner = (SEND, out, to) if send else (RECV, room, source)
            peer = ANY if partner == b"-1" else _number(partner)
            if peer >= self.count:
                raise self.fault(f"'{_shown(text)}': ranks are 0 to {self.count - 1}")
        size = _number(amount)
        if size > _MOST_AMOUNT:
            raise self.fault(f"'{_shown(text)}': {_shown(amount)} is more than 2^53 {'ns' if calc else 'bytes'}")
        number = self.rank.add(kind, peer, size, options.get("tag", 0), options.get("cpu", 0), options.get("nic", 0))
        if label is not None:
            if label in self.labels:
                raise self.fault(f"the label '{_shown(label)}' is used twice")
            self.labels[label] = number

    def _options(self, text: bytes) -> dict[str, int]:
        only_tag = _TAG.fullmatch(text)
        if only_tag is not None:
            return {"tag": int(only_tag[1])}
        values: dict[str, int] = {}
        place = 0
        for match in _OPTIONS.finditer(text):
            name = match[1].decode()
            if match.start() != place or name in values:
                break
            place = match.end()
            value = ANY if match[2] == b"-1" else _number(match[2])
            most = _MOST_TAG if name == "tag" else _MOST_U8
            if value > most or (value == ANY and name != "tag"):
                raise self.fault(f"{name} {_shown(match[2])}; it must be from 0 to {most}")
            values[name] = value
        if text[place:].strip():
            raise self.fault(
                f"'{_shown(text[place:].strip())}'; after an operation, only 'tag T', 'cpu C' and 'nic K' are"
                " allowed, each once"
            )
        return values

    def schedule(self, name: str, lines: int) -> Schedule:
        """Return the schedule, when the file has ended."""
        self.line = max(lines, 1)
        if self.count < 0:
            raise InputError(f"{self.source}: the file is empty; a GOAL schedule begins with 'num_ranks N'")
        if self.in_comment:
            raise self.fault("the file ends within a comment; '*/' is missing")
        if self.within:
            raise self.fault("the file ends within a rank; a closing brace is missing")
        missing = next((r for r in range(self.count) if r not in self.ranks), None)
        if missing is not None:
            raise self.fault(f"the file ends without rank {missing}; it has {len(self.ranks)} of {self.count}")
        return schedule_of(name, [self.ranks[r] for r in range(self.count)])


def _number(digits: bytes) -> int:
    """Return a whole number; one with too many digits becomes a number that is too great."""
    return int(digits) if len(digits) <= 20 else 1 << 64


def _shown(text: bytes) -> str:
    shown = text.decode("utf-8", "replace")
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def text_of_goal(schedule: Schedule) -> bytes:
    """Return a schedule as text.

    Raises
    ------
    InputError
        A tag that the formats cannot represent.
    """
    check_tags(schedule)
    s = schedule.operations
    lines = [f"num_ranks {s.ranks}\n"]
    for rank in range(s.ranks):
        lines.append(f"\nrank {rank} {{\n")
        begin, end = int(s.first[rank]), int(s.first[rank + 1])
        of_rank = slice(begin, end)
        kind, peer, tag = s.kind[of_rank].tolist(), s.peer[of_rank].tolist(), s.tag[of_rank].tolist()
        cpu, nic = s.cpu[of_rank].tolist(), s.nic[of_rank].tolist()
        amount = np.rint(s.amount[of_rank]).astype(np.int64).tolist()
        for i in range(end - begin):
            if kind[i] == CALC:
                line = f"l{i + 1}: calc {amount[i]}"
            elif kind[i] == SEND:
                line = f"l{i + 1}: send {amount[i]}b to {peer[i]} tag {tag[i]}"
            else:
                line = f"l{i + 1}: recv {amount[i]}b from {peer[i]} tag {tag[i]}"
            line += f" cpu {cpu[i]}" if cpu[i] else ""
            lines.append(line + (f" nic {nic[i]}\n" if nic[i] and kind[i] != CALC else "\n"))
        lists = ((s.done_first, s.done_next, "requires"), (s.start_first, s.start_next, "irequires"))
        for first, following, word in lists:
            list_starts = first[begin : end + 1].tolist()
            for i in range(end - begin):
                laters = following[list_starts[i] : list_starts[i + 1]].tolist()
                lines.extend(f"l{later - begin + 1} {word} l{i + 1}\n" for later in laters)
        lines.append("}\n")
    return "".join(lines).encode()


def check_tags(schedule: Schedule) -> None:
    """Refuse tags that the formats cannot represent.

    Raises
    ------
    InputError
        One below -1, or above 2^32 - 2.
    """
    tag = schedule.operations.tag
    wrong = (tag < ANY) | (tag > _MOST_TAG)
    if wrong.any():
        raise InputError(f"{schedule.name}: tag {int(tag[np.argmax(wrong)])}; GOAL allows 0 to {_MOST_TAG}, and -1")

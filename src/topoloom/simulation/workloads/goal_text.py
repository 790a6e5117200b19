"""GOAL as text: ``rank 0 {``, a line an operation with a label, a line for each that waits for another."""

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.simulation.flows.operations import ANY, CALC, RECV, SEND
from topoloom.simulation.flows.rank_operations import MOST_RANKS, Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of

#: The longest line; the greatest whole number that is exact as an amount, tags as the binary format has them.
_LONGEST, _MOST_AMOUNT, _MOST_TAG, _MOST_U8 = 1 << 16, 1 << 53, (1 << 32) - 2, 255
_OPERATION = re.compile(
    rb"(?:([A-Za-z]\w*)\s*:\s*)?(?:(calc)\s+(\d+)|(send)\s+(\d+)b\s+to\s+(\d+)|(recv)\s+(\d+)b\s+from\s+(-1|\d+))(.*)"
)
_OPTIONS = re.compile(rb"\s+(tag|cpu|nic)\s+(-1|\d+)")
#: What most messages have, and no more: a tag that is surely not too great.
_TAG = re.compile(rb"\s+tag\s+(\d{1,9})")
_WAITS = re.compile(rb"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)")
_RANK = re.compile(rb"rank\s+(\d+)\s*(\{)?")
_RANKS = re.compile(rb"num_ranks\s+(\d+)")


def goal_of_text(beginning: bytes, file: BinaryIO, name: str, source: str) -> Schedule:
    """The schedule in a file, line by line.

    Parameters
    ----------
    beginning : bytes
        What has been read of it.
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
        ``file:line: reason``.
    """
    found, number = _Reader(source), 0
    for line in _lines(beginning, file):
        number += 1
        if len(line) > _LONGEST:
            raise at(source, number, f"a line of more than {_LONGEST} bytes; a GOAL schedule has a statement a line")
        found.take(line, number)
    return found.schedule(name, number)


def _lines(beginning: bytes, file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file of which some bytes are read already."""
    *whole, rest = beginning.split(b"\n")
    yield from whole
    first = rest + file.readline(_LONGEST + 1)
    if first:
        yield first
    yield from iter(partial(file.readline, _LONGEST + 1), b"")


class _Reader:
    """Where in the file we are, and what was read."""

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
        """One more line."""
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
                raise self.fault(f"'{_shown(text)}'; an opening brace is needed behind 'rank'")
            self.opened = True
        elif text == b"}":
            self._end()
        else:
            self._statement(text)

    def _without_comments(self, line: bytes) -> bytes:
        if not self.in_comment and b"/" not in line:
            return line
        kept = b""
        while line:
            if self.in_comment:
                _, end, line = line.partition(b"*/")
                self.in_comment = not end
                continue
            block, rest = line.find(b"/*"), line.find(b"//")
            if rest >= 0 and (block < 0 or rest < block):
                return kept + line[:rest]
            if block < 0:
                return kept + line
            kept, line, self.in_comment = kept + line[:block] + b" ", line[block + 2 :], True
        return kept

    def _head(self, text: bytes) -> None:
        found = _RANKS.fullmatch(text)
        if found is None:
            raise self.fault(f"'{_shown(text)}'; a GOAL schedule begins with 'num_ranks N'")
        self.count = _number(found[1])
        if not 1 <= self.count <= MOST_RANKS:
            raise self.fault(f"num_ranks {_shown(found[1])}; there are 1 to {MOST_RANKS:,}")

    def _begin(self, text: bytes) -> None:
        found = _RANK.fullmatch(text)
        if found is None:
            raise self.fault(f"'{_shown(text)}'; between ranks only 'rank R {{' may stand")
        number = _number(found[1])
        if number >= self.count:
            raise self.fault(f"rank {_shown(found[1])}; ranks are 0 to {self.count - 1}")
        if number in self.ranks:
            raise self.fault(f"rank {number} comes twice")
        self.rank, self.within = Rank(), True
        self.ranks[number] = self.rank
        self.opened = found[2] is not None
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
        found = _OPERATION.fullmatch(text)
        if found is None:
            raise self.fault(
                f"'{_shown(text)}' is no statement of GOAL; there are 'calc NS', 'send BYTESb to RANK', 'recv BYTESb from RANK'"
                " and 'LABEL requires LABEL'"
            )
        label, calc, ns, send, out, to, _, room, source, rest = found.groups()
        options = self._options(rest) if rest else {}
        if calc:
            kind, amount, peer = CALC, ns, 0
            if "tag" in options or "nic" in options:
                raise self.fault(f"'{_shown(text)}': a calc has a cpu, and neither a tag nor a nic")
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
                raise self.fault(f"the label '{_shown(label)}' is given twice")
            self.labels[label] = number

    def _options(self, text: bytes) -> dict[str, int]:
        usual = _TAG.fullmatch(text)
        if usual is not None:
            return {"tag": int(usual[1])}
        found: dict[str, int] = {}
        place = 0
        for match in _OPTIONS.finditer(text):
            name = match[1].decode()
            if match.start() != place or name in found:
                break
            place = match.end()
            value = ANY if match[2] == b"-1" else _number(match[2])
            most = _MOST_TAG if name == "tag" else _MOST_U8
            if value > most or (value == ANY and name != "tag"):
                raise self.fault(f"{name} {_shown(match[2])}; it is 0 to {most}")
            found[name] = value
        if text[place:].strip():
            raise self.fault(
                f"'{_shown(text[place:].strip())}'; behind an operation stand 'tag T', 'cpu C' and 'nic K', each once"
            )
        return found

    def schedule(self, name: str, lines: int) -> Schedule:
        """All of it, when the file has ended."""
        self.line = max(lines, 1)
        if self.count < 0:
            raise InputError(f"{self.source}: it is empty; a GOAL schedule begins with 'num_ranks N'")
        if self.in_comment:
            raise self.fault("the file ends within a comment; '*/' is missing")
        if self.within:
            raise self.fault("the file ends within a rank; a closing brace is missing")
        missing = next((r for r in range(self.count) if r not in self.ranks), None)
        if missing is not None:
            raise self.fault(f"the file ends without rank {missing}; there are {len(self.ranks)} of {self.count}")
        return schedule_of(name, [self.ranks[r] for r in range(self.count)])


def _number(digits: bytes) -> int:
    """A whole number; endless ones are as one that is too great."""
    return int(digits) if len(digits) <= 20 else 1 << 64


def _shown(text: bytes) -> str:
    found = text.decode("utf-8", "replace")
    return found if len(found) <= 60 else f"{found[:57]}..."


def text_of_goal(schedule: Schedule) -> bytes:
    """A schedule as text.

    Raises
    ------
    InputError
        A tag that the formats have no room for.
    """
    check_tags(schedule)
    s = schedule.operations
    lines = [f"num_ranks {s.ranks}\n"]
    for rank in range(s.ranks):
        lines.append(f"\nrank {rank} {{\n")
        begin, end = int(s.first[rank]), int(s.first[rank + 1])
        mine = slice(begin, end)
        kind, peer, tag = s.kind[mine].tolist(), s.peer[mine].tolist(), s.tag[mine].tolist()
        cpu, nic = s.cpu[mine].tolist(), s.nic[mine].tolist()
        amount = np.rint(s.amount[mine]).astype(np.int64).tolist()
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
            mine = first[begin : end + 1].tolist()
            for i in range(end - begin):
                laters = following[mine[i] : mine[i + 1]].tolist()
                lines.extend(f"l{later - begin + 1} {word} l{i + 1}\n" for later in laters)
        lines.append("}\n")
    return "".join(lines).encode()


def check_tags(schedule: Schedule) -> None:
    """Refuse tags that the formats have no room for.

    Raises
    ------
    InputError
        One below -1, or above 2^32 - 2.
    """
    tag = schedule.operations.tag
    wrong = (tag < ANY) | (tag > _MOST_TAG)
    if wrong.any():
        raise InputError(f"{schedule.name}: tag {int(tag[np.argmax(wrong)])}; GOAL has 0 to {_MOST_TAG}, and -1")

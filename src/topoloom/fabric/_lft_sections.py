"""The sections of dumps of forwarding tables, as OpenSM, ibroute, dump_lfts and dump_fts write them."""

import re

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._lft_tables import Sections, not_a_line

_SECTION = re.compile(r"Unicast lids? .*?\bguid 0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_TOP = re.compile(r"Unicast lids? \[[0-9a-fx]+-(0x[0-9a-f]{1,4}|[0-9]{1,5})\]", re.IGNORECASE)
_MULTICAST = re.compile(r"Multicast mlids? .*", re.IGNORECASE)
_ENTRY = re.compile(r"0x([0-9a-fA-F]{1,4})(?:\s+([0-9]{1,3}))\b(.*)")
_PORT_GUID = re.compile(r"\bportguid 0x([0-9a-fA-F]{1,16})\b")
_END = re.compile(r"([0-9]+) (valid )?(m?)lids dumped.*", re.IGNORECASE)
_LAST = "lids dumped"
#: Where all tools write the port of an entry, and the value of its digits.
_DIGITS, _VALUES = np.array([7, 8, 9]), np.array([100, 10, 1])
#: Tables without their ports that are remembered, and the most characters of a line.
_REMEMBERED, _MOST_CHARACTERS = 4, 4096
#: Headings, comments, and what the tools write around the tables.
_HEADING = re.compile(r"(?:#.*|Lid\s+Out\b.*|Port\b.*|Lids? .*|\*\*\*.*|ibwarn: .*)", re.IGNORECASE)
#: The greatest port number, which means "no path".
_MOST_PORT = 255


def lft_sections(text: str, source: str) -> Sections:
    """Parse a dump of forwarding tables.

    OpenSM ends a table with its highest LID, ibroute with the number of entries, and both are accepted.

    Raises
    ------
    InputError
        The text is not such a dump, is cut short, or has two tables of a switch or two owners of a LID.
    """
    reader = _Reader(source)
    place = number = 0
    while place < len(text):
        end = text.find("\n", place)
        line = text[place : len(text) if end < 0 else end]
        place, number = place + len(line) + 1, number + 1
        if len(line) > _MOST_CHARACTERS:
            raise at(
                source, number, f"a line of {len(line):,} characters; such lines have at most {_MOST_CHARACTERS:,}"
            )
        stripped = line.strip()
        entry = _ENTRY.fullmatch(stripped)
        if entry and not reader.in_multicast:
            reader.take(entry, number)
        elif section := _SECTION.fullmatch(stripped):
            reader.begin(int(section[1], 16), stripped, number)
            last_line = text.rfind("\n", place, max(place, text.find(_LAST, place))) + 1
            if last_line > place and reader.repeats(text[place:last_line]):
                number += text.count("\n", place, last_line)
                place = last_line
        elif _MULTICAST.fullmatch(stripped):
            reader.begin_multicast(number)
        elif last := _END.fullmatch(stripped):
            reader.end(int(last[1]), bool(last[2]), bool(last[3]), number)
        elif reader.in_multicast:
            reader.read.multicast_entries += stripped.startswith("0x")
        elif stripped and not _HEADING.fullmatch(stripped):
            raise not_a_line(source, number, stripped)
    return reader.finished()


def _split(body: str) -> tuple[bytes, np.ndarray]:
    """The lines of a table with zeros instead of the ports, and the ports, int64[entries].

    Both are empty if an entry has another form than ``0x0001 001``.
    """
    data = np.frombuffer(body.encode(), np.uint8).copy()
    starts = np.concatenate([[0], np.flatnonzero(data == ord("\n")) + 1])
    starts = starts[starts + 10 < data.size]
    starts = starts[(data[starts] == ord("0")) & (data[starts + 1] == ord("x"))]
    digits = data[starts[:, None] + _DIGITS].astype(np.int64) - ord("0")
    spaced = (data[starts + 6] == ord(" ")) & np.isin(data[starts + 10], (ord(" "), ord("\n")))
    if not (spaced & ((digits >= 0) & (digits <= 9)).all(axis=1)).all():
        return b"", np.empty(0, np.int64)
    data[starts[:, None] + _DIGITS] = 0
    return data.tobytes(), digits @ _VALUES


class _Reader:
    """Processes the lines of a dump one by one."""

    def __init__(self, source: str) -> None:
        self.read, self.in_multicast = Sections(), False
        self._source = source
        self._line_of: dict[int, int] = {}
        self._tails: dict[int, str] = {}
        self._open: tuple[int, int, int] | None = None
        self._lids: list[int] = []
        self._ports: list[int] = []
        self._without_ports = b""
        self._known: dict[bytes, np.ndarray] = {}
        self._all: tuple[np.ndarray, np.ndarray] | None = None

    def begin(self, guid: int, heading: str, line: int) -> None:
        """Begin the table of a switch."""
        self._not_inside(line)
        if guid in self._line_of:
            raise at(
                self._source,
                line,
                f"switch 0x{guid:x} has a table already, on line {self._line_of[guid]}; give one dump",
            )
        top = _TOP.match(heading)
        self._open = guid, line, int(top[1], 0) if top else -1
        self._line_of[guid] = line
        self._lids, self._ports, self._all, self.in_multicast = [], [], None, False

    def repeats(self, body: str) -> bool:
        """Take all entries of a table that differs from an earlier one by its ports only: most tables do."""
        self._without_ports, ports = _split(body)
        lids = self._known.get(self._without_ports)
        if lids is None or lids.size != ports.size or ports.max(initial=0) > _MOST_PORT:
            return False
        self._all = lids, ports
        return True

    def begin_multicast(self, line: int) -> None:
        """Begin a multicast table."""
        self._not_inside(line)
        self.in_multicast = True

    def take(self, entry: re.Match[str], line: int) -> None:
        """Process an entry of the table."""
        if self._open is None:
            raise at(self._source, line, "an entry before the first 'Unicast lids ... of switch ... guid 0x...'")
        lid, port, tail = int(entry[1], 16), int(entry[2]), entry[3]
        if port > _MOST_PORT:
            raise at(self._source, line, f"port {port}; ports are 0 to {_MOST_PORT - 1}")
        self._lids.append(lid)
        self._ports.append(port)
        # Most switches repeat what the first one says about a LID.
        if self._tails.get(lid) == tail:
            return
        self._tails[lid] = tail
        if match := _PORT_GUID.search(tail):
            guid = int(match[1], 16)
            if self.read.guid_of.setdefault(lid, guid) != guid:
                raise at(
                    self._source,
                    line,
                    f"LID {lid} belonged to port GUID 0x{self.read.guid_of[lid]:x} above, not 0x{guid:x}",
                )
        elif "unknown node" in tail.lower():
            self.read.unknown.add(lid)

    def end(self, number: int, counted: bool, multicast: bool, line: int) -> None:
        """Process the line that ends a table."""
        if multicast or self.in_multicast:
            self.in_multicast = False
            return
        if self._open is None:
            raise at(self._source, line, "the end of a table that has not begun")
        guid, begun, top = self._open
        repeated = self._all is not None
        lids, ports = self._all or (np.array(self._lids, np.int64), np.array(self._ports, np.int64))
        accepted = {lids.size} if counted else {lids.size, int(lids.max(initial=0)), top}
        if number not in accepted:
            raise at(
                self._source,
                line,
                f"{lids.size} entries above, the last for LID {int(lids.max(initial=0))}, but '{number} lids dumped'; the"
                " file is damaged",
            )
        if not repeated and np.unique(lids).size < lids.size:
            each, times = np.unique(lids, return_counts=True)
            raise at(self._source, line, f"LID {each[times > 1][0]} has two entries above; the file is damaged")
        if self._without_ports and len(self._known) < _REMEMBERED:
            self._known[self._without_ports] = lids
        self.read.add(guid, begun, lids, ports)
        self._open = None

    def finished(self) -> Sections:
        """The dump, after the last line."""
        self._not_inside(None)
        if not self.read.unicast:
            raise at(self._source, None, "no table of a switch ('Unicast lids ... of switch ... guid 0x...')")
        return self.read

    def _not_inside(self, line: int | None) -> None:
        if self._open is not None:
            raise at(
                self._source,
                line,
                f"the table of switch 0x{self._open[0]:x} has no end ('... lids dumped'); the file is cut off",
            )
        if self.in_multicast and line is None:
            raise at(
                self._source, None, "the last multicast table has no end ('... mlids dumped'); the file is cut off"
            )

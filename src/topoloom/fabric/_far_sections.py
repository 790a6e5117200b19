"""Adaptive tables as ibdiagnet2.far lists them: per switch its groups of ports, then port, state and group of each address."""

import re

from topoloom.core.errors import at
from topoloom.fabric._lft_tables import Sections, not_a_line

_SWITCH = re.compile(r"Switch\s+0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_GROUPS, _ENTRIES = "groups definition:", "lft definition:"
_SET = re.compile(r"PLFT_NUM:\s*([0-9]{1,3})\s*,\s*top:\s*0x([0-9a-fA-F]{1,4})\b.*", re.IGNORECASE)
_PORTS = r"(?:\s+((?:[0-9]{1,3}\s*,\s*)*[0-9]{0,3}))?"
#: Group, subgroup, ports; newer versions have a column WHBF before the ports.
_GROUP = re.compile(r"([0-9]{1,5})\s+[0-9]{1,5}" + _PORTS)
_WEIGHTED_GROUP = re.compile(r"([0-9]{1,5})\s+[0-9]{1,5}\s+[0-9]{1,5}" + _PORTS)
_ENTRY = re.compile(r"0x([0-9a-fA-F]{1,4})\s+([0-9]{1,3})\s+([A-Za-z]+)\s+([0-9]{1,5})")
#: The columns of both parts, a rule below them, and the version of the file.
_HEADING = re.compile(r"#.*|-+(\s+-+)*|Group\b.*\bPorts|LID\b.*\bGroup|File version:.*", re.IGNORECASE)
#: States of an address: packets use its own port, or a port of its group, by queues, within a burst, or by a hash.
_STATIC, _CHOOSING = "static", ("free", "bounded", "hbf")
#: The greatest port number, which means "no path"; the characters at the beginning that contain the first groups.
_MOST_PORT, _BEGINNING = 255, 1 << 16


def is_far(text: str) -> bool:
    """Whether a dump of tables has this form."""
    return _GROUPS in text[:_BEGINNING].lower()


def far_sections(text: str, source: str) -> Sections:
    """Parse such a dump. The subgroups of a group count together, and the static port is one of the ports to choose from.

    Raises
    ------
    InputError
        The text has other lines, two tables of a switch or an address, several sets of tables, or is cut short.
    """
    reader = _Reader(source)
    for number, line in enumerate(text.split("\n"), 1):
        reader.take(line.strip(), number)
    return reader.finished()


class _Reader:
    """Processes the lines of a dump one by one."""

    def __init__(self, source: str) -> None:
        self._source, self._sections = source, Sections()
        self._line_of: dict[int, int] = {}
        self._with_sets: dict[int, int] = {}
        self._part = ""
        self._group = _WEIGHTED_GROUP
        self._guid = self._line = self._set = self._top = 0
        self._groups: dict[int, set[int]] = {}
        self._index: dict[tuple[int, ...], int] = {}
        self._entries: dict[int, tuple[int, int]] = {}
        self._complete: list[bool] = []

    def take(self, line: str, number: int) -> None:
        """Process a line."""
        if self._part == _ENTRIES and (entry := _ENTRY.fullmatch(line)):
            self._take_entry(entry, number)
        elif switch := _SWITCH.fullmatch(line):
            self._begin(int(switch[1], 16), number)
        elif line.lower() in (_GROUPS, _ENTRIES):
            self._part = line.lower()
        elif self._part == _ENTRIES and (tables := _SET.fullmatch(line)):
            self._set, self._top = int(tables[1]), int(tables[2], 16)
        elif self._part == _GROUPS and (group := self._group.fullmatch(line)):
            self._take_group(group, number)
        elif _HEADING.fullmatch(line):
            if self._part == _GROUPS and line.lower().startswith("group"):
                self._group = _WEIGHTED_GROUP if "whbf" in line.lower() else _GROUP
        elif line and not (self._guid and not self._part):
            # Between the name of a switch and its groups stand facts about it, which differ between versions.
            raise not_a_line(self._source, number, line)

    def _begin(self, guid: int, line: int) -> None:
        if guid in self._line_of:
            first = self._line_of[guid]
            raise at(self._source, line, f"switch 0x{guid:x} has a table already, on line {first}; give one dump")
        self._close()
        self._line_of[guid] = self._line = line
        self._guid, self._part, self._set, self._top = guid, "", 0, 0
        self._groups, self._index, self._entries = {}, {}, {}

    def _take_group(self, group: re.Match[str], line: int) -> None:
        ports = {int(port) for port in (group[2] or "").split(",") if port.strip()}
        if max(ports, default=0) >= _MOST_PORT:
            raise at(self._source, line, f"port {max(ports)}; ports are 0 to {_MOST_PORT - 1}")
        self._groups.setdefault(int(group[1]), set()).update(ports)

    def _take_entry(self, entry: re.Match[str], line: int) -> None:
        lid, port, state, group = int(entry[1], 16), int(entry[2]), entry[3].lower(), int(entry[4])
        if self._set:
            self._with_sets.setdefault(self._guid, self._set)
            return
        if lid in self._entries:
            raise at(self._source, line, f"LID {lid} has two entries; the file is damaged")
        if port > _MOST_PORT:
            raise at(self._source, line, f"port {port}; ports are 0 to {_MOST_PORT - 1}")
        if state == _STATIC:
            self._entries[lid] = port, -1
            return
        if state not in _CHOOSING:
            raise at(self._source, line, f"state {entry[3][:30]!a}; the known ones are Static, Free, Bounded and HBF")
        if group not in self._groups:
            raise at(self._source, line, f"group {group}, which the switch does not define above")
        ports = tuple(sorted(self._groups[group] | ({port} if 0 < port < _MOST_PORT else set())))
        if len(ports) < 2:
            self._entries[lid] = ports[0] if ports else _MOST_PORT, -1
        else:
            own = port if port in ports else ports[0]
            self._entries[lid] = own, self._index.setdefault(ports, len(self._index))

    def _close(self) -> None:
        if not self._guid:
            return
        self._complete.append(max(self._entries, default=0) >= self._top)
        ports, groups = zip(*self._entries.values(), strict=True) if self._entries else ((), ())
        self._sections.add(self._guid, self._line, list(self._entries), ports, groups, tuple(self._index))

    def finished(self) -> Sections:
        """The dump, after the last line."""
        self._close()
        if not self._sections.unicast:
            raise at(self._source, None, "no table of a switch ('Switch 0x...')")
        if self._with_sets:
            guid, number = next(iter(self._with_sets.items()))
            raise at(
                self._source,
                None,
                f"{len(self._with_sets)} of {len(self._line_of)} switches have several sets of tables, as switch"
                f" 0x{guid:x} PLFT {number}, and the file does not state which packets use which; they are not verified",
            )
        if len(self._complete) > 1 and all(self._complete[:-1]) and not self._complete[-1]:
            raise at(
                self._source,
                None,
                f"the table of switch 0x{self._guid:x} ends before its highest address, LID {self._top}; the file is cut off",
            )
        return self._sections

"""Tables as OpenSM's opensm.fdbs, osm.fdbs and ibdiagnet list them: port, hops, and whether hops are fewest."""

import re

from topoloom.core.errors import at
from topoloom.fabric._lft_tables import Sections, not_a_line

_SWITCH = re.compile(r"(?:\w*dump_ucast_routes:\s*)?Switch\s+0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_COLUMNS = re.compile(r"LID\s*:\s*Port\s*:\s*Hops\s*:\s*Optimal", re.IGNORECASE)
_SET = re.compile(r"PLFT_NUM:\s*([0-9]{1,3})\b.*", re.IGNORECASE)
#: OpenSM 3.2 writes hops as two digits, later versions also that they are unknown; ibdiagnet does not count them.
_ENTRY = re.compile(
    r"0x([0-9a-fA-F]{1,4})\s*:\s*(?:UNREACHABLE|([0-9]{1,3})\s*:\s*(?:HOPS UNKNOWN|[0-9]{1,3}\s*:\s*(?:yes|no\b.*)))",
    re.IGNORECASE,
)
#: The characters at the beginning that contain the head of the first table.
_BEGINNING = 4096


def is_fdbs(text: str) -> bool:
    """Whether a dump of tables has this form."""
    return _COLUMNS.search(text[:_BEGINNING]) is not None


def fdbs_sections(text: str, source: str) -> Sections:
    """Parse such a dump. Addresses marked UNREACHABLE have no entry.

    Raises
    ------
    InputError
        The text has other lines, two tables of a switch or an address, several sets of tables, or is cut short.
    """
    reader = _Reader(source)
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if entry := _ENTRY.fullmatch(stripped):
            reader.take(entry, number)
        elif switch := _SWITCH.fullmatch(stripped):
            reader.begin(int(switch[1], 16), number)
        elif tables := _SET.fullmatch(stripped):
            reader.set(int(tables[1]), number)
        elif stripped and not stripped.startswith("#") and not _COLUMNS.fullmatch(stripped):
            raise not_a_line(source, number, stripped)
    return reader.finished()


class _Reader:
    """Processes the lines of a dump one by one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._sections: dict[int, tuple[int, dict[int, int]]] = {}
        self._ports: dict[int, int] | None = None
        self._guid = self._top = 0
        self._tops: list[int] = []

    def begin(self, guid: int, line: int) -> None:
        """Begin the table of a switch."""
        if guid in self._sections:
            first = self._sections[guid][0]
            raise at(self._source, line, f"switch 0x{guid:x} has a table already, on line {first}; give one dump")
        self._close()
        self._ports = {}
        self._sections[guid] = line, self._ports
        self._guid = guid

    def set(self, number: int, line: int) -> None:
        """Process the number of the set of tables."""
        if number:
            raise at(
                self._source,
                line,
                f"switch 0x{self._guid:x} has several sets of tables (PLFT {number}), and the file does not state which"
                " packets use which; give the tables of a fabric with one set",
            )

    def take(self, entry: re.Match[str], line: int) -> None:
        """Process an entry of the table."""
        lid = int(entry[1], 16)
        if self._ports is None:
            raise at(self._source, line, "an entry before the first 'Switch 0x...'")
        if lid <= self._top:
            raise at(self._source, line, f"LID {lid} after LID {self._top}; the file is damaged")
        self._top = lid
        if entry[2] is not None:
            self._ports[lid] = int(entry[2])

    def _close(self) -> None:
        if self._ports is not None:
            self._tops.append(self._top)
        self._top = 0

    def finished(self) -> Sections:
        """The dump, after the last line."""
        self._close()
        # All switches have the same highest address; nothing else marks the end of a table.
        if len(self._tops) > 2 and len(set(self._tops[:-1])) == 1 and self._tops[-1] < self._tops[0]:
            raise at(
                self._source,
                None,
                f"the table of switch 0x{self._guid:x} ends with LID {self._tops[-1]}, those of all others with"
                f" {self._tops[0]}; the file is cut off",
            )
        sections = Sections()
        for guid, (line, ports) in self._sections.items():
            sections.add(guid, line, list(ports), list(ports.values()))
        return sections

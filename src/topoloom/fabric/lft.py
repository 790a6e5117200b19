"""Forwarding tables of other tools: dumps of OpenSM and ibroute as a port per switch and address of a fabric."""

import re
from dataclasses import dataclass

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric

_SECTION = re.compile(r"Unicast lids? .*\bguid 0x([0-9a-fA-F]{1,16})\b.*", re.IGNORECASE)
_ENTRY = re.compile(r"0x([0-9a-fA-F]{1,4})\s+([0-9]{1,3})\b(.*)")
_PORT_GUID = re.compile(r"\bportguid 0x([0-9a-fA-F]{1,16})\b")
_END = re.compile(r"([0-9]+) (?:valid )?lids dumped.*", re.IGNORECASE)
_HEADING = re.compile(r"(?:#.*|Lid\s+Out\b.*|Port\b.*|Lids? .*)", re.IGNORECASE)
_GUID2LID = re.compile(r"0x([0-9a-fA-F]{1,16})\s+0x([0-9a-fA-F]{1,4})\s+0x([0-9a-fA-F]{1,4})")
#: The port that OpenSM writes for an address to which a switch has no path.
NO_PATH = 255


@dataclass(frozen=True, eq=False)
class Tables:
    """Forwarding tables of a fabric.

    Attributes
    ----------
    source : str
        The file.
    ports : int16[switches, endpoints + switches]
        The real port by which a switch sends to an endpoint, or, after these, to a switch (0: itself); -1: no entry.
    lid_of : dict of int to int
        The owner of each LID: the number of an endpoint, or of a switch plus the number of endpoints.
    """

    source: str
    ports: np.ndarray
    lid_of: dict[int, int]


def read_lft(text: str, source: str, fabric: Fabric, lids: dict[int, int] | None = None) -> Tables:
    """Parse a dump of forwarding tables by OpenSM (opensm-lfts.dump, ``fabric.lft``) or by ibroute (dump_lfts).

    Parameters
    ----------
    text, source : str
        The dump, and its file for messages.
    fabric : Fabric
        The fabric of the tables.
    lids : dict of int to int, optional
        Port GUIDs by LID, as `read_guid2lid` returns them, for entries without a GUID; the fabric's LIDs when omitted.

    Returns
    -------
    Tables
        The output port per switch and address (LID).

    Raises
    ------
    InputError
        The text is not such a dump or is cut short, names a switch, address or port that the fabric does not have, or lacks
        the table of a switch.
    """
    n, k = fabric.topology.switches, fabric.topology.endpoints.size
    switch_of = {guid: s for s, guid in enumerate(fabric.switch_guids.tolist())}
    target_of = {guid: e for e, guid in enumerate(fabric.port_guids.tolist())}
    target_of |= {guid: k + s for guid, s in switch_of.items()}
    Allowance(source, len(text)).take(2.0 * n * (k + n), f"tables of {n:,} switches to {k + n:,} addresses")
    target_of_lid = _known_lids(fabric, target_of, lids)
    reader = _Reader(source, fabric, np.full((n, k + n), -1, np.int16), target_of_lid)
    for number, line in lines_of(text, source):
        stripped = line.strip()
        entry = _ENTRY.fullmatch(stripped)
        if entry:
            reader.take(entry, target_of, number)
        elif section := _SECTION.fullmatch(stripped):
            guid = int(section[1], 16)
            if guid not in switch_of:
                raise at(source, number, f"no switch of {fabric.made} has GUID 0x{guid:x}; are these its tables?")
            reader.begin(switch_of[guid], number)
        elif end := _END.fullmatch(stripped):
            reader.end(int(end[1]), number)
        elif stripped and not _HEADING.fullmatch(stripped):
            shown = stripped if stripped.isprintable() else ascii(stripped)
            raise at(source, number, f"'{shown[:60]}' is not a line of forwarding tables")
    return reader.finished()


def read_guid2lid(text: str, source: str) -> dict[int, int]:
    """The port GUID of each LID in OpenSM's file guid2lid: ``0x<port guid> 0x<first lid> 0x<last lid>``.

    Raises
    ------
    InputError
        A line has another form, or two ports have the same LID.
    """
    guid_of: dict[int, int] = {}
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _GUID2LID.fullmatch(stripped)
        if not match:
            raise at(source, number, "not a line like 0x0002c90000000001 0x0001 0x0001: port GUID, first LID, last LID")
        guid, first, last = (int(part, 16) for part in match.groups())
        if not 0 < first <= last or last - first > 127:
            raise at(source, number, f"LIDs {first} to {last}; a port has 1 to 128 LIDs, counted from 1")
        for lid in range(first, last + 1):
            if guid_of.setdefault(lid, guid) != guid:
                raise at(source, number, f"LID {lid} belongs to GUID 0x{guid_of[lid]:x} already")
    return guid_of


def _known_lids(fabric: Fabric, target_of: dict[int, int], lids: dict[int, int] | None) -> dict[int, int]:
    if lids is not None:
        return {lid: target_of[guid] for lid, guid in lids.items() if guid in target_of}
    if not (fabric.addressed or fabric.planned):
        return {}
    base, sizes = np.concatenate(fabric.lids), 1 << np.concatenate(fabric.lmcs)
    return {
        lid + more: target
        for target, (lid, size) in enumerate(zip(base.tolist(), sizes.tolist(), strict=True))
        for more in range(size)
    }


class _Reader:
    """Processes the sections and entries of a dump one by one."""

    def __init__(self, source: str, fabric: Fabric, ports: np.ndarray, target_of_lid: dict[int, int]) -> None:
        self._source, self._fabric, self._ports, self._known = source, fabric, ports, target_of_lid
        self._lid_of: dict[int, int] = {}
        self._line = np.zeros(len(ports), np.int64)
        self._switch = -1
        self._entries = 0

    def begin(self, switch: int, line: int) -> None:
        """Begin a section."""
        self._not_inside(line)
        if self._line[switch]:
            name = self._fabric.switch_names[switch]
            raise at(self._source, line, f"switch {name} has a table already, on line {self._line[switch]}")
        self._switch, self._entries = switch, 0
        self._line[switch] = line

    def take(self, entry: re.Match[str], target_of: dict[int, int], line: int) -> None:
        """Process an entry of the section."""
        if self._switch < 0:
            raise at(self._source, line, "an entry before the first 'Unicast lids ... of switch ... guid 0x...'")
        lid, port = int(entry[1], 16), int(entry[2])
        self._entries += 1
        guid = _PORT_GUID.search(entry[3])
        if guid:
            target = target_of.get(int(guid[1], 16), -1)
            if target < 0:
                made = self._fabric.made
                raise at(
                    self._source, line, f"no port of {made} has GUID 0x{int(guid[1], 16):x}; are these its tables?"
                )
        else:
            target = self._known.get(lid, -1)
            if target < 0:
                raise at(self._source, line, self._unknown_lid(lid))
        if self._lid_of.setdefault(lid, target) != target:
            raise at(self._source, line, f"LID {lid} belonged to another port above")
        if port == NO_PATH:
            return
        most = int(self._fabric.switch_ports[self._switch])
        if port > most:
            name = self._fabric.switch_names[self._switch]
            raise at(self._source, line, f"port {port} of switch {name}; its ports are 0 to {most}")
        # The first LID of an address counts; with an LMC, the others may take other paths.
        if self._ports[self._switch, target] < 0:
            self._ports[self._switch, target] = port

    def _unknown_lid(self, lid: int) -> str:
        if not self._known:
            return f"no port is known to have LID {lid}; name a port GUID, or give guid2lid"
        return (
            f"no port of {self._fabric.made} has LID {lid}; if the fabric has changed since, use 'topoloom repair OLD TABLES"
            " NEW'"
        )

    def end(self, count: int, line: int) -> None:
        """Process the line that ends a section."""
        if self._switch < 0:
            raise at(self._source, line, "the end of a table that has not begun")
        if count != self._entries:
            raise at(self._source, line, f"{self._entries} entries above instead of {count}; the file is damaged")
        self._switch = -1

    def finished(self) -> Tables:
        """The tables, after the last line."""
        self._not_inside(None)
        missing = np.flatnonzero(self._line == 0)
        if missing.size:
            name, count = self._fabric.switch_names[missing[0]], missing.size
            raise at(self._source, None, f"no table for switch {name} ({count} switches without one)")
        return Tables(self._source, self._ports, self._lid_of)

    def _not_inside(self, line: int | None) -> None:
        if self._switch >= 0:
            name = self._fabric.switch_names[self._switch]
            raise at(
                self._source, line, f"the table of switch {name} has no end ('... lids dumped'); the file is cut off"
            )

"""Rows of kind ``switch`` in a cable list: hosts, labels and provenance, which do not belong to a cable."""

import re
from collections.abc import Sequence

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.csv_files import unguarded
from topoloom.core.errors import at
from topoloom.core.text_parts import decimal_in
from topoloom.formats._text import label_array, short

_HOSTS = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
#: More hosts than any fabric has; a larger number is a mistake.
_MOST_HOSTS = 1 << 24
#: Bytes per host of a range while the list is read.
_HOST_BYTES = 220


class SwitchRows:
    """Processes the rows of kind ``switch`` one by one."""

    def __init__(self, source: str, text_bytes: int) -> None:
        self.switches = 0
        self._source, self._allowance = source, Allowance(source, text_bytes)
        # For each label its column, and whether it is text.
        self._labels: dict[str, tuple[int, bool]] = {}
        self._others: dict[str, int] = {}
        self._marks: dict[int, tuple[int, list[str]]] = {}
        self._provenance: dict[str, str] = {}
        self._hosts = 0

    def header(self, cells: list[str], line: int) -> set[int]:
        """Find the labels in the header (``label_NAME``, ``label_NAME:text``); returns their columns."""
        for place, cell in enumerate(cells):
            name = cell.strip().lower()
            if name in ("hosts", "topology", "spec"):
                self._others[name] = place
            if not cell.lstrip().lower().startswith("label_"):
                continue
            key = cell.lstrip()[len("label_") :]
            text = key.endswith(":text")
            key = key.removesuffix(":text") if text else key.removesuffix(":number")
            if key in self._labels:
                raise at(self._source, line, "the header names a column twice")
            self._labels[key] = place, text
        return {place for place, _ in self._labels.values()}

    def take(self, switch: int, cells: list[str], line: int) -> Sequence[int]:
        """Process the row of a switch; returns its hosts, in the order of their ports."""
        if switch in self._marks:
            reason = f"switch {switch} already has the row of line {self._marks[switch][0]}; keep one of them"
            raise at(self._source, line, reason)
        self._marks[switch] = line, [cells[place] for place, _ in self._labels.values()]
        self.switches = max(self.switches, switch + 1)
        if "spec" in self._others:
            self._provenance.setdefault("spec", "")
        for name, key in (("topology", "name"), ("spec", "spec")):
            if name in self._others and cells[self._others[name]]:
                self._provenance[key] = unguarded(cells[self._others[name]])
        return self._host_numbers(cells[self._others["hosts"]], line) if "hosts" in self._others else ()

    def _host_numbers(self, text: str, line: int) -> list[int]:
        """The hosts in a cell like ``0..14 20``."""
        numbers: list[int] = []
        for word in text.split():
            match = _HOSTS.fullmatch(word)
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
            if last < first or last >= _MOST_HOSTS:
                raise at(self._source, line, f"hosts holds {short(word)}; it must be host numbers such as '0..14 20'")
            self._hosts += last - first + 1
            if self._hosts > _MOST_HOSTS:
                raise at(self._source, line, f"more than {_MOST_HOSTS} hosts; a fabric has fewer")
            self._allowance.take(float(_HOST_BYTES) * (last - first + 1), f"{self._hosts:,} hosts", line)
            numbers.extend(range(first, last + 1))
        return numbers

    def provenance(self) -> dict[str, str]:
        """The topology's name and spec, if the list has them."""
        return self._provenance

    def labels(self, switches: int) -> dict[str, np.ndarray]:
        """The labels, for which every switch needs a row."""
        if not self._labels:
            return {}
        if len(self._marks) < switches:
            missing = next(switch for switch in range(switches) if switch not in self._marks)
            reason = f"switch {missing} has no row of kind switch; a list with label columns needs one per switch"
            raise at(self._source, None, reason)
        rows = [self._marks[switch] for switch in range(switches)]
        return {
            key: label_array(key, column, self._source, self._allowance)
            for i, (key, (_, text)) in enumerate(self._labels.items())
            for column in [[self._value(key, marks[i], text, line) for line, marks in rows]]
        }

    def _value(self, key: str, cell: str, text: bool, line: int) -> str | int | float:
        if text:
            return unguarded(cell)
        if _INTEGER.fullmatch(cell.strip()):
            return int(cell)
        value = decimal_in(cell)
        if value is None:
            label = short(f"label_{key}")
            reason = f"{label} is {short(cell)}; it must be a number (for texts, end the column's header in ':text')"
            raise at(self._source, line, reason)
        return value

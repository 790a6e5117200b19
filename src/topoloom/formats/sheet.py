"""Sheets with one row per cable, A to Z, as people and tools write them: CSV with any heads that say which end is which.

The row of heads is found by its words: a device and a port at each end. Rows above it are titles; a second row of heads may
follow. Read so: A-End and Z-End, Source and Destination, From and To, Local and Remote, the P2P sheets of NVIDIA's cable
validation tool (Ethernet, InfiniBand, and Links), the lab links of SONiC, the topology of Arista AVD, the forms in which NetBox
imports and exports cables. An empty cell of a device means the device of the row above. Every row that is not read is reported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topoloom.core.csv_files import csv_rows, csv_text, unguarded
from topoloom.core.errors import InputError, at
from topoloom.core.workbooks import WORKBOOK, workbook_rows
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.port_names import named_plugs
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of
from topoloom.model.link_rates import rate_text

_FORM = "a row has a device and a port at each end, under heads such as A-Device, A-Port, Z-Device, Z-Port"
#: Rows above the heads.
_MOST_TITLES = 40
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|#")
#: The words that say which end a column is about.
_SIDE_A = {"a", "source", "src", "from", "local", "start", "near"}
_SIDE_Z = {"z", "b", "destination", "dest", "dst", "to", "remote", "end", "peer", "far", "target"}
#: The words that say what a column has, the most telling first.
_FIELDS: tuple[tuple[str, set[str]], ...] = (
    ("", {"id", "mac", "ip", "vlan", "module", "mpo", "connector", "enabled", "label", "shuffle", "description"}),
    ("", {"site"}),
    ("place", {"location"}),
    ("unit", {"u", "ru", "unit", "elevation", "height"}),
    ("rack", {"rack", "cabinet", "cab"}),
    ("port", {"port", "interface", "intf", "int", "nic", "hca", "termination"}),
    ("type", {"type", "kind", "role"}),
    ("device", {"device", "node", "host", "hostname", "system", "switch", "router", "server"}),
    ("name", {"name"}),
)
_OF_CABLE = {
    "rate": {"speed", "bandwidth", "band", "rate"},
    "length": {"length"},
    "part": {"part", "sku", "pn"},
    "status": {"status", "state"},
    "protocol": {"protocol"},
    "kind": {"link"},
}
_NEEDED = ("a_device", "a_port", "z_device", "z_port")
_NUMBER = re.compile(r"([0-9]{1,9}(?:[.,][0-9]{1,3})?)\s*([A-Za-z/]*)")
#: What a unit of a rate is in Gb/s; a number alone above `_MOST_GBPS` is in Mb/s.
_UNITS = dict.fromkeys(("g", "gb", "gbps", "gbe", "gb/s", "ge"), 1.0) | {
    "m": 1e-3,
    "mbps": 1e-3,
    "mb/s": 1e-3,
    "t": 1e3,
}
_METRES = {"": 1.0, "m": 1.0, "meter": 1.0, "meters": 1.0, "metres": 1.0, "cm": 0.01, "ft": 0.3048, "feet": 0.3048}
_MOST_GBPS = 3200
#: The heads that are written.
_WRITTEN = ("A-Rack", "A-Node Name", "A-Type", "A-Port", "Z-Rack", "Z-Node Name", "Z-Type", "Z-Port")
#: Rows of these states and kinds are no cables.
_NOT_THERE = {"decommissioning", "removed", "deprecated"}
_NOT_DATA = {"power", "console", "serial", "management"}
#: The positions in the InfiniBand sheet of NVIDIA's tool, whose heads repeat: Rack U Name HCA/Port Rack Name Name Port.
_INFINIBAND = ("rack", "u", "name", "hca/port", "rack", "name", "name", "port")
_INFINIBAND_COLUMNS = ("a_rack", "a_unit", "a_device", "a_port", "z_rack", "z_unit", "z_device", "z_port")


@dataclass(frozen=True)
class Heads:
    """What the columns of a sheet have: the column of each field (``a_device``, ``z_port``, ``rate`` ...)."""

    columns: Mapping[str, int]
    line: int


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables in a CSV.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged.
    """
    if not data.startswith(WORKBOOK):
        return cables_of_rows(rows_in(text_of(data, source), source), source, lenient)
    cables = NamedCables(source, lenient=lenient)
    sheets = [
        (title, rows, heads) for title, rows in workbook_rows(data, source) if (heads := find_heads(rows)) is not None
    ]
    if not sheets:
        raise at(source, None, f"no sheet has heads for both ends; {_FORM}")
    for title, rows, heads in sheets:
        _read_below(heads, rows, cables, f"sheet {title}")
    return cables


def rows_in(text: str, source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV with commas, semicolons or tabs: the line of each, and its cells."""
    head = "\n".join(text.splitlines()[:_MOST_TITLES])
    separator = max(",;\t", key=head.count)
    return [(line, [unguarded(cell).strip() for cell in row]) for line, row in csv_rows(text, source, separator)]


def first_rows(start: bytes) -> list[tuple[int, list[str]]]:
    """The first rows of a CSV, from the beginning of its content; empty if they cannot be read."""
    lines = start.decode(errors="replace").splitlines()[:_MOST_TITLES]
    try:
        return rows_in("\n".join(lines), "")
    except InputError:
        return []


def cables_of_rows(rows: Sequence[tuple[int, list[str]]], source: str, lenient: bool) -> NamedCables:
    """The cables in the rows of a sheet.

    Parameters
    ----------
    rows : sequence of (int, list of str)
        The number of each row in the file, and its cells.
    source : str
        The file, for messages.
    lenient : bool
        Whether cables that cannot be right are omitted and reported instead of refused.

    Raises
    ------
    InputError
        No row has the heads of both ends, or a cable is not valid.
    """
    heads = find_heads(rows)
    if heads is None:
        raise at(source, None, f"no row has heads for both ends; {_FORM}")
    return _read_below(heads, rows, NamedCables(source, lenient=lenient))


def _read_below(
    heads: Heads, rows: Sequence[tuple[int, list[str]]], cables: NamedCables, title: str = ""
) -> NamedCables:
    """Add the cables of the rows below the heads; `title` is the sheet of a workbook."""
    reader = _Sheet(cables, heads, title)
    for line, cells in rows:
        if line > heads.line:
            reader.take(cells, line)
    reader.report()
    return cables


def find_heads(rows: Sequence[tuple[int, list[str]]]) -> Heads | None:
    """The row of heads among the first rows: one row, or two of which the upper one names the ends; None if there is none."""
    above: list[str] = []
    for line, cells in rows[:_MOST_TITLES]:
        if tuple(cell.lower() for cell in cells[: len(_INFINIBAND)]) == _INFINIBAND:
            return Heads({name: column for column, name in enumerate(_INFINIBAND_COLUMNS)}, line)
        for names in (
            cells,
            [f"{upper} {cell}" for upper, cell in zip(_spread(above, len(cells)), cells, strict=True)],
        ):
            columns = _columns(names)
            if all(name in columns for name in _NEEDED):
                return Heads(columns, line)
        above = cells
    return None


def _spread(cells: list[str], width: int) -> list[str]:
    """The cells of an upper row of heads: one that is merged over several columns is written in the first of them."""
    spread, last = [], ""
    for cell in [*cells, *[""] * width][:width]:
        last = cell or last
        spread.append(last)
    return spread


def _columns(names: Sequence[str]) -> dict[str, int]:
    """The column of each field that the heads name."""
    columns: dict[str, int] = {}
    for column, name in enumerate(names):
        words = _words(name)
        side = _side(words)
        if side:
            bare = not set(words) - _SIDE_A - _SIDE_Z - {"side"}
            field = next((field for field, marks in _FIELDS if marks & set(words)), "device" if bare else "")
            key = f"{side}_{field}" if field else ""
        else:
            key = next((key for key, marks in _OF_CABLE.items() if marks & set(words)), "")
        if key:
            columns.setdefault(key, column)
    for side in "az":
        if f"{side}_place" in columns:
            columns.setdefault(f"{side}_rack", columns.pop(f"{side}_place"))
        # A name is that of the port where the device has a column of its own, and that of the device where it has none.
        if f"{side}_name" in columns:
            column = columns.pop(f"{side}_name")
            columns.setdefault(f"{side}_device", column)
            if columns[f"{side}_device"] != column:
                columns.setdefault(f"{side}_port", column)
    return columns


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _side(words: Sequence[str]) -> str:
    """The end that a head is about: ``a`` or ``z``; empty if it does not say.

    ``A-End`` and ``End Device`` differ: ``end`` means the far end only as the first word.
    """
    for place, word in enumerate(words):
        if word in _SIDE_Z and (word != "end" or place == 0):
            return "z"
        if word in _SIDE_A:
            return "a"
    # Arista AVD: Node, Node Interface; Peer Node, Peer Interface.
    return "a" if words[:1] == ["node"] else ""


class _Sheet:
    """Processes the rows below the heads."""

    def __init__(self, cables: NamedCables, heads: Heads, title: str) -> None:
        self._cables, self._columns, self._title = cables, heads.columns, title
        self._last = {"a": "", "z": ""}
        self._omitted: dict[str, list[int]] = {}

    def take(self, cells: list[str], line: int) -> None:
        """Process a row: a cable, or a row that is reported."""
        if not any(cells):
            return
        values = {name: cells[column] if column < len(cells) else "" for name, column in self._columns.items()}
        reason = self._why_not(values, line)
        if reason:
            self._omitted.setdefault(reason, []).append(line)
            return
        ends = []
        for side in "az":
            name = values[f"{side}_device"] or self._last[side]
            self._last[side] = name
            kind, rack = values.get(f"{side}_type", ""), values.get(f"{side}_rack", "")
            device = self._cables.device(name, line, switch=is_switch_role(kind), rack=rack)
            ends.append((device, values[f"{side}_port"]))
        (first, port), (other, far_port) = ends
        self._cables.cable(
            (first, port),
            (other, far_port),
            line,
            where=f"{self._title}, row {line}" if self._title else "",
            rate_gbps=_rate(values.get("rate", "")),
            length_m=_length(values.get("length", "")),
            part=values.get("part", ""),
        )

    def _why_not(self, values: Mapping[str, str], line: int) -> str:
        """Why a row is no cable; empty if it is one."""
        if values.get("status", "").lower() in _NOT_THERE:
            return f"of status {values['status']}"
        for key in ("protocol", "kind"):
            if values.get(key, "").lower() in _NOT_DATA:
                return f"of kind {values[key]}"
        if any(
            "frontport" in values.get(f"{side}_type", "") or "rearport" in values.get(f"{side}_type", "")
            for side in "az"
        ):
            return "ending at a patch panel"
        named = [values[f"{side}_device"] or self._last[side] for side in "az"]
        if not all(named) or not any(values[name] for name in _NEEDED):
            return "without a device at each end"
        if any("," in values[f"{side}_port"] or "," in values[f"{side}_device"] for side in "az"):
            return "with several ports or devices in a cell, which have no order"
        return ""

    def report(self) -> None:
        """Report the rows that were not read."""
        within = f"{self._title}, " if self._title else ""
        for reason, lines in self._omitted.items():
            rows = f"row{'s' * (len(lines) > 1)} {enumerated(list(map(str, lines)))}"
            self._cables.note(f"{within}{rows} {reason}: not read")


def write_fabric(fabric: Fabric) -> str:
    """A sheet with the heads of the P2P sheets of NVIDIA's cable validation tool, one row per cable, hosts' cables last."""
    switches, hosts = distinct_names(fabric)
    racks = dict(zip(switches, fabric.switch_rack.tolist(), strict=True))
    racks |= dict(zip(hosts, fabric.host_rack.tolist(), strict=True))
    kinds = dict.fromkeys(switches, "Switch") | dict.fromkeys(hosts, "Host")
    rates = [*fabric.link_rate_gbps.tolist(), *fabric.endpoint_rate_gbps.tolist(), *[0.0] * len(fabric.loops)]
    rated = any(rates)
    rows = []
    for ends, rate_gbps in zip(named_plugs(fabric), rates, strict=True):
        cells = [cell for device, port in ends for cell in (racks[device], device, kinds[device], port)]
        rows.append([*cells, rate_text(rate_gbps) if rate_gbps else ""] if rated else cells)
    return csv_text((*_WRITTEN, "Rate Gb/s") if rated else _WRITTEN, rows)


def _rate(text: str) -> float:
    """Gb/s in a cell: ``400G``, ``400``, ``400000`` (Mb/s); 0 for another text."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None or match[2].lower() not in (*_UNITS, ""):
        return 0.0
    number, unit = float(match[1].replace(",", ".")), match[2].lower()
    return number * _UNITS[unit] if unit else number / 1000 if number > _MOST_GBPS else number


def _length(text: str) -> float:
    """Metres in a cell: ``3``, ``3 m``, ``10 Meters``, ``10 ft``; 0 for another text."""
    match = _NUMBER.fullmatch(text.strip())
    return 0.0 if match is None else float(match[1].replace(",", ".")) * _METRES.get(match[2].lower(), 0.0)


register_named_format(
    "sheet",
    (".p2p.csv", "_links.csv", ".xlsx"),
    "sheet with one row per cable, A to Z: any heads",
    cables_in,
    _FORM,
    shared=(".csv", ".txt", ".ndt"),
    rates=True,
    isolated=False,
    write_fabric=write_fabric,
)

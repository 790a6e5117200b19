"""Sheets with one row per cable, A to Z, as people and tools write them: CSV with any heads that say which end is which.

The row of heads is found by its words (`_sheet_heads`): a device and a port at each end; or the user names the columns. Rows
above it are titles; a second row of heads may follow. Read so: A-End and Z-End, Source and Destination, From and To, Local and
Remote, the P2P sheets of NVIDIA's cable validation tool (Ethernet, InfiniBand, and Links), canu's SHCD, the lab links of SONiC,
the topology of Arista AVD, the forms in which NetBox imports and exports cables. An empty cell of a device means the device of
the row above. Every row that is not read is reported.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from topoloom.core.csv_files import csv_rows, csv_text, unguarded
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.workbooks import WORKBOOK, workbook_rows
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.named_cables import NamedCables
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.port_names import named_plugs
from topoloom.fabric.port_settings import UNSET, PortSettings, bytes_of, fec_of, gbps_of
from topoloom.formats._named_format import register_named_format
from topoloom.formats._sheet_heads import MOST_TITLES, NEEDED, ColumnChoice, Heads, find_heads, find_nodes, no_heads
from topoloom.formats._text import short, text_of
from topoloom.model.link_rates import rate_text

SHEET = "sheet"
#: What a row of a sheet has, for messages.
FORM = "a row has a device and a port at each end, under heads such as A-Device, A-Port, Z-Device, Z-Port"
_BYTES = re.compile(r"([0-9]{2,5}|[0-9]{1,2}[,.' ][0-9]{3})\s*(?:B|bytes)?", re.IGNORECASE)
#: Cells that state nothing.
_NO_VALUE = {"", "0", "-", "--", "?", "n/a", "na", "none", "auto", "default", "enabled", "tbd", "unknown"}
_NUMBER = re.compile(r"([0-9]{1,9}(?:[.,][0-9]{1,3})?)\s*([A-Za-z/]*)")
_METRES = {"": 1.0, "m": 1.0, "meter": 1.0, "meters": 1.0, "metres": 1.0, "cm": 0.01, "ft": 0.3048, "feet": 0.3048}
#: The heads that are written, of both ends.
P2P_HEADS = (
    *("A-Rack", "A-U", "A-Node Name", "A-Type", "A-Port"),
    *("Z-Rack", "Z-RU", "Z-Node Name", "Z-Type", "Z-Port"),
)
#: Rows of these states and kinds are no cables.
_NOT_THERE = {"decommissioning", "removed", "deprecated"}
_NOT_DATA = {"power", "console", "serial", "management"}
#: An adapter of a host in an InfiniBand sheet: its number, and its port.
_HCA = re.compile(r"(?:hca[- ]?)?([0-9]{1,3})(?:/([0-9]{1,2}))?", re.IGNORECASE)
_MOST_MAPPING_BYTES = 1 << 20
#: Devices whose names in an SHCD canu completes: by their rack, and with a number of three digits.
_IN_RACK = re.compile(r"(x[0-9]{1,5})?(cec|cmm|pdu)-?([0-9]{1,3})", re.IGNORECASE)
_NUMBERED = re.compile(r"(sw-[a-z]+|cn|uan|lm|gateway|login|viz)([0-9]{1,2})", re.IGNORECASE)
#: Devices that a message names.
_SHOWN = 4


def cables_in(
    data: bytes, source: str, lenient: bool, columns: str | None = None, hca_mapping: str | None = None
) -> NamedCables:
    """The cables in a CSV or a workbook.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.
    columns : str, optional
        What the columns have, where the heads do not say it (`ColumnChoice`).
    hca_mapping : str, optional
        A CSV of port,hca-name: the adapter of each HCA number of an InfiniBand sheet; mlx5_0 for 1, mlx5_1 for 2 if omitted.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged, or has no heads for both ends.
    """
    choice = None if columns is None else ColumnChoice(columns)
    hcas = {} if hca_mapping is None else _hca_names(hca_mapping)
    if not data.startswith(WORKBOOK):
        return cables_of_rows(rows_in(text_of(data, source), source), source, lenient, choice, hcas)
    cables = NamedCables(source, lenient=lenient)
    sheets, others, wrong = [], [], None
    for title, rows in workbook_rows(data, source):
        try:
            heads = find_heads(rows) if choice is None else choice.find(rows, f"{source}: sheet {title}")
        except InputError as error:
            heads, wrong = None, wrong or error
        if heads is not None:
            sheets.append((title, rows, heads))
        elif rows:
            others.append((title, rows))
    if not sheets:
        rows = max((rows for _, rows in others), key=len, default=[])
        raise wrong or at(source, None, f"no sheet has heads for both ends: {no_heads(rows)}")
    for title, rows, heads in sheets:
        _read_below(heads, rows, cables, f"sheet {title}", hcas)
    for title, rows in others:
        _read_nodes(title, rows, cables)
    return cables


def rows_in(text: str, source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV with commas, semicolons or tabs: the line of each, and its cells."""
    head = "\n".join(text.splitlines()[:MOST_TITLES])
    separator = max(",;\t", key=head.count)
    return [(line, [unguarded(cell).strip() for cell in row]) for line, row in csv_rows(text, source, separator)]


def first_rows(start: bytes) -> list[tuple[int, list[str]]]:
    """The first rows of a CSV, from the beginning of its content; empty if they cannot be read."""
    lines = start.decode(errors="replace").splitlines()[:MOST_TITLES]
    try:
        return rows_in("\n".join(lines), "")
    except InputError:
        return []


def cables_of_rows(
    rows: Sequence[tuple[int, list[str]]],
    source: str,
    lenient: bool,
    choice: ColumnChoice | None = None,
    hcas: Mapping[str, str] = MappingProxyType({}),
) -> NamedCables:
    """The cables in the rows of a sheet.

    Parameters
    ----------
    rows : sequence of (int, list of str)
        The number of each row in the file, and its cells.
    source : str
        The file, for messages.
    lenient : bool
        Whether cables that cannot be right are omitted and reported instead of refused.
    choice : ColumnChoice, optional
        What the columns have; None: their heads say it.
    hcas : mapping of str to str
        The adapter of each HCA number.

    Raises
    ------
    InputError
        No row has the heads of both ends, or a cable is not valid.
    """
    heads = find_heads(rows) if choice is None else choice.find(rows, source)
    if heads is None:
        raise at(source, None, f"no row has heads for both ends: {no_heads(rows)}")
    cables = NamedCables(source, lenient=lenient)
    _read_below(heads, rows, cables, "", hcas)
    return cables


def _read_below(
    heads: Heads, rows: Sequence[tuple[int, list[str]]], cables: NamedCables, title: str, hcas: Mapping[str, str]
) -> None:
    """Add the cables of the rows below the heads; `title` is the sheet of a workbook."""
    column = heads.columns["z_device"]
    reader = _Sheet(cables, heads, title, hcas, {cells[column].lower() for _, cells in rows if column < len(cells)})
    for line, cells in rows:
        if line > heads.line:
            reader.take(cells, line)
    reader.report()


def _read_nodes(title: str, rows: Sequence[tuple[int, list[str]]], cables: NamedCables) -> None:
    """What a sheet of devices says of those that have cables: kind, rack and unit; report what is not read."""
    places = find_nodes(rows)
    if places is None:
        cables.note(f"sheet {title} has no heads for both ends of a cable: not read")
        return
    unused = []
    for line, cells in rows:
        values = {field: cells[column] if column < len(cells) else "" for field, column in places.columns.items()}
        name = values["name"]
        if line <= places.line or not name:
            continue
        if cables.known(name) is None:
            unused.append(name)
            continue
        switch = is_switch_role(values.get("type", ""))
        cables.device(name, line, switch=switch, rack=values.get("rack", ""), unit=values.get("unit", ""))
    if unused:
        cables.note(f"sheet {title}: without a cable, so not read: {enumerated(unused, _SHOWN)}")


def _hca_names(source: str) -> dict[str, str]:
    """The adapter of each HCA number, from a CSV of port,hca-name."""
    names = {}
    for line, row in csv_rows(read_text(source, _MOST_MAPPING_BYTES), source):
        number, name, *_ = [unguarded(cell).strip() for cell in [*row, ""]]
        if number.lower() == "port":
            continue
        if not number.isdecimal() or not name:
            raise at(source, line, "a line is the number of a port and the name of an adapter, such as 1,mlx5_0")
        names[str(int(number))] = name
    return names


class _Sheet:
    """Processes the rows below the heads."""

    def __init__(
        self, cables: NamedCables, heads: Heads, title: str, hcas: Mapping[str, str], far_names: set[str]
    ) -> None:
        self._cables, self._columns, self._title, self._hcas = cables, heads.columns, title, hcas
        self._far_names = far_names
        self._last = {"a": "", "z": ""}
        self._omitted: dict[str, list[int]] = {}
        self._unread: dict[str, list[int]] = {}
        self._renamed: dict[str, str] = {}

    def take(self, cells: list[str], line: int) -> None:
        """Process a row: a cable, or a row that is reported."""
        if not any(cells):
            return
        values = {name: cells[column] if column < len(cells) else "" for name, column in self._columns.items()}
        for side in "az":
            if f"{side}_port" not in values:
                values[f"{side}_port"] = values.get(f"{side}_hca") or _slot_port(values, side)
        reason = self._why_not(values, line)
        if reason:
            self._omitted.setdefault(reason, []).append(line)
            return
        ends, rates_gbps = [], [self._value("rate", values, line)]
        for side in "az":
            name = values[f"{side}_device"] or self._last[side]
            self._last[side] = name
            switch, port = is_switch_role(values.get(f"{side}_type", "")), values[f"{side}_port"]
            if f"{side}_number" in values:
                switch, name = bool(is_switch_role(name)), self._common_name(name, values.get(f"{side}_rack", ""))
            elif f"{side}_hca" in values and not (name.lower() in self._far_names or is_switch_role(name)):
                name, port = self._adapter(name, port, line)
                switch = False
            of = {field: values.get(f"{side}_{field}", "") for field in ("rack", "unit")}
            ends.append((self._cables.device(name, line, switch=switch, **of), port))
            settings = PortSettings(
                mtu=self._value("mtu", values, line, side),
                fec=self._value("fec", values, line, side),
                rate_gbps=self._value("rate", values, line, side),
            )
            rates_gbps.append(settings.rate_gbps)
            if port:
                ends[-1][0].set_up(port, settings)
            elif settings.mtu or settings.fec:
                self._unread.setdefault("MTU or FEC of an end without a port", []).append(line)
        (first, port), (other, far_port) = ends
        self._cables.cable(
            (first, port),
            (other, far_port),
            line,
            where=f"{self._title}, row {line}" if self._title else "",
            rate_gbps=rates_gbps[0] or min(filter(None, rates_gbps), default=0.0),
            length_m=self._value("length", values, line),
            part=values.get("part", ""),
        )

    def _value(self, field: str, values: Mapping[str, str], line: int, side: str = "") -> Any:
        """What a cell states of a cable, or of an end, for which that of the cable counts, too, unless it is a rate."""
        text = values.get(f"{side}_{field}" if side else field, "")
        if side and not text and field != "rate":
            text = values.get(field, "")
        name, understood = _VALUES[field]
        value = understood(text)
        if not value and text.lower() not in _NO_VALUE:
            self._unread.setdefault(f"{name} {short(text)}", []).append(line)
        return value

    def _common_name(self, name: str, rack: str) -> str:
        """The name of a device of an SHCD in canu's paddles: cn01 is cn001, pdu0 in rack x3000 is pdu-x3000-000."""
        common = name
        if match := _IN_RACK.fullmatch(name):
            common = f"{match[2]}-{match[1] or rack}-{int(match[3]):03d}".lower()
        elif match := _NUMBERED.fullmatch(name):
            common = f"{match[1]}{'-' * name.lower().startswith('sw')}{int(match[2]):03d}"
        if common != name:
            self._renamed.setdefault(name, common)
        return common

    def _adapter(self, name: str, text: str, line: int) -> tuple[str, str]:
        """The adapter, which is a host of its own in InfiniBand, and its port for a cell: ``1``, ``HCA 1``, ``1/2``."""
        match = _HCA.fullmatch(text)
        if match is None:
            return f"{name} {text}".strip(), "1"
        number = int(match[1])
        if self._hcas and match[1] not in self._hcas:
            raise at(self._cables.source, line, f"HCA {number} is not in the mapping of ports to adapters")
        if number == 0:
            raise at(self._cables.source, line, "HCA 0: adapters are counted from 1")
        return f"{name} {self._hcas.get(match[1], f'mlx5_{number - 1}')}", match[2] or "1"

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
        if "0" in (values.get("a_number"), values.get("z_number")):
            return "with port 0, which stands for none"
        named = [values[f"{side}_device"] or self._last[side] for side in "az"]
        if not all(named) or not any(values[name] for name in NEEDED):
            return "without a device at each end"
        if any("," in values[f"{side}_port"] or "," in values[f"{side}_device"] for side in "az"):
            return "with several ports or devices in a cell, which have no order"
        return ""

    def report(self) -> None:
        """Report the rows that were not read."""
        within = f"{self._title}, " if self._title else ""
        for reason, lines in self._omitted.items():
            self._cables.note(f"{within}{_rows(lines)} {reason}: not read")
        for what, lines in self._unread.items():
            self._cables.note(f"{within}{_rows(lines)}: {what}: not read; the cable is")
        if self._renamed:
            named = enumerated([f"{name} is {common}" for name, common in self._renamed.items()], _SHOWN)
            self._cables.note(f"{within}devices named as canu names them: {named}")


def p2p_table(fabric: Fabric) -> tuple[list[str], list[list[str]]]:
    """The heads of NVIDIA's P2P sheets, and one row per cable, hosts' cables last.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    (list of str, list of list of str)
    """
    fabric, _ = with_own_switches(fabric)
    switches, hosts = distinct_names(fabric)
    places = list(zip(fabric.switch_rack.tolist(), fabric.switch_unit.tolist(), switches, strict=True))
    places += zip(fabric.host_rack.tolist(), fabric.host_unit.tolist(), hosts, strict=True)
    place_of = {name: (rack, unit) for rack, unit, name in places}
    kinds = dict.fromkeys(switches, "Switch") | dict.fromkeys(hosts, "Host")
    settings = fabric.port_settings
    stated = [
        (name, field)
        for name, field in (("MTU", "mtu"), ("FEC", "fec"))
        if any(getattr(of, field) for of in settings.values())
    ]
    rates = [*fabric.link_rate_gbps.tolist(), *fabric.endpoint_rate_gbps.tolist(), *[0.0] * len(fabric.loops)]
    rated = any(rates)
    rows = []
    for ends, rate_gbps in zip(named_plugs(fabric), rates, strict=True):
        row = [cell for device, port in ends for cell in (*place_of[device], device, kinds[device], port)]
        row += [rate_text(rate_gbps) if rate_gbps else ""] if rated else []
        row += [str(getattr(settings.get(end, UNSET), field) or "") for _, field in stated for end in ends]
        rows.append(row)
    return [*P2P_HEADS, *["Rate Gb/s"] * rated, *(f"{side}-{name}" for name, _ in stated for side in "AZ")], rows


def write_fabric(fabric: Fabric) -> str:
    """A sheet with the heads of the P2P sheets of NVIDIA's cable validation tool, one row per cable, hosts' cables last."""
    return csv_text(*p2p_table(fabric))


def _slot_port(values: Mapping[str, str], side: str) -> str:
    """A port of an SHCD as canu writes it in a paddle: its number, after the slot if there is one (``ocp:1``)."""
    number = re.sub("^j(?=[0-9])", "", values.get(f"{side}_number", ""), flags=re.IGNORECASE)
    slot = values.get(f"{side}_slot", "")
    slot = "pcie-slot1" if slot == "pci" else re.sub("^s(?=[0-9])", "pcie-slot", slot)
    return f"{slot}:{number}" if slot and number else number


def _rows(lines: Sequence[int]) -> str:
    each = [*dict.fromkeys(map(str, lines))]
    return f"row{'s' * (len(each) > 1)} {enumerated(each)}"


def _metres(text: str) -> float:
    """Metres in a cell: ``3``, ``3 m``, ``10 Meters``, ``10 ft``; 0 for another text."""
    match = _NUMBER.fullmatch(text)
    return 0.0 if match is None else float(match[1].replace(",", ".")) * _METRES.get(match[2].lower(), 0.0)


def _bytes(text: str) -> int:
    """Bytes in a cell: ``9216``, ``9,216``, ``9216 bytes``; 0 for another text."""
    match = _BYTES.fullmatch(text)
    return 0 if match is None else bytes_of(re.sub("[^0-9]", "", match[1]))


#: What the cells of a cable and of its ends have, and how each is understood; 0 or empty for another text.
_VALUES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "mtu": ("MTU", _bytes),
    "fec": ("FEC", fec_of),
    "rate": ("rate", gbps_of),
    "length": ("length", _metres),
}


register_named_format(
    SHEET,
    (".p2p.csv", "_links.csv"),
    "sheet with one row per cable, A to Z: any heads",
    cables_in,
    FORM,
    shared=(".csv", ".txt", ".ndt"),
    rates=True,
    isolated=False,
    columned=True,
    write_fabric=write_fabric,
)

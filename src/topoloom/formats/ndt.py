"""UFM's NDT files: a CSV with one row per cable, StartDevice, StartPort, EndDevice, EndPort, LinkType, and further columns.

A switch's port is ``Port 7``, or for a director ``Blade 16_Port 2/20``: port 20 of the second chip of the 16th leaf, which
reports itself as ``NAME:MODEL/L16/U2`` and is named ``NAME/L16/U2`` here. Any other port is a host's: ``IB Port 2`` is its
second, and other names (``node7 ibp11s0f0``, ``HCA-1``) are adapters. A device is either a switch or a host, and a misspelt
port is refused. Source: the NDT plugin in Mellanox/ufm_sdk_3.0.
"""

import logging
import re
from collections import Counter
from difflib import get_close_matches

from topoloom.core.csv_files import csv_rows, csv_text, unguarded
from topoloom.core.errors import InputError, at
from topoloom.fabric._assembly import ReadNode
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.managed_names import managed
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.plugging import Plugging
from topoloom.formats._registry import Format, register
from topoloom.formats._text import fabric_from, short, stem, text_of
from topoloom.model.link_rates import rate_text
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

NAME = "ndt"
_NEEDED = ("startdevice", "startport", "enddevice", "endport")
_COLUMNS = ("StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")
#: The racks of both ends; the format has no units of racks.
_LOCATIONS = ("StartDeviceLocation", "EndDeviceLocation")
_AT_SWITCH = re.compile(r"Port\s*([0-9]{1,5})", re.IGNORECASE)
_AT_DIRECTOR = re.compile(r"Blade\s*([0-9]{1,4})_Port\s*([0-9]{1,4})/([0-9]{1,5})", re.IGNORECASE)
#: What precedes the first head.
_FIELDS = re.compile(r"^#\s*Fields:", re.IGNORECASE)
#: Ports that are names: ``swp7``, ``9/1``, ``Ethernet0``, ``sw1p1``, ``etp1a``, ``et-0/0/0:0``.
_NAMED = re.compile(
    r"swp[0-9]+(?:s[0-9]+)?|sw[0-9]+p[0-9]+|etp[0-9]+[a-h]?|Eth(?:ernet)?[0-9]+(?:/[0-9]+)*|[0-9]{1,3}(?:/[0-9]{1,3}){1,2}"
    r"|(?:et|xe|ge)-[0-9]+/[0-9]+/[0-9]+(?::[0-9]+)?",
    re.IGNORECASE,
)
_AT_HOST = re.compile(r"IB\s*Port\s*([0-9]{1,5})", re.IGNORECASE)
_LEAF = re.compile(r"/L([0-9]{1,4})/U([0-9]{1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,3})?")
#: A speed above this value is in Mb/s instead of Gb/s, as UFM writes it.
_MOST_GBPS = 10_000
_PORTS = "a switch's port is 'Port 7' or 'Blade 16_Port 2/20'"
#: The beginnings of ports of a switch; a word this similar to one of them is a misspelling, not an adapter.
_WORD = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)?")
_PORT_WORDS = ("port", "blade", "ib port")
_NEAR = 0.6


def fabric_of(data: bytes, source: str) -> Fabric:
    """The planned fabric in the file, without switches that have no cable.

    Raises
    ------
    InputError
        A required column is missing, a row is not valid, or two cables are in one port.
    """
    reader = _Reader(source)
    place: dict[str, int] | None = None
    rows = list(csv_rows(text_of(data, source), source))
    if any(_NAMED.fullmatch(cell.strip()) for _, row in rows for cell in row):
        return _named_fabric(rows, source)
    for number, row in rows:
        cells = [unguarded(cell).strip() for cell in row]
        if place is None:
            names = [cell.lower().removeprefix("#").removeprefix("fields:").strip() for cell in cells]
            lost = [_COLUMNS[_NEEDED.index(name)] for name in _NEEDED if name not in names]
            if lost:
                raise at(
                    source,
                    number,
                    f"the first row needs the columns StartDevice,StartPort,EndDevice,EndPort; {lost[0]} is missing",
                )
            place = {name: names.index(name) for name in reversed(names) if name}
            continue
        if cells[0].startswith("#"):
            continue
        values = {name: cells[column] for name, column in place.items() if column < len(cells)}
        lacking = next((name for name in _NEEDED if not values.get(name)), None)
        if lacking is not None:
            raise at(source, number, f"a row without {_COLUMNS[_NEEDED.index(lacking)]}")
        reader.take(values, number)
    return reader.fabric()


def _named_fabric(rows: list[tuple[int, list[str]]], source: str) -> Fabric:
    """The fabric of a file whose switches have ports with names, as those of Ethernet have."""
    from topoloom.formats.sheet import cables_of_rows

    plain = [(line, [_FIELDS.sub("", unguarded(cell)).strip() for cell in row]) for line, row in rows]
    cables = cables_of_rows(plain, source, lenient=False)
    return fabric_from(source, lambda: cables.fabric(stem(source), _PORTS))


class _Reader:
    """Processes the rows one by one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._plugging = Plugging(source)
        # For each device with ports of switches the first line; for each device with other ports the line and the port's name.
        self._switches: dict[str, int] = {}
        self._adapters: dict[str, tuple[int, str]] = {}
        self._others: Counter[str] = Counter()
        self._no_numbers = 0

    def take(self, values: dict[str, str], line: int) -> None:
        """Process a row: a cable, or a row of another type, which is only counted."""
        kind = values.get("linktype", "")
        if kind.lower() not in ("", "data"):
            if get_close_matches(kind.lower(), ["data"], 1):
                raise at(self._source, line, f"LinkType is {short(kind)}; did you mean Data?")
            self._others[kind] += 1
            return
        first = self._end(values["startdevice"], values["startport"], line)
        second = self._end(values["enddevice"], values["endport"], line)
        near, far_end = values.get("startdevicelocation", ""), values.get("enddevicelocation", "")
        first[0].rack = first[0].rack or near or values.get("rack #", "")
        second[0].rack = second[0].rack or far_end
        speed, length_m = self._number(values.get("speed", "")), self._number(values.get("cable length", ""))
        rate_gbps = speed / 1000 if speed > _MOST_GBPS else speed
        self._plugging.cable(first, second, line, rate_gbps=rate_gbps, length_m=length_m)

    def fabric(self) -> Fabric:
        """The fabric, after all rows; logs what was not read."""
        for device, (line, port) in self._adapters.items():
            if device in self._switches:
                reason = (
                    f"{short(device)} is a switch on line {self._switches[device]}, but {short(port)} is no switch port"
                )
                raise at(self._source, line, f"{reason}; {_PORTS}")
        for kind, count in self._others.items():
            log.warning(
                "%s: %d rows of LinkType %s are not data cables and were not read", self._source, count, short(kind)
            )
        if self._no_numbers:
            log.warning(
                "%s: %d cells of Speed or Cable Length are not numbers and were not read",
                self._source,
                self._no_numbers,
            )
        return fabric_from(self._source, lambda: self._plugging.fabric(stem(self._source), _PORTS))

    def _end(self, device: str, port: str, line: int) -> tuple[ReadNode, int]:
        plugging = self._plugging
        if match := _AT_SWITCH.fullmatch(port):
            self._switches.setdefault(device, line)
            return plugging.node(device, device, line, switch=True), _port(plugging, match[1], port, line)
        if match := _AT_DIRECTOR.fullmatch(port):
            self._switches.setdefault(device, line)
            name = f"{device}/L{int(match[1])}/U{int(match[2])}"
            return plugging.node(name, name, line, switch=True), _port(plugging, match[3], port, line)
        self._adapters.setdefault(device, (line, port))
        # Some files repeat the port in the device: Server 1 IB Port 1.
        device = device.removesuffix(port).strip() or device
        if match := _AT_HOST.fullmatch(port):
            return plugging.node(device, device, line, switch=False), _port(plugging, match[1], port, line)
        word = _WORD.match(port)
        if word is None or get_close_matches(word[0].lower(), _PORT_WORDS, 1, _NEAR):
            raise at(
                self._source,
                line,
                f"{short(port)} is not a port; {_PORTS}, a host's 'IB Port 1' or its adapter 'HCA-1'",
            )
        name = port if port.startswith(f"{device} ") else f"{device} {port}"
        return plugging.node(name, name, line, switch=False), 1

    def _number(self, cell: str) -> float:
        if _NUMBER.fullmatch(cell):
            return float(cell)
        self._no_numbers += bool(cell)
        return 0.0


def _port(plugging: Plugging, digits: str, port: str, number: int) -> int:
    if int(digits) == 0:
        raise at(plugging.source, number, f"{short(port)}: ports are numbered from 1")
    return int(digits)


def read(data: bytes, source: str) -> Topology:
    """The topology of the fabric that UFM expects, with rates if all are known; `open_network` keeps names as well."""
    return fabric_of(data, source).topology


def write_fabric(fabric: Fabric) -> str:
    """One row per cable, hosts' cables first; with speeds in Gb/s where known. NDT has no GUIDs and no LIDs."""
    fabric, _ = with_own_switches(fabric)
    topology = fabric.topology
    if len(fabric.loops):
        raise InputError(f"{fabric.made}: a switch is cabled to itself, which NDT cannot express")
    switch_names, host_names = distinct_names(fabric)
    ends = (
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
    )
    rows: list[tuple[str, ...]] = [
        (host_names[h], f"IB Port {p}", *_at_switch(switch_names[s], q), "Data")
        for h, p, s, q in zip(*ends, strict=True)
    ]
    rows += [
        (*_at_switch(switch_names[u], p), *_at_switch(switch_names[v], q), "Data")
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    ]
    heads: tuple[str, ...] = _COLUMNS
    speeds = [*fabric.endpoint_rate_gbps.tolist(), *fabric.link_rate_gbps.tolist()]
    if any(speeds):
        heads = (*heads, "Speed")
        rows = [(*row, rate_text(gbps) if gbps else "") for row, gbps in zip(rows, speeds, strict=True)]
    near, far_end = topology.links.T
    racks = [
        *zip(fabric.host_rack[topology.host].tolist(), fabric.switch_rack[topology.endpoints].tolist(), strict=True),
        *zip(fabric.switch_rack[near].tolist(), fabric.switch_rack[far_end].tolist(), strict=True),
    ]
    if any(map(any, racks)):
        heads = (*heads, *_LOCATIONS)
        rows = [(*row, *of_ends) for row, of_ends in zip(rows, racks, strict=True)]
    return csv_text(heads, rows)


def _at_switch(description: str, port: int) -> tuple[str, str]:
    """The device and the port at a switch, as UFM names them."""
    name, _, part = managed(description)
    if leaf := _LEAF.fullmatch(part):
        return name, f"Blade {int(leaf[1]):02d}_Port {int(leaf[2])}/{port}"
    return name + ("" if part.upper() in ("", "/U1") else part), f"Port {port}"


def write(topology: Topology) -> str:
    """The rows of a planned network."""
    return write_fabric(planned_fabric(topology))


def _says_rate(rate_gbps: float) -> bool:
    """Whether a cell of the column Speed reads back as this rate."""
    return rate_gbps <= _MOST_GBPS and _NUMBER.fullmatch(rate_text(rate_gbps)) is not None


register(
    Format(
        name=NAME,
        suffixes=(".ndt",),
        description="UFM's NDT: a CSV with one row per cable, by the names of devices and ports",
        keeps=frozenset({"endpoints", "host", "rate_gbps"}),
        says_rate=_says_rate,
        holds=frozenset({"names"}),
        read=read,
        write=write,
        write_fabric=write_fabric,
        fabric=fabric_of,
    )
)

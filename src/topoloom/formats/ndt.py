"""UFM's NDT files: a CSV with a row a cable, StartDevice, StartPort, EndDevice, EndPort, LinkType, and what else there is.

A switch's port is ``Port 7``, or of a director ``Blade 16_Port 2/20``: port 20 of the second chip of the 16th leaf, which calls
itself ``NAME:MODEL/L16/U2`` and is the switch ``NAME/L16/U2`` here. Any other port is a host's: ``IB Port 2`` its second, and
what else it is called (``node7 ibp11s0f0``, ``HCA-1``) an adapter. Source: the NDT plugin in Mellanox/ufm_sdk_3.0.
"""

import re

from topoloom.csv_files import csv_rows, csv_text, unguarded
from topoloom.errors import at
from topoloom.fabrics._assembly import Node
from topoloom.fabrics.fabric import Fabric, planned_fabric
from topoloom.fabrics.plugging import Plugging
from topoloom.formats._registry import Format, register
from topoloom.formats._text import fabric_from, short, stem, text_of
from topoloom.topology import Topology

NAME = "ndt"
_NEEDED = ("startdevice", "startport", "enddevice", "endport")
_COLUMNS = ("StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")
_AT_SWITCH = re.compile(r"Port\s*([0-9]{1,5})", re.IGNORECASE)
_AT_DIRECTOR = re.compile(r"Blade\s*([0-9]{1,4})_Port\s*([0-9]{1,4})/([0-9]{1,5})", re.IGNORECASE)
_AT_HOST = re.compile(r"IB\s*Port\s*([0-9]{1,5})", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,3})?")
#: Above so many Gb/s a speed is in Mb/s, as UFM writes it.
_MOST_GBPS = 10_000


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric that the file plans; switches without a cable are not in it.

    Raises
    ------
    InputError
        A column that is needed and missing; a row that is none; two cables in a port.
    """
    plugging = Plugging(source)
    place: dict[str, int] | None = None
    for number, row in csv_rows(text_of(data, source), source):
        cells = [unguarded(cell).strip() for cell in row]
        if place is None:
            names = [cell.lower().removeprefix("#").removeprefix("fields:").strip() for cell in cells]
            lost = [_COLUMNS[_NEEDED.index(name)] for name in _NEEDED if name not in names]
            if lost:
                raise at(
                    source,
                    number,
                    f"the first row needs the columns StartDevice,StartPort,EndDevice,EndPort; no {lost[0]}",
                )
            place = {name: names.index(name) for name in reversed(names) if name}
            continue
        if cells[0].startswith("#"):
            continue
        said = {name: cells[column] for name, column in place.items() if column < len(cells)}
        lacking = next((name for name in _NEEDED if not said.get(name)), None)
        if lacking is not None:
            raise at(source, number, f"a row without {_COLUMNS[_NEEDED.index(lacking)]}")
        if said.get("linktype", "").lower() not in ("", "data"):
            continue
        one = _end(plugging, said["startdevice"], said["startport"], number)
        other = _end(plugging, said["enddevice"], said["endport"], number)
        speed, length_m = _number(said.get("speed", "")), _number(said.get("cable length", ""))
        rate_gbps = speed / 1000 if speed > _MOST_GBPS else speed
        plugging.cable(one, other, number, rate_gbps=rate_gbps, length_m=length_m)
    what = "a switch's port is 'Port 7' or 'Blade 16_Port 2/20'"
    return fabric_from(source, lambda: plugging.fabric(stem(source), what))


def _end(plugging: Plugging, device: str, port: str, number: int) -> tuple[Node, int]:
    if found := _AT_SWITCH.fullmatch(port):
        return plugging.node(device, device, number, switch=True), _port(plugging, found[1], port, number)
    if found := _AT_DIRECTOR.fullmatch(port):
        name = f"{device}/L{int(found[1])}/U{int(found[2])}"
        return plugging.node(name, name, number, switch=True), _port(plugging, found[3], port, number)
    # Some name the port in the device, too: Server 1 IB Port 1.
    device = device.removesuffix(port).strip() or device
    if found := _AT_HOST.fullmatch(port):
        return plugging.node(device, device, number, switch=False), _port(plugging, found[1], port, number)
    name = port if port.startswith(f"{device} ") else f"{device} {port}"
    return plugging.node(name, name, number, switch=False), 1


def _port(plugging: Plugging, said: str, port: str, number: int) -> int:
    if int(said) == 0:
        raise at(plugging.source, number, f"{short(port)}: ports are numbered from 1")
    return int(said)


def _number(said: str) -> float:
    return float(said) if _NUMBER.fullmatch(said) else 0.0


def read(data: bytes, source: str) -> Topology:
    """The topology of a fabric that UFM is to expect; names are left aside (`open_network` keeps them)."""
    return fabric_of(data, source).topology


def write(topology: Topology) -> str:
    """A row for each cable of a planned network, hosts' cables first."""
    fabric = planned_fabric(topology)
    ends = (
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
    )
    rows = [(f"H{h}", f"IB Port {p}", f"S{s}", f"Port {q}", "Data") for h, p, s, q in zip(*ends, strict=True)]
    rows += [
        (f"S{u}", f"Port {p}", f"S{v}", f"Port {q}", "Data")
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    ]
    return csv_text(_COLUMNS, rows)


register(
    Format(
        name=NAME,
        suffixes=(".ndt",),
        description="UFM's NDT: a CSV with a row a cable, by the names of devices and ports",
        keeps=frozenset({"endpoints", "host"}),
        read=read,
        write=write,
        fabric=fabric_of,
    )
)

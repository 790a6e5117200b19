"""UFM's REST interface: the JSON of ``/ufmRest/resources/links``, alone or followed by that of ``/ufmRest/resources/systems``.

A link has the GUIDs, port numbers and descriptions of both ends (``leaf1:7`` for port 7 of a switch, ``node7 mlx5_0`` for an
adapter, or ``HCA-1/2`` as the display name of its port). Systems say which GUIDs are switches, and add switches without links.
Links have widths but no speeds, and no LIDs. Source: NVIDIA's UFM Enterprise REST API guide (Links, Systems).
"""

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from topoloom.core.errors import at
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.panel_labels import panel_label
from topoloom.formats._listed_ports import ListedCable, PortEnd, listed_fabric
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of
from topoloom.model.topology import Topology

NAME = "ufm-links"
_GUID = re.compile(r"(?:0x)?([0-9a-fA-F]{12,16})")
_PORT_GUIDS = re.compile(r"([0-9a-fA-F]{12,16})_[0-9]{1,5}:([0-9a-fA-F]{12,16})_[0-9]{1,5}")
_WIDTH = re.compile(r"(?:IB_)?([0-9]{1,2})x", re.IGNORECASE)
_AT_SWITCH = re.compile(r"(.{1,256}?):((?:[0-9]+/)*[0-9]+|sw[0-9]+p[0-9]+)")
_AT_DIRECTOR = re.compile(r"(.{1,256}?):((?:L|S)[0-9]+/U[0-9]+)/[0-9]+", re.IGNORECASE)
_ADAPTER = re.compile(r"(HCA-[0-9]+|mlx5_[0-9]+|ib[a-z0-9]+).*", re.IGNORECASE)
_SWITCH_ROLES, _HOST_ROLES = ("core", "tor", "spine", "leaf"), ("endpoint", "host")
_MOST_PORTS = 65_535


@dataclass
class _Systems:
    """Whether each GUID of a system is that of a switch, the ports of switches, and the number of each adapter."""

    switch: dict[int, bool] = field(default_factory=dict)
    groups: dict[tuple[int, str, str], int] = field(default_factory=dict)
    ports: list[PortEnd] = field(default_factory=list)


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the links, with the switches of the systems if the file has them.

    Raises
    ------
    InputError
        The file is not JSON, a record lacks a GUID or a port, or two cables are in one port.
    """
    links, systems = _records(text_of(data, source), source)
    systems_known = _Systems()
    for place, record in enumerate(systems):
        _system(systems_known, record, place, source)
    cables = [_link(record, place, systems_known, source) for place, record in enumerate(links)]
    adapters: dict[int, set[int]] = defaultdict(set)
    for cable in cables:
        for end in (cable.near, cable.far):
            if end.node is not None:
                adapters[end.node].add(end.group)
    # One GUID for several adapters is that of their system.
    shared = {guid for guid, groups in adapters.items() if len(groups) > 1}
    cables = [replace(cable, near=_own(cable.near, shared), far=_own(cable.far, shared)) for cable in cables]
    return listed_fabric(cables, systems_known.ports, source, "UFM's links have a switch at one end, like leaf1:7")


def _own(end: PortEnd, shared: set[int]) -> PortEnd:
    return replace(end, node=None) if end.node in shared else end


def _records(text: str, source: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The records of links and of systems, in one JSON document or in several after each other."""
    decoder = json.JSONDecoder()
    place, records = 0, []
    while (rest := len(text) - len(text[place:].lstrip())) < len(text):
        try:
            document, place = decoder.raw_decode(text, rest)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", rest)) + 1
            raise at(source, line, "is not JSON; save the answer of UFM's REST interface as it is") from None
        if isinstance(document, dict) and not any(key in document for key in ("source_guid", "system_name")):
            document = [record for part in document.values() if isinstance(part, list) for record in part]
        records += document if isinstance(document, list) else [document]
    links = [record for record in records if isinstance(record, dict) and "source_guid" in record]
    systems = [record for record in records if isinstance(record, dict) and "system_name" in record]
    if not links or len(links) + len(systems) < len(records):
        raise at(source, None, "has records that are neither links nor systems of UFM, or no links")
    return links, systems


def _system(systems_known: _Systems, record: dict[str, Any], place: int, source: str) -> None:
    role = f"{record.get('role', '')}".lower()
    kind = f"{record.get('type', '')}".lower()
    switch = role in _SWITCH_ROLES or (role not in _HOST_ROLES and kind == "switch")
    name = f"{record.get('system_name', '')}".strip()
    guids = {
        int(match[1], 16) for key in ("guid", "system_guid") if (match := _GUID.fullmatch(f"{record.get(key, '')}"))
    }
    if not guids:
        raise at(source, None, f"system {place + 1} ({short(name)}) has no guid")
    for guid in guids:
        systems_known.switch[guid] = switch
    if switch:
        numbers = [f"{port}".rpartition("_")[2] for port in record.get("ports") or [] if isinstance(port, str)]
        for number in {int(text) for text in numbers if text.isdecimal() and len(text) <= 5}:
            systems_known.ports.append(PortEnd(number, name, min(guids), switch=True))


def _link(record: dict[str, Any], place: int, systems_known: _Systems, source: str) -> ListedCable:
    guids = _PORT_GUIDS.fullmatch(f"{record.get('name', '')}")
    ends = [
        _end(record, side, None if guids is None else int(guids[number], 16), place, systems_known, source)
        for number, side in enumerate(("source", "destination"), start=1)
    ]
    width = _WIDTH.fullmatch(f"{record.get('width', '')}")
    return ListedCable(ends[0], ends[1], int(width[1]) if width else 0, 0.0, place + 1)


def _end(
    record: dict[str, Any], side: str, port_guid: int | None, place: int, systems_known: _Systems, source: str
) -> PortEnd:
    which = f"link {place + 1}, {side}"
    guid = _GUID.fullmatch(f"{record.get(f'{side}_guid', '')}".strip())
    number = f"{record.get(f'{side}_port', '')}".strip()
    if guid is None:
        raise at(source, None, f"{which}: no {side}_guid of 16 hexadecimal digits")
    if not number.isdecimal() or not 1 <= int(number[:6]) <= _MOST_PORTS:
        raise at(source, None, f"{which}: {side}_port is {short(number)}; it must be the InfiniBand number of a port")
    node, port = int(guid[1], 16), int(number)
    description = f"{record.get(f'{side}_port_node_description', '') or ''}".strip()
    display = f"{record.get(f'{side}_port_dname', '') or ''}".strip()
    director, switch = _AT_DIRECTOR.fullmatch(description), _AT_SWITCH.fullmatch(description)
    is_switch = systems_known.switch.get(node)
    if is_switch is None:
        is_switch = bool(director or switch) if not _ADAPTER.fullmatch(display) else False
    if is_switch:
        name = f"{director[1]}/{director[2]}" if director else switch[1] if switch else description
        return PortEnd(port, name, node, switch=True)
    adapter = _ADAPTER.fullmatch(display)
    group = systems_known.groups.setdefault(
        (node, description, adapter[1] if adapter else ""), len(systems_known.groups) + 1
    )
    return PortEnd(port, description, node if port_guid is None else port_guid, switch=False, node=node, group=group)


def read(data: bytes, source: str) -> Topology:
    """The topology of a fabric; names and GUIDs are ignored (`open_network` keeps them)."""
    return fabric_of(data, source).topology


def write_fabric(fabric: Fabric) -> str:
    """The links of a fabric, each once, hosts' links first."""
    topology = fabric.topology
    links = []

    def switch(s: int, port: int) -> tuple[int, int, int, str, str]:
        guid, label = int(fabric.switch_guids[s]), panel_label(fabric, s, port) or str(port)
        return guid, guid, port, label, f"{fabric.switch_names[s]}:{label}"

    def add(one: tuple[int, int, int, str, str], other: tuple[int, int, int, str, str], width: int) -> None:
        record: dict[str, Any] = {}
        for side, (guid, _, port, label, name) in (("source", one), ("destination", other)):
            record |= {f"{side}_guid": f"{guid:016x}", f"{side}_port": str(port), f"{side}_port_dname": label}
            record[f"{side}_port_node_description"] = name
        record |= {"width": f"{width}x" if width else "", "severity": "Info"}
        record["name"] = f"{one[1]:016x}_{one[2]}:{other[1]:016x}_{other[2]}"
        links.append(record)

    for e, width in enumerate(fabric.endpoint_width.tolist()):
        h, own = int(topology.host[e]), int(fabric.host_ports[e])
        host = int(fabric.host_guids[h]), int(fabric.port_guids[e]), own, f"HCA-1/{own}", fabric.host_names[h]
        add(host, switch(int(topology.endpoints[e]), int(fabric.endpoint_ports[e])), width)
    ends = zip(topology.links.tolist(), fabric.link_ports.tolist(), fabric.link_width.tolist(), strict=True)
    for (u, v), (p, q), width in ends:
        add(switch(u, p), switch(v, q), width)
    for s, p, q in fabric.loops.tolist():
        add(switch(s, p), switch(s, q), 0)
    return "[\n" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in links) + "\n]\n"


def write(topology: Topology) -> str:
    """The links of a planned network."""
    return write_fabric(planned_fabric(topology))


register(
    Format(
        name=NAME,
        suffixes=(".ufm.json", ".ufm"),
        description="InfiniBand fabric: UFM's REST links, and systems",
        keeps=frozenset({"endpoints", "host"}),
        holds=frozenset({"names", "GUIDs"}),
        read=read,
        write=write,
        write_fabric=write_fabric,
        fabric=fabric_of,
    )
)

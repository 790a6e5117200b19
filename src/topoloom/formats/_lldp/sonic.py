"""SONiC: ``show lldp table``, the tables LLDP_ENTRY_TABLE of APPL_DB, and PORT, DEVICE_METADATA of config_db.json.

SONiC sends the alias of its port (``etp1a``), not its name, and its MAC while the port is down; the aliases are in PORT.
Sources: sonic-net/sonic-dbsyncd, sonic-utilities (scripts/lldpshow); sonic-buildimage issues 1457, 11255, 11645.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from topoloom.fabric.port_settings import PortSettings, bytes_of, fec_of
from topoloom.formats._lldp.views import DeviceView, Neighbour, ViewReader, gbps_of_mbps, mapping_in, meaning, text_in

_RULE = re.compile(r"\s*-+(?:\s+-+)+\s*")
#: Capabilities as bytes whose first bit is "other", and whose eighth is "station".
_STATION = "01 00"
_HEADS = ("LocalPort", "RemoteDevice", "RemotePortID")


def _matches(value: Any) -> bool:
    return isinstance(value, dict) and any(
        key.startswith(("LLDP_ENTRY_TABLE", "LLDP_LOC_CHASSIS", "DEVICE_METADATA")) or key == "PORT" for key in value
    )


def _read(value: Any, source: str) -> DeviceView:
    neighbours = []
    for key, content in rows(value, "LLDP_ENTRY_TABLE"):
        entry = mapping_in(content)
        neighbours.append(
            Neighbour(
                key,
                text_in(entry.get("lldp_rem_sys_name")),
                text_in(entry.get("lldp_rem_chassis_id")),
                text_in(entry.get("lldp_rem_port_id")),
                meaning(text_in(entry.get("lldp_rem_port_id_subtype"))),
                text_in(entry.get("lldp_rem_port_desc")),
                tuple(filter(None, map(str.strip, text_in(entry.get("lldp_rem_man_addr")).split(",")))),
                is_station=text_in(entry.get("lldp_rem_sys_cap_enabled")) == _STATION,
            )
        )
    aliases, settings, ports = {}, {}, {entry.port for entry in neighbours}
    for port, content in rows(value, "PORT"):
        facts = mapping_in(content)
        ports.add(port)
        if alias := text_in(facts.get("alias")):
            aliases[alias] = port
        settings[port] = sonic_settings(facts)
    own = mapping_in(value.get("LLDP_LOC_CHASSIS"))
    metadata = dict(rows(value, "DEVICE_METADATA")).get("localhost")
    name = text_in(own.get("lldp_loc_sys_name")) or text_in(mapping_in(metadata).get("hostname"))
    return DeviceView(
        source,
        name,
        tuple(neighbours),
        text_in(own.get("lldp_loc_chassis_id")) or text_in(mapping_in(metadata).get("mac")),
        aliases,
        settings,
        frozenset(ports),
        lists=any(key.startswith("LLDP_") for key in value),
    )


def sonic_settings(facts: Mapping[str, Any]) -> PortSettings:
    """What an entry of the table PORT states of a port."""
    return PortSettings(
        mtu=bytes_of(text_in(facts.get("mtu"))),
        fec=fec_of(text_in(facts.get("fec"))),
        rate_gbps=gbps_of_mbps(text_in(facts.get("speed"))),
        alias=text_in(facts.get("alias")),
        lanes=len(text_in(facts.get("lanes")).split(",")) if facts.get("lanes") else 0,
    )


def rows(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The rows of a table of the database, whose dumps put its name and a row's key into one."""
    for key, content in value.items():
        if key == name:
            yield from mapping_in(content).items()
        elif key.startswith((f"{name}|", f"{name}:")):
            inner = mapping_in(content)
            yield key[len(name) + 1 :], inner["value"] if isinstance(inner.get("value"), dict) else inner


def is_lldp_table(text: str) -> bool:
    """Whether a text is what ``show lldp table`` prints."""
    return any(all(head in line for head in _HEADS) for line in text.splitlines()[:40])


def read_lldp_table(text: str, source: str) -> DeviceView:
    """The view in what ``show lldp table`` prints; cells may be empty, so columns are cut at the line of dashes.

    Raises
    ------
    ValueError
        There is no line of dashes under the heads.
    """
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if all(word in line for word in _HEADS))
    if head + 1 >= len(lines) or not _RULE.fullmatch(lines[head + 1]):
        raise ValueError("no line of dashes under LocalPort, RemoteDevice, RemotePortID")
    starts = [match.start() for match in re.finditer(r"-+", lines[head + 1])]
    cuts = list(zip(starts, [*starts[1:], None], strict=True))
    names = [lines[head][start:end].strip() for start, end in cuts]
    neighbours = []
    for line in lines[head + 2 :]:
        if not line.strip() or line.startswith("---"):
            break
        cells = dict(zip(names, (line[start:end].strip() for start, end in cuts), strict=True))
        port_id = cells.get("RemotePortID", "")
        neighbours.append(
            Neighbour(
                *(cells["LocalPort"], cells.get("RemoteDevice", ""), "", port_id, "", cells.get("RemotePortDescr", ""))
            )
        )
    return DeviceView(source, neighbours=tuple(neighbours), ports=frozenset(entry.port for entry in neighbours))


READER = ViewReader("SONiC", _matches, _read)

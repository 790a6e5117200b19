"""ibdiagnet's ``ibdiagnet2.db_csv``: nodes, links, LIDs, rates and cables of a fabric, in CSV sections.

Sections ``NODES`` and ``LINKS`` are required; ``PORTS`` (LIDs, GUIDs of ports, widths and speeds) and ``CABLE_INFO`` (part
numbers and lengths) are read if present. Columns are looked up by name. The codes of widths and speeds are those of
ibdiagnet's library (ibutils2, ibdm/Fabric.h: IBLinkWidth, IBLinkSpeed).
"""

import re
from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric.db_csv_sections import Row, sections
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.plugging import Plugging
from topoloom.fabric.rates import rate_of, speed_name
from topoloom.formats._fabric_format import register_fabric_format
from topoloom.formats._text import fabric_from, stem, text_of

NAME = "ibdiagnet"
_SECTIONS = ("NODES", "LINKS", "PORTS", "CABLE_INFO")
_WIDTHS = {1: 1, 2: 4, 4: 8, 8: 12, 16: 2}
_SPEEDS = {
    1: "SDR",
    2: "DDR",
    4: "QDR",
    1 << 8: "FDR",
    2 << 8: "EDR",
    4 << 8: "HDR",
    8 << 8: "NDR",
    1 << 16: "FDR10",
    1 << 24: "XDR",
}
_HOST, _SWITCH, _ROUTER = 1, 2, 3
_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*m?", re.IGNORECASE)
_Port = tuple[int, int]


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the file.

    Raises
    ------
    InputError
        A required section is missing or cut off, a value is not valid, or a link leads to an unknown node.
    """
    text = text_of(data, source)
    rows_of = sections(text, source, _SECTIONS)
    for needed in _SECTIONS[:2]:
        if needed not in rows_of:
            raise at(
                source,
                None,
                f"has no section {needed}, so it describes no fabric; ibdiagnet2.db_csv has START_{needed}",
            )
    ports = {_port(row): row for row in rows_of.get("PORTS", [])}
    cables = {_port(row): row for row in rows_of.get("CABLE_INFO", [])}
    plugging = Plugging(source)
    for row in rows_of["NODES"]:
        _node(plugging, row, ports)
    for row in rows_of["LINKS"]:
        _link(plugging, row, ports, cables)
    return fabric_from(source, lambda: plugging.fabric(stem(source), "NODES has rows with NodeType 2"))


def _port(row: Row) -> _Port:
    return row.guid("NodeGuid", "NodeGUID") or 0, row.number("PortNum", "PortNumber", needed=True) or 0


def _node(plugging: Plugging, row: Row, ports: dict[_Port, Row]) -> None:
    guid, kind = row.guid("NodeGUID"), row.number("NodeType", needed=True)
    if guid is None or kind not in (_HOST, _SWITCH, _ROUTER):
        raise row.wrong(f"NodeType {kind}; it must be 1 (adapter), 2 (switch) or 3 (router)")
    if plugging.known(f"{guid:x}") is not None:
        raise row.wrong(f"node 0x{guid:016x} appears twice")
    own = ports.get((guid, 0))
    plugging.node(
        f"{guid:x}",
        row.text("NodeDesc") or f"0x{guid:016x}",
        row.line,
        switch=kind == _SWITCH,
        ports=row.number("NumPorts", needed=True) or 1,
        guid=guid,
        lid=_lid(own),
        lmc=min(7, (own.number("LMC") or 0) if own else 0),
        device=(row.number("DeviceID") or 0) & 0xFFFF,
        system=row.guid("SystemImageGUID", needed=False),
        router=kind == _ROUTER,
    )


def _lid(port: Row | None) -> int:
    """The LID of a port; 0 if it has none."""
    lid = (port.number("LID") or 0) if port is not None else 0
    return lid if lid < 0xC000 else 0


def _link(plugging: Plugging, row: Row, ports: dict[_Port, Row], cables: dict[_Port, Row]) -> None:
    ends = []
    for end in "12":
        guid, port = row.guid(f"NodeGuid{end}"), row.number(f"PortNum{end}", needed=True)
        node = plugging.known(f"{guid:x}")
        if node is None:
            raise row.wrong(f"node 0x{guid:016x} is not in section NODES")
        ends.append((node, guid or 0, port or 0))
    (near, guid, port), (peer, peer_guid, peer_port) = ends
    port_rows = [ports.get((guid, port)), ports.get((peer_guid, peer_port))]
    cable_rows = [end for end in (cables.get((guid, port)), cables.get((peer_guid, peer_port))) if end is not None]
    rates = [_rate(end) for end in port_rows if end is not None]
    # The rate of the slower end counts; a port without a rate is ignored.
    width, rate_gbps = min(
        (rate for rate in rates if rate[1]), key=lambda rate: rate[1], default=max(rates, default=(0, 0.0))
    )
    plugging.cable(
        (near, port),
        (peer, peer_port),
        row.line,
        width=width,
        rate_gbps=rate_gbps,
        length_m=max((_length(end) for end in cable_rows), default=0.0),
        part=next((part for end in cable_rows if (part := end.text("PN"))), ""),
        guids=(_own(near.switch, port_rows[0]), _own(peer.switch, port_rows[1])),
        lids=(0 if near.switch else _lid(port_rows[0]), 0 if peer.switch else _lid(port_rows[1])),
    )


def _own(switch: bool, port: Row | None) -> int | None:
    return None if switch or port is None else port.guid("PortGuid", needed=False)


def _rate(port: Row) -> tuple[int, float]:
    width = _WIDTHS.get(port.number("LinkWidthActv") or 0, 0)
    return width, rate_of(width, _SPEEDS.get(port.number("LinkSpeedActv") or 0, ""))


def _length(cable: Row) -> float:
    """The length of a cable in metres: LengthDesc (``3 m``), else that of copper or fibre; 0 if not stated."""
    for column in ("LengthDesc", "LengthCopperOrActive", "LengthSMFiber"):
        if (match := _LENGTH.fullmatch(cable.text(column))) and float(match[1]) > 0:
            return float(match[1])
    return 0.0


def write_fabric(fabric: Fabric) -> str:
    """Sections NODES and LINKS: every link once, hosts' links first; PORTS and CABLE_INFO where they are known."""
    topology = fabric.topology
    hosts, switches = (
        [f"0x{g:016x}" for g in fabric.host_guids.tolist()],
        [f"0x{g:016x}" for g in fabric.switch_guids.tolist()],
    )
    lines = ["START_NODES", "NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,PortGUID,DeviceID"]
    lines += [
        f'"{name}",{ports},{kind},{f"0x{system:016x}" if system else guid},{guid},{guid},{device}'
        for kind, names, sizes, guids, systems, devices in (
            *(
                (
                    _SWITCH,
                    fabric.switch_names,
                    fabric.switch_ports,
                    switches,
                    fabric.switch_system,
                    fabric.switch_device,
                ),
            ),
            *((_HOST, fabric.host_names, fabric.host_sizes, hosts, fabric.host_system, fabric.host_device),),
        )
        for name, ports, guid, system, device in zip(
            names, sizes.tolist(), guids, systems.tolist(), devices.tolist(), strict=True
        )
    ]
    lines += ["END_NODES", "", "START_LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2"]
    ends = (
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
    )
    lines += [f"{hosts[h]},{p},{switches[s]},{q}" for h, p, s, q in zip(*ends, strict=True)]
    lines += [
        f"{switches[u]},{p},{switches[v]},{q}"
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    ]
    lines += [f"{switches[s]},{p},{switches[s]},{q}" for s, p, q in fabric.loops.tolist()]
    lines.append("END_LINKS")
    if fabric.rated or fabric.switch_lids.any() or fabric.port_lids.any():
        lines += ["", *_ports_section(fabric, hosts, switches)]
    if any(values.any() for values in (fabric.link_length_m, fabric.endpoint_length_m, fabric.link_part != "")):
        lines += ["", *_cables_section(fabric, hosts, switches)]
    return "\n".join(lines) + "\n"


def _ports_section(fabric: Fabric, hosts: list[str], switches: list[str]) -> list[str]:
    """Section PORTS: port 0 of every switch with its LID; GUID, LID, width and speed of every port with a cable."""
    topology = fabric.topology
    lids, lmcs = fabric.switch_lids.tolist(), fabric.switch_lmc.tolist()
    rows = [f"{guid},0,{guid},{lid},{lmc},0,0" for guid, lid, lmc in zip(switches, lids, lmcs, strict=True)]
    runs = [_codes(*pair) for pair in _runs(fabric.endpoint_width, fabric.endpoint_rate_gbps)]
    ends = zip(
        *(topology.host.tolist(), fabric.host_ports.tolist(), fabric.port_guids.tolist()),
        *(fabric.port_lids.tolist(), fabric.port_lmc.tolist(), runs),
        strict=True,
    )
    rows += [f"{hosts[h]},{port},0x{guid:016x},{lid},{lmc},{codes}" for h, port, guid, lid, lmc, codes in ends]
    at_switch = zip(topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), runs, strict=True)
    rows += [f"{switches[s]},{port},{switches[s]},{lids[s]},{lmcs[s]},{codes}" for s, port, codes in at_switch]
    links = zip(
        topology.links.tolist(),
        fabric.link_ports.tolist(),
        _runs(fabric.link_width, fabric.link_rate_gbps),
        strict=True,
    )
    rows += [
        f"{switches[s]},{port},{switches[s]},{lids[s]},{lmcs[s]},{_codes(*pair)}"
        for nodes, ports, pair in links
        for s, port in zip(nodes, ports, strict=True)
    ]
    return ["START_PORTS", "NodeGuid,PortNum,PortGuid,LID,LMC,LinkWidthActv,LinkSpeedActv", *rows, "END_PORTS"]


def _runs(width: np.ndarray, rate_gbps: np.ndarray) -> Iterator[tuple[int, float]]:
    """Lanes and rate of each cable."""
    return zip(width.tolist(), rate_gbps.tolist(), strict=True)


def _cables_section(fabric: Fabric, hosts: list[str], switches: list[str]) -> list[str]:
    """Section CABLE_INFO: length and part number of every cable that states them, at its first end."""
    topology = fabric.topology
    first = [
        *zip((hosts[h] for h in topology.host.tolist()), fabric.host_ports.tolist(), strict=True),
        *((switches[u], p) for (u, _), (p, _) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)),
    ]
    lengths = [*fabric.endpoint_length_m.tolist(), *fabric.link_length_m.tolist()]
    parts = [*fabric.endpoint_part.tolist(), *fabric.link_part.tolist()]
    return [
        "START_CABLE_INFO",
        "NodeGuid,PortNum,LengthDesc,PN",
        *(
            f'{guid},{port},"{f"{length:g} m" if length else "N/A"}","{part or "N/A"}"'
            for (guid, port), length, part in zip(first, lengths, parts, strict=True)
            if length or part
        ),
        "END_CABLE_INFO",
    ]


def _codes(lanes: int, gbps: float) -> str:
    """Width and speed of a cable as ibdiagnet's codes: ``2,2048``; 0 where not known."""
    width = next((code for code, count in _WIDTHS.items() if count == lanes), 0)
    speed = speed_name(lanes, gbps)
    return f"{width},{next((code for code, name in _SPEEDS.items() if name == speed), 0)}"


register_fabric_format(NAME, ".db_csv", "InfiniBand fabric: ibdiagnet's ibdiagnet2.db_csv", fabric_of, write_fabric)

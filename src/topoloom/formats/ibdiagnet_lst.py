"""ibdiagnet's ``ibdiagnet2.lst`` and OpenSM's ``opensm-subnet.lst``: one line per link, with both ends, width and speed.

``{ CA Ports:02 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:1003 Rev:.. {name} LID:0005 PN:01 } { SW .. } PHY=4x
LOG=ACT SPD=10``. Numbers of ports, LIDs and devices are hexadecimal: PN:14 is port 20. A link appears once or from both ends.
"""

import re

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadNode
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.plugging import Plugging
from topoloom.fabric.rates import SPEED_OF_SIGNAL, rate_of, signal_of
from topoloom.formats._fabric_format import register_fabric_format
from topoloom.formats._text import fabric_from, short, stem, text_of

NAME = "ibdiagnet-lst"
_MOST_LINE_CHARACTERS = 4096
_MOST_DEVICE = 0xFFFF
_END = re.compile(
    r"\{\s*(CA|SW|RTR?|ROUTER)(?:-SM)?\s+Ports:([0-9a-fA-F]{1,4})\s+SystemGUID:([0-9a-fA-F]{1,16})\s+NodeGUID:([0-9a-fA-F]{1,16})\s+"
    r"PortGUID:([0-9a-fA-F]{1,16})\s+VenID:[0-9a-fA-F]+\s+DevID:([0-9a-fA-F]{1,8})\s+Rev:[0-9a-fA-F]+\s+"
    r"(?:\{(.{0,256}?)\}\s+)?LID:([0-9a-fA-F]{1,4})\s+PN:([0-9a-fA-F]{1,4})\s*\}\s*"
)
_REST = re.compile(r"(?:PHY=(\S+))?\s*(?:LOG=(\S+))?\s*(?:SPD=(\S+))?\s*")


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the file, without switches that have no cable.

    Raises
    ------
    InputError
        A line is not valid, two cables are in one port, or two nodes have the same GUID.
    """
    plugging = Plugging(source)
    for number, line in lines_of(text_of(data, source), source, _MOST_LINE_CHARACTERS):
        if not line.strip() or line.startswith("#"):
            continue
        line, place = line.strip(), 0
        ends: list[tuple[ReadNode, int, int | None, int]] = []
        for _ in range(2):
            match = _END.match(line, place)
            if not match:
                raise at(
                    source,
                    number,
                    f"{short(line)} is not a link of ibdiagnet2.lst, like {{ CA .. }} {{ SW .. }} PHY=4x ..",
                )
            ends.append(_end(plugging, match, number))
            place = match.end()
        rest = _REST.fullmatch(line, place)
        if not rest:
            raise at(source, number, f"{short(line[place:].strip())} at the end of a link; write PHY=4x LOG=ACT SPD=10")
        width = int(rest[1][:-1]) if rest[1] and re.fullmatch(r"(?:1|2|4|8|12)x", rest[1], re.IGNORECASE) else 0
        speed = SPEED_OF_SIGNAL.get((rest[3] or "").upper(), "")
        (node, port, guid, lid), (peer, peer_port, peer_guid, peer_lid) = ends
        plugging.cable(
            *((node, port), (peer, peer_port), number),
            width=width,
            rate_gbps=rate_of(width, speed),
            guids=(guid, peer_guid),
            lids=(lid, peer_lid),
        )
    return fabric_from(source, lambda: plugging.fabric(stem(source), "a line has { SW .. } where a switch is"))


def _end(plugging: Plugging, match: re.Match[str], number: int) -> tuple[ReadNode, int, int | None, int]:
    """The node and the port at one end, and for a host the port's own GUID and LID."""
    switch, router = match[1] == "SW", match[1].startswith("R")
    guid, lid = int(match[4], 16), int(match[8], 16)
    lid = lid if lid < 0xC000 else 0
    node = plugging.node(
        *(f"{guid:x}", match[7] or f"0x{guid:016x}", number),
        switch=switch,
        ports=int(match[2], 16),
        guid=guid,
        lid=lid if switch else 0,
        device=_device(int(match[6], 16)),
        system=int(match[3], 16),
        router=router,
    )
    return node, int(match[9], 16), None if switch else int(match[5], 16), 0 if switch else lid


def _device(number: int) -> int:
    """The device id; OpenSM writes that of the far end of a link with its two halves exchanged (101B0000)."""
    return number >> 16 if number > _MOST_DEVICE and not number & _MOST_DEVICE else number & _MOST_DEVICE


def write_fabric(fabric: Fabric) -> str:
    """One line per link, hosts' links first, with width and speed where known."""
    topology = fabric.topology

    def end(kind: str, at: int, port: int, own: int, lid: int) -> str:
        switch = kind == "SW"
        size = int((fabric.switch_ports if switch else fabric.host_sizes)[at])
        guid = int((fabric.switch_guids if switch else fabric.host_guids)[at])
        name = (fabric.switch_names if switch else fabric.host_names)[at]
        device = int((fabric.switch_device if switch else fabric.host_device)[at])
        system = int((fabric.switch_system if switch else fabric.host_system)[at]) or guid
        return (
            f"{{ {kind} Ports:{size:02x} SystemGUID:{system:016x} NodeGUID:{guid:016x} PortGUID:{own:016x} VenID:00000000"
            f" DevID:{device:04X} Rev:00000000 {{{name}}} LID:{lid:04X} PN:{port:02x} }}"
        )

    def at_switch(s: int, port: int) -> str:
        return end("SW", s, port, int(fabric.switch_guids[s]), int(fabric.switch_lids[s]))

    hosts = zip(
        *(topology.host.tolist(), fabric.host_ports.tolist(), fabric.port_guids.tolist(), fabric.port_lids.tolist()),
        *(topology.endpoints.tolist(), fabric.endpoint_ports.tolist()),
        *(fabric.endpoint_width.tolist(), fabric.endpoint_rate_gbps.tolist()),
        strict=True,
    )
    lines = [
        f"{end('CA', h, p, own, lid)} {at_switch(s, q)} {_runs(width, gbps)}"
        for h, p, own, lid, s, q, width, gbps in hosts
    ]
    links = zip(
        *(topology.links.tolist(), fabric.link_ports.tolist()),
        *(fabric.link_width.tolist(), fabric.link_rate_gbps.tolist()),
        strict=True,
    )
    lines += [f"{at_switch(u, p)} {at_switch(v, q)} {_runs(width, gbps)}" for (u, v), (p, q), width, gbps in links]
    lines += [f"{at_switch(s, p)} {at_switch(s, q)} {_runs(0, 0.0)}" for s, p, q in fabric.loops.tolist()]
    return "".join(f"{line}\n" for line in lines)


def _runs(width: int, gbps: float) -> str:
    """Width and signal rate of a cable."""
    signal = signal_of(width, gbps)
    return f"PHY={f'{width}x' if width else 'UNKNOWN'} LOG=ACT SPD={signal or 'UNKNOWN'}"


register_fabric_format(
    NAME,
    ".lst",
    "InfiniBand fabric: ibdiagnet2.lst of ibdiagnet, opensm-subnet.lst of OpenSM",
    fabric_of,
    write_fabric,
    isolated=False,
)

"""ibdiagnet's ``ibdiagnet2.lst``: one line per link, with both of its ends, width and speed.

``{ CA Ports:02 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:1003 Rev:.. {name} LID:0005 PN:01 } { SW .. } PHY=4x
LOG=ACT SPD=10``. Numbers of ports, LIDs and devices are hexadecimal: PN:14 is port 20. A link appears once or from both ends.
"""

import re

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadNode
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.plugging import Plugging
from topoloom.fabric.rates import SPEED_OF_SIGNAL, has_name, rate_of, signal_of
from topoloom.formats._registry import Format, register
from topoloom.formats._text import fabric_from, short, stem, text_of
from topoloom.model.topology import Topology

NAME = "ibdiagnet-lst"
_MOST_LINE_CHARACTERS = 4096
_END = re.compile(
    r"\{\s*(CA|SW|RTR?|ROUTER)\s+Ports:([0-9a-fA-F]{1,4})\s+SystemGUID:([0-9a-fA-F]{1,16})\s+NodeGUID:([0-9a-fA-F]{1,16})\s+"
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
        device=int(match[6], 16) & 0xFFFF,
        system=int(match[3], 16),
        router=router,
    )
    return node, int(match[9], 16), None if switch else int(match[5], 16), 0 if switch else lid


def read(data: bytes, source: str) -> Topology:
    """The topology of a fabric, with rates if all are known; names and GUIDs are ignored (`open_network` keeps them)."""
    return fabric_of(data, source).topology


def write(topology: Topology) -> str:
    """One line per link of a planned network, hosts' links first, with width and speed if it has rates."""
    fabric = planned_fabric(topology)

    def end(kind: str, at: int, port: int, own: int) -> str:
        switch = kind == "SW"
        size = int((fabric.switch_ports if switch else fabric.host_sizes)[at])
        guid = int((fabric.switch_guids if switch else fabric.host_guids)[at])
        name = (fabric.switch_names if switch else fabric.host_names)[at]
        return (
            f"{{ {kind} Ports:{size:02x} SystemGUID:{guid:016x} NodeGUID:{guid:016x} PortGUID:{own:016x} VenID:00000000"
            f" DevID:0000 Rev:00000000 {{{name}}} LID:0000 PN:{port:02x} }}"
        )

    guids = fabric.switch_guids.tolist()
    ends = zip(
        *(topology.host.tolist(), fabric.host_ports.tolist(), fabric.port_guids.tolist()),
        *(topology.endpoints.tolist(), fabric.endpoint_ports.tolist()),
        strict=True,
    )
    lines = [f"{end('CA', h, p, own)} {end('SW', s, q, guids[s])}" for h, p, own, s, q in ends]
    lines += [
        f"{end('SW', u, p, guids[u])} {end('SW', v, q, guids[v])}"
        for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    ]
    if not topology.rated:
        return "".join(f"{line} PHY=UNKNOWN LOG=ACT SPD=UNKNOWN\n" for line in lines)
    widths = [*fabric.endpoint_width.tolist(), *fabric.link_width.tolist()]
    rates = [*fabric.endpoint_rate_gbps.tolist(), *fabric.link_rate_gbps.tolist()]
    return "".join(
        f"{line} PHY={width}x LOG=ACT SPD={signal_of(width, gbps)}\n"
        for line, width, gbps in zip(lines, widths, rates, strict=True)
    )


register(
    Format(
        name=NAME,
        suffixes=(".lst",),
        description="InfiniBand fabric: ibdiagnet's ibdiagnet2.lst, one line per link",
        keeps=frozenset({"endpoints", "host", "rate_gbps"}),
        says_rate=has_name,
        read=read,
        write=write,
        fabric=fabric_of,
    )
)

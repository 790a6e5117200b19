"""Cable plans of the ibutils and of UFM (``.topo``): one section per system, one line per used port.

A section begins with ``TYPE NAME``; its lines are ``P1 -> TYPE NAME P7``, or for UFM ``P1 -4x-50G-> TYPE NAME P7`` with the
number of lanes and the speed per lane. Each cable appears once or from both ends. A system is a host if its type begins with
GCA (topoloom's own) or names an adapter (HCA, ConnectX, MT4129); others are switches. A port in a part of a system
(``L3/P7``) is port 7 of a separate switch or adapter: ``NAME/L3``, ``NAME L3``. Source: the ibutils' manual of ibdmchk and
ibtopodiff.
"""

import re

from topoloom.core.errors import at
from topoloom.fabric._assembly import ReadNode
from topoloom.fabric._lines import lines_of
from topoloom.fabric.exports.topo import topo_text
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.fabric.plugging import Plugging
from topoloom.fabric.rates import SPEED_OF_SIGNAL, has_name, rate_of
from topoloom.formats._registry import Format, register
from topoloom.formats._text import fabric_from, short, stem, text_of
from topoloom.model.topology import Topology

NAME = "cable-plan"
_MOST_LINE_CHARACTERS = 4096
_SYSTEM = re.compile(r"(\S{1,128})\s++(\S{1,256})")
_CABLE = re.compile(
    r"(\S{1,128})\s++-(?:([0-9]{1,2})x-([0-9.]{1,5}|FDR10)G?-)?>\s++(\S{1,128})\s++(\S{1,256})\s++(\S{1,128})",
    re.IGNORECASE,
)
_PORT = re.compile(r"(?:(.{1,100})/)?P?([0-9]{1,5})", re.IGNORECASE)
_OWN = re.compile(r"G(?:SW|CA)([0-9]{1,5})")
_HOST = re.compile(r"GCA[0-9]+|.*HCA.*|.*CONNECTX.*|MT4[0-9]{2,4}.*", re.IGNORECASE)


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the plan.

    Raises
    ------
    InputError
        A line is not valid, or two cables are in one port.
    """
    plugging = Plugging(source)
    system: tuple[str, str] | None = None
    cables, foreign = 0, 0
    for number, line in lines_of(text_of(data, source), source, _MOST_LINE_CHARACTERS):
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        if match := _CABLE.fullmatch(plain):
            if system is None:
                raise at(source, number, "a cable before any system; begin a section with a line TYPE NAME")
            first = _end(plugging, *system, match[1], number)
            second = _end(plugging, match[4], match[5], match[6], number)
            width = int(match[2] or 0)
            width = width if width in (1, 2, 4, 8, 12) else 0
            rate_gbps = rate_of(width, SPEED_OF_SIGNAL.get((match[3] or "").upper().rstrip("G"), ""))
            plugging.cable(first, second, number, width=width, rate_gbps=rate_gbps)
            cables += 1
        elif (match := _SYSTEM.fullmatch(plain)) and "->" not in plain:
            system = match[1], match[2]
            _node(plugging, match[1], match[2], "", number)
            foreign += not (_OWN.fullmatch(match[1]) or _HOST.fullmatch(match[1]))
        else:
            raise at(
                source, number, f"{short(plain)} is not a line of a cable plan; write TYPE NAME, or P1 -> TYPE NAME P7"
            )
    # Two words in a line are no system: any text could be that.
    if not cables and foreign:
        raise at(source, None, "has no line of a cable, like P1 -> TYPE NAME P7, so it is no cable plan")
    return fabric_from(source, lambda: plugging.fabric(stem(source), "a section begins with a line like GSW36 leaf1"))


def _node(plugging: Plugging, kind: str, name: str, part: str, number: int) -> ReadNode:
    host = bool(_HOST.fullmatch(kind))
    own = _OWN.fullmatch(kind)
    node_name = name if not part else f"{name} {part}" if host else f"{name}/{part}"
    return plugging.node(node_name, node_name, number, switch=not host, ports=int(own[1]) if own else 0)


def _end(plugging: Plugging, kind: str, name: str, port: str, number: int) -> tuple[ReadNode, int]:
    match = _PORT.fullmatch(port)
    if not match:
        raise at(plugging.source, number, f"{short(port)} is not a port; write P7, or L3/P7 for a part of a system")
    return _node(plugging, kind, name, match[1] or "", number), int(match[2])


def read(data: bytes, source: str) -> Topology:
    """The topology of a cable plan, with rates if all are known; names are ignored (`open_network` keeps them)."""
    return fabric_of(data, source).topology


def write_fabric(fabric: Fabric) -> str:
    """The cable plan of a fabric, with widths and speeds in the arrows where known. Plans have no GUIDs and no LIDs."""
    return topo_text(fabric, "->")


def write(topology: Topology) -> str:
    """The cable plan of a planned network."""
    return write_fabric(planned_fabric(topology))


register(
    Format(
        name=NAME,
        suffixes=(".topo",),
        description="cable plan of the ibutils and of UFM: one section per system, one line per cable",
        keeps=frozenset({"isolated", "endpoints", "host", "rate_gbps"}),
        says_rate=has_name,
        holds=frozenset({"names"}),
        read=read,
        write=write,
        write_fabric=write_fabric,
        fabric=fabric_of,
    )
)

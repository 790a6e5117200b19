"""The ports report of ibnetdiscover (``-p``): one line per port, with both ends of its cable, width and speed.

``SW 5 8 0x0002c90000000001 4x HDR - CA 7 1 0x0002c90000000021 ( 'leaf1' - 'node7 mlx5_0' )``: kind of node, LID, port, GUID of
the port (of the node, for a switch). A line of a port without a cable ends with the name of its node. Source:
`ibnetdiscover.c` (linux-rdma/rdma-core, infiniband-diags), and its output on ibsim.
"""

import re

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.rates import LANE_GBPS, rate_of, speed_name
from topoloom.formats._fabric_format import register_fabric_format
from topoloom.formats._listed_ports import ListedCable, PortEnd, listed_fabric
from topoloom.formats._text import short, text_of

NAME = "ibnetdiscover-ports"
_MOST_LINE_CHARACTERS = 4096
_END = r"(SW|CA|RT)\s++([0-9]{1,5})\s++([0-9]{1,5})\s++0x([0-9a-fA-F]{1,16})"
_SPEEDS = "|".join(sorted(LANE_GBPS, key=len, reverse=True))
_CABLE = re.compile(
    rf"{_END}\s++([0-9]{{1,2}}x|\?\?x?)\s++({_SPEEDS}|\?+)\s*+-\s*+{_END}\s*+\(\s?'(.{{0,256}}?)' - '(.{{0,256}}?)'\s?\)"
)
_FREE = re.compile(rf"{_END}\s++(?:[0-9]{{1,2}}x|\?\?x?)\s++(?:{_SPEEDS}|\?+)\s++'(.{{0,256}}?)'")


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the report.

    Raises
    ------
    InputError
        A line is not valid, or two cables are in one port.
    """
    cables: list[ListedCable] = []
    ports: list[PortEnd] = []
    for number, raw in lines_of(text_of(data, source), source, _MOST_LINE_CHARACTERS):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if match := _CABLE.fullmatch(line):
            near = _end(match[1], match[2], match[3], match[4], match[11])
            far_end = _end(match[7], match[8], match[9], match[10], match[12])
            width = int(match[5][:-1]) if match[5][0].isdigit() else 0
            ports.append(near)
            cables.append(ListedCable(near, far_end, width, rate_of(width, match[6]), number))
        elif match := _FREE.fullmatch(line):
            ports.append(_end(match[1], match[2], match[3], match[4], match[5]))
        else:
            raise at(
                source, number, f"{short(line)} is not a line of ibnetdiscover -p, like SW 5 8 0x.. 4x HDR - CA .."
            )
    return listed_fabric(cables, ports, source, "a line with SW in front describes a port of one")


def _end(kind: str, lid: str, port: str, guid: str, name: str) -> PortEnd:
    return PortEnd(int(port), name, int(guid, 16), int(lid), kind == "SW", router=kind == "RT")


def write_fabric(fabric: Fabric) -> str:
    """One line per port of the fabric: switches with all of their ports, then hosts with those in use."""
    topology = fabric.topology
    port_lids, switch_lids = fabric.lids

    def at_switch(s: int, port: int) -> str:
        return f"SW {int(switch_lids[s]):5d} {port:2d} 0x{int(fabric.switch_guids[s]):016x}"

    lines: list[tuple[int, int, str]] = []  # the node, its port, the line

    def join(one: tuple[int, int, str, str], other: tuple[int, int, str, str], rate: str) -> None:
        for (node, port, end, name), (_, _, far_end, far_name) in ((one, other), (other, one)):
            lines.append((node, -port, f"{end} {rate} - {far_end} ( '{name}' - '{far_name}' )"))

    ends = zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    for ((u, v), (p, q)), rate in zip(ends, _rates(fabric.link_width, fabric.link_rate_gbps), strict=True):
        names = fabric.switch_names[u], fabric.switch_names[v]
        join((u, p, at_switch(u, p), names[0]), (v, q, at_switch(v, q), names[1]), rate)
    for s, p, q in fabric.loops.tolist():
        first, second = ((s, port, at_switch(s, port), fabric.switch_names[s]) for port in (p, q))
        join(first, second, _UNKNOWN)
    for e, rate in enumerate(_rates(fabric.endpoint_width, fabric.endpoint_rate_gbps)):
        s, h = int(topology.endpoints[e]), int(topology.host[e])
        port, own = int(fabric.endpoint_ports[e]), int(fabric.host_ports[e])
        end = f"CA {int(port_lids[e]):5d} {own:2d} 0x{int(fabric.port_guids[e]):016x}"
        host = topology.switches + h, own, end, fabric.host_names[h]
        join((s, port, at_switch(s, port), fabric.switch_names[s]), host, rate)
    used = {(node, -port) for node, port, _ in lines}
    for s in range(topology.switches):
        free = [port for port in range(1, int(fabric.switch_ports[s]) + 1) if (s, port) not in used]
        name = fabric.switch_names[s]
        lines += [(s, -port, f"{at_switch(s, port)} {_UNKNOWN}{' ' * 36}'{name}'") for port in free]
    return "".join(f"{line}\n" for _, _, line in sorted(lines))


_UNKNOWN = "4x ???"


def _rates(width: np.ndarray, rate_gbps: np.ndarray) -> list[str]:
    """``4x HDR`` of each cable."""
    pairs = zip(width.tolist(), rate_gbps.tolist(), strict=True)
    return [f"{lanes}x {speed}" if (speed := speed_name(lanes, gbps)) else _UNKNOWN for lanes, gbps in pairs]


register_fabric_format(NAME, ".ports", "InfiniBand fabric: ports report of ibnetdiscover -p", fabric_of, write_fabric)

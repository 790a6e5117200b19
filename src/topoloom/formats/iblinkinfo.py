"""iblinkinfo's report: the ports of every node, each with its cable, lanes and signal rate; also one line per port (``-l``).

``Switch: 0x0002c90000000001 leaf1:`` begins a node, and ``5 7[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 3 12[ ] "spine1" ( )``
is its port 7: own LID, port, far LID and port, name of the far node. Source: `iblinkinfo.c` (linux-rdma/rdma-core,
infiniband-diags), and its output on ibsim.
"""

import re
from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.rates import speed_name
from topoloom.formats._fabric_format import register_fabric_format
from topoloom.formats._listed_ports import SHOWN_GBPS, ListedCable, PortEnd, listed_fabric, rate_shown
from topoloom.formats._text import short, text_of

NAME = "iblinkinfo"
_MOST_LINE_CHARACTERS = 4096
_SWITCH = re.compile(r"Switch:\s++0x([0-9a-fA-F]{1,16})\s++(.{0,256}?)\s*:")
_OTHER = re.compile(r"(CA|RT|Router|HCA):\s++(.{0,256}?)\s*:", re.IGNORECASE)
_PORT = re.compile(
    r'(?:0x([0-9a-fA-F]{1,16})\s*+)?(?:"([^"]{0,256}+)"\s*+)?([0-9]{1,5})\s++([0-9]{1,5})\[[^\]]{0,8}\]\s*+'
    r"==\(([^)]{0,120})\)==>\s*+(?:0x([0-9a-fA-F]{1,16})\s++)?(?:([0-9]{1,5})\s++([0-9]{1,5}))?\s*+"
    r'\[[^\]]{0,8}\]\s*+"([^"]{0,256}+)"\s*+(\(.*)?'
)
_RUNS = re.compile(r"\s*([0-9]{1,2})X\s+([0-9.]{1,10})\s+Gbps\b.*|\s*([0-9]{1,2})X\s+.*?\b(FDR10)\b.*", re.IGNORECASE)


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the report; ports that are down have no cable.

    Raises
    ------
    InputError
        A line is not valid, an end cannot be identified, or two cables are in one port.
    """
    cables: list[ListedCable] = []
    ports: list[PortEnd] = []
    node: PortEnd | None = None
    group = 0
    for number, raw in lines_of(text_of(data, source), source, _MOST_LINE_CHARACTERS):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if match := _SWITCH.fullmatch(line):
            node = PortEnd(0, match[2], int(match[1], 16), switch=True)
        elif match := _OTHER.fullmatch(line):
            group += 1
            node = PortEnd(0, match[2], switch=False, group=group, router=match[1].upper().startswith("R"))
        elif match := _PORT.fullmatch(line):
            near, far_end = _ends(match, node, number, source)
            ports.append(near)
            if far_end is not None:
                width, rate = _runs(match[5])
                cables.append(ListedCable(near, far_end, width, rate, number))
        else:
            raise at(
                source, number, f'{short(line)} is not a line of iblinkinfo, like 5 7[ ] ==( 4X ..)==> 3 12[ ] ".."'
            )
    return listed_fabric(cables, ports, source, "a line Switch: 0x.. NAME: begins one")


def _ends(match: re.Match[str], node: PortEnd | None, number: int, source: str) -> tuple[PortEnd, PortEnd | None]:
    """The port of a line, and the far end of its cable; None for a port that is down."""
    guid = None if match[1] is None else int(match[1], 16)
    lid, port = int(match[3]), int(match[4])
    if match[2] is not None:
        near = PortEnd(port, match[2].strip(), guid, lid)
    elif node is None:
        raise at(source, number, "a port before any node; a line Switch: 0x.. NAME: or CA: NAME: begins one")
    else:
        own = guid if node.guid is None else node.guid
        near = PortEnd(port, node.name, own, lid, node.switch, group=node.group, router=node.router)
    if match[7] is None:
        return near, None
    far_guid = None if match[6] is None else int(match[6], 16)
    return near, PortEnd(int(match[8]), match[9].strip(), far_guid, int(match[7]))


def _runs(text: str) -> tuple[int, float]:
    """Lanes and rate of a port: `` 4X        53.125 Gbps Active/  LinkUp``."""
    match = _RUNS.fullmatch(text)
    if not match:
        return 0, 0.0
    width = int(match[1] or match[3])
    gbps = "FDR10" if match[4] or "FDR10" in text.upper() else match[2]
    return width, rate_shown(width, gbps)


def write_fabric(fabric: Fabric) -> str:
    """The report on a fabric: its switches, then its hosts, with the ports in use."""
    topology = fabric.topology
    port_lids, switch_lids = fabric.lids
    wires: list[list[tuple[int, str]]] = [[] for _ in range(topology.switches)]
    own: list[list[tuple[int, str]]] = [[] for _ in range(topology.hosts)]

    def far_end(lid: int, port: int, name: str, runs: str) -> str:
        return f'==({runs} Active/  LinkUp)==>  {lid:6d} {port:4d}[  ] "{name}" ( )'

    for e, runs in enumerate(_shown(fabric.endpoint_width, fabric.endpoint_rate_gbps)):
        s, h, lid = int(topology.endpoints[e]), int(topology.host[e]), int(port_lids[e])
        port, at_host = int(fabric.endpoint_ports[e]), int(fabric.host_ports[e])
        wires[s].append((port, far_end(lid, at_host, fabric.host_names[h], runs)))
        text = far_end(int(switch_lids[s]), port, fabric.switch_names[s], runs)
        own[h].append((at_host, f"      0x{int(fabric.port_guids[e]):016x} {lid:6d} {at_host:4d}[  ] {text}"))
    for u, v, p, q, runs in _links(fabric):
        wires[u].append((p, far_end(int(switch_lids[v]), q, fabric.switch_names[v], runs)))
        wires[v].append((q, far_end(int(switch_lids[u]), p, fabric.switch_names[u], runs)))
    lines = []
    for s, ends in enumerate(wires):
        lines.append(f"Switch: 0x{int(fabric.switch_guids[s]):016x} {fabric.switch_names[s]}:")
        used = dict(ends)
        for port in range(1, int(fabric.switch_ports[s]) + 1):
            down = '==(                Down/ Polling)==>             [  ] "" ( )'
            lines.append(f"      {int(switch_lids[s]):6d} {port:4d}[  ] {used.get(port, down)}")
    for h, ends in enumerate(own):
        lines += [f"CA: {fabric.host_names[h]}:", *(text for _, text in sorted(ends))]
    return "\n".join(lines) + "\n"


def _links(fabric: Fabric) -> Iterator[tuple[int, int, int, int, str]]:
    """Both switches, both ports and the text of the rate of each link."""
    runs = _shown(fabric.link_width, fabric.link_rate_gbps)
    ends = zip(fabric.topology.links.tolist(), fabric.link_ports.tolist(), runs, strict=True)
    yield from ((u, v, p, q, text) for (u, v), (p, q), text in ends)
    for s, p, q in fabric.loops.tolist():
        yield s, s, p, q, _UNKNOWN


_UNKNOWN = "                   "


def _shown(width: np.ndarray, rate_gbps: np.ndarray) -> list[str]:
    """Lanes and signal rates as iblinkinfo shows them; blanks where not known."""
    texts = []
    for lanes, gbps in zip(width.tolist(), rate_gbps.tolist(), strict=True):
        speed = speed_name(lanes, gbps)
        texts.append(f" {lanes}X {SHOWN_GBPS[speed]:>13} Gbps" if speed else _UNKNOWN)
    return texts


register_fabric_format(
    NAME, ".iblinkinfo", "InfiniBand fabric: output of iblinkinfo, also with -l", fabric_of, write_fabric
)

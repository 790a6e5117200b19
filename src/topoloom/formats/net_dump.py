"""ibdiagnet's ``ibdiagnet2.net_dump``: the ports of every switch, with the cable, width, signal rate and neighbour of each.

``"MF0;leaf1:MQM9700/U1", Mellanox, 0x0002c90000000001, LID 2`` begins a switch; a row has the label of the port on the panel,
its InfiniBand number, states, width and signal rate, then GUID, label, LID and name of the neighbour. Labels (``1/2/1``,
``sw1p2``) of neighbouring switches are looked up in their own rows. Hosts have no rows. Source: ibdiagnet's output as public
parsers of it describe it.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.panel_labels import panel_label
from topoloom.fabric.rates import signal_of
from topoloom.formats._fabric_format import register_fabric_format
from topoloom.formats._listed_ports import ListedCable, PortEnd, listed_fabric, rate_shown
from topoloom.formats._text import short, text_of

NAME = "net-dump"
_MOST_LINE_CHARACTERS = 4096
_COLUMNS = 13
_NEIGHBOUR = 9
_SWITCH = re.compile(
    r'"(.{0,256}?)",\s*+[^,]{0,80}+,\s*+0x([0-9a-fA-F]{1,16}),\s*+LID\s*+(0x[0-9a-fA-F]{1,4}|[0-9]{1,5})\b.*'
)
_LAST_NUMBER = re.compile(r"(?:.*[^0-9])?([0-9]{1,5})")


@dataclass(frozen=True)
class _Row:
    """A port with a cable: its end, and the neighbour, whose port has a label."""

    near: PortEnd
    far: PortEnd
    label: str
    width: int
    rate_gbps: float
    line: int


def fabric_of(data: bytes, source: str) -> Fabric:
    """The fabric in the dump; ports that are down have no cable.

    Raises
    ------
    InputError
        A line is not valid, or two cables are in one port.
    """
    rows: list[_Row] = []
    ports: list[PortEnd] = []
    labels: dict[tuple[int, str], int] = {}
    switch: PortEnd | None = None
    for number, raw in lines_of(text_of(data, source), source, _MOST_LINE_CHARACTERS):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if match := _SWITCH.fullmatch(line):
            switch = PortEnd(0, match[1], int(match[2], 16), int(match[3], 0), switch=True)
            continue
        cells = [cell.strip() for cell in line.split(":", _COLUMNS - 1)]
        if len(cells) < _COLUMNS or switch is None or not cells[1].isdecimal() or len(cells[1]) > 5:
            raise at(
                source, number, f"{short(line)} is not a line of ibdiagnet2.net_dump, like 1 : 1 : ACT : LINK UP : .."
            )
        near = replace(switch, port=int(cells[1]))
        ports.append(near)
        labels[near.guid or 0, cells[0]] = near.port
        if cells[2].upper() != "DOWN" and (row := _row(near, cells, number, source)) is not None:
            rows.append(row)
    switches = {end.guid for end in ports}
    cables = [_cable(row, labels, switches, source) for row in rows]
    return listed_fabric(cables, ports, source, 'a line like "leaf1", Mellanox, 0x0002c90000000001, LID 2 begins one')


def _row(near: PortEnd, cells: list[str], number: int, source: str) -> _Row | None:
    """A port with its cable; None if the row states no neighbour."""
    guid, label, lid, name = cells[_NEIGHBOUR:]
    if not re.fullmatch(r"0x[0-9a-fA-F]{1,16}", guid) or int(guid, 16) == 0:
        return None
    if not re.fullmatch(r"[0-9]{0,5}", lid):
        raise at(source, number, f"{short(lid)} is not the LID of a neighbour")
    width = int(cells[5][:-1]) if re.fullmatch(r"[0-9]{1,2}x", cells[5], re.IGNORECASE) else 0
    far_end = PortEnd(0, name.strip('"').strip(), int(guid, 16), int(lid or 0))
    return _Row(near, far_end, label, width, rate_shown(width, cells[6].upper().removesuffix("G")), number)


def _cable(row: _Row, labels: dict[tuple[int, str], int], switches: set[int | None], source: str) -> ListedCable:
    """The cable of a row; the number of a neighbour's port is that of its label there, else the last number in the label."""
    guid = row.far.guid or 0
    port = labels.get((guid, row.label))
    if port is None:
        last = _LAST_NUMBER.fullmatch(row.label)
        if last is None:
            raise at(source, row.line, f"{short(row.label)} is not the port of a neighbour")
        port = int(last[1])
    far_end = replace(row.far, port=port, switch=guid in switches)
    return ListedCable(row.near, far_end, row.width, row.rate_gbps, row.line)


def write_fabric(fabric: Fabric) -> str:
    """The dump of a fabric: every switch with all of its ports."""
    topology = fabric.topology
    port_lids, switch_lids = fabric.lids
    wires: list[list[tuple[int, str]]] = [[] for _ in range(topology.switches)]

    def row(s: int, port: int, runs: str, guid: int, label: str, lid: int, name: str) -> None:
        own = panel_label(fabric, s, port) or port
        text = f" {own!s:<10} : {port:<3} : ACT  : LINK UP    : 5   : {runs} : N/A                 : NO-RTR"
        wires[s].append((port, f'{text} : 0x{guid:016x} : {label:<10} : {lid:<4} : "{name}"'))

    def switch_row(u: int, p: int, v: int, q: int, runs: str) -> None:
        label = str(panel_label(fabric, v, q) or q)
        row(u, p, runs, int(fabric.switch_guids[v]), label, int(switch_lids[v]), fabric.switch_names[v])

    for e, runs in enumerate(_shown(fabric.endpoint_width, fabric.endpoint_rate_gbps)):
        s, h, own = int(topology.endpoints[e]), int(topology.host[e]), int(fabric.host_ports[e])
        guid, lid = int(fabric.port_guids[e]), int(port_lids[e])
        row(s, int(fabric.endpoint_ports[e]), runs, guid, str(own), lid, fabric.host_names[h])
    ends = zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True)
    for ((u, v), (p, q)), runs in zip(ends, _shown(fabric.link_width, fabric.link_rate_gbps), strict=True):
        switch_row(u, p, v, q, runs)
        switch_row(v, q, u, p, runs)
    for s, p, q in fabric.loops.tolist():
        switch_row(s, p, s, q, _UNKNOWN)
        switch_row(s, q, s, p, _UNKNOWN)
    lines = []
    for s, rows in enumerate(wires):
        lines.append(
            f'"{fabric.switch_names[s]}", Mellanox, 0x{int(fabric.switch_guids[s]):016x}, LID {int(switch_lids[s])}'
        )
        lines.append(_HEAD)
        used = dict(rows)
        for port in range(1, int(fabric.switch_ports[s]) + 1):
            label = panel_label(fabric, s, port) or str(port)
            down = f" {label:<10} : {port:<3} : DOWN : POLLING    : N/A : {_UNKNOWN} : N/A                 : N/A    :  :  :  : "
            lines.append(used.get(port, down))
    return "\n".join(lines) + "\n"


_HEAD = (
    " #          : IB# : Sta  : PhysSta    : MTU : LWA     : LSA     : FEC mode            : Retran : Neighbor Guid      : N#"
    "         : NLID : Neighbor Description"
)
_UNKNOWN = "N/A     : N/A    "


def _shown(width: np.ndarray, rate_gbps: np.ndarray) -> list[str]:
    """Width and signal rate of each cable: the columns LWA and LSA."""
    pairs = zip(width.tolist(), rate_gbps.tolist(), strict=True)
    return [
        f"{f'{lanes}x':<7} : {signal:<7}" if (signal := signal_of(lanes, gbps)) else _UNKNOWN for lanes, gbps in pairs
    ]


register_fabric_format(
    NAME,
    ".net_dump",
    "InfiniBand fabric: ibdiagnet's ibdiagnet2.net_dump, the ports of every switch",
    fabric_of,
    write_fabric,
)

"""Cables of several links for NetBox: breakouts and twin-port cables, each as one object, for NetBox 4.5 and later.

The plain files have one cable per link, which every release imports. If cables of the catalogue carry several links, these
files are written as well: for the bulk import of NetBox 4.7 (several ends per cell, #18645; interfaces with channels, at
whose parent a cable ends), and as data for the REST API of 4.5 and 4.6, whose CSV import accepts one end per side. Profiles
are those of netbox/dcim/choices.py (4.6.8), columns those of netbox/dcim/forms/bulk_import.py (4.7.0-beta1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.core.csv_files import csv_table, texts

#: Allowed numbers of links of a cable: with one connector at each end, and for a breakout.
_SINGLE, _BREAKOUT = (2, 4, 6, 8, 12, 16), (2, 4, 6, 8)


def carriers(cabling: Cabling) -> list[list[int]]:
    """The rows of the cabling that share one cable, in the order of their ports at its near end.

    Cables of several links begin at the lower switch, or at the switch of hosts. Cables between the same two boxes are filled
    one after the other; so are breakouts of one box with the same length, wherever they lead. All links of a cable have the
    same rate. Links through panels have no cable of their own.
    """
    links, bought = cabling.layout.topology.links, cabling.bought
    mixed = cabling.layout.topology.mixed
    rates = cabling.rates_gbps if mixed else np.empty(0)
    groups: dict[tuple, list[tuple[int, int]]] = {}
    carried: list[list[int]] = []
    columns = (bought.product.tolist(), cabling.to_host.tolist(), cabling.through.tolist())
    for row, (index, to_host, through) in enumerate(zip(*columns, strict=True)):
        product = bought.parts.cable[index]
        if through:
            continue
        if product.links == 1:
            carried.append([row])
            continue
        near = int(cabling.ends[row, 0]) if to_host else int(links[cabling.link[row], 0])
        side = _near_side(cabling, row, near)
        far_key = float(bought.stock_m[row]) if product.breakout else int(cabling.ends[row, 1 - side])
        rate_gbps = float(rates[row]) if mixed else 0.0
        groups.setdefault((index, to_host, near, far_key, rate_gbps), []).append((int(cabling.port[row, side]), row))
    for (index, *_), several in groups.items():
        rows, size = [row for _, row in sorted(several)], bought.parts.cable[index].links
        carried += [rows[at : at + size] for at in range(0, len(rows), size)]
    return sorted(carried)


def _near_side(cabling: Cabling, row: int, near: int) -> int:
    """The side (0: a, 1: b) of a row that is at the near box."""
    return 0 if cabling.to_host[row] or cabling.ends[row, 0] == near else 1


@dataclass(frozen=True)
class Breakouts:
    """The tables of a network whose cables may carry several links.

    Attributes
    ----------
    interfaces, cables : dict of str to list of str
        Columns.
    rest : list of dict
        The cables for the REST API.
    """

    interfaces: dict[str, list[str]]
    cables: dict[str, list[str]]
    rest: list[dict[str, Any]]


def breakout_files(networks: Sequence[Breakouts]) -> dict[str, str]:
    """The files of networks, by name: ``4.7/interfaces.csv``, ``4.7/cables.csv`` and ``cables.rest.json``.

    Parameters
    ----------
    networks : sequence of Breakouts
    """
    interfaces, cables = (
        joined_columns([getattr(each, name) for each in networks]) for name in ("interfaces", "cables")
    )
    rest = [cable for each in networks for cable in each.rest]
    return {
        "4.7/interfaces.csv": csv_table({name: texts(cells, guard=False) for name, cells in interfaces.items()}),
        "4.7/cables.csv": csv_table({name: texts(cells, guard=False) for name, cells in cables.items()}),
        "cables.rest.json": msgspec.json.format(msgspec.json.encode(rest), indent=1).decode() + "\n",
    }


def joined_columns(tables: Sequence[dict[str, list[str]]]) -> dict[str, list[str]]:
    """The rows of tables with the same columns, one table after another."""
    return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}


def has_several(cabling: Cabling, groups: list[list[int]]) -> bool:
    """Whether a cable carries several links; `groups` as `carriers` gives them."""
    return any(len(group) > 1 or _links(cabling, group) > 1 for group in groups)


def breakouts(
    cabling: Cabling, groups: list[list[int]], interfaces: dict[str, list[str]], cables: dict[str, list[str]]
) -> Breakouts:
    """The tables with cables of several links, each as one object.

    Parameters
    ----------
    cabling : Cabling
    groups : list of list of int
        As `carriers` gives them.
    interfaces, cables : dict of str to list of str
        The columns of the plain ``interfaces.csv`` and ``cables.csv``.

    Returns
    -------
    Breakouts
    """
    parent: dict[tuple[str, str], tuple[str, int]] = {}
    #: The channels of a cage, and its speed: all links of a cable have the same rate.
    channels: dict[tuple[str, str], tuple[int, int]] = {}
    ports = zip(interfaces["device"], interfaces["name"], strict=True)
    speeds = dict(zip(ports, map(int, interfaces["speed"]), strict=True))
    rows = []
    for group in groups:
        size = _links(cabling, group)
        near = cabling.layout.topology.links[cabling.link[group[0]], 0] if cabling.link[group[0]] >= 0 else -1
        ends: list[list[tuple[str, str]]] = [[], []]
        for row in group:
            side = _near_side(cabling, row, int(near))
            for place, which in enumerate((side, 1 - side)):
                letter = "ab"[which]
                ends[place].append((cables[f"side_{letter}_device"][row], cables[f"side_{letter}_name"][row]))
        product = cabling.bought.parts.cable[int(cabling.bought.product[group[0]])]
        for place, several in enumerate(ends):
            if size > 1 and not (place and product.breakout):
                device, first = several[0]
                own = (device, f"C{first.removeprefix('P')}")
                channels[own] = size, size * speeds[several[0]]
                parent |= {end: (own[1], number) for number, end in enumerate(several, start=1)}
                ends[place] = [own]
        rows.append((group, ends, _profile(size, breakout=product.breakout)))
    return Breakouts(_interfaces(interfaces, parent, channels), _cables(cables, rows), _rest(cables, rows))


def plain_breakouts(interfaces: dict[str, list[str]], cables: dict[str, list[str]]) -> Breakouts:
    """The tables of cables of one link each.

    Parameters
    ----------
    interfaces, cables : dict of str to list of str
        The columns of the plain files.
    """
    sides = (zip(cables[f"side_{side}_device"], cables[f"side_{side}_name"], strict=True) for side in "ab")
    rows: _Rows = [([row], [[a], [b]], "") for row, (a, b) in enumerate(zip(*sides, strict=True))]
    return Breakouts(_interfaces(interfaces, {}, {}), _cables(cables, rows), _rest(cables, rows))


def _links(cabling: Cabling, group: list[int]) -> int:
    return cabling.bought.parts.cable[int(cabling.bought.product[group[0]])].links


def _profile(links: int, *, breakout: bool) -> str:
    """NetBox's profile of a cable; empty if it has no matching one."""
    if links == 1 or links not in (_BREAKOUT if breakout else _SINGLE):
        return ""
    return f"breakout-1c{links}p-{links}c1p" if breakout else f"single-1c{links}p"


def _interfaces(
    plain: dict[str, list[str]],
    parent: dict[tuple[str, str], tuple[str, int]],
    channels: dict[tuple[str, str], tuple[int, int]],
) -> dict[str, list[str]]:
    """Cages with their channels first, then all ports, with those that are channels assigned to their cage."""
    ports = list(zip(plain["device"], plain["name"], strict=True))
    inside = [parent.get(port, ("", 0)) for port in ports]
    cages = list(channels)
    return {
        "device": [device for device, _ in cages] + plain["device"],
        "name": [name for _, name in cages] + plain["name"],
        "parent": [""] * len(cages) + [name for name, _ in inside],
        "type": ["other"] * len(cages) + plain["type"],
        "channels": [str(channels[own][0]) for own in cages] + [""] * len(ports),
        "channel_id": [""] * len(cages) + [str(number) if name else "" for name, number in inside],
        "speed": [str(channels[own][1]) for own in cages] + plain["speed"],
    }


_Rows = list[tuple[list[int], list[list[tuple[str, str]]], str]]


def _cables(plain: dict[str, list[str]], rows: _Rows) -> dict[str, list[str]]:
    """One row per cable; several ends in a cell, in the order of their connectors."""
    first = [group[0] for group, _, _ in rows]
    columns: dict[str, list[str]] = {}
    for place, letter in enumerate("ab"):
        ends = [ends[place] for _, ends, _ in rows]
        columns[f"side_{letter}_device"] = [",".join(device for device, _ in each) for each in ends]
        columns[f"side_{letter}_type"] = ["dcim.interface"] * len(rows)
        columns[f"side_{letter}_name"] = [",".join(name for _, name in each) for each in ends]
    columns["type"] = [plain["type"][row] for row in first]
    columns["status"] = ["planned"] * len(rows)
    columns["profile"] = [profile for _, _, profile in rows]
    columns["label"] = ["+".join(plain["label"][row] for row in group) for group, _, _ in rows]
    columns |= {key: [plain[key][row] for row in first] for key in ("color", "length", "length_unit")}
    return columns


def _rest(plain: dict[str, list[str]], rows: _Rows) -> list[dict[str, Any]]:
    """The body for ``POST /api/dcim/cables/``, with device and name of interfaces instead of ``object_id``.

    Release 4.6 has no channels: a breakout begins at the cage, an interface without parent and children.
    """
    cables_json = []
    for group, ends, profile in rows:
        first = group[0]
        sides = {
            f"{letter}_terminations": [
                {"object_type": "dcim.interface", "device": device, "name": name} for device, name in ends[place]
            ]
            for place, letter in enumerate("ab")
        }
        values = {key: plain[key][first] for key in ("type", "color", "length_unit")} | {
            "length": float(plain["length"][first]),
            "status": "planned",
            "label": "+".join(plain["label"][row] for row in group),
            "profile": profile,
        }
        cables_json.append({**sides, **{key: value for key, value in values.items() if value != ""}})
    return cables_json

"""Cable lists of a machine: of all networks, of each network and of each rack; and the labels of all cables."""

import re
from collections.abc import Iterable, Sequence

from topoloom.cabling.lists import label_table
from topoloom.core.csv_files import csv_text
from topoloom.core.staging import Content
from topoloom.core.workbooks import workbook_bytes
from topoloom.formats.sheet import P2P_HEADS
from topoloom.machine.cables import CableEnd, MachineCable, machine_cables
from topoloom.machine.machine import Machine

_HEADS = ("Cable", "Network", *P2P_HEADS, "Rate Gb/s", "Length m", "Stock m", "Part", "Medium")
#: The type of a device as sheets have it.
_TYPES = {"switch": "Switch", "host": "Host"}
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]")
#: What the title of a sheet must not have, and its most characters.
_NOT_IN_TITLES, _LONGEST_TITLE = re.compile(r"[\[\]:*?/\\']"), 31
_Row = tuple[object, ...]


def cable_files(machine: Machine) -> dict[str, Content]:
    """The lists by name.

    ``cables.csv`` has all cables; ``networks/NAME.csv`` those of a network, in the order of work; ``racks/RACK.csv`` all that
    end in a rack, from its lowest unit upwards, seen from there: end A is in the rack. ``networks.xlsx`` and ``racks.xlsx``
    have the same lists as sheets.

    Parameters
    ----------
    machine : Machine

    Returns
    -------
    dict of str to str or bytes

    Raises
    ------
    InputError
        openpyxl, which writes workbooks, is not installed.
    """
    names, cables = machine.rack_names, machine_cables(machine)
    networks: dict[str, list[_Row]] = {}
    racks: list[list[MachineCable]] = [[] for _ in names]
    for each in cables:
        networks.setdefault(each.network, []).append(_row(each, names))
        racks[each.a.rack].append(each)
        if each.b.rack != each.a.rack:
            racks[each.b.rack].append(each.turned())
    of_racks = {
        name: [_row(each, names) for each in sorted(some, key=lambda each: each.a.key)]
        for name, some in zip(names, racks, strict=True)
    }
    everything = [row for rows in networks.values() for row in rows]
    return {
        "cables.csv": csv_text(_HEADS, everything),
        **{f"networks/{name}.csv": csv_text(_HEADS, networks[own]) for own, name in file_names(networks).items()},
        **{f"racks/{name}.csv": csv_text(_HEADS, of_racks[own]) for own, name in file_names(of_racks).items()},
        "networks.xlsx": _workbook({"all cables": everything, **networks}),
        "racks.xlsx": _workbook(of_racks),
    }


def _row(cable: MachineCable, racks: Sequence[str]) -> _Row:
    figures = (cable.rate_gbps, round(cable.length_m, 3), round(cable.stock_m, 3))
    ends = (cell for end in (cable.a, cable.b) for cell in _end(end, racks))
    return (cable.number, cable.network, *ends, *map(_number, figures), cable.product, cable.medium)


def _end(end: CableEnd, racks: Sequence[str]) -> Iterable[object]:
    device = end.placed.standing
    unit = None if device.unit is None else _number(device.unit)
    return racks[end.rack], unit, device.name, _TYPES.get(device.kind, device.product), end.port


def _number(value: float) -> float:
    """A whole number without a fraction."""
    return int(value) if value == int(value) else value


def _workbook(sheets: dict[str, list[_Row]]) -> bytes:
    titles = _distinct(_NOT_IN_TITLES.sub("_", name)[:_LONGEST_TITLE] for name in sheets)
    return workbook_bytes({title: [_HEADS, *rows] for title, rows in zip(titles, sheets.values(), strict=True)})


def file_names(names: Iterable[str]) -> dict[str, str]:
    """The name of a file for each name."""
    own = list(names)
    return dict(zip(own, _distinct(_NOT_IN_NAMES.sub("_", name) or "_" for name in own), strict=True))


def _distinct(names: Iterable[str]) -> list[str]:
    """Names that differ in more than capitals; the end of a later one becomes a number."""
    seen: set[str] = set()
    out = []
    for name in names:
        number, own = 1, name
        while own.lower() in seen:
            number += 1
            own = f"{name[: _LONGEST_TITLE - len(str(number)) - 1]}_{number}"
        seen.add(own.lower())
        out.append(own)
    return out


def label_files(machine: Machine) -> dict[str, Content]:
    """The file ``labels.csv``: one row per end of each cord of each cable.

    Parameters
    ----------
    machine : Machine
    """
    cables = machine_cables(machine)
    ends = [each.a.label for each in cables], [each.b.label for each in cables]
    return {"labels.csv": label_table([each.cords for each in cables], [each.number for each in cables], *ends)}

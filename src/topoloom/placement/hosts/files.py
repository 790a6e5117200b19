"""The files of hosts: `hosts.toml` describes them, and `hosts.csv` has one row per host."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.csv_files import csv_rows, csv_table, numbers, texts, unguarded
from topoloom.core.errors import at
from topoloom.core.files import read_text
from topoloom.core.text_parts import decimal_in, whole_in
from topoloom.core.toml_files import toml_string
from topoloom.placement.hosts.housing import Housing, host_names

_MOST_CHARACTERS = 1 << 28
_MOST_NAME_CHARACTERS = 256
_MOST_UNITS = 1000


def housing_toml(housing: Housing) -> str:
    """The description of hosts and racks, as `read_housing` reads it."""
    out = []
    for key, content in msgspec.to_builtins(housing).items():
        if isinstance(content, dict):
            out += [f"[{key}]\n", *_lines(content)]
        elif key == "others":
            out += [line for other in content for line in (f"[[{key}]]\n", *_lines(other))]
        elif content and key != "names":  # names are in the list of hosts
            out.insert(0, f"{key} = {_toml(content)}\n")
    return "".join(out)


def _lines(values: dict[str, Any]) -> list[str]:
    return [f"{key} = {_toml(value)}\n" for key, value in values.items() if value not in (None, [], ())]


def _toml(value: Any) -> str:
    """A value in the syntax of TOML: a number, text, a list, or an inline table without the keys that are None."""
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return (
            f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items() if item not in (None, [], ()))} }}"
        )
    return json.dumps(value)


def hosts_csv(housing: Housing, racks: list[str], height: np.ndarray, leaves: list[str]) -> str:
    """One row per host: its number, name, rack, lowest unit, and the switch ports of its own ports.

    Parameters
    ----------
    housing : Housing
    racks : list of str, one per host
        The name of its rack.
    height : float64[hosts]
        The unit of its bottom, from 1.
    leaves : list of str, one per host
        The labels of the switch ports that its ports are connected to, in order, separated by spaces.

    Returns
    -------
    str
        The file's content.
    """
    count = len(racks)
    of_host = [host for host, hosts in housing.kinds(count) for _ in hosts]
    return csv_table(
        {
            "host": numbers(np.arange(count)),
            "name": texts(host_names(housing, count)),
            "rack": texts(racks),
            "unit": numbers(height, 2),
            "units": numbers(np.array([host.units for host in of_host]), 2),
            "power_w": numbers(np.array([host.power_w or np.nan for host in of_host])),
            "ports": texts(leaves),
        }
    )


def read_hosts(path: str | Path, hosts: int, slots: tuple[str, ...]) -> np.ndarray:
    """The slot of every host from a list written by `hosts_csv`, int32[hosts].

    Parameters
    ----------
    path : path
    hosts : int
        Number of hosts that the list must have.
    slots : tuple of str
        The names of the floor's slots.

    Returns
    -------
    int32[hosts]

    Raises
    ------
    InputError
        A column or a host is missing, or a rack is not at a slot of the floor.
    """
    source = str(path)
    number = {name: place for place, name in enumerate(slots)}
    slot = np.full(hosts, -1, np.int32)
    for line, host, cells in _rows(path, hosts, "rack"):
        name = unguarded(cells["rack"])
        if name not in number:
            raise at(
                source,
                line,
                f"the floor has no slot {name[:40]!a}; give one of its slots, or add the slot to the floor",
            )
        slot[host] = number[name]
    if (slot < 0).any():
        raise at(
            source, None, f"host {int(slot.argmin())} has no row; the list needs one row for each of {hosts} hosts"
        )
    return slot


def read_host_units(path: str | Path, hosts: int) -> np.ndarray:
    """The lowest unit of every host from a list written by `hosts_csv`, float64[hosts].

    Parameters
    ----------
    path : path
    hosts : int
        Number of hosts that the list must have.

    Raises
    ------
    InputError
        A column or a host is missing, or a unit is not a number from 1.
    """
    units = np.zeros(hosts)
    for line, host, cells in _rows(path, hosts, "unit"):
        unit = decimal_in(cells["unit"])
        if unit is None or not 1 <= unit <= _MOST_UNITS:
            raise at(str(path), line, f"unit is {cells['unit'][:40]!a}; give a number from 1 to {_MOST_UNITS}")
        units[host] = unit
    if (units < 1).any():
        raise at(
            str(path), None, f"host {int(units.argmin())} has no row; the list needs one row for each of {hosts} hosts"
        )
    return units


def read_host_names(path: str | Path, hosts: int) -> tuple[str, ...]:
    """The name of each host from a list written by `hosts_csv`, possibly with other names.

    Parameters
    ----------
    path : path
    hosts : int
        Number of hosts; one without a name is called H and its number.

    Raises
    ------
    InputError
        A column is missing, a host does not exist, or a name is not allowed or not unique.
    """
    names = [f"H{host}" for host in range(hosts)]
    line_of: dict[str, int] = {}
    for line, host, cells in _rows(path, hosts, "name"):
        name = unguarded(cells["name"]).strip()
        if not name:
            continue
        if len(name) > _MOST_NAME_CHARACTERS or not name.isprintable():
            raise at(str(path), line, f"give the host a name of 1 to {_MOST_NAME_CHARACTERS} printable characters")
        if name in line_of:
            raise at(
                str(path),
                line,
                f"host {host} has the name {name[:40]!a} of the host in line {line_of[name]}; give unique names",
            )
        names[host], line_of[name] = name, line
    return tuple(names)


def _rows(path: str | Path, hosts: int, needed: str) -> Iterator[tuple[int, int, dict[str, str]]]:
    """The rows of a list of hosts: the line, the host, and the cells by column."""
    source = str(path)
    rows = csv_rows(read_text(path, _MOST_CHARACTERS), source)
    line, header = next(rows, (1, []))
    names = [cell.strip().lower() for cell in header]
    missing = [name for name in ("host", needed) if name not in names]
    if missing:
        raise at(
            source, line, f"the column {missing[0]} is missing; a list of hosts needs the columns host and {needed}"
        )
    for line, cells in rows:
        if len(cells) != len(names):
            raise at(source, line, f"{len(cells)} cells, but the header has {len(names)}")
        text = cells[names.index("host")].strip()
        host = whole_in(text, hosts - 1)
        if host is None:
            raise at(source, line, f"host is {text[:40]!a}; give a number from 0 to {hosts - 1}")
        yield line, host, dict(zip(names, cells, strict=True))

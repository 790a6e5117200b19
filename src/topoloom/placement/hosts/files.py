"""Where hosts stand, as files: `hosts.toml` says what they are, `hosts.csv` has a row for each of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from topoloom.core.csv_files import csv_rows, csv_table, numbers, texts, unguarded
from topoloom.core.errors import at
from topoloom.core.files import read_text
from topoloom.core.text_parts import whole_in
from topoloom.placement.hosts.housing import Housing, host_names

_LONGEST = 1 << 28
_LONGEST_NAME = 256


def housing_toml(housing: Housing) -> str:
    """What hosts are and what racks hold, as `read_housing` reads it back."""
    out = []
    for table, values in msgspec.to_builtins(housing).items():
        out.append(f"[{table}]\n")
        out += [f"{key} = {json.dumps(value)}\n" for key, value in values.items() if value is not None]
    return "".join(out)


def hosts_csv(housing: Housing, racks: list[str], height: np.ndarray, leaves: list[str]) -> str:
    """One row per host: its number, its name, its rack, the unit that it begins at, and its leaves port by port.

    Parameters
    ----------
    housing : Housing
    racks : list of str, one a host
        The name of its rack.
    height : float64[hosts]
        The unit that its bottom is at, from 1.
    leaves : list of str, one a host
        The labels of the switch ports that its ports are plugged into, in order, with spaces between.

    Returns
    -------
    str
        The file's content.
    """
    count = len(racks)
    return csv_table(
        {
            "host": numbers(np.arange(count)),
            "name": texts(host_names(housing.host, count)),
            "rack": texts(racks),
            "unit": numbers(height, 2),
            "units": numbers(np.full(count, housing.host.u), 2),
            "power_w": numbers(np.full(count, housing.host.power_w)),
            "ports": texts(leaves),
        }
    )


def read_hosts(path: str | Path, hosts: int, slots: tuple[str, ...]) -> np.ndarray:
    """The slot of every host by a list that `hosts_csv` wrote, int32[hosts].

    Parameters
    ----------
    path : path
    hosts : int
        How many there must be.
    slots : tuple of str
        The names of the floor's slots.

    Returns
    -------
    int32[hosts]

    Raises
    ------
    InputError
        A column or a host that is missing, or a rack where the floor has no slot.
    """
    source = str(path)
    number = {name: place for place, name in enumerate(slots)}
    slot = np.full(hosts, -1, np.int32)
    for line, host, cells in _rows(path, hosts, "rack"):
        name = unguarded(cells["rack"])
        if name not in number:
            raise at(source, line, f"the floor has no slot {name[:40]!a}; name one of its slots, or add the slot there")
        slot[host] = number[name]
    if (slot < 0).any():
        raise at(source, None, f"host {int(slot.argmin())} has no row; a list of hosts has one for each of {hosts}")
    return slot


def read_host_names(path: str | Path, hosts: int) -> tuple[str, ...]:
    """What each host is called by a list that `hosts_csv` wrote, or that somebody gave other names.

    Parameters
    ----------
    path : path
    hosts : int
        How many there are; one without a name is called H and its number.

    Raises
    ------
    InputError
        A column that is missing, a host that is none, a name that none can have, or that two have.
    """
    names = [f"H{host}" for host in range(hosts)]
    line_of: dict[str, int] = {}
    for line, host, cells in _rows(path, hosts, "name"):
        name = unguarded(cells["name"]).strip()
        if not name:
            continue
        if len(name) > _LONGEST_NAME or not name.isprintable():
            raise at(str(path), line, f"a host's name has 1 to {_LONGEST_NAME} printable characters")
        if name in line_of:
            raise at(str(path), line, f"host {host} is called {name[:40]!a}, as that of line {line_of[name]}")
        names[host], line_of[name] = name, line
    return tuple(names)


def _rows(path: str | Path, hosts: int, needed: str) -> Iterator[tuple[int, int, dict[str, str]]]:
    """The rows of a list of hosts: the line, the host, and the cells by column."""
    source = str(path)
    rows = csv_rows(read_text(path, _LONGEST), source)
    line, header = next(rows, (1, []))
    names = [cell.strip().lower() for cell in header]
    missing = [name for name in ("host", needed) if name not in names]
    if missing:
        raise at(source, line, f"the column {missing[0]} is missing; a list of hosts has the columns host and {needed}")
    for line, cells in rows:
        if len(cells) != len(names):
            raise at(source, line, f"{len(cells)} columns; the header has {len(names)}")
        text = cells[names.index("host")].strip()
        host = whole_in(text, hosts - 1)
        if host is None:
            raise at(source, line, f"host is {text[:40]!a}; hosts are numbers, 0 to {hosts - 1}")
        yield line, host, dict(zip(names, cells, strict=True))

"""A plan as `verify` needs it: the fabric, and what its cables, cabinets and switches are called on paper."""

import csv
import io
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from topoloom.csv_files import unguarded
from topoloom.errors import at
from topoloom.fabrics.fabric import Fabric, planned_fabric
from topoloom.formats._registry import format_for
from topoloom.formats._storage import contents
from topoloom.formats._text import text_of
from topoloom.formats.cable_reader import read_cables
from topoloom.formats.ibnetdiscover import open_fabric


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned fabric.

    Attributes
    ----------
    fabric : Fabric
        With the ports of its cable list, where there is one.
    cabinets : tuple of str
        Where each switch stands; empty where the plan does not say.
    labels : tuple of str
        What is printed on each switch (A01-U03); empty where the plan does not say.
    cable : dict of (int, int) to str
        The number of the cable in each port of each switch, as the list has it.
    """

    fabric: Fabric
    cabinets: tuple[str, ...]
    labels: tuple[str, ...]
    cable: dict[tuple[int, int], str]


def open_plan(text: str) -> Plan:
    """The plan that a command-line argument names: a spec, a file, or the folder that `topoloom layout` wrote.

    Raises
    ------
    InputError
        As `open_topology`; a folder without ``cables.csv``.
    """
    path = Path(text)
    try:
        folder = path.is_dir()
    except (OSError, ValueError):
        folder = False
    if folder:
        if not (path / "cables.csv").exists():
            raise at(text, None, "holds no cables.csv; a plan is a spec, a file, or the folder of topoloom layout -o")
        return _from_list(str(path / "cables.csv"))
    record = format_for(text)
    if record is not None and record.name == "cables" and text != "-":
        return _from_list(text)
    fabric = open_fabric(text)
    nothing = ("",) * fabric.topology.switches
    return Plan(fabric, nothing, nothing, {})


def _from_list(source: str) -> Plan:
    """The plan that a cable list is."""
    data = contents(source)
    listed = read_cables(data, source)
    topology = listed.topology
    n = topology.switches
    labels, cabinets, cable = [""] * n, [""] * n, {}
    for switch, cabinet, _ in listed.stands.tolist():
        cabinets[switch] = listed.cabinets[cabinet].strip()
    links, plugs = [], []
    for row in _rows(text_of(data, source)):
        kind = row["kind"].lower()
        if kind not in {"link", "host", "switch"}:
            continue
        a = int(row["a_switch"])
        if kind == "switch":
            labels[a] = unguarded(row.get("a_label", ""))
            continue
        port_a, port_b = int(row["a_port"] or 0), int(row["b_port"] or 0)
        number = row.get("cable", "")
        if number and port_a:
            cable[a, port_a] = number
        if kind == "host":
            plugs.append((a, port_a, port_b))
            continue
        b = int(row["b_switch"])
        if number and port_b:
            cable[b, port_b] = number
        links.append((a, b, port_a, port_b) if a < b else (b, a, port_b, port_a))
    fabric = planned_fabric(topology)
    ends = np.array(sorted(links), np.int64).reshape(-1, 4)
    # The ports of the list, where it has them all.
    if (ends[:, 2:] > 0).all():
        fabric = replace(fabric, link_ports=ends[:, 2:].astype(np.int32))
    at_hosts = np.array(sorted(plugs), np.int64).reshape(-1, 3)
    if at_hosts.size and (at_hosts[:, 1:] > 0).all() and len(at_hosts) == topology.endpoints.size:
        ports = at_hosts.astype(np.int32)
        fabric = replace(fabric, endpoint_ports=ports[:, 1], host_ports=ports[:, 2])
    return Plan(fabric, tuple(cabinets), tuple(labels), cable)


def _rows(text: str) -> list[dict[str, str]]:
    """The rows of a list that has been read once without complaint."""
    header = text.lstrip().split("\n", 1)[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if "".join(row).strip()]
    names = [cell.strip().lower() for cell in rows[0]]
    return [dict(zip(names, (cell.strip() for cell in row), strict=True)) for row in rows[1:]]

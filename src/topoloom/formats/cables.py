"""Cable lists: a CSV with one row per cable, for the people who order and install them, and one row per switch."""

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from topoloom.core.csv_files import csv_table, guarded, numbers, texts
from topoloom.fabric.fabric import Fabric, planned_fabric
from topoloom.formats._registry import Format, register
from topoloom.formats._storage import contents
from topoloom.formats.cable_reader import COLUMNS, NAME_COLUMNS, CableList, read_cables
from topoloom.model.link_rates import HOST_RATE, RATE, packed_rates, rate_text
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

Columns = Mapping[str, Sequence[str]]


def cable_list(cables: Columns, switches: Columns) -> str:
    """A cable list as CSV: the rows of the cables, then those of the switches, each given as columns of cells."""
    rows = [max(map(len, part.values()), default=0) for part in (cables, switches)]
    ours = (*COLUMNS, *NAME_COLUMNS)
    names = [name for name in ours if name in cables or name in switches]
    names += [name for name in switches if name not in ours]
    empty = [[""] * count for count in rows]
    return csv_table({name: [*cables.get(name, empty[0]), *switches.get(name, empty[1])] for name in names})


def switch_rows(topology: Topology, hosts: bool) -> dict[str, Sequence[str]]:
    """The columns of the rows of kind ``switch``, one per switch: its hosts and labels; name and spec on the first row.

    `hosts` states whether to list the hosts, which is not needed if their cables are listed.
    """
    rest = [""] * (topology.switches - 1)
    columns: dict[str, Sequence[str]] = {
        "kind": ["switch"] * topology.switches,
        "a_switch": numbers(np.arange(topology.switches)),
        "topology": [guarded(topology.name), *rest],
    }
    if hosts and topology.endpoints.size:
        columns["hosts"] = list(_host_ranges(topology))
        if topology.endpoint_rate_gbps is not None:
            packed = packed_rates(topology.endpoints, topology.endpoint_rate_gbps)
            rates = [packed.get(switch, "") for switch in range(topology.switches)]
            columns[HOST_RATE] = [rate if isinstance(rate, str) else rate_text(rate) for rate in rates]
    if topology.spec is not None:
        columns["spec"] = [guarded(topology.spec), *rest]
    for key, values in topology.labels.items():
        if values.dtype.kind == "U":
            columns[f"label_{key}:text"] = texts(values.tolist())
        else:
            # Python's shortest text of a float reads back exactly; that of an integer has no point.
            plain = not key.endswith((":text", ":number"))
            columns[f"label_{key}" if plain else f"label_{key}:number"] = list(map(repr, values.tolist()))
    return columns


def _host_ranges(topology: Topology) -> Iterator[str]:
    """The hosts of each switch in the order of their ports: ``0..14 20``.

    Two points, because spreadsheets read 1-12 as a date.
    """
    host, at = topology.host, topology.endpoints
    starts = np.ones(host.size, bool)
    starts[1:] = (np.diff(host) != 1) | (np.diff(at) != 0)
    first = np.flatnonzero(starts)
    last = np.append(first[1:], host.size) - 1
    cells: list[list[str]] = [[] for _ in range(topology.switches)]
    for switch, low, high in zip(at[first].tolist(), host[first].tolist(), host[last].tolist(), strict=True):
        cells[switch].append(str(low) if low == high else f"{low}..{high}")
    return map(" ".join, cells)


def host_ports(host: np.ndarray) -> np.ndarray:
    """The number of each endpoint among the ports of its host, from 1, in the order of endpoints; int64[k]."""
    order = np.argsort(host, kind="stable")
    first = np.searchsorted(host[order], host[order])
    port = np.empty(host.size, np.int64)
    port[order] = np.arange(host.size) - first + 1
    return port


def write(topology: Topology) -> str:
    """The cables of a topology, links first, then the hosts' cables; without a layout there are no racks, lengths, products."""
    m, k = len(topology.links), topology.endpoints.size
    ports = topology.link_ports
    ends = {
        "a_switch": np.concatenate([topology.links[:, 0], topology.endpoints]),
        "a_port": np.concatenate([ports[:, 0], topology.endpoint_ports]),
        "b_port": np.concatenate([ports[:, 1], host_ports(topology.host)]),
    }
    cables = {name: numbers(values) for name, values in ends.items()}
    cables["b_switch"] = numbers(topology.links[:, 1]) + list(map("host {}".format, topology.host.tolist()))
    cables["cable"] = numbers(np.arange(1, m + k + 1))
    cables["kind"] = ["link"] * m + ["host"] * k
    if topology.rated:
        cables[RATE] = list(map(rate_text, np.concatenate([*topology.rates_of().values()]).tolist()))
    return cable_list(cables, switch_rows(topology, hosts=False))


def read(data: bytes, source: str) -> Topology:
    """The topology in a cable list; racks and lengths are ignored."""
    listed = read_cables(data, source)
    topology = listed.topology
    ports = (listed.ports, topology.link_ports), (listed.endpoint_ports, topology.endpoint_ports)
    if not all(bool((in_file == assigned).all()) for in_file, assigned in ports):
        log.warning(
            "%s: topoloom numbers ports itself (hosts first, then links by neighbour); the file's are not kept", source
        )
    return topology


def load_cables(path: str | os.PathLike[str]) -> CableList:
    """The complete content of a cable list; raises `InputError` like `load`."""
    return read_cables(contents(os.fspath(path)), os.fspath(path))


def cabled_fabric(cables: CableList) -> Fabric:
    """The fabric planned by a cable list: topoloom's names, and the list's ports if it states them all."""
    fabric = planned_fabric(cables.topology)
    if cables.links_plugged:
        fabric = replace(fabric, link_ports=cables.ports)
    if cables.endpoints_plugged:
        fabric = replace(fabric, endpoint_ports=cables.endpoint_ports, host_ports=cables.host_ports)
    # A switch or a host has at least the ports that the list uses.
    topology, switch_ports, host_sizes = cables.topology, fabric.switch_ports.copy(), fabric.host_sizes.copy()
    np.maximum.at(switch_ports, topology.links.ravel(), fabric.link_ports.ravel())
    np.maximum.at(switch_ports, topology.endpoints, fabric.endpoint_ports)
    np.maximum.at(host_sizes, topology.host, fabric.host_ports)
    return replace(fabric, switch_ports=switch_ports, host_sizes=host_sizes)


register(
    Format(
        name="cables",
        suffixes=(".csv",),
        description="cable list (CSV): one row per cable, with racks, switches, ports and hosts; one row per switch",
        keeps=frozenset({"isolated", "endpoints", "host", "labels", "name", "spec", "rate_gbps"}),
        read=read,
        write=write,
    )
)

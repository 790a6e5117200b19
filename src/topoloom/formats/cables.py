"""Cable lists: a CSV with one row a cable, for the people who order and lay them."""

import csv
import io
import logging
import math
import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

import numpy as np

from topoloom.errors import InputError, at
from topoloom.formats._registry import Format, register
from topoloom.formats._text import largest_id_allowed, short, text_of, topology_from
from topoloom.topology import MOST_SWITCHES, Topology

log = logging.getLogger("topoloom")

COLUMNS = (
    "cable", "kind", "a_cabinet", "a_switch", "a_port", "b_cabinet", "b_switch", "b_port", "length_m", "medium",
)  # fmt: skip
_NEEDED = ("kind", "a_switch", "a_port", "b_switch", "b_port")
_NUMBER = re.compile(r"[0-9]{1,9}")
_HOST = re.compile(r"(?:host\s*)?([0-9]{1,9})", re.IGNORECASE)


def cable_rows(
    topology: Topology,
    cabinet: np.ndarray | None = None,
    length_m: np.ndarray | None = None,
    medium: np.ndarray | None = None,
) -> Iterator[tuple[Any, ...]]:
    """The rows of a cable list, in the order of `COLUMNS`: first the m links, then the k endpoints.

    Parameters
    ----------
    topology : Topology
    cabinet : array, shape (switches,), optional
        The cabinet of each switch, numbers or text. A host's cabinet stays empty: it is not the switch's to say.
    length_m : array of float, shape (m,) or (m + k,), optional
        The length of each cable, in metres; NaN leaves the cell empty.
    medium : array of str, shape (m,) or (m + k,), optional
        What each cable is: ``copper``, ``fibre`` ...

    Yields
    ------
    tuple
        Cables are numbered from 1. Ports are those of `Topology.link_ports` and `Topology.endpoint_ports`; a host's
        ports are numbered from 1. A last row of kind ``switch`` names the highest switch when no cable shows that it
        exists.

    Raises
    ------
    InputError
        An array of another shape.
    """
    m, k = len(topology.links), topology.endpoints.size
    cabinets = np.full(topology.switches, "") if cabinet is None else np.asarray(cabinet)
    if cabinets.shape != (topology.switches,):
        raise InputError(f"cabinet has shape {cabinets.shape}; give one value for each of {topology.switches} switches")
    lengths = ["" if math.isnan(value) else round(value, 3) for value in _per_cable(length_m, m, k, np.nan, "length_m")]
    media = _per_cable(medium, m, k, "", "medium")
    u, v = topology.links.T
    u_port, v_port = topology.link_ports.T
    at = topology.endpoints
    columns: list[Iterable[Any]] = [
        range(1, m + 1), repeat("link"), cabinets[u].tolist(), u.tolist(), u_port.tolist(),
        cabinets[v].tolist(), v.tolist(), v_port.tolist(), lengths[:m], media[:m],
    ]  # fmt: skip
    yield from zip(*columns, strict=False)
    columns = [
        range(m + 1, m + k + 1), repeat("host"), cabinets[at].tolist(), at.tolist(), topology.endpoint_ports.tolist(),
        repeat(""), map("host {}".format, topology.host.tolist()), _host_ports(topology.host).tolist(),
        lengths[m:], media[m:],
    ]  # fmt: skip
    yield from zip(*columns, strict=False)
    highest = max(topology.links.max(initial=-1), at.max(initial=-1))
    if highest < topology.switches - 1 or highest > largest_id_allowed(2 * m + k):
        yield ("", "switch", cabinets[-1].item(), topology.switches - 1, "", "", "", "", "", "")


def csv_text(rows: Iterable[tuple[Any, ...]]) -> str:
    """A cable list as CSV: the header, then the rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue()


def write(topology: Topology) -> str:
    """The cables of a topology; cabinets, lengths and media are empty, for only a layout knows them."""
    return csv_text(cable_rows(topology))


def _per_cable(values: np.ndarray | None, m: int, k: int, empty: Any, what: str) -> list[Any]:
    """One value a cable, m + k of them."""
    if values is None:
        return [empty] * (m + k)
    given = np.asarray(values)
    if given.shape not in {(m,), (m + k,)}:
        raise InputError(f"{what} has shape {given.shape}; give one value for each of {m} links (and {k} host cables)")
    found: list[Any] = given.tolist()
    return found + [empty] * (m + k - len(found))


def _host_ports(host: np.ndarray) -> np.ndarray:
    """The port of its host that each endpoint is, from 1, in the order of endpoints; int64[k]."""
    order = np.argsort(host, kind="stable")
    first = np.searchsorted(host[order], host[order])
    port = np.empty(host.size, np.int64)
    port[order] = np.arange(host.size) - first + 1
    return port


def read(data: bytes, source: str) -> Topology:
    """The topology that a cable list describes; cabinets, lengths and media are left aside."""
    reader = _Reader(source)
    text = text_of(data, source)
    header = text[: text.find("\n")]
    # Spreadsheets of half the world write semicolons.
    delimiter = ";" if header.count(";") > header.count(",") else ","
    # StringIO would spend four bytes on every character.
    lines = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    rows = csv.reader(lines, strict=True, delimiter=delimiter)
    try:
        for cells in rows:
            reader.take(cells, rows.line_num)
    except csv.Error as error:
        raise at(source, rows.line_num, f"is not CSV: {error}") from None
    return reader.topology()


def _one_cable_a_port(ends: np.ndarray, what: str, source: str) -> None:
    """Refuse two cables in one port; `ends` is int64[ends, 3]: switch or host, port (0: not given), line."""
    # Numbers have nine digits: both fit in one key, which sorts faster than rows do.
    key = (ends[:, 0] << 30) + ends[:, 1]
    if (np.diff(np.sort(key[ends[:, 1] > 0])) > 0).all():
        return
    owner, port, line = ends[np.lexsort((ends[:, 2], key))].T
    i = int(np.argmax((np.diff(owner) == 0) & (np.diff(port) == 0) & (port[1:] > 0)))
    raise at(source, int(line[i + 1]), f"port {port[i]} of {what} {owner[i]} already has the cable of line {line[i]}")


class _Reader:
    """Takes the rows of a cable list one by one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._place: dict[str, int] = {}
        self._width = 0
        self._switches = 0
        # Flat triples (switch or host, port, line): both ends of each link in turn; host cables at switch and at host.
        self._links, self._endpoints, self._hosts = array("q"), array("q"), array("q")

    def take(self, cells: list[str], line: int) -> None:
        """One row; the first is the header."""
        if not self._place:
            if "".join(cells).strip():
                self._header(cells, line)
            return
        if len(cells) != self._width:
            if "".join(cells).strip():
                raise at(self._source, line, f"{len(cells)} columns; the header has {self._width}")
            return
        kind = cells[self._place["kind"]].strip().lower()
        if kind == "link":
            self._link(cells, line)
        elif kind == "host":
            self._host(cells, line)
        elif kind == "switch":
            self._switches = max(self._switches, self._switch(cells, "a_switch", line) + 1)
        elif "".join(cells).strip():
            raise at(self._source, line, f"kind is {short(kind)}; it must be link, host or switch")

    def _header(self, cells: list[str], line: int) -> None:
        names = [cell.strip().lower() for cell in cells]
        missing = [name for name in _NEEDED if name not in names]
        if missing:
            column = f"column{'s' * (len(missing) > 1)}"
            raise at(self._source, line, f"{column} {', '.join(missing)} missing; a cable list has {','.join(COLUMNS)}")
        self._place = {name: place for place, name in enumerate(names)}
        self._width = len(names)
        if len(self._place) < sum(map(bool, names)):
            raise at(self._source, line, "the header names a column twice")

    def _link(self, cells: list[str], line: int) -> None:
        u, v = self._switch(cells, "a_switch", line), self._switch(cells, "b_switch", line)
        if u == v:
            raise at(self._source, line, f"switch {u} is linked to itself; a link joins two switches")
        self._links.extend((u, self._port(cells, "a_port", line), line, v, self._port(cells, "b_port", line), line))

    def _host(self, cells: list[str], line: int) -> None:
        switch = self._switch(cells, "a_switch", line)
        text = cells[self._place["b_switch"]].strip()
        found = _HOST.fullmatch(text)
        if not found:
            raise at(self._source, line, f"b_switch is {short(text)}; on a host's row it is the host, like 'host 17'")
        self._endpoints.extend((switch, self._port(cells, "a_port", line), line))
        self._hosts.extend((int(found[1]), self._port(cells, "b_port", line), line))

    def _switch(self, cells: list[str], column: str, line: int) -> int:
        text = cells[self._place[column]].strip()
        if not _NUMBER.fullmatch(text) or int(text) >= MOST_SWITCHES:
            raise at(self._source, line, f"{column} is {short(text)}; switches are numbers, 0 to {MOST_SWITCHES - 1}")
        return int(text)

    def _port(self, cells: list[str], column: str, line: int) -> int:
        text = cells[self._place[column]].strip()
        if not text:
            return 0
        if not _NUMBER.fullmatch(text) or int(text) == 0:
            raise at(self._source, line, f"{column} is {short(text)}; a port is a number from 1, or left empty")
        return int(text)

    def topology(self) -> Topology:
        """The topology, once all rows are taken."""
        collected = self._links, self._endpoints, self._hosts
        links, endpoints, hosts = (np.array(flat, np.int64).reshape(-1, 3) for flat in collected)
        plugs = np.concatenate([links, endpoints])
        if not plugs.size and not self._switches:
            raise at(self._source, None, "holds no cables; a cable list has a header and a row for each cable")
        allowed = max(largest_id_allowed(len(plugs)), self._switches - 1)
        highest = int(plugs[:, 0].max(initial=0))
        if highest > allowed:
            line = int(plugs[np.argmax(plugs[:, 0] > allowed), 2])
            reason = "switches are 0 .. n - 1 without large gaps (a row of kind switch allows gaps)"
            raise at(self._source, line, f"a switch past {allowed}; {reason}")
        _one_cable_a_port(plugs, "switch", self._source)
        _one_cable_a_port(hosts, "host", self._source)
        # Topology keeps the order of the endpoints at a switch: let it be that of their ports.
        order = np.lexsort((endpoints[:, 1], endpoints[:, 0]))
        topology = topology_from(
            self._source,
            links=links[:, 0].reshape(-1, 2),
            switches=max(highest + 1, self._switches),
            endpoints=endpoints[order, 0],
            host=hosts[order, 0],
        )
        if not _same_ports(topology, links, endpoints[order, 1]):
            log.warning(
                "%s: topoloom numbers ports itself (hosts first, then links by neighbour); the file's are not kept",
                self._source,
            )
        return topology


def _same_ports(topology: Topology, link_ends: np.ndarray, endpoint_ports: np.ndarray) -> bool:
    """Whether a file's ports are those that `topology` gives; int64[2 m, 3] (switch, port, line) and int64[k]."""
    links, ports = link_ends[:, 0].reshape(-1, 2), link_ends[:, 1].reshape(-1, 2)
    turned = links[:, :1] > links[:, 1:]
    links, ports = (np.where(turned, pair[:, ::-1], pair) for pair in (links, ports))
    ports = ports[np.lexsort((ports[:, 0], links[:, 1], links[:, 0]))]
    pairs = ((ports, topology.link_ports), (endpoint_ports, topology.endpoint_ports))
    return all(bool(((given == 0) | (given == ours)).all()) for given, ours in pairs)


register(
    Format(
        name="cables",
        suffixes=(".csv",),
        description="cable list (CSV): one row a cable, with cabinets, switches, ports and hosts",
        keeps=frozenset({"isolated", "endpoints", "host"}),
        read=read,
        write=write,
    )
)

"""Cable lists: a CSV with one row a cable, for the people who order and lay them."""

import csv
import io
import logging
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
        raise InputError(f"cabinet has shape {cabinets.shape}; it must have one value for each of {topology.switches} switches")
    lengths = ["" if value != value else round(value, 3) for value in _per_cable(length_m, m, k, np.nan, "length_m")]
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
        raise InputError(f"{what} has shape {given.shape}; it must have one value for each of {m} links (and {k} host cables)")
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
    rows = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=";" if header.count(";") > header.count(",") else ",")
    try:
        for cells in rows:
            reader.take(cells, rows.line_num)
    except csv.Error as error:
        raise at(source, rows.line_num, f"is not CSV: {error}") from None
    return reader.topology()


class _Ends:
    """Plugged ports, column by column: at which switch (or host), which port (0: not given), on which line."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.at, self.port, self.line = array("q"), array("q"), array("q")

    def add(self, at: int, port: int, line: int) -> None:
        self.at.append(at)
        self.port.append(port)
        self.line.append(line)

    def check(self, source: str) -> None:
        """Refuse two cables in one port."""
        where, port, line = (np.frombuffer(column, np.int64) if column else np.empty(0, np.int64) for column in (
            self.at, self.port, self.line
        ))  # fmt: skip
        order = np.lexsort((line, port, where))
        same = (np.diff(where[order]) == 0) & (np.diff(port[order]) == 0) & (port[order][1:] > 0)
        if same.any():
            first = int(np.argmax(same))
            one, other = order[first], order[first + 1]
            raise at(
                source, int(line[other]),
                f"port {port[one]} of {self.what} {where[one]} already has the cable of line {line[one]}",
            )  # fmt: skip


class _Reader:
    """Takes the rows of a cable list one by one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._place: dict[str, int] = {}
        self._width = 0
        self._switches = 0
        self._ends = _Ends("switch")
        self._host_ends = _Ends("host")
        self._links = array("q")
        self._endpoints = array("q")

    def take(self, cells: list[str], line: int) -> None:
        """One row; the first is the header."""
        if not any(cells) or not any(cell.strip() for cell in cells):
            return
        if not self._place:
            self._header(cells, line)
            return
        if len(cells) != self._width:
            raise at(self._source, line, f"{len(cells)} columns; the header has {self._width}")
        kind = cells[self._place["kind"]].strip().lower()
        if kind == "link":
            self._link(cells, line)
        elif kind == "host":
            self._host(cells, line)
        elif kind == "switch":
            self._switches = max(self._switches, self._switch(cells, "a_switch", line) + 1)
        else:
            raise at(self._source, line, f"kind is {short(kind)}; it must be link, host or switch")

    def _header(self, cells: list[str], line: int) -> None:
        names = [cell.strip().lower() for cell in cells]
        missing = [name for name in _NEEDED if name not in names]
        if missing:
            column = f"column{'s' * (len(missing) > 1)}"
            raise at(self._source, line, f"{column} {', '.join(missing)} missing; a cable list has {', '.join(COLUMNS)}")
        self._place = {name: place for place, name in enumerate(names)}
        self._width = len(names)
        if len(self._place) < sum(map(bool, names)):
            raise at(self._source, line, "the header names a column twice")

    def _link(self, cells: list[str], line: int) -> None:
        u, v = self._switch(cells, "a_switch", line), self._switch(cells, "b_switch", line)
        if u == v:
            raise at(self._source, line, f"switch {u} is linked to itself; a link joins two switches")
        self._ends.add(u, self._port(cells, "a_port", line), line)
        self._ends.add(v, self._port(cells, "b_port", line), line)
        self._links.extend((u, v))

    def _host(self, cells: list[str], line: int) -> None:
        switch = self._switch(cells, "a_switch", line)
        text = cells[self._place["b_switch"]].strip()
        found = _HOST.fullmatch(text)
        if not found:
            raise at(self._source, line, f"b_switch is {short(text)}; on a row of kind host it names a host, like 'host 17'")
        self._ends.add(switch, self._port(cells, "a_port", line), line)
        self._host_ends.add(int(found[1]), self._port(cells, "b_port", line), line)
        self._endpoints.append(switch)

    def _switch(self, cells: list[str], column: str, line: int) -> int:
        text = cells[self._place[column]].strip()
        if not _NUMBER.fullmatch(text) or int(text) >= MOST_SWITCHES:
            raise at(self._source, line, f"{column} is {short(text)}; a switch is a number from 0 to {MOST_SWITCHES - 1}")
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
        if not self._ends.at and not self._switches:
            raise at(self._source, None, "holds no cables; a cable list has a header and a row for each cable")
        self._ends.check(self._source)
        self._host_ends.check(self._source)
        ids = np.array(self._ends.at, np.int64)
        allowed = max(largest_id_allowed(ids.size), self._switches - 1)
        if ids.max(initial=0) > allowed:
            line = self._ends.line[int(np.argmax(ids > allowed))]
            raise at(
                self._source, line,
                f"a switch past {allowed}; switches are 0 .. n - 1 without large gaps (a row of kind switch allows gaps)",
            )  # fmt: skip
        endpoints, host = np.array(self._endpoints, np.int64), np.array(self._host_ends.at, np.int64)
        # Topology keeps the order of endpoints at one switch: that of their ports.
        order = np.lexsort((self._port_of_endpoints(), endpoints))
        topology = topology_from(
            self._source,
            links=np.array(self._links, np.int64).reshape(-1, 2),
            switches=max(int(ids.max(initial=0)) + 1, self._switches),
            endpoints=endpoints[order],
            host=host[order],
        )
        self._note_ports(topology)
        return topology

"""Reading cable lists: rows in any order, from any spreadsheet, converted to a topology and the places of its switches."""

import logging
import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from topoloom.core.csv_files import csv_rows, unguarded
from topoloom.core.errors import at
from topoloom.core.text_parts import decimal_in
from topoloom.formats._sheet_heads import no_heads
from topoloom.formats._switch_rows import SwitchRows
from topoloom.formats._text import largest_id_allowed, short, text_of, topology_from
from topoloom.model.link_rates import HOST_RATE, RATE, RATE_OF_ENDPOINTS, RATE_OF_LINKS, rate_in, unpacked_rates
from topoloom.model.topology import MOST_SWITCHES, Topology

log = logging.getLogger("topoloom")

#: The columns of a complete list, in order; labels follow them. A list omits columns that it does not know.
COLUMNS = (
    "cable",
    "kind",
    "bundle",
    "a_rack",
    "a_height",
    "a_switch",
    "a_port",
    "a_label",
    "b_rack",
    "b_height",
    "b_switch",
    "b_port",
    "b_label",
    "length_m",
    "stock_m",
    "rate_gbps",
    "product",
    "medium",
    "way",
    "usd_low",
    "usd_high",
    "currency",
    "power_w",
    "hosts",
    "host_rate_gbps",
    "topology",
    "spec",
)
#: Columns of the list of a network that is cabled: the real names, which the file ``cabled.json`` of the folder owns.
NAME_COLUMNS = ("a_name", "a_port_name", "b_name", "b_port_name")

NEEDED = ("kind", "a_switch", "a_port", "b_switch", "b_port")
#: A column whose name is this similar to a known one is a misspelling.
_NEAR = 0.8
#: What any other sheet needs (`topoloom.formats.sheet`).
_OTHERS = "another sheet the heads A-Device, A-Port, Z-Device, Z-Port or the like"
_NUMBER = re.compile(r"[0-9]{1,9}")
_HOST = re.compile(r"(?:host\s*)?([0-9]{1,9})", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class CableList:
    """The content of a cable list.

    Attributes
    ----------
    source : str
        The file, for messages.
    topology : Topology
    racks : tuple of str
        The names of the racks, in the order of their appearance.
    stands : int64[mentions, 3]
        Places of switches: switch, rack, line, for every end of a cable and every row of a switch that states it.
    length_m : float64[links]
        The length of each link's cable in m; NaN if not given.
    line : int64[links]
        The line of each link in the file.
    ports : int32[links, 2]
        The ports at both ends of each link, from the list; those of the topology if the list does not state them.
    endpoint_ports : int32[endpoints]
        The switch port of each endpoint, likewise.
    number, endpoint_number : int64[links], int64[endpoints]
        The number of each cable, of links and of endpoints; 0 if not given, or if the list has no such cable.
    stock_m : float64[links]
        The length in which each link's cable was bought, in m; NaN if not given.
    product : tuple of str
        The product of each link's cable; empty if not given.
    labels : tuple of str
        The label on each switch (A01-U03); empty if the list does not state it.
    cable, endpoint_cable : tuple of str
        The number of each link's and each endpoint's cable as written; empty if not given.
    host_ports : int32[endpoints]
        The host port of each endpoint's cable; 0 if the list does not state it.
    links_plugged, endpoints_plugged : bool
        Whether the list states both ports of every link, and of every endpoint.
    """

    source: str
    topology: Topology
    racks: tuple[str, ...]
    stands: np.ndarray
    length_m: np.ndarray
    line: np.ndarray
    ports: np.ndarray
    endpoint_ports: np.ndarray
    number: np.ndarray
    endpoint_number: np.ndarray
    stock_m: np.ndarray
    product: tuple[str, ...]
    labels: tuple[str, ...]
    cable: tuple[str, ...]
    endpoint_cable: tuple[str, ...]
    host_ports: np.ndarray
    links_plugged: bool
    endpoints_plugged: bool


def read_cables(data: bytes, source: str) -> CableList:
    """Parse the cable list in a file's bytes.

    Raises
    ------
    InputError
        A row is not valid, or two cables are in one port: ``file:line: reason``.
    """
    reader = _Reader(source, len(data))
    for line, cells in csv_rows(text_of(data, source), source):
        reader.take(cells, line)
    return reader.finished()


class _Reader:
    """Processes the rows of a cable list one by one."""

    def __init__(self, source: str, text_bytes: int) -> None:
        self._source = source
        self._place: dict[str, int] = {}
        self._width = 0
        # Parsed cells, since most occur many times.
        self._switch_of: dict[str, int] = {}
        self._port_of: dict[str, int] = {}
        # Flat triples (switch or host, port, line): both ends of each link in turn; host cables at switch and at host.
        self._links, self._endpoints, self._hosts = array("q"), array("q"), array("q")
        self._length_m = array("d")
        self._stock_m, self._product = array("d"), list[str]()
        # NaN: the row does not state a rate.
        self._link_rate, self._endpoint_rate = array("d"), array("d")
        self._called, self._endpoint_called = list[str](), list[str]()
        self._label: dict[int, str] = {}
        # Flat triples (switch, rack, line).
        self._stands = array("q")
        self._racks: dict[str, int] = {}
        self._rows = SwitchRows(source, text_bytes)

    def take(self, cells: list[str], line: int) -> None:
        """Process a row; the first is the header."""
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
            switch = self._switch(cells, "a_switch", line)
            self._stand(cells, "a_rack", switch, line)
            if "a_label" in self._place:
                self._label[switch] = unguarded(cells[self._place["a_label"]]).strip()
            self._endpoints_of(switch, self._rows.take(switch, cells, line), cells, line)
        elif "".join(cells).strip():
            raise at(self._source, line, f"kind is {short(kind)}; it must be link, host or switch")

    def _header(self, cells: list[str], line: int) -> None:
        labels = self._rows.header(cells, line)
        names = ["" if place in labels else cell.strip().lower() for place, cell in enumerate(cells)]
        missing = [name for name in NEEDED if name not in names]
        if missing:
            column = f"column{'s' * (len(missing) > 1)}"
            raise at(
                self._source,
                line,
                f"{column} {', '.join(missing)} missing; topoloom's cable list has {', '.join(NEEDED)}, {_OTHERS}"
                + (f"; {no_heads([(line, cells)])}" if missing == list(NEEDED) else ""),
            )
        self._place = {name: place for place, name in enumerate(names) if name}
        self._width = len(names)
        if len(self._place) < sum(map(bool, names)):
            raise at(self._source, line, "the header names a column twice")
        for name in names:
            ours = name in COLUMNS or name in NAME_COLUMNS
            similar = get_close_matches(name, COLUMNS, 1, _NEAR) if name and not ours else []
            if similar:
                log.warning(
                    "%s:%d: the column %s was not read; did you mean %s?", self._source, line, short(name), similar[0]
                )

    def _link(self, cells: list[str], line: int) -> None:
        u, v = self._switch(cells, "a_switch", line), self._switch(cells, "b_switch", line)
        if u == v:
            raise at(self._source, line, f"switch {u} is linked to itself; a link joins two switches")
        self._links.extend((u, self._port(cells, "a_port", line), line, v, self._port(cells, "b_port", line), line))
        self._stand(cells, "a_rack", u, line)
        self._stand(cells, "b_rack", v, line)
        self._called.append(self._cable(cells))
        for column, metres in (("length_m", self._length_m), ("stock_m", self._stock_m)):
            place = self._place.get(column)
            metres.append(math.nan if place is None else _length(cells[place]))
        place = self._place.get("product")
        self._product.append("" if place is None else unguarded(cells[place]))
        self._link_rate.append(self._rate(cells, line))

    def _host(self, cells: list[str], line: int) -> None:
        switch = self._switch(cells, "a_switch", line)
        text = cells[self._place["b_switch"]].strip()
        match = _HOST.fullmatch(text)
        if not match:
            raise at(
                self._source, line, f"b_switch is {short(text)}; on the row of a host, write the host, like 'host 17'"
            )
        self._endpoints.extend((switch, self._port(cells, "a_port", line), line))
        self._hosts.extend((int(match[1]), self._port(cells, "b_port", line), line))
        self._endpoint_called.append(self._cable(cells))
        self._endpoint_rate.append(self._rate(cells, line))
        self._stand(cells, "a_rack", switch, line)

    def _rate(self, cells: list[str], line: int) -> float:
        """The rate of a cable in Gb/s; NaN if its row does not state it."""
        place = self._place.get(RATE)
        if place is None or not cells[place].strip():
            return math.nan
        rate = rate_in(cells[place])
        if rate is None:
            raise at(self._source, line, f"{RATE} is {short(cells[place])}; a rate is a number above 0, in Gb/s")
        return rate

    def _endpoints_of(self, switch: int, hosts: Sequence[int], cells: list[str], line: int) -> None:
        """Add the hosts listed in a row of kind ``switch``, on the first ports of the switch."""
        place = self._place.get(HOST_RATE)
        text = "" if place is None else cells[place].strip()
        where = str(at(self._source, line, f"switch {switch}"))
        rates = unpacked_rates({0: text} if text else {}, np.array([len(hosts)]), lambda _: where)
        self._endpoint_rate.extend(rates.tolist())
        for port, host in enumerate(hosts, 1):
            self._endpoints.extend((switch, port, line))
            self._hosts.extend((host, 0, line))
            self._endpoint_called.append("")

    def _stand(self, cells: list[str], column: str, switch: int, line: int) -> None:
        place = self._place.get(column)
        if place is not None and cells[place].strip():
            self._stands.extend((switch, self._racks.setdefault(cells[place], len(self._racks)), line))

    def _switch(self, cells: list[str], column: str, line: int) -> int:
        cell = cells[self._place[column]]
        if cell not in self._switch_of:
            text = cell.strip()
            if not _NUMBER.fullmatch(text) or int(text) >= MOST_SWITCHES:
                raise at(
                    self._source, line, f"{column} is {short(text)}; switches are numbers, 0 to {MOST_SWITCHES - 1}"
                )
            self._switch_of[cell] = int(text)
        return self._switch_of[cell]

    def _port(self, cells: list[str], column: str, line: int) -> int:
        cell = cells[self._place[column]]
        if cell not in self._port_of:
            text = cell.strip()
            if text and (not _NUMBER.fullmatch(text) or int(text) == 0):
                raise at(self._source, line, f"{column} is {short(text)}; a port is a number from 1, or left empty")
            self._port_of[cell] = int(text or 0)
        return self._port_of[cell]

    def _cable(self, cells: list[str]) -> str:
        """The number of the cable as written; empty if the list has none."""
        place = self._place.get("cable")
        return "" if place is None else unguarded(cells[place]).strip()

    def finished(self) -> CableList:
        """The content of the list, after all rows."""
        collected = self._links, self._endpoints, self._hosts
        links, endpoints, hosts = (np.array(flat, np.int64).reshape(-1, 3) for flat in collected)
        plugs = np.concatenate([links, endpoints])
        if not plugs.size and not self._rows.switches:
            raise at(self._source, None, "holds no cables; a cable list has a header and a row for each cable")
        allowed = max(largest_id_allowed(len(plugs)), self._rows.switches - 1)
        highest = int(plugs[:, 0].max(initial=0))
        if highest > allowed:
            line = int(plugs[np.argmax(plugs[:, 0] > allowed), 2])
            reason = "switches are 0 .. n - 1 without large gaps (a row of kind switch allows gaps)"
            raise at(self._source, line, f"a switch above {allowed}; {reason}")
        _refuse_shared_ports(plugs, "switch", self._source)
        _refuse_shared_ports(hosts, "host", self._source)
        switches = max(highest + 1, self._rows.switches)
        # Topology keeps the order of the endpoints at a switch: make it the order of their ports.
        order = np.lexsort((endpoints[:, 1], endpoints[:, 0]))
        # Links and their two ports in the topology's order: the lower switch first, sorted, parallel ones by port.
        ends, ports = links[:, 0].reshape(-1, 2), links[:, 1].reshape(-1, 2)
        turned = ends[:, :1] > ends[:, 1:]
        ends, ports = (np.where(turned, pair[:, ::-1], pair) for pair in (ends, ports))
        sorting = np.lexsort((ports[:, 0], ends[:, 1], ends[:, 0]))
        topology = topology_from(
            self._source,
            links=ends[sorting],
            switches=switches,
            endpoints=endpoints[order, 0],
            host=hosts[order, 0],
            labels=self._rows.labels(switches),
            **self._rates(links[::2, 2], endpoints[:, 2], sorting, order),
            **self._rows.provenance(),
        )
        ports_now, endpoint_ports = (
            np.where(listed == 0, assigned, listed).astype(np.int32)
            for listed, assigned in (
                (ports[sorting], topology.link_ports),
                (endpoints[order, 1], topology.endpoint_ports),
            )
        )
        return CableList(
            self._source,
            topology,
            tuple(map(unguarded, self._racks)),
            np.array(self._stands, np.int64).reshape(-1, 3),
            np.array(self._length_m)[sorting],
            links[::2, 2][sorting],
            ports_now,
            endpoint_ports,
            _numbers(self._called)[sorting],
            _numbers(self._endpoint_called)[order],
            np.array(self._stock_m)[sorting],
            tuple(self._product[row] for row in sorting.tolist()),
            tuple(self._label.get(switch, "") for switch in range(switches)),
            tuple(self._called[row] for row in sorting.tolist()),
            tuple(self._endpoint_called[row] for row in order.tolist()),
            hosts[order, 1].astype(np.int32),
            bool((ports > 0).all()),
            bool((endpoints[:, 1] > 0).all() and (hosts[:, 1] > 0).all()),
        )

    def _rates(
        self, link_line: np.ndarray, endpoint_line: np.ndarray, sorting: np.ndarray, order: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The rates of all cables, links in the order of `sorting`, endpoints in `order`; empty if no row has one."""
        rates = np.concatenate([np.array(self._link_rate), np.array(self._endpoint_rate)])
        missing = np.isnan(rates)
        if missing.all():
            return {}
        if missing.any():
            line = int(np.concatenate([link_line, endpoint_line])[np.argmax(missing)])
            raise at(
                self._source, line, f"a cable without {RATE}, though others have one; state it for all or for none"
            )
        m = len(link_line)
        return {RATE_OF_LINKS: rates[:m][sorting], RATE_OF_ENDPOINTS: rates[m:][order]}


def _numbers(texts: list[str]) -> np.ndarray:
    """The numbers of cables, int64[cables]; 0 where there is none, or another text."""
    return np.array([int(text) if _NUMBER.fullmatch(text) else 0 for text in texts], np.int64)


def _refuse_shared_ports(ends: np.ndarray, what: str, source: str) -> None:
    """Refuse two cables in one port; `ends` is int64[ends, 3]: switch or host, port (0: not given), line."""
    # Numbers have at most nine digits, so both fit in one key, which sorts faster than rows.
    key = (ends[:, 0] << 30) + ends[:, 1]
    if (np.diff(np.sort(key[ends[:, 1] > 0])) > 0).all():
        return
    owner, port, line = ends[np.lexsort((ends[:, 2], key))].T
    i = int(np.argmax((np.diff(owner) == 0) & (np.diff(port) == 0) & (port[1:] > 0)))
    raise at(source, int(line[i + 1]), f"port {port[i]} of {what} {owner[i]} already has the cable of line {line[i]}")


def _length(text: str) -> float:
    """Metres in a cell, also with a decimal comma (5,8); NaN for other texts, such as "ordered" and "?"."""
    metres = decimal_in(text.replace(",", "."))
    return math.nan if metres is None or metres < 0 else metres

"""Graphs whose nodes have names and attributes, as in GraphML and DOT files, and their conversion to a topology."""

import logging
from array import array
from typing import Any

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.core.text_parts import whole_in
from topoloom.formats._registry import MOST_LABELS
from topoloom.formats._text import directed_from, label_array, short, take_endpoints, topology_from
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import HOST_RATE, RATE, packed_rates, rate_in, rate_text, rates_in, unpacked_rates
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

#: Limits on the ports of one switch and the endpoints of one fabric: larger numbers are mistakes that would fill memory.
_MOST_HOSTS_AT_SWITCH = 65_535
_MOST_ENDPOINTS = 1 << 24
#: The node attribute with the number of endpoints of a switch.
HOSTS = "hosts"
#: The same attribute in SST Merlin's anytopo, used if no node has the other.
ENDPOINTS = "endpoints"


def refuse_own_names(topology: Topology | DirectedTopology, language: str) -> None:
    """Refuse labels with the name of an attribute that the graph uses for hosts.

    Raises
    ------
    InputError
        There is such a label.
    """
    for key, what in ((HOSTS, "is the number of hosts"), (HOST_RATE, "is the rate of hosts")):
        if key in topology.labels:
            raise InputError(f"{topology.name}: in {language} '{key}' {what}; rename the label of that name")


def host_rate_texts(topology: Topology) -> dict[int, str]:
    """The attribute `HOST_RATE` of each switch with hosts, as text; empty without rates."""
    if topology.endpoint_rate_gbps is None:
        return {}
    packed = packed_rates(topology.endpoints, topology.endpoint_rate_gbps)
    return {switch: value if isinstance(value, str) else rate_text(value) for switch, value in packed.items()}


class NamedGraph:
    """Collects nodes, links and attributes in the order of a file; `topology` converts them to a `Topology`."""

    def __init__(self, source: str, text_bytes: int) -> None:
        self._source, self._allowance = source, Allowance(source, text_bytes)
        self._index: dict[str, int] = {}
        self._ends = array("q")
        self._values: dict[str, dict[int, Any]] = {}
        self._hosts: dict[int, int] = {}
        # Rates of links by index; and of the endpoints of nodes, with their line.
        self._rates: dict[int, Any] = {}
        self._host_rates: dict[int, tuple[Any, int | None]] = {}
        #: The default attributes for nodes added from now on, and those of each node: one table for many nodes.
        self._defaults: dict[str, Any] = {}
        self._given: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def node(self, name: str, port: str = "", line: int = 0) -> int:
        """The index of a node, which is added if its name is new; the ports of a topology are its own."""
        if name not in self._index:
            self._given.append(self._defaults)
        return self._index.setdefault(name, len(self._index))

    def default(self, values: dict[str, Any], line: int | None, *, everywhere: bool = False) -> None:
        """Set default attributes of all nodes to come, and with `everywhere` of all nodes."""
        if len(values) > MOST_LABELS:
            raise at(self._source, line, f"sets more than {MOST_LABELS} default attributes")
        if HOSTS in values:
            self._count(values[HOSTS], line)
        self._defaults = values
        if everywhere:
            self._given = [values] * len(self._index)

    def link(self, a: int, b: int, line: int, rate_gbps: Any = None) -> int:
        """Link two nodes by their indices; returns the index of the link; raises `InputError` for a node and itself."""
        if a == b:
            name = next(name for name, index in self._index.items() if index == a)
            raise at(self._source, line, f"switch {short(name)} is linked to itself; a link joins two switches")
        self._ends.extend((a, b))
        place = len(self._ends) // 2 - 1
        if rate_gbps is not None:
            self.rate(place, rate_gbps, line)
        return place

    def rate(self, link: int, rate_gbps: int | float | str, line: int | None) -> None:
        """Set the rate of a link; raises `InputError` for a value that is not a rate."""
        if rate_in(rate_gbps) is None:
            raise at(self._source, line, f"{RATE} is {short(str(rate_gbps))}; a rate is a number above 0, in Gb/s")
        self._rates[link] = rate_gbps

    def default_rate(self, rate_gbps: int | float | str) -> None:
        """Set the rate of all links that have none."""
        for place in range(len(self._ends) // 2):
            if place not in self._rates:
                self.rate(place, rate_gbps, None)

    def set(self, node: int, key: str, value: int | float | str, line: int | None) -> None:
        """Set an attribute of a node; `HOSTS` is the number of its endpoints, any other becomes a label."""
        if key == HOSTS:
            self._hosts[node] = self._count(value, line)
            return
        if key == HOST_RATE:
            self._host_rates[node] = value, line
            return
        values = self._values.setdefault(key, {})
        if len(self._values) > MOST_LABELS:
            raise at(self._source, line, f"more than {MOST_LABELS} attributes on nodes; at most {MOST_LABELS} are read")
        values[node] = value

    def _count(self, value: int | float | str, line: int | None) -> int:
        count = whole_in(str(value), _MOST_HOSTS_AT_SWITCH)
        if count is None:
            reason = f"{short(str(value))} hosts on a switch; at most {_MOST_HOSTS_AT_SWITCH}, in digits"
            raise at(self._source, line, reason)
        return count

    def _column(self, key: str) -> list[Any] | None:
        """The value of an attribute for every node; None if any node lacks it."""
        own = self._values.get(key, {})
        column = [own[i] if i in own else given.get(key) for i, given in enumerate(self._given)]
        return None if any(value is None for value in column) else column

    def topology(self, name: str | None = None, spec: str | None = None, *, merge: bool = False) -> Topology:
        """The topology: attributes that every node has become its labels; `merge` merges parallel links.

        The numbers of the switches are those of `parts`.
        """
        return topology_from(self._source, **self.parts(name, spec, merge=merge))

    def directed_topology(
        self, name: str | None = None, spec: str | None = None, *, merge: bool = False
    ) -> DirectedTopology:
        """As `topology`, with an arc in place of each link, from its first node to its second."""
        return directed_from(self._source, **self.parts(name, spec, merge=merge, directed=True))

    def parts(
        self, name: str | None, spec: str | None, *, merge: bool = False, directed: bool = False
    ) -> dict[str, Any]:
        """The arguments of `Topology`; `merge` merges parallel links, and if `directed` only those of one direction.

        Nodes named exactly 0 .. n - 1 keep these numbers; other whole numbers are numbered in ascending order, and other
        names in the order of the file; then the names become the label ``id``.
        """
        n = len(self._index)
        if not n:
            raise at(self._source, None, "holds no nodes; a topology has at least one switch")
        number, names = _numbered(list(self._index))
        links = number[np.frombuffer(self._ends, np.int64).reshape(-1, 2)] if self._ends else np.empty((0, 2), np.int64)
        places = np.arange(len(links))
        if merge:
            # Of parallel links the last one counts, as in Graphviz.
            ends = links if directed else np.sort(links, axis=1)
            links, last = np.unique(ends[::-1], axis=0, return_index=True)
            places = places[::-1][last]
        keys = dict.fromkeys(
            key for given in {id(defaults): defaults for defaults in self._given}.values() for key in given
        )
        keys = dict.fromkeys([*self._values, *keys])
        hosts = {
            i: self._count(given[HOSTS], None) for i, given in enumerate(self._given) if HOSTS in given
        } | self._hosts
        by_default = {i: given[HOST_RATE] for i, given in enumerate(self._given) if HOST_RATE in given}
        host_rates = {**{i: (value, None) for i, value in by_default.items()}, **self._host_rates}
        keys.pop(HOSTS, None)
        keys.pop(HOST_RATE, None)
        if not hosts and ENDPOINTS in keys:
            counted = self._column(ENDPOINTS)
            if counted is not None and all(isinstance(value, int) and value >= 0 for value in counted):
                hosts = {node: self._count(value, None) for node, value in enumerate(counted)}
                del keys[ENDPOINTS]
        counts = np.zeros(n, np.int64)
        if hosts:
            counts[number[list(hosts)]] = list(hosts.values())
        if counts.sum() > _MOST_ENDPOINTS:
            raise at(self._source, None, f"{counts.sum()} hosts in total; at most {_MOST_ENDPOINTS} are read")
        take_endpoints(self._allowance, int(counts.sum()))
        order = np.argsort(number)
        labels = {}
        for key in keys:
            self._allowance.take(16.0 * n, f"{n:,} values of {len(keys)} labels")
            column = self._column(key)
            if column is None:
                log.warning("%s: %s was not read: not every node has it", self._source, short(key))
            else:
                labels[key] = label_array(key, column, self._source, self._allowance)[order]
        if names is not None:
            labels.setdefault("id", label_array("id", names, self._source, self._allowance)[order])
        return {
            "links": links,
            "switches": n,
            "endpoints": np.repeat(np.arange(n), counts),
            "labels": labels,
            "spec": spec,
            **self._rates_of(places, host_rates, number, counts),
            **({"name": name} if name else {}),
        }

    def _rates_of(
        self, places: np.ndarray, host_rates: dict[int, tuple[Any, int | None]], number: np.ndarray, counts: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The rates of the links at `places` and of all endpoints; empty if no link and no node has any."""
        if not self._rates and not host_rates:
            return {}
        names = list(self._index)
        node_of = np.argsort(number)

        def node(switch: int) -> str:
            at_node = int(node_of[switch])
            return str(at(self._source, host_rates[at_node][1], f"node {short(names[at_node])}"))

        def link(place: int) -> str:
            a, b = self._ends[2 * (first := int(places[place]))], self._ends[2 * first + 1]
            return str(at(self._source, None, f"the link of {short(names[a])} and {short(names[b])}"))

        packed = {int(number[i]): value for i, (value, _) in host_rates.items()}
        endpoints = unpacked_rates(packed, counts, node)
        return rates_in([self._rates.get(place) for place in places.tolist()], endpoints, self._source, link)


def _numbered(names: list[str]) -> tuple[np.ndarray, list[Any] | None]:
    """The number of each of n distinct names, int64[n], and a label with the names unless the numbers equal them."""
    n = len(names)
    # Eighteen digits fit in int64; a leading zero would be lost.
    if all(name.isascii() and name.isdigit() and len(name) <= 18 and (name == "0" or name[0] != "0") for name in names):
        values = np.array([int(name) for name in names], np.int64)
        number = np.empty(n, np.int64)
        number[np.argsort(values)] = np.arange(n)
        return number, None if bool((values == number).all()) else values.tolist()
    return np.arange(n), list(names)

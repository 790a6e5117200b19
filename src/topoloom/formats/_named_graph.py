"""Graphs whose nodes have names and attributes, as GraphML and DOT hold them, and the topology that they mean."""

from array import array
from typing import Any

import numpy as np

from topoloom.errors import at
from topoloom.formats._registry import MOST_LABELS
from topoloom.formats._text import label_array, short, topology_from
from topoloom.topology import Topology

#: Ports of one switch, and endpoints of one fabric: past these a number in a file is a mistake that would fill memory.
_MOST_HOSTS_AT_SWITCH = 65_535
_MOST_ENDPOINTS = 1 << 24
#: The node attribute that says how many endpoints hang on a switch.
HOSTS = "hosts"
#: What SST Merlin's anytopo calls it, which counts where no node has the other.
ENDPOINTS = "endpoints"


class NamedGraph:
    """Collects nodes, links and attributes in the order of a file; `topology` turns them into a `Topology`."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._index: dict[str, int] = {}
        self._ends = array("q")
        self._values: dict[str, dict[int, Any]] = {}
        self._hosts: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def node(self, name: str) -> int:
        """The position of a node, which is new when its name is."""
        return self._index.setdefault(name, len(self._index))

    def link(self, a: int, b: int, line: int) -> None:
        """Join two nodes by their positions; raises `InputError` for a node and itself."""
        if a == b:
            name = next(name for name, index in self._index.items() if index == a)
            raise at(self._source, line, f"switch {short(name)} is linked to itself; a link joins two switches")
        self._ends.extend((a, b))

    def set(self, node: int, key: str, value: int | float | str, line: int | None) -> None:
        """Give a node an attribute; `HOSTS` is the number of its endpoints, any other becomes a label."""
        if key == HOSTS:
            text = str(value).strip()
            if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) <= _MOST_HOSTS_AT_SWITCH):
                raise at(
                    self._source, line, f"{short(text)} hosts on a switch; at most {_MOST_HOSTS_AT_SWITCH}, in digits"
                )
            self._hosts[node] = int(text)
            return
        found = self._values.setdefault(key, {})
        if len(self._values) > MOST_LABELS:
            raise at(self._source, line, f"more than {MOST_LABELS} attributes on nodes; at most {MOST_LABELS} are read")
        found[node] = value

    def topology(self, name: str | None = None, spec: str | None = None, *, merge: bool = False) -> Topology:
        """The topology: attributes that every node has are its labels; `merge` makes parallel links one.

        Nodes named exactly 0 .. n - 1 keep these numbers; other whole numbers are numbered in ascending order, other
        names in the order of the file, and the names become the label ``id``.
        """
        n = len(self._index)
        if not n:
            raise at(self._source, None, "holds no nodes; a topology has at least one switch")
        number, names = _numbered(list(self._index))
        links = number[np.frombuffer(self._ends, np.int64).reshape(-1, 2)] if self._ends else np.empty((0, 2), np.int64)
        if merge:
            links = np.unique(np.sort(links, axis=1), axis=0)
        counts = np.zeros(n, np.int64)
        if not self._hosts:
            for node, value in self._values.get(ENDPOINTS, {}).items() if self._counted() else ():
                self.set(node, HOSTS, value, None)
            if self._hosts:
                del self._values[ENDPOINTS]
        if self._hosts:
            counts[number[list(self._hosts)]] = list(self._hosts.values())
        if counts.sum() > _MOST_ENDPOINTS:
            raise at(self._source, None, f"{counts.sum()} hosts in all; at most {_MOST_ENDPOINTS} are read")
        order = np.argsort(number)
        labels = {
            key: label_array(key, [found[i] for i in range(n)], self._source)[order]
            for key, found in self._values.items()
            if len(found) == n
        }
        if names is not None:
            labels.setdefault("id", label_array("id", names, self._source)[order])
        return topology_from(
            self._source,
            links=links,
            switches=n,
            endpoints=np.repeat(np.arange(n), counts),
            labels=labels,
            spec=spec,
            **({"name": name} if name else {}),
        )

    def _counted(self) -> bool:
        """Whether every node has a whole number of endpoints."""
        found = self._values.get(ENDPOINTS, {})
        return len(found) == len(self._index) and all(isinstance(value, int) and value >= 0 for value in found.values())


def _numbered(names: list[str]) -> tuple[np.ndarray, list[Any] | None]:
    """The number of each of n distinct names, int64[n], and a label for them where the numbers do not say the same."""
    n = len(names)
    # Eighteen digits stay within int64; a leading zero would not come back as it was.
    if all(name.isascii() and name.isdigit() and len(name) <= 18 and (name == "0" or name[0] != "0") for name in names):
        values = np.array([int(name) for name in names], np.int64)
        number = np.empty(n, np.int64)
        number[np.argsort(values)] = np.arange(n)
        return number, None if bool((values == number).all()) else values.tolist()
    return np.arange(n), list(names)

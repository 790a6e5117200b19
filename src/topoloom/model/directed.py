"""DirectedTopology: switches joined by arcs, which carry packets in one direction only; and the refusal of such a network.

No function takes one by accident: it is no `Topology`, and what opens a network raises `DirectedNetworkError` unless it asks
for directed ones.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.arrays import frozen, integers, label_values, within
from topoloom.model.networkx_graphs import digraph_of, parts_of
from topoloom.model.topology import MOST_SWITCHES, Topology

if TYPE_CHECKING:
    import networkx

#: The functions for directed networks, by the functions that refuse these.
_INSTEAD = {
    "as_network": "open_directed",
    "build": "open_directed",
    "hops": "directed_hops",
    "info": "directed_info",
    "load": "open_directed",
    "open_network": "open_directed",
    "route": "directed_route",
    "save": "save_directed",
    "simulate": "directed_simulate",
    "verify_routing": "verify_directed",
}


class DirectedNetworkError(InputError):
    """A directed network was given to what takes undirected ones.

    Parameters
    ----------
    network : str
        The network, as the user named it.
    taker : str
        The function or command that was given it.
    opened : callable () -> DirectedTopology
        Opens it as a directed network, for what takes these.
    instead : str
        What takes directed networks, for the message; the function of `_INSTEAD` if there is one, when omitted.
    """

    def __init__(
        self, network: str, taker: str, opened: "Callable[[], DirectedTopology]", instead: str | None = None
    ) -> None:
        if instead is None:
            instead = f"; topoloom.{_INSTEAD[taker]} takes it" if taker in _INSTEAD else ""
        super().__init__(
            f"{network}: this network is directed, and {taker} takes undirected ones{instead}; for links of both directions,"
            " use 'topoloom convert --undirected' or DirectedTopology.undirected()"
        )
        self.network, self.opened = network, opened

    def by(self, taker: str, instead: str | None = None) -> "DirectedNetworkError":
        """The same refusal by another function or command; `instead` as in the constructor."""
        return DirectedNetworkError(self.network, taker, self.opened, instead)


@dataclass(frozen=True, eq=False, repr=False)
class DirectedTopology:
    """A network of switches whose links have one direction: immutable, made of arrays, equal by content.

    Parameters
    ----------
    arcs : array of int, shape (m, 2)
        The switches where each arc begins (tail) and ends (head); stored as int32, sorted. Parallel arcs are repeated rows.
    switches : int
        Number of switches; they are numbered 0 .. switches - 1.
    endpoints : array of int, shape (k,)
        The switch of each host; stored in non-decreasing order. A host sends to its switch and receives from it.
    labels : mapping of str to array of shape (switches,)
        The role of each switch in its family.
    name : str
        A name for people.
    spec : str, optional
        Builds the same network again, with its seed.

    Raises
    ------
    InputError
        An arc from a switch to itself, a switch out of range, or arrays of the wrong shape.

    Notes
    -----
    Two directed topologies are equal when arcs, switches, endpoints and labels are. Its arcs have no rates, and a host has one
    port.

    Examples
    --------
    >>> ring = DirectedTopology(arcs=[(0, 1), (2, 0), (1, 2)], switches=3, name="ring")
    >>> ring, ring.arcs.tolist()
    (DirectedTopology(ring: 3 switches, 3 arcs), [[0, 1], [1, 2], [2, 0]])
    >>> ring.undirected()
    Topology(ring: 3 switches, 3 links)
    """

    arcs: np.ndarray
    switches: int
    endpoints: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    labels: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = "directed topology"
    spec: str | None = None

    def __post_init__(self) -> None:
        n = int(self.switches)
        if not 0 < n <= MOST_SWITCHES:
            raise InputError(f"{self.name}: {n} switches; a directed topology has 1 to {MOST_SWITCHES}")
        arcs, endpoints = integers(self.arcs, "arcs", (-1, 2)), integers(self.endpoints, "endpoints", (-1,))
        within(arcs, n, "arc", self.name)
        within(endpoints, n, "endpoint", self.name)
        loops = np.flatnonzero(arcs[:, 0] == arcs[:, 1])
        if loops.size:
            raise InputError(
                f"{self.name}: an arc from switch {int(arcs[loops[0], 0])} to itself; it joins two switches"
            )
        arcs = arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]
        labels = {key: label_values(key, values, n, self.name) for key, values in self.labels.items()}
        object.__setattr__(self, "switches", n)
        object.__setattr__(self, "arcs", frozen(arcs.astype(np.int32)))
        object.__setattr__(self, "endpoints", frozen(np.sort(endpoints).astype(np.int32)))
        object.__setattr__(self, "labels", MappingProxyType(labels))

    def replace(self, **changes: Any) -> "DirectedTopology":
        """A new directed topology with some parts changed: ``t.replace(name="mine")``."""
        return dataclasses.replace(self, **changes)

    def with_hosts(self, per_switch: int | np.ndarray) -> "DirectedTopology":
        """The same switches with `per_switch` hosts on each (a number, or int[switches])."""
        counts = np.asarray(per_switch)
        if counts.shape not in ((), (self.switches,)) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise InputError(f"{self.name}: hosts per switch must be a whole number from 0, or one for each switch")
        return self.replace(endpoints=np.repeat(np.arange(self.switches), np.broadcast_to(counts, (self.switches,))))

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return int(self.endpoints.size)

    @cached_property
    def endpoints_at(self) -> np.ndarray:
        """Hosts at each switch, int64[switches]."""
        return np.bincount(self.endpoints, minlength=self.switches)

    @cached_property
    def out_degrees(self) -> np.ndarray:
        """Arcs that begin at each switch, int64[switches]."""
        return np.bincount(self.arcs[:, 0], minlength=self.switches)

    @cached_property
    def in_degrees(self) -> np.ndarray:
        """Arcs that end at each switch, int64[switches]."""
        return np.bincount(self.arcs[:, 1], minlength=self.switches)

    @cached_property
    def out_csr(self) -> tuple[np.ndarray, np.ndarray]:
        """The arcs by tail: offsets int64[n + 1], and heads int32[m], ascending; the order is that of `arcs`."""
        return frozen(np.concatenate([[0], np.cumsum(self.out_degrees)])), frozen(self.arcs[:, 1])

    @cached_property
    def in_csr(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arcs by head: offsets int64[n + 1], tails int32[m], ascending, and the index of each arc, int64[m]."""
        order = np.argsort(self.arcs[:, 1], kind="stable")
        return frozen(np.concatenate([[0], np.cumsum(self.in_degrees)])), frozen(self.arcs[order, 0]), frozen(order)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content (not of name and spec), in hexadecimal; no undirected topology has the same."""
        text = hashlib.sha256(f"directed {self.switches} {len(self.arcs)} {self.endpoints.size}".encode())
        for array in (self.arcs, self.endpoints):
            text.update(array.astype("<i4").tobytes())
        for key in sorted(self.labels):
            text.update(key.encode())
            text.update("\n".join(map(str, self.labels[key].tolist())).encode())
        return text.hexdigest()

    def undirected(self) -> Topology:
        """The network with links of both directions in place of the arcs; arcs of both directions between two switches share a
        link.
        """
        n = self.switches
        keys, arcs = np.unique(self.arcs[:, 0].astype(np.int64) * n + self.arcs[:, 1], return_counts=True)
        tail, head = keys // n, keys % n
        pairs, pair = np.unique(np.minimum(tail, head) * n + np.maximum(tail, head), return_inverse=True)
        width = np.zeros(pairs.size, np.int64)
        np.maximum.at(width, pair.reshape(-1), arcs)
        links = np.repeat(np.stack([pairs // n, pairs % n], axis=1), width, axis=0)
        return Topology(links, n, self.endpoints, labels=self.labels, name=self.name)

    def to_networkx(self) -> "networkx.MultiDiGraph[int]":
        """A `networkx.MultiDiGraph` with labels and the number of hosts as node attributes."""
        return digraph_of(self)

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "networkx") -> "DirectedTopology":
        """A directed topology from a directed NetworkX graph; nodes and attributes as in `Topology.from_networkx`.

        Parameters
        ----------
        graph : networkx.DiGraph or networkx.MultiDiGraph
        name : str
            The name of the topology.

        Raises
        ------
        InputError
            The graph is undirected, an edge leads from a node to itself, hosts are not whole numbers, or edges have rates or
            differ in ``capacity`` or ``weight``.
        """
        return cls.from_parts(parts_of(graph, name, directed=True), name)

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any], name: str) -> "DirectedTopology":
        """A directed topology from arguments of `Topology` whose links are arcs, tail first.

        Raises
        ------
        InputError
            They have rates, or hosts with several ports.
        """
        given = {key: value for key, value in parts.items() if value is not None and key not in ("links", "name")}
        for key in ("link_rate_gbps", "endpoint_rate_gbps", "host"):
            if given.pop(key, None) is not None:
                what = "hosts with several ports" if key == "host" else "rates"
                raise InputError(f"{name}: a directed network has no {what}; remove them ({key})")
        return cls(arcs=parts["links"], name=parts.get("name") or name, **given)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirectedTopology):
            return NotImplemented
        return self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        hosts = f", {self.hosts} hosts" if self.hosts else ""
        return f"DirectedTopology({self.name}: {self.switches} switches, {len(self.arcs)} arcs{hosts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return DirectedTopology, (self.arcs, self.switches, self.endpoints, dict(self.labels), self.name, self.spec)

"""Topology: switches, links, endpoints and labels; the one data type that every part shares."""

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.errors import InputError

if TYPE_CHECKING:
    import networkx

#: More switches than any fabric has; an id past it in a file is a mistake, not a network.
MOST_SWITCHES = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class Topology:
    """A network of switches: immutable, made of arrays, equal by content.

    Parameters
    ----------
    links : array of int, shape (m, 2)
        The two switches of each link, in any order; kept as int32 with u < v, sorted. Parallel cables are repeated rows.
    switches : int
        How many switches; they are numbered 0 .. switches - 1.
    endpoints : array of int, shape (k,)
        The switch that each endpoint (a host's network port) hangs on; kept in non-decreasing order.
    host : array of int, shape (k,), optional
        The host that each endpoint belongs to: 0 .. k - 1 in order unless hosts have several ports (rails, planes).
    labels : mapping of str to array of shape (switches,)
        What a switch is in its family: ``{"group": ..., "x": ..., "y": ...}``.
    name : str
        For people: ``slimfly(q=19)``.
    spec : str, optional
        Rebuilds the topology exactly, seed and all.

    Raises
    ------
    InputError
        A self-loop, a switch out of range, or arrays of the wrong shape.

    Notes
    -----
    Two topologies are equal when links, switches, endpoints, hosts and labels are; `name` and `spec` tell where a
    topology came from, not what it is.

    Examples
    --------
    >>> triangle = Topology(links=[(0, 1), (2, 1), (0, 2)], switches=3, endpoints=[0, 0, 1, 2], name="triangle")
    >>> triangle
    Topology(triangle: 3 switches, 3 links, 4 hosts)
    >>> triangle.links.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """

    links: np.ndarray
    switches: int
    endpoints: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    host: np.ndarray = field(default=None)  # type: ignore[arg-type]  # None: one endpoint a host
    labels: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = "topology"
    spec: str | None = None

    def __post_init__(self) -> None:
        n = int(self.switches)
        if not 0 < n <= MOST_SWITCHES:
            raise InputError(f"{self.name}: {n} switches; a topology has 1 to {MOST_SWITCHES}")
        endpoints = _integers(self.endpoints, "endpoints", (-1,))
        _within(endpoints, n, "endpoint", self.name)
        order = np.argsort(endpoints, kind="stable")
        host = np.arange(endpoints.size) if self.host is None else _integers(self.host, "host", (-1,))
        if host.size != endpoints.size:
            raise InputError(f"{self.name}: {host.size} hosts named for {endpoints.size} endpoints; give one each")
        if host.size and (host.min() != 0 or np.any(np.diff(np.unique(host)) != 1)):
            raise InputError(f"{self.name}: hosts must be numbered 0, 1, 2, ... without gaps")
        if self.host is not None:
            host = host[order]
        for key, value in {
            "switches": n,
            "links": _frozen(_sorted_links(_integers(self.links, "links", (-1, 2)), n, self.name)),
            "endpoints": _frozen(endpoints[order].astype(np.int32)),
            "host": _frozen(host.astype(np.int32)),
            "labels": MappingProxyType({k: _label(k, v, n, self.name) for k, v in self.labels.items()}),
        }.items():
            object.__setattr__(self, key, value)

    def replace(self, **changes: Any) -> "Topology":
        """A new topology with some parts changed: ``t.replace(name="mine")``."""
        if "endpoints" in changes:
            changes.setdefault("host", None)
        return dataclasses.replace(self, **changes)

    def with_hosts(self, per_switch: int | np.ndarray) -> "Topology":
        """The same switches with `per_switch` hosts on each (a number, or int[switches])."""
        counts = np.asarray(per_switch)
        if counts.shape not in ((), (self.switches,)) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise InputError(f"{self.name}: hosts a switch must be a whole number from 0, or one for each switch")
        counts = np.broadcast_to(counts, (self.switches,))
        return self.replace(endpoints=np.repeat(np.arange(self.switches, dtype=np.int32), counts), host=None)

    @property
    def hosts(self) -> int:
        """How many hosts; fewer than endpoints when hosts have several ports."""
        return int(self.host.max()) + 1 if self.host.size else 0

    @cached_property
    def degrees(self) -> np.ndarray:
        """Links at each switch, int64[switches]."""
        return np.bincount(self.links.ravel(), minlength=self.switches)

    @cached_property
    def endpoints_at(self) -> np.ndarray:
        """Endpoints at each switch, int64[switches]."""
        return np.bincount(self.endpoints, minlength=self.switches)

    @property
    def radix(self) -> int:
        """The most ports that any switch uses: links plus endpoints."""
        return int((self.degrees + self.endpoints_at).max())

    @cached_property
    def csr(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Adjacency: (offsets int64[n + 1], neighbours int32[2 m], link int32[2 m]), neighbours ascending."""
        m = len(self.links)
        ends = np.concatenate([self.links[:, 0], self.links[:, 1]])
        others = np.concatenate([self.links[:, 1], self.links[:, 0]])
        order = np.argsort(ends.astype(np.int64) * self.switches + others, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(self.degrees)])
        link = np.tile(np.arange(m, dtype=np.int32), 2)[order]
        return _frozen(offsets), _frozen(others[order]), _frozen(link)

    @cached_property
    def link_ports(self) -> np.ndarray:
        """The port at both ends of each link, int32[m, 2], from 1: endpoints come first, then links in sorted order."""
        offsets, _, link = self.csr
        position = np.arange(link.size) - np.repeat(offsets[:-1], self.degrees)
        port = (position + np.repeat(self.endpoints_at, self.degrees) + 1).astype(np.int32)
        at_u = np.repeat(np.arange(self.switches), self.degrees) == self.links[link, 0]
        ports = np.empty((len(self.links), 2), np.int32)
        ports[link[at_u], 0] = port[at_u]
        ports[link[~at_u], 1] = port[~at_u]
        return _frozen(ports)

    @cached_property
    def endpoint_ports(self) -> np.ndarray:
        """The switch port of each endpoint, int32[k], from 1."""
        first = np.concatenate([[0], np.cumsum(self.endpoints_at)])[:-1]
        return _frozen((np.arange(self.endpoints.size) - first[self.endpoints] + 1).astype(np.int32))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content (not of name and spec), in hexadecimal."""
        text = hashlib.sha256(f"{self.switches} {len(self.links)} {self.endpoints.size}".encode())
        for array in (self.links, self.endpoints, self.host):
            text.update(array.astype("<i4").tobytes())
        for key in sorted(self.labels):
            text.update(key.encode())
            text.update("\n".join(map(str, self.labels[key].tolist())).encode())
        return text.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Topology):
            return NotImplemented
        return (
            self.switches == other.switches
            and np.array_equal(self.links, other.links)
            and np.array_equal(self.endpoints, other.endpoints)
            and np.array_equal(self.host, other.host)
            and self.labels.keys() == other.labels.keys()
            and all(np.array_equal(self.labels[k], other.labels[k]) for k in self.labels)
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        hosts = f", {self.hosts} hosts" if self.hosts else ""
        return f"Topology({self.name}: {self.switches} switches, {len(self.links)} links{hosts})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.links, self.switches, self.endpoints, self.host, dict(self.labels), self.name, self.spec)

    def to_networkx(self) -> "networkx.MultiGraph[int]":
        """A `networkx.MultiGraph` with labels and the number of hosts as node attributes."""
        import networkx

        graph: networkx.MultiGraph[int] = networkx.MultiGraph(name=self.name)
        for switch in range(self.switches):
            marks = {key: values[switch].item() for key, values in self.labels.items()}
            graph.add_node(switch, hosts=int(self.endpoints_at[switch]), **marks)
        graph.add_edges_from(self.links.tolist())
        return graph

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "networkx") -> "Topology":
        """A topology from any undirected NetworkX graph; nodes are numbered in the graph's own order.

        Parameters
        ----------
        graph : networkx.Graph or networkx.MultiGraph
            A node attribute ``hosts`` gives its endpoints; an attribute that every node has becomes a label. Nodes that
            are not the numbers from 0 in order keep what they are called as the label ``name``, unless they have one.
        name : str
            Of the topology.

        Raises
        ------
        InputError
            A directed graph, hosts that are no whole numbers, or links of unequal ``capacity`` or ``weight``: all links of
            a topology are alike.
        """
        if not (hasattr(graph, "nodes") and hasattr(graph, "is_directed")):
            kind = "None" if graph is None else f"a value of type {type(graph).__name__}"
            raise InputError(f"from_networkx takes a graph of NetworkX, not {kind}")
        if graph.is_directed():
            raise InputError(f"{name}: the graph is directed; pass graph.to_undirected()")
        number = {node: i for i, node in enumerate(graph)}
        _refuse_unequal_links(graph, name)
        attributes = [dict(graph.nodes[node]) for node in graph]
        counts = [marks.pop("hosts", 0) for marks in attributes]
        if not all(isinstance(count, int) and count >= 0 for count in counts):
            raise InputError(f"{name}: the node attribute 'hosts' must be a whole number from 0")
        hosts = np.array(counts, dtype=np.int64)
        shared = set.intersection(*(set(marks) for marks in attributes)) if attributes else set()
        if list(number) != list(range(len(number))) and "name" not in shared:
            for node, marks in zip(graph, attributes, strict=True):
                marks["name"] = str(node)
            shared = {*shared, "name"}
        return cls(
            links=np.array([(number[u], number[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2),
            switches=len(number),
            endpoints=np.repeat(np.arange(len(number)), hosts),
            labels={str(key): np.array([marks[key] for marks in attributes]) for key in sorted(shared, key=str)},
            name=name,
        )


def _refuse_unequal_links(graph: Any, name: str) -> None:
    """Links of a topology are alike; a graph whose edges differ in capacity or weight is another network."""
    for key in ("capacity", "weight"):
        given = sorted(
            {f"{value:g}" if isinstance(value, int | float) else str(value) for *_, value in graph.edges(data=key)}
        )
        if len(given) > 1:
            shown = ", ".join(given[:3]) + (", ..." if len(given) > 3 else "")
            raise InputError(
                f"{name}: the edges differ in their {key} ({shown}), but all links of a topology are alike; draw a wide link"
                " as several edges of a MultiGraph, or remove the attribute"
            )


def _rebuilt(
    links: np.ndarray,
    switches: int,
    endpoints: np.ndarray,
    host: np.ndarray,
    labels: dict[str, np.ndarray],
    name: str,
    spec: str | None,
) -> Topology:
    return Topology(links, switches, endpoints, host, labels, name, spec)


def _integers(values: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty((0, *shape[1:]), np.int64)
    if array.ndim != len(shape) or array.shape[1:] != shape[1:]:
        wanted = " x ".join(["any"] + [str(s) for s in shape[1:]])
        raise InputError(f"{what} has shape {array.shape}; it must be {wanted}")
    if array.dtype.kind not in "iu":
        raise InputError(f"{what} holds {array.dtype}; it must hold integers")
    return array


def _within(values: np.ndarray, n: int, what: str, name: str) -> None:
    if values.size and (values.min() < 0 or values.max() >= n):
        wrong = int(values.min() if values.min() < 0 else values.max())
        raise InputError(f"{name}: {what} at switch {wrong}, but switches are numbered 0 to {n - 1}")


def _sorted_links(links: np.ndarray, n: int, name: str) -> np.ndarray:
    _within(links, n, "link", name)
    loop = np.flatnonzero(links[:, 0] == links[:, 1])
    if loop.size:
        raise InputError(f"{name}: switch {int(links[loop[0], 0])} is linked to itself; a link joins two switches")
    key = np.sort(links.min(axis=1).astype(np.int64) * n + links.max(axis=1)) if len(links) else np.empty(0, np.int64)
    return np.stack([key // n, key % n], axis=1).astype(np.int32)


def _label(key: str, values: Any, n: int, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != (n,):
        raise InputError(
            f"{name}: label '{key}' has shape {array.shape}; it must have one value for each of {n} switches"
        )
    if array.dtype.kind in "iub":
        array = array.astype(np.int64)
    elif array.dtype.kind not in "fU":
        raise InputError(f"{name}: label '{key}' holds {array.dtype}; a label holds numbers or text")
    return _frozen(array.copy() if array.flags.writeable else array)


def _frozen(array: np.ndarray) -> np.ndarray:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array

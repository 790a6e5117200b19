"""Topology: switches, links, endpoints and labels; the data type that all parts share."""

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.arrays import frozen, integers, label_values, within
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS, only_rate, rate_array, shown_rate
from topoloom.model.networkx_graphs import graph_of, parts_of

if TYPE_CHECKING:
    import networkx

#: Most switches; a larger number in a file is a mistake.
MOST_SWITCHES = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class Topology:
    """A network of switches: immutable, made of arrays, equal by content.

    Parameters
    ----------
    links : array of int, shape (m, 2)
        The two switches of each link, in any order; stored as int32 with u < v, sorted. Parallel cables are repeated rows.
    switches : int
        Number of switches; they are numbered 0 .. switches - 1.
    endpoints : array of int, shape (k,)
        The switch of each endpoint (a network port of a host); stored in non-decreasing order.
    host : array of int, shape (k,), optional
        The host that each endpoint belongs to: 0 .. k - 1 in order unless hosts have several ports (rails, planes).
    labels : mapping of str to array of shape (switches,)
        The role of each switch in its family: ``{"group": ..., "x": ..., "y": ...}``.
    name : str
        A name for people: ``slimfly(q=19)``.
    spec : str, optional
        Builds the same topology again, with its seed.
    link_rate_gbps : float or array of float, shape (m,), optional
        The rate of each link per direction, Gb/s, in the given order of `links`; a single number means all links. Stored as
        float64, in the order of the sorted links.
    endpoint_rate_gbps : float or array of float, shape (k,), optional
        The rate of each endpoint, likewise. Either all links and endpoints have rates, or none.

    Raises
    ------
    InputError
        A self-loop, a switch out of range, arrays of the wrong shape, a rate that is not above 0, or rates of only some links
        or endpoints.

    Notes
    -----
    Two topologies are equal when links, switches, endpoints, hosts, labels and rates are; `name` and `spec` are its origin and
    do not count. Parallel cables keep their given order.

    Examples
    --------
    >>> triangle = Topology(links=[(0, 1), (2, 1), (0, 2)], switches=3, endpoints=[0, 0, 1, 2], name="triangle")
    >>> triangle
    Topology(triangle: 3 switches, 3 links, 4 hosts)
    >>> triangle.links.tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> mixed = triangle.with_rates([800, 800, 400], 400)
    >>> mixed
    Topology(triangle: 3 switches, 3 links, 4 hosts, 400 and 800 Gb/s)
    >>> mixed.link_rate_gbps.tolist(), mixed.mixed, mixed.uniform_rate_gbps
    ([800.0, 800.0, 400.0], True, None)
    """

    links: np.ndarray
    switches: int
    endpoints: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    host: np.ndarray = field(default=None)  # type: ignore[arg-type]  # None: one endpoint per host
    labels: Mapping[str, np.ndarray] = field(default_factory=dict)
    name: str = "topology"
    spec: str | None = None
    link_rate_gbps: np.ndarray | None = None
    endpoint_rate_gbps: np.ndarray | None = None

    def __post_init__(self) -> None:
        n = int(self.switches)
        if not 0 < n <= MOST_SWITCHES:
            raise InputError(f"{self.name}: {n} switches; a topology has 1 to {MOST_SWITCHES}")
        endpoints = integers(self.endpoints, "endpoints", (-1,))
        within(endpoints, n, "endpoint", self.name)
        order = np.argsort(endpoints, kind="stable")
        host = np.arange(endpoints.size) if self.host is None else integers(self.host, "host", (-1,))
        if host.size != endpoints.size:
            raise InputError(
                f"{self.name}: {host.size} hosts named for {endpoints.size} endpoints; give one host per endpoint"
            )
        # At most one host per endpoint: a greater number leaves a gap, and is not counted up to.
        if host.size and (host.min() < 0 or host.max() >= host.size or not np.bincount(host).all()):
            raise InputError(f"{self.name}: hosts must be numbered 0, 1, 2, ... without gaps")
        if self.host is not None:
            host = host[order]
        links = integers(self.links, "links", (-1, 2))
        if self.link_rate_gbps is not None or self.endpoint_rate_gbps is not None:
            self._keep_rates(links, order)
        for key, value in {
            "switches": n,
            "links": frozen(_sorted_links(links, n, self.name)),
            "endpoints": frozen(endpoints[order].astype(np.int32)),
            "host": frozen(host.astype(np.int32)),
            "labels": MappingProxyType({k: label_values(k, v, n, self.name) for k, v in self.labels.items()}),
        }.items():
            object.__setattr__(self, key, value)

    def _keep_rates(self, links: np.ndarray, order: np.ndarray) -> None:
        """Check the rates, and store them in the order of the sorted links and endpoints."""
        for key, what, count in ((RATE_OF_LINKS, "links", len(links)), (RATE_OF_ENDPOINTS, "endpoints", order.size)):
            rates = rate_array(getattr(self, key), count, f"{self.name}: {key}", what)
            if what == "endpoints":
                place = order
            else:
                # As `_sorted_links` sorts; a stable sort keeps the given order of parallel cables.
                place = np.lexsort((links.max(axis=1), links.min(axis=1))) if count else np.arange(0)
            # A network without cables has no rates.
            object.__setattr__(self, key, frozen(rates[place]) if len(links) + order.size else None)

    def replace(self, **changes: Any) -> "Topology":
        """A new topology with some parts changed: ``t.replace(name="mine")``.

        In a topology with rates, new links or endpoints get the rate of the old ones, if these all have the same.

        Raises
        ------
        InputError
            The old ones have several rates, and `changes` gives no new ones.
        """
        if "endpoints" in changes:
            changes.setdefault("host", None)
        if self.link_rate_gbps is not None:
            changes = self._with_rates_of_new(changes)
        return dataclasses.replace(self, **changes)

    def _with_rates_of_new(self, changes: dict[str, Any]) -> dict[str, Any]:
        """`changes` for a topology with rates, plus the rates of new links and new endpoints."""
        for part, key in (("links", RATE_OF_LINKS), ("endpoints", RATE_OF_ENDPOINTS)):
            if part not in changes or key in changes or changes[part] is getattr(self, part):
                continue
            # New endpoints of a topology without endpoints get the rate of the links.
            rates = getattr(self, key) if getattr(self, key).size else self.rates_gbps
            rate = only_rate(rates)
            if rate is None:
                raise InputError(
                    f"{self.name}: its {part} change, but they have several rates ({shown_rate(rates)}); give {key} for the new"
                    " ones, or use .without_rates() first"
                )
            changes = {**changes, key: rate}
        return changes

    def with_rates(self, links: float | np.ndarray, endpoints: float | np.ndarray | None = None) -> "Topology":
        """The same network with rates.

        Parameters
        ----------
        links : float or array of float, shape (m,)
            The rate of each link, Gb/s per direction, in the order of `Topology.links`; a single number means all links.
        endpoints : float or array of float, shape (k,), optional
            The rate of each endpoint, likewise; None: the rate of the links, which must then be the same for all.

        Returns
        -------
        Topology
            Without a spec if the rates are new, because a spec has no rates.

        Raises
        ------
        InputError
            A rate is invalid, or the number of rates is wrong.
        """
        if endpoints is None and self.endpoints.size:
            endpoints = only_rate(np.asarray(links))
            if endpoints is None:
                raise InputError(
                    f"{self.name}: links have several rates; with_rates needs the rates of the endpoints too"
                )
        changed = self.replace(link_rate_gbps=links, endpoint_rate_gbps=() if endpoints is None else endpoints)
        return changed if changed == self else dataclasses.replace(changed, spec=None)

    def without_rates(self) -> "Topology":
        """The same network without rates, and without a spec if it had rates."""
        if not self.rated:
            return self
        return dataclasses.replace(self, link_rate_gbps=None, endpoint_rate_gbps=None, spec=None)

    def with_hosts(self, per_switch: int | np.ndarray) -> "Topology":
        """The same switches with `per_switch` hosts on each (a number, or int[switches]).

        In a network with rates, their ports get the common rate of the old endpoints, or else that of the links.
        """
        counts = np.asarray(per_switch)
        if counts.shape not in ((), (self.switches,)) or counts.dtype.kind not in "iu" or (counts < 0).any():
            raise InputError(f"{self.name}: hosts per switch must be a whole number from 0, or one for each switch")
        counts = np.broadcast_to(counts, (self.switches,))
        return self.replace(endpoints=np.repeat(np.arange(self.switches, dtype=np.int32), counts), host=None)

    @property
    def hosts(self) -> int:
        """Number of hosts; fewer than endpoints when hosts have several ports."""
        return int(self.host.max()) + 1 if self.host.size else 0

    @property
    def rated(self) -> bool:
        """Whether links and endpoints have rates."""
        return self.link_rate_gbps is not None

    @cached_property
    def rates_gbps(self) -> np.ndarray:
        """All distinct rates, ascending, float64[rates]; empty without rates."""
        if self.link_rate_gbps is None or self.endpoint_rate_gbps is None:
            return frozen(np.empty(0))
        return frozen(np.unique(np.concatenate([self.link_rate_gbps, self.endpoint_rate_gbps])))

    @property
    def mixed(self) -> bool:
        """Whether links and endpoints have different rates."""
        return self.link_rate_gbps is not None and self.rates_gbps.size > 1

    @property
    def uniform_rate_gbps(self) -> float | None:
        """The common rate of all links and endpoints, Gb/s; None without rates, and for a mixed network."""
        return float(self.rates_gbps[0]) if self.rates_gbps.size == 1 else None

    def rates_of(self, links: Any = slice(None), endpoints: Any = slice(None)) -> dict[str, Any]:
        """The arguments of `Topology` with the rates of a part of the network; empty without rates.

        Parameters
        ----------
        links, endpoints : slice, array of int or array of bool
            The links and endpoints of the part, in its order.

        Returns
        -------
        dict of str to float64 array
        """
        if self.link_rate_gbps is None or self.endpoint_rate_gbps is None:
            return {}
        return {RATE_OF_LINKS: self.link_rate_gbps[links], RATE_OF_ENDPOINTS: self.endpoint_rate_gbps[endpoints]}

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
        return frozen(offsets), frozen(others[order]), frozen(link)

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
        return frozen(ports)

    @cached_property
    def endpoint_ports(self) -> np.ndarray:
        """The switch port of each endpoint, int32[k], from 1."""
        first = np.concatenate([[0], np.cumsum(self.endpoints_at)])[:-1]
        return frozen((np.arange(self.endpoints.size) - first[self.endpoints] + 1).astype(np.int32))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content (not of name and spec), in hexadecimal."""
        text = hashlib.sha256(f"{self.switches} {len(self.links)} {self.endpoints.size}".encode())
        for array in (self.links, self.endpoints, self.host):
            text.update(array.astype("<i4").tobytes())
        for key in sorted(self.labels):
            text.update(key.encode())
            text.update("\n".join(map(str, self.labels[key].tolist())).encode())
        for key, rates in self.rates_of().items():
            text.update(key.encode())
            text.update(rates.astype("<f8").tobytes())
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
            and self.rated == other.rated
            and all(np.array_equal(rates, getattr(other, key)) for key, rates in self.rates_of().items())
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        hosts = f", {self.hosts} hosts" if self.hosts else ""
        rates = f", {shown_rate(self.rates_gbps)}" if self.rated else ""
        return f"Topology({self.name}: {self.switches} switches, {len(self.links)} links{hosts}{rates})"

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.links, self.switches, self.endpoints, self.host, dict(self.labels), self.name, self.spec
        return Topology, (*parts, self.link_rate_gbps, self.endpoint_rate_gbps)

    def to_networkx(self) -> "networkx.MultiGraph[int]":
        """A `networkx.MultiGraph` with labels and the number of hosts as node attributes.

        With rates, each edge has ``rate_gbps``, and each node with hosts ``host_rate_gbps``: a number, or a text with one
        number per endpoint where they differ.
        """
        return graph_of(self)

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "networkx") -> "Topology":
        """A topology from any undirected NetworkX graph; nodes are numbered in the graph's order.

        Parameters
        ----------
        graph : networkx.Graph or networkx.MultiGraph
            The node attribute ``hosts`` is the number of its endpoints; an attribute that every node has becomes a label. Nodes
            other than the numbers 0, 1, 2, ... keep their names as the label ``name``, unless they have that label. The edge
            attribute ``rate_gbps`` is a link's rate per direction, the node attribute ``host_rate_gbps`` that of its endpoints:
            a number, or a list or text with one number per endpoint. Either all have rates, or none.
        name : str
            The name of the topology.

        Raises
        ------
        InputError
            The graph is directed, hosts are not whole numbers, rates are invalid or missing on some links, or links differ in
            ``capacity`` or ``weight``.
        """
        return cls(**parts_of(graph, name), name=name)


def _sorted_links(links: np.ndarray, n: int, name: str) -> np.ndarray:
    within(links, n, "link", name)
    loop = np.flatnonzero(links[:, 0] == links[:, 1])
    if loop.size:
        raise InputError(f"{name}: switch {int(links[loop[0], 0])} is linked to itself; a link joins two switches")
    key = np.sort(links.min(axis=1).astype(np.int64) * n + links.max(axis=1)) if len(links) else np.empty(0, np.int64)
    return np.stack([key // n, key % n], axis=1).astype(np.int32)

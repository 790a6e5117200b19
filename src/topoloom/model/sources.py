"""The forms in which functions take a network, and the access to the part that a function works on."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from topoloom.core.errors import InputError, wrong_type
from topoloom.model.directed import DirectedNetworkError, DirectedTopology
from topoloom.model.networkx_graphs import converting
from topoloom.model.topology import Topology

if TYPE_CHECKING:
    from topoloom.network import Network


@runtime_checkable
class OfTopology(Protocol):
    """An object with a topology: a Layout, a Routing, a Fabric, a Network."""

    @property
    def topology(self) -> Topology:
        """The switches and links."""


@runtime_checkable
class Graph(Protocol):
    """A graph of NetworkX."""

    def is_directed(self) -> bool:
        """Whether its edges have a direction."""

    def nodes(self) -> Any:
        """Its nodes."""


#: A spec, a path (a file or a network folder), a Topology, a Layout, a Routing, a Fabric, a Network, or a NetworkX graph.
NetworkSource: TypeAlias = str | os.PathLike[str] | Topology | OfTopology | Graph

#: A directed network: a spec of a directed family, a path, a DirectedTopology, or a directed NetworkX graph.
DirectedSource: TypeAlias = str | os.PathLike[str] | DirectedTopology | Graph

T = TypeVar("T")


def network_of(source: NetworkSource, taker: str) -> "Network":
    """The `Network` of a source that a public function was given.

    Parameters
    ----------
    source : NetworkSource
    taker : str
        The function, for messages: "price".

    Returns
    -------
    Network
        The result of `topoloom.as_network`, which is in a higher layer and so is imported by name.

    Raises
    ------
    InputError
        The source is not a network, or cannot be opened.
    """
    if not isinstance(source, (str, os.PathLike, Topology, OfTopology, Graph)):
        raise no_network(source, taker)
    try:
        opened: Network = import_module("topoloom.network.opening").as_network(source)
    except DirectedNetworkError as refused:
        raise refused.by(taker) from None
    return opened


def directed_of(source: DirectedSource, taker: str) -> DirectedTopology:
    """The directed network that a public function was given; arguments and errors as of `network_of`.

    Returns
    -------
    DirectedTopology
        The result of `topoloom.open_directed`, which is in a higher layer and so is imported by name.
    """
    opened: DirectedTopology = import_module("topoloom.network.directed").open_directed(source, taker=taker)
    return opened


def no_network(source: object, taker: str) -> InputError:
    """The error for a value that is not a `NetworkSource`."""
    directed = getattr(source, "topology", source)
    if isinstance(directed, DirectedTopology):
        return DirectedNetworkError(directed.name, taker, lambda: directed)
    wanted = "a network (a spec, a path, a Topology, Network, Layout, Routing, Fabric or NetworkX graph)"
    return wrong_type(source, wanted, taker, converting(source))


def taken(source: NetworkSource, kind: type[T], taker: str) -> T:
    """The part of a network that a public function works on.

    Parameters
    ----------
    source : NetworkSource
    kind : type
        Topology; Layout (the network's, else the default placement); Routing (the installed tables, else new ones of a fitting
        engine); or Fabric.
    taker : str
        The function, for messages: "hops".

    Returns
    -------
    kind

    Raises
    ------
    InputError
        The source is not a network, or cannot be opened, placed or routed.

    Examples
    --------
    >>> taken("petersen", Topology, "hops")
    Topology(petersen: 10 switches, 15 links)
    """
    if isinstance(source, kind):
        return source
    if kind is Topology and isinstance(topology := getattr(source, "topology", None), kind):
        return topology
    return network_of(source, taker).part(kind)


def several(source: Any, kind: type[T], taker: str) -> tuple[T, ...]:
    """One part of a network as from `taken`, or all values of a sequence, which must be of that kind already.

    Parameters
    ----------
    source : NetworkSource or sequence of kind
    kind : type
    taker : str

    Returns
    -------
    tuple of kind

    Raises
    ------
    InputError
        As for `taken`; the sequence is empty, or has a value of another kind.
    """
    if not isinstance(source, (list, tuple)):
        return (taken(source, kind, taker),)
    if not source:
        raise InputError(f"{taker} takes a network or several {kind.__name__}s, not an empty sequence")
    for value in source:
        if not isinstance(value, kind):
            raise no_network(value, taker) if isinstance(value, DirectedTopology) else wrong_type(value, kind, taker)
    return tuple(source)


def installed(source: NetworkSource, kind: type[T], taker: str) -> T | Topology:
    """The installed tables (`kind` is Routing) of a network, or its topology without tables; nothing is routed.

    Parameters
    ----------
    source : NetworkSource
    kind : type
    taker : str
        The function, for messages: "degradation".

    Returns
    -------
    kind or Topology

    Raises
    ------
    InputError
        The source is not a network, or cannot be opened.
    """
    if isinstance(source, (kind, Topology)):
        return source
    network = network_of(source, taker)
    tables: T | None = network.tables  # type: ignore[assignment]
    return network.topology if tables is None else tables

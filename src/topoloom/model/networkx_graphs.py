"""Conversion between NetworkX graphs and topologies, with labels, hosts and rates as attributes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError, wrong_type
from topoloom.model.link_rates import HOST_RATE, RATE, packed_rates, rates_in, unpacked_rates

if TYPE_CHECKING:
    import networkx

    from topoloom.model.directed import DirectedTopology
    from topoloom.model.topology import Topology


def graph_of(topology: "Topology") -> "networkx.MultiGraph[int]":
    """The graph that `Topology.to_networkx` returns."""
    import networkx

    graph: networkx.MultiGraph[int] = networkx.MultiGraph(name=topology.name)
    graph.add_nodes_from(_marked_nodes(topology))
    if topology.link_rate_gbps is None or topology.endpoint_rate_gbps is None:
        graph.add_edges_from(topology.links.tolist())
    else:
        for (u, v), rate in zip(topology.links.tolist(), topology.link_rate_gbps.tolist(), strict=True):
            graph.add_edge(u, v, **{RATE: rate})
        for switch, value in packed_rates(topology.endpoints, topology.endpoint_rate_gbps).items():
            graph.nodes[switch][HOST_RATE] = value
    return graph


def digraph_of(topology: "DirectedTopology") -> "networkx.MultiDiGraph[int]":
    """The graph that `DirectedTopology.to_networkx` returns."""
    import networkx

    graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph(name=topology.name)
    graph.add_nodes_from(_marked_nodes(topology))
    graph.add_edges_from(topology.arcs.tolist())
    return graph


def _marked_nodes(topology: "Topology | DirectedTopology") -> Iterator[tuple[int, dict[str, Any]]]:
    """The switches, each with its number of hosts and its labels."""
    for switch, hosts in enumerate(topology.endpoints_at.tolist()):
        yield switch, {"hosts": hosts, **{key: values[switch].item() for key, values in topology.labels.items()}}


def converting(graph: object) -> str:
    """How to convert a graph of another library that has a conversion to NetworkX, as python-igraph has; else empty."""
    if not callable(getattr(graph, "to_networkx", None)):
        return ""
    return f"pass graph.to_networkx(), which {type(graph).__module__.partition('.')[0]} makes of it"


def parts_of(graph: Any, name: str, *, directed: bool = False) -> dict[str, Any]:
    """The arguments of `Topology` for a graph, except its name.

    Parameters
    ----------
    graph : networkx.Graph
    name : str
        The network, for messages.
    directed : bool
        Whether the graph must be directed; its links are then arcs, tail first.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        As of `Topology.from_networkx` and `DirectedTopology.from_networkx`.
    """
    if not (hasattr(graph, "nodes") and hasattr(graph, "is_directed")):
        raise wrong_type(graph, "a graph of NetworkX", "from_networkx", converting(graph))
    if graph.is_directed() and not directed:
        raise InputError(
            f"{name}: the graph is directed; pass graph.to_undirected(), or use topoloom.open_directed(graph)"
        )
    if directed and not graph.is_directed():
        raise InputError(f"{name}: the graph is undirected; pass graph.to_directed() if each edge stands for two arcs")
    number = {node: i for i, node in enumerate(graph)}
    _refuse_unequal_links(graph, name)
    attributes = [dict(graph.nodes[node]) for node in graph]
    counts = [marks.pop("hosts", 0) for marks in attributes]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise InputError(f"{name}: the node attribute 'hosts' must be a whole number from 0")
    hosts = np.array(counts, dtype=np.int64)
    host_rates = {i: marks.pop(HOST_RATE) for i, marks in enumerate(attributes) if HOST_RATE in marks}
    rates = rates_in(
        [rate for *_, rate in graph.edges(data=RATE)],
        unpacked_rates(host_rates, hosts, lambda node: f"{name}: node {list(graph)[node]}"),
        name,
        lambda edge: f"{name}: the edge {list(graph.edges())[edge]}",
    )
    shared = set.intersection(*(set(marks) for marks in attributes)) if attributes else set()
    if list(number) != list(range(len(number))) and "name" not in shared:
        for node, marks in zip(graph, attributes, strict=True):
            marks["name"] = str(node)
        shared = {*shared, "name"}
    return {
        "links": np.array([(number[u], number[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2),
        "switches": len(number),
        "endpoints": np.repeat(np.arange(len(number)), hosts),
        "labels": {str(key): np.array([marks[key] for marks in attributes]) for key in sorted(shared, key=str)},
        **rates,
    }


def _refuse_unequal_links(graph: Any, name: str) -> None:
    """Refuse edges that differ in capacity or weight: these have no unit, so they cannot become rates and would be lost."""
    for key in ("capacity", "weight"):
        given = sorted(
            {f"{value:g}" if isinstance(value, int | float) else str(value) for *_, value in graph.edges(data=key)}
        )
        if len(given) > 1:
            values = ", ".join(given[:3]) + (", ..." if len(given) > 3 else "")
            raise InputError(
                f"{name}: the edges differ in their {key} ({values}), which has no unit; give rates in Gb/s as {RATE}, draw"
                " a wide link as several edges of a MultiGraph, or remove the attribute"
            )

"""Graphviz DOT: graphs and digraphs without subgraphs."""

import re
from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import InputError
from topoloom.formats._dot_syntax import KEYWORDS, TOKEN, DotParser, unescaped
from topoloom.formats._named_graph import HOSTS, NamedGraph, host_rate_texts, refuse_own_names
from topoloom.formats._registry import Format, register
from topoloom.formats._text import refused, short, text_of
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import HOST_RATE, RATE, rate_text
from topoloom.model.topology import Topology

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def write(topology: Topology) -> str:
    """A topology as an undirected graph: labels, hosts and rates as attributes; text is always quoted."""
    return "".join(_lines(topology))


def write_directed(topology: DirectedTopology) -> str:
    """A directed topology as a digraph: labels and hosts as attributes."""
    return "".join(_lines(topology))


def _lines(topology: Topology | DirectedTopology) -> Iterator[str]:
    refuse_own_names(topology, "DOT")
    directed = isinstance(topology, DirectedTopology)
    yield f"{'digraph' if directed else 'graph'} {dot_text(topology.name)} {{\n"
    if topology.spec is not None:
        yield f"  spec={dot_text(topology.spec)};\n"
    columns = {_key(key): _column(values) for key, values in topology.labels.items()}
    if topology.endpoints.size:
        columns = {HOSTS: list(map(str, topology.endpoints_at.tolist())), **columns}
    host_rates = {} if isinstance(topology, DirectedTopology) else host_rate_texts(topology)
    for switch in range(topology.switches):
        marks = ", ".join(f"{key}={column[switch]}" for key, column in columns.items())
        if switch in host_rates:
            marks += f', {HOST_RATE}="{host_rates[switch]}"'
        yield f"  {switch} [{marks}];\n" if marks else f"  {switch};\n"
    if isinstance(topology, DirectedTopology):
        yield from map("  {} -> {};\n".format, *topology.arcs.T.tolist())
    elif topology.link_rate_gbps is None:
        yield from map("  {} -- {};\n".format, *topology.links.T.tolist())
    else:
        rates = map(rate_text, topology.link_rate_gbps.tolist())
        yield from map(f"  {{}} -- {{}} [{RATE}={{}}];\n".format, *topology.links.T.tolist(), rates)
    yield "}\n"


def _key(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key.lower() not in KEYWORDS else dot_text(key)


def _column(values: np.ndarray) -> list[str]:
    if values.dtype.kind == "f":
        # Numbers in DOT have no exponents.
        return [np.format_float_positional(value, trim="0") for value in values]
    return [dot_text(value) if isinstance(value, str) else str(value) for value in values.tolist()]


def dot_text(text: str) -> str:
    """A text in DOT's quotes; raises `InputError` for one that DOT cannot hold."""
    inside = text.replace('"', '\\"')
    # DOT cannot hold a backslash before a quote or at the end.
    back = TOKEN.fullmatch(f'"{inside}"')
    if back is None or unescaped(back["quoted"]) != text or "\0" in text:
        raise InputError(f"{short(text)} holds a zero byte, or a backslash where DOT cannot; use topoloom's JSON")
    return f'"{inside}"'


def read(data: bytes, source: str) -> Topology:
    """The topology in a DOT file; node attributes that every node has become labels, `hosts` becomes endpoints."""
    text = text_of(data, source)
    graph = NamedGraph(source, len(text))
    parser = DotParser(text, source, graph)
    if parser.directed:
        raise refused(source, lambda: _read_directed(text, source))
    heading = parser.parsed()
    return graph.topology(heading.name, heading.spec, merge=heading.strict)


def _read_directed(text: str, source: str) -> DirectedTopology:
    """The directed network in a digraph."""
    graph = NamedGraph(source, len(text))
    heading = DotParser(text, source, graph).parsed(directed=True)
    return graph.directed_topology(heading.name, heading.spec, merge=heading.strict)


register(
    Format(
        name="dot",
        suffixes=(".dot", ".gv"),
        description="Graphviz DOT: a graph or digraph without subgraphs",
        keeps=frozenset({"isolated", "endpoints", "labels", "name", "spec", "rate_gbps"}),
        read=read,
        write=write,
        write_directed=write_directed,
    )
)

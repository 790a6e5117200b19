"""GraphML: for Gephi, yEd, NetworkX and igraph."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from topoloom.core.errors import InputError, at
from topoloom.core.text_parts import decimal_in
from topoloom.formats._named_graph import HOSTS, NamedGraph, host_rate_texts, refuse_own_names
from topoloom.formats._registry import Format, register
from topoloom.formats._text import refused, short, text_of, undirected_file
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import HOST_RATE, RATE, rate_text
from topoloom.model.topology import Topology

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_TYPES = {"i": "long", "f": "double", "U": "string"}
_MOST_DEPTH = 100
#: The values of the attribute `directed` of an edge that say what the graph says.
_SPELLED = {False: ("false", "0"), True: ("true", "1")}


def write(topology: Topology) -> str:
    """A topology as GraphML: labels, hosts and their rates as node attributes, rates of links as those of edges."""
    return "".join(_lines(topology))


def write_directed(topology: DirectedTopology) -> str:
    """A directed topology as a directed graph of GraphML."""
    return "".join(_lines(topology))


def _lines(topology: Topology | DirectedTopology) -> Iterator[str]:
    refuse_own_names(topology, "GraphML")
    undirected = topology if isinstance(topology, Topology) else None
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '  <key id="name" for="graph" attr.name="name" attr.type="string"/>\n'
    yield '  <key id="spec" for="graph" attr.name="spec" attr.type="string"/>\n'
    yield f'  <key id="{HOSTS}" for="node" attr.name="{HOSTS}" attr.type="int"/>\n'
    host_rates = {} if undirected is None else host_rate_texts(undirected)
    if undirected is not None and undirected.rated:
        # A list where the hosts of a switch have different rates.
        kind = "string" if any(" " in text for text in host_rates.values()) else "double"
        yield f'  <key id="{RATE}" for="edge" attr.name="{RATE}" attr.type="double"/>\n'
        yield f'  <key id="{HOST_RATE}" for="node" attr.name="{HOST_RATE}" attr.type="{kind}"/>\n'
    for i, (key, values) in enumerate(topology.labels.items()):
        shown = quoteattr(_xml(key))
        yield f'  <key id="d{i}" for="node" attr.name={shown} attr.type="{_TYPES[values.dtype.kind]}"/>\n'
    yield f'  <graph edgedefault="{"directed" if undirected is None else "undirected"}">\n'
    yield f'    <data key="name">{_escaped(topology.name)}</data>\n'
    if topology.spec is not None:
        yield f'    <data key="spec">{_escaped(topology.spec)}</data>\n'
    columns = [values.tolist() for values in topology.labels.values()]
    hosts = topology.endpoints_at.tolist()
    for switch in range(topology.switches):
        yield f'    <node id="{switch}"><data key="{HOSTS}">{hosts[switch]}</data>'
        if switch in host_rates:
            yield f'<data key="{HOST_RATE}">{host_rates[switch]}</data>'
        for i, column in enumerate(columns):
            yield f'<data key="d{i}">{_escaped(str(column[switch]))}</data>'
        yield "</node>\n"
    ends = topology.links if isinstance(topology, Topology) else topology.arcs
    if undirected is None or undirected.link_rate_gbps is None:
        yield from map('    <edge source="{}" target="{}"/>\n'.format, *ends.T.tolist())
    else:
        edge = f'    <edge source="{{}}" target="{{}}"><data key="{RATE}">{{}}</data></edge>\n'
        yield from map(edge.format, *ends.T.tolist(), map(rate_text, undirected.link_rate_gbps.tolist()))
    yield "  </graph>\n</graphml>\n"


def _escaped(text: str) -> str:
    # A bare carriage return would be read back as a line feed.
    return escape(_xml(text), {"\r": "&#13;"})


def _xml(text: str) -> str:
    match = _NO_XML.search(text)
    if match:
        raise InputError(f"{short(text)} holds the character {match[0]!a}, which XML cannot hold; use topoloom's JSON")
    return text


def read(data: bytes, source: str) -> Topology:
    """The topology in a GraphML file; node attributes that every node has become labels, `hosts` becomes endpoints.

    The edge attribute `rate_gbps` is a link's rate, the node attribute `host_rate_gbps` the rate of its endpoints.

    If no node has `hosts`, the whole numbers `endpoints` of SST Merlin's anytopo count.
    """
    return _parsed(_Reader(source, len(data)), data, source).topology()


def _read_directed(data: bytes, source: str) -> DirectedTopology:
    """The directed network in a GraphML file with ``edgedefault="directed"``."""
    return _parsed(_Reader(source, len(data), directed=True), data, source).directed_topology()


def _parsed(reader: "_Reader", data: bytes, source: str) -> "_Reader":
    """The reader, once it has the whole file."""
    try:
        reader.parser.Parse(text_of(data, source).encode(), True)
    except _Directed:
        raise refused(source, lambda: _read_directed(data, source)) from None
    except expat.ExpatError as error:
        raise at(source, error.lineno, f"is not well-formed XML: {expat.ErrorString(error.code)}") from None
    return reader


class _Directed(Exception):  # noqa: N818 (nothing went wrong)
    """The file has a directed graph."""


@dataclass
class _Key:
    """A declared attribute: its domain (node, graph, ...), its name, its type and its default."""

    domain: str
    name: str
    type: str
    default: Any = None


@dataclass(slots=True)
class _Open:
    """An open element: its tag, the node or edge around it, its text, and whether it contained elements."""

    tag: str
    key: str = ""
    node: int = -1
    edge: int = -1
    text: list[str] = field(default_factory=list)
    nested: bool = False


class _Reader:
    """Converts expat's events to a `NamedGraph`."""

    def __init__(self, source: str, text_bytes: int, *, directed: bool = False) -> None:
        self._source, self._directed = source, directed
        self._graph = NamedGraph(source, text_bytes)
        self._keys: dict[str, _Key] = {}
        self._open: list[_Open] = []
        self._declared: set[int] = set()
        self._given: set[tuple[int, str]] = set()
        self._mentioned: dict[int, tuple[str, int]] = {}
        self._about: dict[str, str] = {}
        self._graphs = 0
        # The text is UTF-8 here, whatever its first line declares.
        self.parser = expat.ParserCreate("utf-8", " ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype

    def topology(self) -> Topology:
        """The topology, once the whole file has been parsed."""
        self._complete()
        return self._graph.topology(self._about.get("name"), self._about.get("spec"))

    def directed_topology(self) -> DirectedTopology:
        """The directed topology, once the whole file has been parsed."""
        self._complete()
        return self._graph.directed_topology(self._about.get("name"), self._about.get("spec"))

    def _complete(self) -> None:
        """Check that all nodes are declared, and give them the default attributes."""
        if not self._graphs:
            raise at(self._source, None, "holds no <graph>")
        for name, line in self._mentioned.values():
            raise at(self._source, line, f"an edge ends at {short(name)}, but there is no such node")
        # By name, not by key: many keys of one name must not cause many passes over the nodes.
        keys = self._keys.values()
        defaults = {key.name: key.default for key in keys if key.default is not None and key.domain in {"node", "all"}}
        self._graph.default(defaults, None, everywhere=True)
        for key in keys:
            if key.name == RATE and key.default is not None and key.domain in {"edge", "all"}:
                self._graph.default_rate(key.default)

    def _wrong(self, reason: str) -> InputError:
        return at(self._source, self.parser.CurrentLineNumber, reason)

    def _doctype(self, *_: Any) -> None:
        raise self._wrong("has a DOCTYPE, which topoloom does not read (it can hide entity bombs); remove that line")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        if len(self._open) >= _MOST_DEPTH:
            raise self._wrong(f"nests more than {_MOST_DEPTH} elements deep")
        parent = self._open[-1] if self._open else None
        if parent is None and tag != "graphml":
            raise self._wrong(f"starts with <{tag[:40]}>; a GraphML file starts with <graphml>")
        opened = _Open(tag)
        self._open.append(opened)
        if parent is not None:
            parent.nested = True
            opened.node, opened.edge = parent.node, parent.edge
            if parent.tag in {"data", "default"}:
                # Drawings of yEd and similar tools are ignored with all that they contain.
                opened.tag = "data"
                return
        self._enter(opened, parent, attributes)

    def _enter(self, opened: _Open, parent: _Open | None, attributes: dict[str, str]) -> None:
        if opened.tag == "key":
            opened.key = self._required(attributes, "id", "key")
            named = attributes.get("attr.name", "")
            self._keys[opened.key] = _Key(attributes.get("for", "all"), named, attributes.get("attr.type", "string"))
        elif opened.tag == "default" and parent is not None:
            opened.key = parent.key
        elif opened.tag == "graph":
            self._graphs += 1
            if self._graphs > 1:
                raise self._wrong("holds a second <graph>; topoloom reads one flat graph per file")
            if attributes.get("edgedefault") == "directed" and not self._directed:
                raise _Directed
            if attributes.get("edgedefault") != "directed" and self._directed:
                raise undirected_file(self._source)
        elif opened.tag == "node":
            self._node(opened, attributes)
        elif opened.tag == "edge":
            opened.edge = self._edge(attributes)
        elif opened.tag == "hyperedge":
            raise self._wrong("holds a <hyperedge>; a link joins two switches")
        elif opened.tag == "data":
            opened.key = self._required(attributes, "key", "data")

    def _required(self, attributes: dict[str, str], key: str, tag: str) -> str:
        if key not in attributes:
            raise self._wrong(f"<{tag}> has no {key}=")
        return attributes[key]

    def _node(self, opened: _Open, attributes: dict[str, str]) -> None:
        name = self._required(attributes, "id", "node")
        node = self._graph.node(name)
        if node in self._declared:
            raise self._wrong(f"the node {short(name)} is declared twice")
        self._declared.add(node)
        self._mentioned.pop(node, None)
        opened.node = node

    def _edge(self, attributes: dict[str, str]) -> int:
        if attributes.get("directed", str(self._directed).lower()) not in _SPELLED[self._directed]:
            graph, edge = ("a directed", "an undirected") if self._directed else ("an undirected", "a directed")
            raise self._wrong(f"{edge} edge in {graph} graph; topoloom reads graphs whose edges are all alike")
        line = self.parser.CurrentLineNumber
        ends = []
        for key in ("source", "target"):
            name = self._required(attributes, key, "edge")
            end = self._graph.node(name)
            # In GraphML an edge may precede its nodes.
            if end not in self._declared:
                self._mentioned.setdefault(end, (name, line))
            ends.append(end)
        return self._graph.link(ends[0], ends[1], line)

    def _text(self, text: str) -> None:
        if self._open and self._open[-1].tag in {"data", "default"}:
            self._open[-1].text.append(text)

    def _end(self, _name: str) -> None:
        closed = self._open.pop()
        if closed.tag not in {"data", "default"} or closed.nested or not closed.key:
            return
        key = self._keys.get(closed.key)
        if key is None:
            raise self._wrong(f"<data> names the key {short(closed.key)}, which no <key> above declares")
        parent = self._open[-1].tag
        text = "".join(closed.text)
        if not key.name:
            return
        if closed.tag == "default":
            key.default = self._value(key, text)
        elif parent == "graph" and key.name in {"name", "spec"}:
            self._about[key.name] = text
        elif parent == "edge" and key.name == RATE:
            self._graph.rate(closed.edge, self._value(key, text), self.parser.CurrentLineNumber)
        elif parent == "node":
            if (closed.node, key.name) in self._given:
                raise self._wrong(f"the attribute {short(key.name)} is given twice for one node")
            self._given.add((closed.node, key.name))
            self._graph.set(closed.node, key.name, self._value(key, text), self.parser.CurrentLineNumber)

    def _value(self, key: _Key, text: str) -> int | float | str:
        if key.type == "string":
            return text
        word = text.strip()
        if key.type in {"int", "long"} and _WHOLE.fullmatch(word):
            return int(word)
        if key.type == "boolean" and word.lower() in {"true", "false", "1", "0"}:
            return int(word.lower() in {"true", "1"})
        if key.type in {"float", "double"}:
            value = decimal_in(word)
            if value is not None:
                return value
        raise self._wrong(f"{short(word)} is not a value of type {short(key.type)} (attribute {short(key.name)})")


register(
    Format(
        name="graphml",
        suffixes=(".graphml",),
        description="GraphML, for Gephi, yEd, NetworkX, igraph",
        keeps=frozenset({"isolated", "endpoints", "labels", "name", "spec", "rate_gbps"}),
        read=read,
        write=write,
        write_directed=write_directed,
    )
)

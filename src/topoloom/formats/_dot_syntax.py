"""The syntax of Graphviz DOT: graphs and digraphs without subgraphs, as `dot` and `ptm` read them."""

import re
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from topoloom.core.errors import at
from topoloom.core.text_parts import decimal_in
from topoloom.formats._text import short
from topoloom.model.link_rates import RATE

TOKEN = re.compile(
    r"""
    (?P<skip>   [ \t\r\n\f\v]+ | //[^\n]* | /\*.*?\*/ | \#[^\n]* )
  | (?P<edge>   -- | -> )
  | (?P<mark>   [{}\[\];=,:] )
  | (?P<number> -?(?: \.[0-9]+ | [0-9]+(?:\.[0-9]*)? )(?![\w.]) )
  | (?P<word>   [^\W0-9]\w* )
  | "(?P<quoted> (?: [^"\\] | \\. )* )"
    """,
    re.VERBOSE | re.DOTALL,
)
#: A link of a graph, and an arc of a digraph, between nodes whose names are numbers.
_LINK, _ARC = (re.compile(rf"[ \t\r\n]*([0-9]+)[ \t]*{sign}[ \t]*([0-9]+)[ \t]*;") for sign in ("--", "->"))
_ESCAPE = re.compile(r'\\(\\|"|\r?\n)')
KEYWORDS = {"strict", "graph", "digraph", "node", "edge", "subgraph"}
_IDS = {"number", "word", "quoted"}
#: The compass points of a node, which are no ports.
COMPASS = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"}


@dataclass(frozen=True)
class Heading:
    """What a file states of the whole graph: its name, its spec, and whether parallel links are one (``strict``)."""

    name: str | None
    spec: str | None
    strict: bool


class NodeGraph(Protocol):
    """Receives the statements of a file: nodes and links by numbers that it assigns."""

    def node(self, name: str, port: str = "", line: int = 0) -> int:
        """The number of a node, or of one of its ports."""

    def link(self, a: int, b: int, line: int, rate_gbps: Any = None) -> int:
        """The number of a new link."""

    def rate(self, link: int, rate_gbps: int | float | str, line: int | None) -> None:
        """Set the rate of a link."""

    def set(self, node: int, key: str, value: int | float | str, line: int | None) -> None:
        """Set an attribute of a node."""

    def default(self, values: dict[str, Any], line: int | None) -> None:
        """Set the attributes of all nodes to come."""


def unescaped(text: str) -> str:
    """Resolve DOT's only escape, the quote, and join a line that ends in a backslash to the next."""
    return _ESCAPE.sub(lambda match: {"\\": "\\\\", '"': '"'}.get(match[1], ""), text) if "\\" in text else text


class DotParser:
    """Parses ``[strict] graph [ID] { statements }``, also of a ``digraph``, token by token.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.
    graph : NodeGraph
        Receives nodes, links and attributes; the links of a digraph lead from their first node to their second.

    Attributes
    ----------
    directed : bool
        Whether the file holds a digraph, known before `parsed`.
    """

    def __init__(self, text: str, source: str, graph: NodeGraph) -> None:
        self._text = text
        self._source = source
        self._graph = graph
        self._defaults: dict[str, Any] = {}
        # The default rate of links from here on.
        self._rate: Any = None
        self._spec: str | None = None
        # The current token starts at _start and ends at _place; lines are counted up to _counted_to.
        self._start = self._place = self._counted_to = 0
        self._line = 1
        # Its kind ("" at the end of the file) and its text with escapes resolved.
        self._kind = ""
        self._token = ""
        self._next()
        self._strict = self._take_word("strict")
        self.directed = self._is_word("digraph")

    def parsed(self, *, directed: bool = False) -> Heading:
        """Parse the whole file; unless `directed`, a digraph is refused."""
        if self.directed and not directed:
            self._fail("is a directed graph (digraph); cables have no direction: write 'graph' and '--'")
        if not (self._take_word("digraph") or self._take_word("graph")):
            self._fail("does not start with 'graph' or 'digraph'; a DOT file must")
        name = self._id("a name") if self._kind in _IDS else None
        self._take("{", "'{' after 'graph'")
        while not self._is("}"):
            self._statement()
        self._next()
        if self._kind:
            self._fail("continues after the closing '}'; topoloom reads one graph per file")
        return Heading(name, self._spec, self._strict)

    def _statement(self) -> None:
        if not self._kind:
            self._fail("ends before the closing '}'")
        if self._is(";"):
            self._next()
        elif self._kind == "number":
            self._plain_links()
        elif self._is("{") or self._is_word("subgraph"):
            self._fail("holds a subgraph; topoloom reads flat graphs: write each link separately")
        elif self._take_word("node"):
            self._defaults = {**self._defaults, **self._attributes()}
            self._graph.default(self._defaults, self._here())
        elif self._take_word("edge"):
            self._rate = self._attributes().get(RATE, self._rate)
        elif self._take_word("graph"):
            self._attributes()
        else:
            self._link_or_node()

    def _plain_links(self) -> None:
        """Read ``0 -- 1;`` statements, of which large files consist, in one step each; other statements as usual."""
        plain = _ARC if self.directed else _LINK
        match = plain.match(self._text, self._start)
        if match is None:
            self._link_or_node()
            return
        while match is not None:
            a, b = self._node(match[1]), self._node(match[2])
            self._graph.link(a, b, self._here() if a == b or self._rate is not None else 0, self._rate)
            self._start = self._place = match.end()
            match = plain.match(self._text, self._place)
        self._next()

    def _link_or_node(self) -> None:
        name = self._id("a node, a link or '}'")
        if self._is("="):
            self._next()
            value = self._id("a value after '='")
            self._spec = value if name == "spec" else self._spec
            return
        first = last = self._node(name)
        links: list[int] = []
        while self._kind == "edge":
            if (self._token == "->") != self.directed:
                self._fail("'->' is for directed graphs; write '--' in a graph, and '->' in a digraph")
            self._next()
            if self._is("{") or self._is_word("subgraph"):
                self._fail("links to a subgraph; topoloom reads flat graphs: write each link separately")
            line = self._here()
            other = self._node(self._id("a node after '--'"))
            links.append(self._graph.link(last, other, line))
            last = other
        line = self._here()
        attributes = self._attributes()
        for link in links:
            rate = attributes.get(RATE, self._rate)
            if rate is not None:
                self._graph.rate(link, rate, line)
        if not links:
            for key, value in attributes.items():
                self._graph.set(first, key, value, line)

    def _node(self, name: str) -> int:
        line = self._here() if self._is(":") else 0
        words = []
        for _ in range(2):
            if self._is(":"):
                self._next()
                words.append(self._id("a port after ':'"))
        # A compass point only affects drawings.
        port = words[0] if len(words) == 2 or (words and words[0] not in COMPASS) else ""
        return self._graph.node(name, port, line) if port else self._graph.node(name)

    def _attributes(self) -> dict[str, Any]:
        """The attributes in any number of ``[key=value, ...]``."""
        attributes: dict[str, Any] = {}
        while self._is("["):
            self._next()
            while not self._is("]"):
                key = self._id("an attribute or ']'")
                # An attribute without a value is "true".
                value: Any = "true"
                if self._is("="):
                    self._next()
                    value = self._value()
                attributes[key] = value
                if self._is(",") or self._is(";"):
                    self._next()
            self._next()
        return attributes

    def _value(self) -> int | float | str:
        kind, token = self._kind, self._token
        if kind == "number" and "." not in token and len(token) > 20:
            self._fail(f"{short(token)} is a number beyond 64 bits; write it in quotes")
        text = self._id("a value after '='")
        if kind != "number":
            return text
        return text if "." in text and decimal_in(text) is None else float(text) if "." in text else int(text)

    def _id(self, wanted: str) -> str:
        if self._kind not in _IDS or (self._kind == "word" and self._token.lower() in KEYWORDS):
            actual = short(self._token) if self._kind else "the end of the file"
            self._fail(f"expected {wanted}, found {actual}")
        token = self._token
        self._next()
        return token

    def _is(self, mark: str) -> bool:
        return self._kind == "mark" and self._token == mark

    def _is_word(self, word: str) -> bool:
        return self._kind == "word" and self._token.lower() == word

    def _take_word(self, word: str) -> bool:
        is_next = self._is_word(word)
        if is_next:
            self._next()
        return is_next

    def _take(self, mark: str, wanted: str) -> None:
        if not self._is(mark):
            self._fail(f"expected {wanted}")
        self._next()

    def _next(self) -> None:
        while True:
            match = TOKEN.match(self._text, self._place)
            if match is None:
                self._kind = self._token = ""
                if self._place < len(self._text):
                    self._unreadable()
                return
            kind = match.lastgroup or ""
            self._start, self._place = self._place, match.end()
            if kind != "skip":
                self._kind, self._token = kind, match[kind]
                if kind == "quoted":
                    self._token = unescaped(self._token)
                return

    def _unreadable(self) -> NoReturn:
        self._start = self._place
        rest = self._text[self._place : self._place + 40]
        if rest.startswith('"'):
            self._fail("the quote that opens here never closes")
        if rest.startswith("/*"):
            self._fail("the comment that opens here never closes")
        if rest.startswith("<"):
            self._fail("holds an HTML string <...>, which topoloom does not read; write it in quotes")
        self._fail(f"{short((rest.split() or [rest])[0])} cannot be read as DOT")

    def _here(self) -> int:
        """The line of the current token, counted from where it was last asked for."""
        self._line += self._text.count("\n", self._counted_to, self._start)
        self._counted_to = self._start
        return self._line

    def _fail(self, reason: str) -> NoReturn:
        raise at(self._source, self._here(), reason)

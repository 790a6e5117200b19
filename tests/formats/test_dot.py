"""Graphviz DOT: the practical part of the language, and clear words about the rest."""

import numpy as np
import pytest

from topoloom import InputError
from topoloom.formats import dot
from topoloom.model.topology import Topology


def read(text):
    """What the reader makes of a text."""
    return dot.read(text.encode(), "net.dot")


def test_what_is_written():
    """One statement a line: switches with hosts and labels (text quoted, numbers bare), then links."""
    topology = Topology([(0, 1)], 2, [1], labels={"x": np.array([0, 1]), "node": np.array(['a"b', "1"])}, name="pair")
    assert dot.write(topology) == (
        'graph "pair" {\n  0 [hosts=0, x=0, "node"="a\\"b"];\n  1 [hosts=1, x=1, "node"="1"];\n  0 -- 1;\n}\n'
    )


def test_the_language_as_people_write_it():
    """Comments, chains, ports, defaults, quoted names, missing semicolons and any case of keywords are read."""
    topology = read(
        """
        # made by hand
        Strict GRAPH fabric { // comment
          rankdir=LR; node [shape=box, hosts=2] edge [color=red]
          graph [fontsize=10];
          "leaf 1" -- spine:p1:n -- 'x' /* all
          over */ -- leaf_2 [weight=3; label="a -- b"]
          "leaf 1" -- spine
          spine [hosts="0"]
        }
        """.replace("'x'", "x")
    )
    assert topology.name == "fabric"
    assert topology.labels["id"].tolist() == ["leaf 1", "spine", "x", "leaf_2"]
    assert topology.labels["shape"].tolist() == ["box"] * 4
    assert topology.links.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert topology.endpoints_at.tolist() == [2, 0, 2, 2]


def test_parallel_links_stay_unless_strict():
    """`graph` keeps parallel links, `strict graph` makes them one."""
    assert len(read("graph { 0 -- 1; 1 -- 0; 0--1 }").links) == 3
    assert len(read("strict graph { 0 -- 1; 1 -- 0; 0--1 }").links) == 1


def test_the_short_cut_for_plain_links_changes_nothing():
    """Plain statements `0 -- 1;` are read in one step each, with the same links, names and defaults."""
    plain = "".join(f"{i} -- {(i + 1) % 50};\n" for i in range(50))
    slow = plain.replace(";", " [w=1];").replace("0 -- 1 ", '"0" -- 1 ', 1)
    assert read(f"graph {{ node [hosts=3]\n{plain} }}") == read(f"graph {{ node [hosts=3]\n{slow} }}")


def test_numbers_are_numbers_and_quoted_text_is_text():
    """A bare numeral becomes a number, the same in quotes stays text."""
    labels = read('graph { 0 [a=-5, b=.5, c="7", d=2.] }').labels
    assert {key: values[0].item() for key, values in labels.items()} == {"a": -5, "b": 0.5, "c": "7", "d": 2.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("digraph { a -> b }", r"net\.dot: this network is directed, and load takes undirected ones; .*open_directed"),
        ("graph {\n a -> b }", r"net\.dot:2: '->' is for directed graphs"),
        ("graph {\n a -- a }", r"net\.dot:2: switch 'a' is linked to itself"),
        ("graph {\n 1 -- 1; }", r"net\.dot:2: switch '1' is linked to itself"),
        ("graph {\n subgraph s { a } }", r"net\.dot:2: holds a subgraph"),
        ("graph {\n { a } }", r"net\.dot:2: holds a subgraph"),
        ("graph {\n a -- { b c } }", r"net\.dot:2: links to a subgraph"),
        ("graph {\n a -- ", "expected a node after '--', found the end of the file"),
        ("graph {\n a", r"net\.dot:2: ends before the closing"),
        ("graph {\n a [x=", "expected a value after '=', found the end"),
        ("graph {\n a [=3] }", "expected an attribute or ']', found '='"),
        ("graph {\n a [x=<b>] }", r"net\.dot:2: holds an HTML string"),
        ('graph {\n "a }', r"net\.dot:2: the quote that opens here"),
        ("graph {\n /* a }", r"net\.dot:2: the comment that opens here"),
        ("graph {\n a -- ! }", r"net\.dot:2: '!' cannot be read"),
        ("graph {\n \xa0 }", r"net\.dot:2: .* cannot be read"),
        ("graph {\n 1a -- b }", r"net\.dot:2: '1a' cannot be read"),
        ("graph {\n node -- b }", r"net\.dot:2: expected a node, a link or '}', found '--'"),
        ("graph {\n a -- node }", "found 'node'"),
        ("graph { a } graph { b }", "continues after the closing"),
        ("a -- b", "does not start with 'graph'"),
        ("graph { }", "holds no nodes"),
        ("graph a b { }", "expected '{'"),
        ("graph { a [hosts=-1] }", "'-1' hosts on a switch"),
        ("graph { a [hosts=x] }", "'x' hosts on a switch"),
        ("graph { a [x=99999999999999999999999] }", "beyond 64 bits"),
        ("graph { a [x=9999999999999999999] }", "beyond 64 bits"),
    ],
)
def test_what_is_not_read_is_said(text, reason):
    """Directed graphs, subgraphs, HTML strings and broken text are answered with file, line and what would do."""
    with pytest.raises(InputError, match=reason):
        read(text)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "piece", ["[", "a[x=1]", '"', "/*", "a:b:", "-- ", "node[a=1]", '"\\', "{", "#", "1--2;", "a=b "]
)
def test_no_file_takes_quadratic_time(piece):
    """Any piece repeated a hundred thousand times is refused: a reader that takes quadratic time would not come back."""
    with pytest.raises(InputError):
        read("graph {" + piece * 100_000)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({"hosts": np.arange(2)}, "rename the label"),
        ({"a": np.array(["end\\", ""])}, "backslash"),
        ({"a": np.array(['\\"', ""])}, "backslash"),
        ({"a": np.array(["a\0b", ""])}, "zero byte"),
    ],
)
def test_what_dot_cannot_hold_is_refused(labels, reason):
    """Text that would not come back is refused when writing."""
    with pytest.raises(InputError, match=reason):
        dot.write(Topology([(0, 1)], 2, labels=labels))


def test_tiny_and_huge_floats_come_back():
    """DOT has no exponents, yet every float survives."""
    values = np.array([1e-300, 1e300, -0.1, 123456789.123456789])
    topology = Topology([(0, 1)], 4, labels={"w": values})
    assert read(dot.write(topology)) == topology

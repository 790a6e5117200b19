"""Edge lists: the competition's format, its grid variant, and the fast way that must agree with the slow one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError
from topoloom.formats import FORMATS, edges
from topoloom.model.topology import Topology


def read(text):
    """What the reader makes of a text."""
    return edges.read(text.encode(), "net.edges")


def test_files_of_the_competition_are_clean():
    """The writer writes links and nothing else: two ids a line, no comment."""
    assert edges.write(Topology([(1, 0), (2, 1)], 3)) == "0 1\n1 2\n"


def test_lonely_switches_at_the_end_are_told_by_a_comment():
    """A first line '# switches N' is written only when the links do not show how many switches there are."""
    lonely = Topology([(0, 1)], 5)
    assert edges.write(lonely) == "# switches 5\n0 1\n"
    assert read(edges.write(lonely)) == lonely
    assert read("# switches 3\n") == Topology(np.empty((0, 2), int), 3)
    wide = Topology([(0, 9999)], 10_000)
    assert read(edges.write(wide)) == wide


def test_comments_blank_lines_and_any_space_are_read():
    """Blank lines, comments, tabs, CR LF and a missing last line end change nothing."""
    assert read("# made by hand\r\n\r\n 0\t1  # the first\r\n2 1") == Topology([(0, 1), (1, 2)], 3)


def test_grid_points_become_labels():
    """Ids with a comma are grid points: switches are numbered row by row and carry x and y."""
    topology = read("2,0 0,0\n0,1 2,0\n")
    assert topology.links.tolist() == [[0, 1], [1, 2]]
    assert topology.labels["x"].tolist() == [0, 2, 0]
    assert topology.labels["y"].tolist() == [0, 0, 1]
    assert read("1000000000,0 0,0".replace("1000000000", "999999999")).switches == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 1\n1 1\n", "net.edges:2: switch 1 is linked to itself"),
        ("0 1\n-1 2\n", "net.edges:2: '-1' is not a switch id"),
        ("0 1\n1 2 3\n", "net.edges:2: 3 words; a line holds two switch ids"),
        ("0 1\n\n2\n", "net.edges:3: 1 word;"),
        ("0 1\n1 x\n", "net.edges:2: 'x' is not a switch id"),
        ("0 1\n1 2.0\n", "net.edges:2: '2.0' is not a switch id"),
        ("0 1\n1 +2\n", "net.edges:2: '\\+2' is not a switch id"),
        ("0 1\n1 \u0663\n", "net.edges:2: .* is not a switch id"),
        ("0 1\n1 1_0\n", "net.edges:2: '1_0' is not a switch id"),
        ("0 1\n1 1000000000000\n", "net.edges:2: a switch id above .* without large gaps"),
        ("0 1\n1 999999\n", "net.edges:2: a switch id above 1039"),
        ("0 1\n1 " + "9" * 5000 + "\n", "net.edges:2: a switch id above"),
        ("# switches 3\n0 1\n1 3\n", "net.edges:3: a switch id above 2, but the file states '# switches 3'"),
        ("# switches 0\n0 1\n", "net.edges:1: '0' switches"),
        ("# switches 999999999\n0 1\n", "net.edges:1: '999999999' switches"),
        ("# only a comment\n", "net.edges: holds no links"),
        ("0 1\n0,0 1,0\n", "net.edges:2: '0,0' is a grid point, but"),
        ("0,0 1,0\n1 2\n", "net.edges:2: '1' is not a grid point"),
        ("0,0 1,0\n1,0 1,0\n", "net.edges:2: the switch at 1,0 is linked to itself"),
        ("0,0 1,0 2,0\n", "net.edges:1: 3 words; a line holds two grid points"),
        ("0,0 1,1e3\n", "net.edges:1: '1,1e3' is not a grid point"),
        ("0,0 9999999999,1\n", "net.edges:1: '9999999999,1' is not a grid point"),
    ],
)
def test_wrong_lines_are_named(text, reason):
    """A line that is no link is answered with file, line and what a line holds."""
    with pytest.raises(InputError, match=reason):
        read(text)


@settings(max_examples=examples(300), deadline=None)
@given(st.text(st.sampled_from("0123456789 \t\n\r-+.,#_x\f\x1c"), max_size=30).map(str.encode))
def test_the_fast_way_agrees_with_the_slow_one(data):
    """Whatever NumPy's reader accepts, the line-by-line pass reads as the same links."""
    links = edges._quick(data)
    if links is not None:
        slow = edges._plain(data.decode().splitlines(), "net")
        assert Topology(**slow) == Topology(links, int(links.max()) + 1)


def test_large_files_take_the_fast_way():
    """A clean file never falls back to the slow pass."""
    ring = np.stack([np.arange(50_000), np.roll(np.arange(50_000), -1)], axis=1)
    topology = Topology(ring, 50_000)
    data = edges.write(topology).encode()
    assert edges._quick(data) is not None
    assert edges._quick(data.replace(b"\n", b"\r\n")) is not None
    assert edges.read(data, "net") == topology


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({}, "it lacks x and y"),
        ({"x": np.arange(3)}, "it lacks y"),
        ({"x": np.arange(3), "y": np.array(["a", "b", "c"])}, "it lacks y"),
        ({"x": np.zeros(3, int), "y": np.array([0, 1, 1])}, "share a grid point"),
        ({"x": np.arange(3), "y": np.array([0, 0, 10**9])}, "ten digits"),
    ],
)
def test_switches_without_places_have_no_grid_edges(labels, reason):
    """Grid edges need a place of its own for each switch, in the labels x and y."""
    with pytest.raises(InputError, match=reason):
        FORMATS.find("grid-edges").write(Topology([(0, 1)], 3, labels=labels))


def test_lonely_grid_points_are_told_by_comments():
    """A switch without links keeps its point through a comment line."""
    lonely = Topology(np.empty((0, 2), int), 1, labels={"x": np.array([4]), "y": np.array([-2])})
    text = FORMATS.find("grid-edges").write(lonely)
    assert text == "# switch 4,-2\n"
    assert read(text) == lonely

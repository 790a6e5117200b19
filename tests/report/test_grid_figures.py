"""Graphs on floors: every switch and link is drawn where it is, ways are shortest paths, and nobody is asked for places."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from topoloom import InputError, Topology, build, hops
from topoloom.report.graph_picture import draw_steps, grid_picture, steps_svg

_GRID = "grid:rows=6,columns=5,degree=4,length=3"
_DIAGRID = "diagrid:rows=8,columns=4,degree=4,length=3"


def _links_and_ways(axes):
    """The curves of the first collection, and those of the others, as (points, 2) arrays of a start, a bend and an end."""
    links, *ways = [[path.vertices for path in one.get_paths()] for one in axes.collections[:-1]]
    return links, ways


@pytest.mark.parametrize("spec", [_GRID, _DIAGRID])
def test_links_run_from_switch_to_switch(spec):
    """Each link's curve begins and ends at its switches' places; straight unless other switches lie between."""
    topology = build(spec)
    figure = draw_steps([("a", topology)])
    if "x" in topology.labels:
        places = np.stack([topology.labels["x"], topology.labels["y"]], axis=1)
    else:
        row = topology.labels["row"]
        places = np.stack([2 * topology.labels["column"] + row % 2, row], axis=1)
    links, _ = _links_and_ways(figure.axes[0])
    assert len(links) == len(topology.links)
    every = {tuple(place) for place in places.tolist()}
    bent = 0
    for (start, middle, end), (u, v) in zip(links, topology.links, strict=True):
        assert (start == places[u]).all()
        assert (end == places[v]).all()
        between = {tuple(start + (end - start) * step / 60) for step in range(1, 60)}
        over = any(abs(x - a) + abs(y - b) < 1e-9 for x, y in between for a, b in every)
        assert over == (not np.allclose(middle, (start + end) / 2))
        bent += over
    assert bent


@pytest.mark.parametrize("spec", [_GRID, _DIAGRID])
def test_the_coloured_ways_are_shortest_ways_to_the_corners(spec):
    """From the top-left corner to the three others, as many links as there are hops, and the legend says how many."""
    topology = build(spec)
    axes = draw_steps([("a", topology)]).axes[0]
    _, ways = _links_and_ways(axes)
    columns = int(topology.labels.get("x", topology.labels.get("column")).max()) + 1
    corners = columns - 1, topology.switches - columns, topology.switches - 1
    offsets, neighbours, _ = topology.csr
    apart = np.full(topology.switches, -1)
    apart[0] = 0
    for u in (front := [0]):
        for v in neighbours[offsets[u] : offsets[u + 1]]:
            if apart[v] < 0:
                apart[v] = apart[u] + 1
                front.append(v)
    assert [len(way) for way in ways] == [apart[corner] for corner in corners]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert [int(text.split(": ")[1]) for text in legend] == [apart[corner] for corner in corners]
    for way in ways:
        assert all((first[2] == second[0]).all() for first, second in pairwise(way))


def test_panels_stand_side_by_side_with_their_numbers():
    """Each with its title, its diameter and its ASPL."""
    panels = [("before", build(_GRID)), ("after", build(_GRID + ",seed=2"))]
    figure = draw_steps(panels)
    for axes, (title, topology) in zip(figure.axes, panels, strict=True):
        found = hops(topology)
        assert axes.get_title(loc="left") == f"{title}\ndiameter {found.diameter}, ASPL {found.aspl:.3f}"


def test_the_top_row_is_on_top():
    """Row 0 is drawn above row 1, as the paper has it."""
    axes = draw_steps([("a", build(_GRID))]).axes[0]
    bottom, top = axes.get_ylim()
    assert bottom > top


def test_switches_without_places_stand_on_a_circle():
    """A general graph, and one that falls apart, has a picture as well."""
    for topology in (build("petersen"), Topology(links=[(0, 1), (2, 3)], switches=4), Topology(links=[], switches=1)):
        axes = draw_steps([(topology.name, topology)]).axes[0]
        points = axes.collections[-1].get_offsets()
        assert np.allclose(np.hypot(*points.T), 1)
        assert axes.get_legend() is None


def test_corners_that_cannot_be_reached_have_no_way():
    """Two halves of a grid: the legend names only the corner of the first half."""
    x, y = np.meshgrid(np.arange(3), np.arange(2))
    labels = {"x": x.ravel(), "y": y.ravel()}
    halves = Topology(links=[(0, 1), (1, 2), (3, 4), (4, 5)], switches=6, labels=labels)
    axes = draw_steps([("halves", halves)]).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["top right: 2"]
    assert "diameter inf" in axes.get_title(loc="left")


def test_files_are_what_their_endings_say(tmp_path):
    """SVG is XML and the same every time; PNG begins as one; other endings are refused."""
    topology = build(_GRID)
    grid_picture(topology, tmp_path / "a.svg", "<b> & 5 $")
    text = (tmp_path / "a.svg").read_text()
    ET.fromstring(text)
    assert text == steps_svg([("<b> & 5 $", topology)])
    assert re.search("&lt;b&gt; &amp; 5 \\$", text)
    grid_picture(topology, tmp_path / "a.PNG")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"a\.gif: end its name in \.svg, \.png, \.pdf or \.pgf"):
        grid_picture(topology, tmp_path / "a.gif")

"""Load curves and loads of links, drawn: every point and every link is where its numbers say."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from topoloom import InputError, LoadCurve, Topology, build, route
from topoloom.figures import link_heat
from topoloom.figures.knee import knee
from topoloom.figures.link_heat import link_heat as draw_heat
from topoloom.figures.load_curves import load_curves
from topoloom.model.results import Provenance
from topoloom.report.load_table import load_table
from topoloom.report.pictures import check_picture, write_picture
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.presets import find_preset


def _point(offered, latency, accepted=None):
    saturated = accepted is not None
    return Point(
        offered, offered if accepted is None else accepted, 0.1, latency, 0.2, 10, 20, 30, 3.0, 1000, 9000, saturated
    )


def _curve(name, engine, points, **more):
    about = Provenance(name=name, engine=engine, seed=1)
    return LoadCurve("uniform", "booksim", points, find_preset("booksim"), provenance=about, **more)


ONE = _curve("one", "dor", (_point(0.5, 14.0), _point(0.1, 11.0), _point(0.9, 300.0, 0.8)))
TWO = _curve("two", "orders", (_point(0.2, 12.0), _point(0.4, 13.0)), zero_load=10.5)


def _lines(axes):
    """The drawn lines as (x, y, marker, style)."""
    return [
        (line.get_xdata(), line.get_ydata(), line.get_marker(), line.get_linestyle())
        for line in axes.get_lines()
        if len(line.get_xdata())
    ]


def test_points_stand_at_accepted_load_and_latency():
    """By load, whatever the order they came in; a curve with a zero-load latency begins there."""
    axes = load_curves([ONE, TWO]).axes[0]
    named = [line for line in axes.get_lines() if not line.get_label().startswith("_")]
    marks = [(list(line.get_xdata()), list(line.get_ydata())) for line in named]
    assert marks == [([0.1, 0.5], [11.0, 14.0]), ([0.2, 0.4], [12.0, 13.0])]
    solid = [(list(x), list(y)) for x, y, _, style in _lines(axes) if style == "-"]
    ends = [((x[0], y[0]), (x[-1], y[-1])) for x, y in solid]
    assert ends == [((0.1, 11.0), (0.5, 14.0)), ((0.0, 10.5), (0.4, 13.0))]


@pytest.mark.parametrize("saturation", [None, 0.9, 0.3])
def test_between_points_a_curve_rises_ever_steeper(saturation):
    """Through every point, without a turn; with a saturation it leaves the picture at its upper edge."""
    points = [(0.0, 10.0), (0.4, 11.0), (0.8, 16.0)]
    line, rest = knee(points, saturation, 40.0)
    assert set(points) <= set(line)
    x, y = np.array(line + rest[1:]).T
    assert (np.diff(x) > 0).all()
    assert (np.diff(y) > 0).all()
    if saturation is None:
        assert not rest
    else:
        assert rest[0] == pytest.approx(points[-1])
        assert y[-1] == pytest.approx(40.0)
        assert x[-1] <= max(0.9, 0.8 * 1.02)


def test_a_curve_whose_loads_fall_is_straight():
    """Noise may make a network accept less at a higher load."""
    assert knee([(0.5, 10.0), (0.4, 11.0)], 0.6, 40.0) == ([(0.5, 10.0), (0.4, 11.0)], [])


def test_saturated_points_are_open_marks_on_the_upper_edge():
    """At their accepted load: their latency says nothing, and does not stretch the axis."""
    axes = load_curves([ONE, TWO]).axes[0]
    top = axes.get_ylim()[1]
    assert 14.0 < top < 30.0
    marks = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    assert [(list(mark.get_xdata()), list(mark.get_ydata())) for mark in marks] == [([0.8], [top])]
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[-1].startswith("saturated")
    assert not any("saturated" in text.get_text() for text in load_curves([TWO]).axes[0].get_legend().get_texts())


def test_a_wide_range_of_latencies_is_logarithmic():
    """So that a point just below saturation does not flatten the others."""
    steep = replace(TWO, points=(*TWO.points, _point(0.9, 200.0)))
    assert load_curves([steep]).axes[0].get_yscale() == "log"
    assert load_curves([TWO]).axes[0].get_yscale() == "linear"


def test_curves_are_named_by_what_tells_them_apart():
    """The title says what they share, the legend what differs."""
    axes = load_curves([ONE, TWO]).axes[0]
    assert axes.get_title(loc="left") == "uniform traffic, routers of booksim"
    assert [text.get_text() for text in axes.get_legend().get_texts()][:2] == ["one, dor", "two, orders"]
    seeds = load_curves([TWO, replace(TWO, provenance=Provenance(name="two", engine="orders", seed=2))]).axes[0]
    assert [text.get_text() for text in seeds.get_legend().get_texts()] == ["1", "2"]
    assert seeds.get_title(loc="left") == "two, engine orders, uniform traffic, routers of booksim"


@pytest.mark.parametrize(
    "points", [(), (_point(0.9, 300.0, 0.8),), (_point(0.5, 0.0, 0.0),)], ids=["none", "saturated", "nothing arrives"]
)
def test_curves_without_a_latency_are_drawn_all_the_same(points):
    """No point, only saturated ones, or nothing that arrived."""
    low, high = load_curves([replace(ONE, points=points)]).axes[0].get_ylim()
    assert low < high


def test_the_table_has_a_row_a_point():
    """With the names of the legend."""
    rows = load_table([ONE, TWO]).split("<tr>")[2:]
    assert len(rows) == 5
    assert "one, dor" in rows[0]
    assert "0.8000" in rows[2]


def _heat(topology, loads, engine="minimal"):
    routing = route(topology, engine)
    point = replace(_point(0.5, 12.0), channel_loads=np.asarray(loads(routing), np.float32))
    return routing, draw_heat(routing, point)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "spec",
    [
        "slimfly:q=3,hosts=1",
        "torus:dims=4x4,hosts=1",
        "fat-tree:k=4",
        "grid:rows=4,columns=4,degree=4,length=3,hosts=1",
    ],
)
def test_every_link_has_the_colour_of_its_busier_direction(spec):
    """From switch to switch, in the colour that the scale gives to the greater load of its two channels."""
    routing, figure = _heat(build(spec), lambda routing: np.linspace(0.0, 1.0, routing.channels.to.size))
    links, switches = figure.axes[0].collections
    places = [tuple(np.round(place, 9)) for place in switches.get_offsets().tolist()]
    assert len(set(places)) == routing.topology.switches
    drawn = {}
    for path, colour in zip(links.get_paths(), links.get_edgecolors(), strict=True):
        ends = tuple(sorted(places.index(tuple(np.round(path.vertices[end], 9))) for end in (0, -1)))
        drawn[ends] = to_hex(colour)
    channels, loads = routing.channels, np.linspace(0.0, 1.0, routing.channels.to.size).astype(np.float32)
    expected = {}
    for channel, (u, v) in enumerate(zip(channels.origin.tolist(), channels.to.tolist(), strict=True)):
        ends = (min(u, v), max(u, v))
        expected[ends] = max(expected.get(ends, 0.0), float(loads[channel]))
    top = max(float(loads.max()), 2 * float(loads.mean()))
    assert drawn == {ends: to_hex(link_heat._colours()(load / top)) for ends, load in expected.items()}


def test_a_tree_stands_on_its_leaves():
    """Levels upwards: switches with hosts are drawn lowest."""
    topology = build("fat-tree:k=4")
    _, figure = _heat(topology, lambda routing: np.ones(routing.channels.to.size))
    axes = figure.axes[0]
    height = axes.transData.transform(axes.collections[1].get_offsets())[:, 1]
    assert (np.argsort(height, kind="stable")[: int((topology.endpoints_at > 0).sum())] < 8).all()


def test_large_networks_are_a_matrix_of_channels():
    """A cell from each switch to each, white where there is no link."""
    routing, figure = _heat(
        build("jellyfish:n=150,degree=8,hosts=1"),
        lambda routing: np.random.default_rng(1).random(routing.channels.to.size),
    )
    cells = figure.axes[0].get_images()[0].get_array()
    channels = routing.channels
    assert cells.count() == channels.to.size
    loads = np.random.default_rng(1).random(channels.to.size).astype(np.float32)
    assert np.allclose(cells[channels.origin, channels.to], loads)


def test_a_cell_for_several_switches_is_their_busiest_channel(monkeypatch):
    """Where there are more switches than cells."""
    monkeypatch.setattr(link_heat, "_MOST_CHORDS", 1)
    monkeypatch.setattr(link_heat, "_MOST_CELLS", 4)
    routing, figure = _heat(build("ring:n=10,hosts=1"), lambda routing: np.arange(routing.channels.to.size))
    cells = figure.axes[0].get_images()[0].get_array()
    assert cells.shape == (4, 4)
    channels = routing.channels
    for row, column in np.ndindex(4, 4):
        inside = (channels.origin // 3 == row) & (channels.to // 3 == column)
        assert (cells[row, column] is np.ma.masked) == (not inside.any())
        if inside.any():
            assert cells[row, column] == np.flatnonzero(inside).max()


def test_loads_are_ranked():
    """All channels from the busiest to the idlest, with their mean."""
    routing, figure = _heat(build("petersen:hosts=1"), lambda routing: np.arange(routing.channels.to.size) / 10)
    ranks = next(axes for axes in figure.axes if axes.get_xlabel().startswith("channels"))
    y = ranks.get_lines()[0].get_ydata()
    assert (np.diff(y) <= 0).all()
    assert y[0] == pytest.approx((routing.channels.to.size - 1) / 10)
    assert ranks.get_title(loc="left").startswith("greatest load 2.900 (2.00 times the mean), least load 0.000")


def test_loads_of_another_network_are_refused():
    """None at all, or of another number of channels."""
    routing = route(build("petersen:hosts=1"))
    for loads in ([], [0.5] * 7):
        point = replace(_point(0.5, 12.0), channel_loads=np.array(loads, np.float32))
        with pytest.raises(InputError, match=rf"load 0\.5 has {len(loads)} loads of channels; petersen.* has 30"):
            draw_heat(routing, point)


@pytest.mark.exhaustive
def test_idle_networks_and_long_names_are_drawn(tmp_path):
    """No load anywhere is no division by zero; a name of a thousand letters is cut."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1], name="x" * 1000)
    _, figure = _heat(topology, lambda _: np.zeros(2))
    write_picture(figure, tmp_path / "a.svg", "title")
    assert len(figure.get_suptitle()) < 200
    ET.parse(tmp_path / "a.svg")


def test_pictures_that_cannot_be_drawn_are_refused(tmp_path):
    """The ending, the folder, a folder in place of a file, and nothing to draw."""
    (tmp_path / "a.svg").mkdir()
    for name, message in (("a.gif", "end its name"), ("no/a.svg", "no folder"), ("a.svg", "is a folder")):
        with pytest.raises(InputError, match=message):
            check_picture(tmp_path / name)
    with pytest.raises(InputError, match="no load curve to draw"):
        load_curves([])

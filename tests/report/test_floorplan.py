"""The floor plan: to scale, complete, legible, and the same every time."""

import re
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from topoloom import InputError, build, place
from topoloom.figures.floor_panels import strongest
from topoloom.placement.floors.floor import preset
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.layout.layout import Layout
from topoloom.report.floorplan import floorplan, floorplan_png, floorplan_svg

HALL = Path(__file__).parents[2] / "examples" / "floors" / "hall.toml"


def _layout(spec: str, floor: str | Path) -> Layout:
    return place(build(spec), read_floor(floor), map="rows", switch_w=30.0)


#: One rack, two, twenty in a square room, a hall with pillar, blocked slots and trays, and a long room of 64.
LAYOUTS = {
    "one": ("petersen", "koibuchi-2013"),
    "two": ("hypercube:n=5", "koibuchi-2013"),
    "square": ("slimfly:q=19", "slimfly-2014"),
    "hall": ("slimfly:q=7,hosts=6", HALL),
    "long": ("jellyfish:n=1024,degree=6", "koibuchi-2013"),
    "grid": ("torus:dims=24x25", "nakano-grid"),
}


@pytest.fixture(scope="module", params=LAYOUTS)
def layout(request) -> Layout:
    """Each of the layouts."""
    return _layout(*LAYOUTS[request.param])


@pytest.fixture(scope="module")
def sheet(layout) -> Figure:
    """Its sheet, drawn once."""
    figure = floorplan(layout, _medium(layout))
    figure.canvas.draw()
    return figure


def _medium(layout: Layout) -> np.ndarray:
    return np.where(layout.length_m > 3, "optical", "copper")


@pytest.mark.sweep(1)
def test_no_text_lies_on_another_nor_outside(sheet, monkeypatch):
    """Every text of the sheet is inside it, 5 points or more, and none overlaps another by more than a hair."""
    # Ticks outside the axes exist, too, but are not drawn.
    written: list[Text] = []
    monkeypatch.setattr(Text, "draw", lambda text, renderer: written.append(text))
    sheet.canvas.draw()
    frame, boxes = sheet.bbox, []
    texts = {text for text in written if text.get_text().strip()}
    assert texts
    for text in texts:
        box = text.get_window_extent()
        assert text.get_fontsize() >= 5, text
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1, text
        boxes.append((box, text.get_text()))
    assert len(boxes) > 20
    corners = np.array([[box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1] for box, _ in boxes])
    over = (corners[:, None, :2] < corners[None, :, 2:]).all(axis=2)
    hits = np.argwhere(np.triu(over & over.T, 1))
    assert not hits.size, [(boxes[a][1], boxes[b][1]) for a, b in hits.tolist()]


@pytest.mark.sweep(1)
def test_every_rack_is_drawn_to_scale(layout, sheet):
    """A rectangle a rack, in metres, at its place, none over another; the same scale in both directions."""
    axes = sheet.axes[0]
    drawn = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    assert set(drawn) == {f"rack-{number}" for number in range(layout.racks)}
    width_m, depth_m = (layout.floor.width_m, layout.floor.depth_m)
    for number, place_m in enumerate(layout.place_m.tolist()):
        patch = drawn[f"rack-{number}"]
        assert patch.get_center() == pytest.approx(place_m)
        assert 0.8 * width_m < patch.get_width() <= width_m
        assert 0.8 * depth_m < patch.get_height() <= depth_m
    assert axes.get_aspect() == 1


@pytest.mark.sweep(1)
def test_the_sheet_says_what_it_shows(layout):
    """The topology, the floor, and every number of the header are in the SVG as text; media and bundles in the legend."""
    drawn = floorplan_svg(layout, _medium(layout))
    ET.fromstring(drawn)
    texts = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", drawn))
    for words in (
        layout.topology.name,
        layout.floor.name,
        f"{layout.racks} of {len(layout.slots)} slots",
        f"{layout.length_m.size:,}",
        f"mean {layout.mean_length_m:.2f} m",
        f"longest {layout.longest_m:.1f} m",
        "cables by length",
        "on each section of tray",
    ):
        assert words in texts
    pairs, _ = layout.bundles
    assert (f"{len(pairs):,} bundles" in texts) == bool(len(pairs))
    for medium in np.unique(_medium(layout)):
        assert f"{medium}: {int((_medium(layout) == medium).sum()):,}" in texts
    assert len(re.findall(r"<title>rack \d+: ", drawn)) == layout.racks


@pytest.mark.exhaustive
def test_the_same_layout_gives_the_same_picture():
    """No dates, no random ids: byte by byte."""
    layout = _layout("slimfly:q=5", "slimfly-2014")
    assert floorplan_svg(layout) == floorplan_svg(layout)
    picture = floorplan_png(layout)
    assert picture.startswith(b"\x89PNG")
    assert floorplan_png(layout) == picture


def test_a_hall_shows_pillars_blocked_slots_and_trays():
    """Each has its entry in the legend, and only where there is one."""
    words = {"pillar", "blocked", "tray", "free slot"}
    hall = floorplan_svg(_layout("slimfly:q=5,hosts=4", HALL))
    assert words <= set(re.findall(r">([^<]+)</text>", hall))
    bare = floorplan_svg(_layout("hypercube:n=5", "koibuchi-2013"))
    assert not words & set(re.findall(r">([^<]+)</text>", bare))


def test_the_strongest_bundles_are_drawn_and_equal_ones_are_spread():
    """All that are stronger than the weakest drawn, and of those that are as weak, every so many."""
    cables = np.array([1, 5, 1, 1, 9, 1, 1, 1])
    assert strongest(cables, 5).tolist() == [0, 1, 3, 4, 6]
    assert strongest(cables, 8).tolist() == list(range(8))
    assert strongest(np.ones(1000, int), 4).tolist() == [0, 250, 500, 750]
    assert set(np.flatnonzero(cables > 1)) == set(strongest(cables, 2).tolist())


@pytest.mark.parametrize("name", ["koibuchi-2013", "nakano-grid", "slimfly-2014"])
def test_every_floor_is_drawn_as_floor_files_define_it(name):
    """Seen from above, x to the right and y upwards, also a floor that is much deeper than wide."""
    layout = _layout("hypercube:n=6", name)
    for axes in (floorplan(layout).axes[0], layout.plot()):
        assert not axes.yaxis_inverted()
        assert not axes.xaxis_inverted()
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
        (low_x, high_x), (low_y, high_y) = axes.get_xlim(), axes.get_ylim()
        assert (layout.slots.place_m > (low_x, low_y)).all()
        assert (layout.slots.place_m < (high_x, high_y)).all()


def test_a_medium_for_every_link_or_none():
    """An array of another shape is the caller's mistake."""
    with pytest.raises(InputError, match=r"medium has shape \(3,\); give one medium for each of 15 links"):
        floorplan(_layout("petersen", "koibuchi-2013"), np.array(["copper"] * 3))


@pytest.mark.exhaustive
def test_six_hundred_racks_take_seconds():
    """A picture of 600 racks and 50,000 cables: below 5 s of this thread's time."""
    floor = preset("koibuchi-2013")
    topology = build("jellyfish:n=10000,degree=10")
    slots = floor.slots_for(600)
    layout = Layout(topology, floor, slots, np.random.default_rng(1).integers(0, 600, 10_000).astype(np.int32))
    start = time.thread_time()
    floorplan_png(layout, _medium(layout))
    assert time.thread_time() - start < 5

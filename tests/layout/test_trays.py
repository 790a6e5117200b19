"""Trays: distances over them, and how many cables lie on each stretch."""

import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import networkx
import numpy as np
import pytest

from topoloom import build
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor, preset
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.floors.floor_text import floor_toml
from topoloom.placement.floors.slots import Slots
from topoloom.placement.floors.trays import tray_paths
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_capacity, tray_load


def _ways(places, trays):
    return tray_paths(np.array(places, float), np.array(trays, float))


def test_a_cable_runs_to_the_tray_along_it_and_down():
    """Two slots beside one tray: up along x and y, the stretch between, down; zero to itself."""
    ways = _ways([[0, 2], [5, -1]], [[0, 0, 9, 0]])
    assert ways.apart_m.tolist() == [[0, 8], [8, 0]]


def test_trays_join_where_they_cross_or_touch():
    """A cross, a T, an L, a tray that is half a millimetre short; not one that ends a centimetre before."""
    for other in ([4, -3, 4, 3], [4, 0, 4, 3], [4, 3, 4, 0.0005], [4, 0.0, 9, 5]):
        assert np.isfinite(
            _ways([[0, 0], other[2:] if other[3] > 1 else other[:2]], [[0, 0, 4, 0], other]).apart_m
        ).all()
    assert np.isinf(_ways([[0, 0], [4, 3]], [[0, 0, 4, 0], [4, 0.01, 4, 3]]).apart_m[0, 1])


def test_the_nearest_tray_is_taken_the_first_of_equals():
    """Even where a way over a farther tray would be shorter; of two as near, the one that is listed first."""
    ways = _ways([[0, 1], [3, 3]], [[-1, 0, 9, 0], [-1, 2, 9, 2], [9, 0, 9, 2]])
    assert ways.tray.tolist() == [0, 1]
    assert ways.apart_m[0, 1] == pytest.approx(1 + 9 + 2 + 6 + 1)


def test_a_slanting_tray_is_reached_straight_along_x_or_y():
    """Manhattan: the least of |dx| + |dy| over its points, not the foot of the perpendicular."""
    ways = _ways([[4, 0], [0, 0]], [[0, 0, 8, 4]])
    assert ways.up_m.tolist() == [2, 0]
    assert ways.apart_m[0, 1] == pytest.approx(2 + np.hypot(4, 2))


def test_trays_on_top_of_each_other_are_one():
    """Overlapping trays in one line carry each stretch once."""
    ways = _ways([[0, 0], [10, 0]], [[0, 0, 6, 0], [4, 0, 10, 0]])
    assert ways.apart_m[0, 1] == 10
    assert ways.length_m.sum() == 10


def _random_hall(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = [[0, y, 20, y] for y in (0, 5, 10)]
    columns = [[x, 0, x, 10] for x in rng.permutation(20)[:3].tolist()]
    return rng.random((30, 2)) * [20, 10], np.array([*rows, *columns], float)


def _graph(ways) -> networkx.Graph:
    graph = networkx.Graph()
    for (a, b), length_m in zip(ways.edges.tolist(), ways.length_m.tolist(), strict=True):
        graph.add_edge(a, b, length_m=length_m)
    return graph


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_shortest_ways(seed):
    """Symmetric, zero on the diagonal, and networkx's shortest paths over the same stretches."""
    place_m, trays = _random_hall(seed)
    ways = tray_paths(place_m, trays)
    assert np.array_equal(ways.apart_m, ways.apart_m.T)
    assert not np.diag(ways.apart_m).any()
    far = dict(networkx.all_pairs_dijkstra_path_length(_graph(ways), weight="length_m"))
    for a in range(30):
        for b in range(a):
            expected = ways.up_m[a] + ways.up_m[b] + far[int(ways.up[a])][int(ways.up[b])]
            assert ways.apart_m[a, b] == pytest.approx(expected)


def _layout(topology: Topology, slots: Slots, floor: Floor, seed: int = 0) -> Layout:
    """Every switch in a slot by chance."""
    slot = np.random.default_rng(seed).integers(0, len(slots), topology.switches).astype(np.int32)
    return Layout(topology, replace(floor, fixed=slots), slots, slot)


@pytest.mark.parametrize("seed", range(3))
def test_the_load_of_trays_is_the_cables_on_their_way(seed):
    """Stretches times load, and the ways up and down, are all metres between racks; no way passes twice."""
    place_m, trays = _random_hall(seed)
    ways = tray_paths(place_m, trays)
    slots = Slots(tuple(map(str, range(30))), place_m, np.full((30, 3), np.inf), "trays", ways.apart_m)
    trays_m = tuple(map(tuple, trays.tolist()))
    floor = replace(preset("koibuchi-2013"), distance="trays", trays_m=trays_m, overhead_end_m=0.0)
    layout = _layout(build("jellyfish:n=200,degree=6"), slots, floor, seed)
    segments, cables = tray_load(layout)
    ends = layout.slot[layout.topology.links[layout.between]]
    along_m = np.hypot(*(segments[:, :2] - segments[:, 2:]).T) @ cables
    assert along_m == pytest.approx((layout.length_m[layout.between] - ways.up_m[ends].sum(axis=1)).sum())
    assert len(segments) == len(ways.edges)
    assert cables.max() <= layout.between.sum()


def test_assumed_trays_go_along_the_row_of_the_lower_rack_first():
    """Along x over the lower number's row, along y over the other's column, step by step between coordinates; no other."""
    floor = replace(preset("nakano-grid"), rows=3, columns=3)
    slots = floor.slots_for(9)
    topology = Topology(np.array([[0, 8], [2, 3]], np.int32), 9)
    segments, cables = tray_load(Layout(topology, floor, slots, np.arange(9, dtype=np.int32)))
    found = {tuple(segment): int(load) for segment, load in zip(segments.tolist(), cables, strict=True)}
    assert found == {(0, 0, 1, 0): 2, (1, 0, 2, 0): 2, (2, 0, 2, 1): 1, (2, 1, 2, 2): 1, (0, 0, 0, 1): 1}


def test_assumed_trays_agree_with_walking_every_cable():
    """The difference arrays give what a loop over cables and steps counts."""
    floor = replace(preset("koibuchi-2013"), rows=5, columns=6)
    layout = _layout(build("jellyfish:n=90,degree=7"), floor.slots_for(30), floor)
    counted: Counter[tuple[float, ...]] = Counter()
    xs, ys = (np.unique(layout.place_m[:, side]).tolist() for side in (0, 1))
    for u, v in layout.topology.links[layout.between].tolist():
        low, high = sorted((layout.rack[u], layout.rack[v]))
        (x_low, y_low), (x_high, y_high) = layout.place_m[low].tolist(), layout.place_m[high].tolist()
        for a, b in pairwise(xs):
            counted[a, y_low, b, y_low] += min(x_low, x_high) <= a < max(x_low, x_high)
        for a, b in pairwise(ys):
            counted[x_high, a, x_high, b] += min(y_low, y_high) <= a < max(y_low, y_high)
    segments, cables = tray_load(layout)
    found = {tuple(np.round(segment, 6)): int(load) for segment, load in zip(segments.tolist(), cables, strict=True)}
    assert found == {tuple(np.round(key, 6)): count for key, count in counted.items() if count}


def test_one_rack_uses_no_tray():
    """Cables inside a rack lie on no tray."""
    floor = preset("koibuchi-2013")
    segments, cables = tray_load(Layout(build("petersen"), floor, floor.slots_for(1), np.zeros(10, np.int32)))
    assert segments.shape == (0, 4)
    assert cables.shape == (0,)


def test_six_hundred_racks_take_no_time():
    """Well below a second of this thread's time for 50,000 cables."""
    floor = replace(preset("koibuchi-2013"), rows=24, columns=25)
    layout = _layout(build("jellyfish:n=10000,degree=10"), floor.slots_for(600), floor)
    assert len(layout.bundles[0]) > 40_000
    start = time.thread_time()
    tray_load(layout)
    assert time.thread_time() - start < 1.0


def test_sections_have_the_capacity_of_their_trays(tmp_path):
    """Also from a file that was written back; it is not known where one of two trays on a section does not state it."""
    text = """
name = "hall"
distance = "trays"
[[slot]]
name = "A"
x_m = 0.0
y_m = 1.0
[[slot]]
name = "B"
x_m = 4.0
y_m = 1.0
[[slot]]
name = "C"
x_m = 8.0
y_m = 1.0
[[tray]]
from_m = [0.0, 0.0]
to_m = [4.0, 0.0]
cables = 10
[[tray]]
from_m = [4.0, 0.0]
to_m = [8.0, 0.0]
"""
    (tmp_path / "hall.toml").write_text(text)
    floor = read_floor(tmp_path / "hall.toml")
    (tmp_path / "again.toml").write_text(floor_toml(floor, floor.slots_for(3)))
    assert read_floor(tmp_path / "again.toml").tray_cables == floor.tray_cables == (10, None)
    segments = np.array([[0.0, 0.0, 4.0, 0.0], [4.0, 0.0, 8.0, 0.0]])
    assert tray_capacity(floor, segments) == [10, None]
    assert tray_capacity(replace(floor, tray_cables=(10, 5)), segments) == [10, 5]
    both = replace(floor, trays_m=(floor.trays_m[0], floor.trays_m[0]), tray_cables=(10, 7))
    assert tray_capacity(both, segments[:1]) == [17]

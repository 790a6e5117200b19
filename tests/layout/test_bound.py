"""The lower bound on the length of all cables."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from topoloom import Topology, build
from topoloom.placement.floors.floor import Floor, preset
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.bound import _fewest_links_out, length_bound_m
from topoloom.placement.layout.layout import Layout


def _layout(topology, slot, place_m, rule="manhattan", given_m=None, inside_m=1.0, end_m=0.5):
    slots = Slots(
        tuple(map(str, range(len(place_m)))),
        np.asarray(place_m, float),
        np.full((len(place_m), 3), np.inf),
        rule,
        given_m,
    )
    return Layout(topology, Floor("f", 1, 1, inside_m, end_m, 2, fixed=slots), slots, np.asarray(slot, np.int32))


@pytest.mark.sweep(6)
@pytest.mark.parametrize("spec", ["complete:n=6", "ring:n=6", "jellyfish:n=6,degree=3,seed=1"])
@pytest.mark.parametrize("end_m", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("rule", ["manhattan", "euclidean"])
def test_no_layout_of_a_small_floor_is_below_the_bound(spec, end_m, rule):
    """All 720 ways to put six switches in pairs on three slots; the bound is the same for each of them."""
    topology = build(spec)
    place_m = [[0.0, 0.0], [1.0, 0.5], [3.0, 0.0]]
    ways = [_layout(topology, np.array(way) // 2, place_m, rule, end_m=end_m) for way in permutations(range(6))]
    bound = length_bound_m(ways[0])
    assert 0 < bound <= min(way.total_m for way in ways) + 1e-9


def test_the_bound_is_reached_where_all_layouts_are_alike():
    """A complete graph, one switch a slot of a row: every layout has this length, and the bound says so."""
    layout = _layout(build("complete:n=8"), np.arange(8), [[i, 0] for i in range(8)], inside_m=1.0, end_m=0.5)
    assert length_bound_m(layout) == pytest.approx(layout.total_m)


def test_no_cut_of_a_small_topology_has_fewer_links_than_counted():
    """All subsets of eleven switches against the bound on the links that leave so many."""
    topology = build("jellyfish:n=11,degree=4,seed=2")
    layout = _layout(topology, np.zeros(11, int), [[0, 0]])
    least = _fewest_links_out(layout)
    u, v = topology.links.T
    for subset in range(1 << 11):
        inside = (subset >> np.arange(11)) & 1
        assert (inside[u] != inside[v]).sum() >= least[inside.sum()] - 1e-9


def test_a_given_matrix_enters_by_its_least_ratio():
    """Ways twice as long as Manhattan's double the part of the bound that is distance."""
    place_m = [[i, 0] for i in range(8)]
    plain = _layout(build("complete:n=8"), np.arange(8), place_m, inside_m=0.0, end_m=0.0)
    twice = _layout(build("complete:n=8"), np.arange(8), place_m, "matrix", 2 * plain.slots.matrix_m, 0.0, 0.0)
    assert length_bound_m(twice) == pytest.approx(2 * length_bound_m(plain))


def test_disconnected_and_empty_networks_have_a_bound_too():
    """Two rings need no cable between racks: the bound is their cables inside; without links it is nothing."""
    ring = build("ring:n=4")
    two = ring.replace(links=np.concatenate([ring.links, ring.links + 4]), switches=8, labels={}, spec=None)
    layout = _layout(two, np.arange(8) // 4, [[0, 0], [5, 0]])
    assert length_bound_m(layout) == pytest.approx(8.0)
    assert length_bound_m(_layout(ring.replace(links=np.zeros((0, 2), int), spec=None), np.zeros(4), [[0, 0]])) == 0.0


def test_the_bound_of_a_real_network():
    """RING-12 on Koibuchi 2013's floor: 9.3 m a cable, against 12.2 that joint placement finds."""
    topology = build("ring-shortcuts:n=4096,degree=12")
    floor = replace(preset("koibuchi-2013"), switches_per_rack=16)
    layout = Layout(topology, floor, floor.slots_for(256), (np.arange(4096) // 16).astype(np.int32))
    assert length_bound_m(layout) / len(topology.links) == pytest.approx(9.35, abs=0.05)


def test_the_bound_holds_where_the_fewest_links_are_in_the_middle():
    """Two complete graphs joined by one link, two slots with a place to spare: one graph in each is the shortest layout."""
    half = build("complete:n=10").links
    links = np.concatenate([half, half + 10, [[0, 10]]])
    topology = Topology(links=links, switches=20)
    slots = Slots(("a", "b"), np.array([[0.0, 0.0], [0.6, 0.0]]), np.array([[19.0, np.inf, np.inf]] * 2))
    floor = Floor("f", 1, 1, 2.0, 2.0, 19, fixed=slots)
    layout = Layout(topology, floor, slots, (np.arange(20) // 10).astype(np.int32))
    assert length_bound_m(layout) <= layout.total_m == pytest.approx(90 * 2.0 + 4.6)

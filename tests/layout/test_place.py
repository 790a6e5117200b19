"""The operation `place`: all ways to lay out, on generated and listed floors, and what it refuses."""

import hashlib
import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, build, place
from topoloom.core import searches
from topoloom.placement.floors.floor import Floor, preset
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.place import MAPS

_ROOM = replace(preset("koibuchi-2013"), switches_per_rack=8)
_BASES = [
    "torus:dims=8x8",
    "hypercube:n=7",
    "folded-hypercube:n=6",
    "torus:dims=4x4x4",
    "dsn:n=96,x=4",
    "circulant:n=60,jumps=1x5x9",
]


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(_BASES), st.sampled_from(["partial", "full"]), st.integers(0, 2**40))
def test_a_permuted_topology_keeps_every_bundle_and_every_length(base, mode, seed):
    """Koibuchi 2013 III.A: between any two racks as many cables as in the base, and so the very same cable lengths."""
    before = place(build(base), _ROOM, "sequential", "rows")
    after = place(build(f"{base}+permute:mode={mode},rack=8,seed={seed}"), _ROOM, "sequential", "rows")
    for ours, theirs in zip(after.bundles, before.bundles, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(np.sort(after.length_m), np.sort(before.length_m))
    assert not np.array_equal(after.topology.links, before.topology.links)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "spec", ["ring-shortcuts:n=128,degree=5", "slimfly:q=5,hosts=4", "hypercube:n=6", "fat-tree:k=4"]
)
@pytest.mark.parametrize("cluster", ["auto", "sequential", "walktrap", "metis"])
def test_each_map_is_no_worse_than_the_simpler_ones(spec, cluster):
    """Joint placement below the annealed map, that below row by row and serpentine; all within the racks' limits."""
    topology = build(spec)
    total_m = {}
    for mapping in MAPS:
        layout = place(topology, _ROOM, cluster, mapping)
        assert np.bincount(layout.rack).max() <= 8
        assert layout.slot.shape == (topology.switches,)
        assert f"map={mapping}" in layout.made
        total_m[mapping] = layout.total_m
    assert total_m["joint"] <= min(total_m.values()) + 1e-6
    assert max(total_m["anneal"], total_m["tabu"]) <= min(total_m["rows"], total_m["serpentine"]) + 1e-6


@pytest.mark.parametrize("mapping", ["anneal", "tabu"])
def test_maps_take_as_many_moves_and_runs_as_they_are_told(mapping):
    """Runs are the best of those: never worse with more of them, and the layout says what made it."""
    topology = build("ring-shortcuts:n=256,degree=5")
    few, many = (place(topology, _ROOM, "sequential", mapping, moves=2000, runs=runs) for runs in (1, 6))
    assert many.total_m <= few.total_m
    assert few.made.endswith("moves=2000, runs=1")
    assert few.provenance.settings["runs"] == 1
    assert place(topology, _ROOM, "sequential", mapping, moves=2000, runs=6, jobs=1).total_m == many.total_m
    for wrong, told in (
        ({"map": "joint", "moves": 5}, "the map 'joint' does not use moves and runs"),
        ({"map": mapping, "runs": 2, "seconds": 1.0}, "give seconds, or moves and runs, not both"),
        ({"map": mapping, "runs": 0}, "runs=0: give 1 or more"),
    ):
        with pytest.raises(InputError, match=told):
            place(topology, _ROOM, "sequential", **wrong)


def test_serpentine_runs_every_other_row_backwards():
    """Koibuchi 2013 IV.D: left to right in the first row, right to left in the second."""
    layout = place(build("ring:n=9"), replace(preset("koibuchi-2013"), switches_per_rack=1), "sequential", "serpentine")
    assert layout.slot.tolist() == [0, 1, 2, 5, 4, 3, 6, 7, 8]


@pytest.mark.exhaustive
def test_the_same_seed_gives_the_same_layout():
    """On one thread and on two; another seed gives another layout."""
    topology = build("jellyfish:n=100,degree=5")
    first = place(topology, _ROOM, jobs=1)
    assert first == place(topology, _ROOM, jobs=2)
    assert first != place(topology, _ROOM, seed=2)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("spec", "digest"),
    [
        ("jellyfish:n=100,degree=5", "30d1fb02df70"),
        ("ring-shortcuts:n=200,degree=6", "e76a3816b2b5"),
        ("hypercube:n=7", "2ad67dcbe657"),
    ],
)
def test_a_layout_is_the_same_on_every_machine(spec, digest):
    """First 12 digits of the slots' digests; checked with and without AVX (NUMBA_CPU_NAME=x86-64)."""
    slot = place(build(spec), _ROOM).slot
    assert hashlib.sha256(slot.astype("<i4").tobytes()).hexdigest()[:12] == digest


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "options", [{}, {"seconds": 60.0}, {"seconds": 60.0, "improve": True}, {"objective": "longest"}]
)
@pytest.mark.parametrize("after", [1, 4])
def test_ctrl_c_ends_all_searches_with_the_best_so_far(monkeypatch, options, after):
    """Wherever it comes: a whole layout, within its limits, without waiting for the searches still to come."""
    calls, whole = [], searches.over_cores

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) >= after:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(searches, "over_cores", interrupted)
    layout = place(build("jellyfish:n=300,degree=6"), _ROOM, **options)
    assert len(calls) == after
    assert np.bincount(layout.slot).max() <= 8


def test_time_is_kept(monkeypatch):
    """With `seconds` the search ends at them, by a clock that goes on a hundredth each time somebody looks."""
    looks = itertools.count()
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", lambda: next(looks) / 100)
        place(build("jellyfish:n=100,degree=6"), _ROOM, seconds=1.0)
    assert 100 < next(looks) < 1000


def test_improvement_leaves_fewer_links_between_racks():
    """Before mapping; the racks stay within their limit."""
    topology = build("ring-shortcuts:n=128,degree=5")
    plain = place(topology, _ROOM, "sequential", "rows")
    improved = place(topology, _ROOM, "sequential", "rows", improve=True)
    assert improved.between.sum() < plain.between.sum()
    assert np.bincount(improved.rack).max() <= 8


@pytest.mark.exhaustive
def test_the_longest_cable_can_be_the_objective():
    """No longer than that of the shortest layout."""
    topology = build("jellyfish:n=100,degree=4")
    assert place(topology, _ROOM, objective="longest").longest_m <= place(topology, _ROOM).longest_m


@pytest.mark.exhaustive
def test_a_price_can_be_the_objective():
    """When only leaving a rack costs, fewer cables leave racks than in the shortest layout."""
    topology = build("ring-shortcuts:n=128,degree=5")

    def price(length_m, between):
        return np.where(between, 100.0, 1.0) + 0.0 * length_m

    assert place(topology, _ROOM, objective=price).between.sum() < place(topology, _ROOM).between.sum()


def _hall(sizes, hosts=np.inf, watts=np.inf):
    """A row of listed slots, 1 m apart, that hold so many switches."""
    count = len(sizes)
    limits = np.column_stack([np.asarray(sizes, float), np.full(count, hosts), np.full(count, watts)])
    place_m = np.stack([np.arange(count) * 1.0, np.zeros(count)], axis=1)
    slots = Slots(tuple(f"S{i}" for i in range(count)), place_m, limits)
    return Floor("hall", 1.0, 1.0, 1.0, 0.5, 16, fixed=slots)


def test_slots_of_one_size_are_used_where_there_are_enough():
    """Ten slots of 8 and one of 2: racks of 8, none in the small slot."""
    layout = place(build("ring:n=80"), _hall([2] + [8] * 10), "sequential", "anneal")
    assert 0 not in layout.slot
    assert np.bincount(layout.slot).max() == 8


@pytest.mark.parametrize("mapping", ["rows", "joint"])
def test_slots_of_many_sizes_are_filled_each_to_its_own_limit(mapping):
    """Where no size is enough for uniform racks, 3 + 5 + 7 + 9 places hold 24 switches."""
    sizes = [3, 5, 7, 9]
    layout = place(build("ring:n=24"), _hall(sizes), map=mapping)
    assert np.bincount(layout.slot, minlength=4).tolist() == sizes


@pytest.mark.exhaustive
def test_hosts_and_watts_limit_a_rack():
    """100 W per switch and 350 W per rack: three switches each; joint placement keeps to it."""
    topology = build("ring:n=30,hosts=2")
    layout = place(topology, _hall([8] * 12, watts=350.0), switch_w=100.0)
    assert np.bincount(layout.slot).max() <= 3
    layout = place(topology, _hall([8] * 15, hosts=5))
    assert np.bincount(layout.slot).max() <= 2


@pytest.mark.exhaustive
def test_the_bound_is_below_every_layout_and_not_idle():
    """No map is below it, and it is more than cables of the least length."""
    topology = build("ring-shortcuts:n=256,degree=6")
    layout = place(topology, _ROOM)
    assert 0.6 * layout.total_m < layout.length_bound_m <= layout.total_m
    assert layout.length_bound_m > 1.5 * layout.floor.inside_m * len(topology.links)


def test_what_cannot_be_is_refused_in_one_sentence():
    """Too little room, words that are not known, a switch too large, times that make no sense."""
    ring = build("ring:n=100")
    with pytest.raises(InputError, match="its 3 slots hold 24 switches, but the topology has 100"):
        place(ring, _hall([8] * 3))
    with pytest.raises(InputError, match="map 'x' is not known; it must be joint, tabu"):
        place(ring, map="x")
    with pytest.raises(InputError, match="objective 'x' is not known; it must be length or longest"):
        place(ring, objective="x")
    with pytest.raises(InputError, match="seconds=0: give a number of seconds above 0"):
        place(ring, seconds=0)
    with pytest.raises(InputError, match=r"has 200 W, but a rack holds 150"):
        place(ring, replace(_ROOM, power_w_per_rack=150.0), switch_w=200.0)
    with pytest.raises(InputError, match="20 racks need more than its 3 x 3 = 9 places"):
        place(ring, replace(preset("koibuchi-2013"), rows=3, columns=3, switches_per_rack=5))


@pytest.mark.exhaustive
def test_joint_placement_uses_the_seats_that_the_floor_gives():
    """Groups of ten, split into racks of five or so where eight fit: switches move into the free seats."""
    topology = build("slimfly:q=5,hosts=4")
    grouped, sequential = place(topology, _ROOM), place(topology, _ROOM, "sequential")
    assert np.bincount(grouped.slot).max() > np.bincount(place(topology, _ROOM, map="rows").slot).max()
    assert grouped.total_m <= 1.05 * sequential.total_m


def test_a_hall_of_many_kinds_takes_a_network_of_many_kinds():
    """Leaf switches need racks that hold hosts; the others go first to those that hold none."""
    count = 24
    limits = np.array([[6, 16, np.inf]] * (count // 2) + [[6, 0, np.inf]] * (count // 2), float)
    place_m = np.stack([np.arange(count) * 1.0, np.zeros(count)], axis=1)
    hall = Floor("hall", 1, 1, 1, 0.5, 16, fixed=Slots(tuple(f"S{i}" for i in range(count)), place_m, limits))
    topology = build("fat-tree:k=8")
    for mapping in ("rows", "joint"):
        layout = place(topology, hall, map=mapping)
        assert np.bincount(layout.slot).max() <= 6
        assert np.bincount(layout.slot, topology.endpoints_at, count)[: count // 2].max() <= 16
        assert np.bincount(layout.slot, topology.endpoints_at, count)[count // 2 :].max() == 0


@pytest.mark.exhaustive
def test_a_large_floor_is_searched_where_racks_lie_together():
    """Eight racks in a hall of 10,000 slots: as short as in a small one."""
    small = place(build("torus:dims=4x4"), replace(preset("koibuchi-2013"), switches_per_rack=2))
    large = place(build("torus:dims=4x4"), replace(preset("koibuchi-2013"), rows=100, columns=100, switches_per_rack=2))
    assert large.total_m <= small.total_m + 1e-9


def test_limits_of_power_ask_for_watts():
    """A limit that nobody could check is refused, not passed over."""
    with pytest.raises(InputError, match="the power of a switch is not known; give switch_w"):
        place(build("ring:n=8"), _hall([8] * 4, watts=100.0))
    with pytest.raises(InputError, match="switch 0 has 500 W, but a rack holds 100"):
        place(build("ring:n=8"), _hall([8] * 4, watts=100.0), switch_w=500.0)

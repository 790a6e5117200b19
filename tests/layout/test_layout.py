"""Layouts: racks, places and cable lengths."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build, place
from topoloom.placement.floors.floor import PRESETS, preset
from topoloom.placement.layout.racks import assign_racks


def test_the_floor_is_as_near_to_a_square_as_it_can_be():
    """Koibuchi 2013 III.D: q = ceil(sqrt m) rows of p = ceil(m / q)."""
    floor = preset("koibuchi-2013")
    assert floor.shape(16) == (4, 4)
    assert floor.shape(19) == (5, 4)
    assert floor.shape(1) == (1, 1)
    assert floor.slots_for(5).place_m[[1, 4]].tolist() == [[0.6, 0.0], [0.0, 4.2]]


def test_a_given_room_is_a_limit():
    """Racks that do not fit the room are refused with both numbers."""
    with pytest.raises(InputError, match=r"61 racks need more than its 6 x 10 = 60 places"):
        replace(preset("koibuchi-2013"), rows=6, columns=10).slots_for(61)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    "spec", ["slimfly:q=5,hosts=4", "torus:dims=8x8", "fat-tree:k=8", "jellyfish:n=50,degree=5,hosts=3"]
)
def test_every_cable_is_as_long_as_its_ends_are_apart(name, spec):
    """Inside a rack the preset's length; between racks Manhattan distance and overhead."""
    layout = place(build(spec), name)
    for (u, v), length_m in zip(layout.topology.links.tolist(), layout.length_m.tolist(), strict=True):
        a, b = layout.rack[u], layout.rack[v]
        if a == b:
            assert length_m == layout.floor.inside_m
        else:
            apart = np.abs(layout.place_m[a] - layout.place_m[b]).sum()
            assert length_m == pytest.approx(apart + 2 * layout.floor.overhead_end_m)


@pytest.mark.exhaustive
def test_slim_fly_gets_a_rack_for_every_group():
    """Besta 2014 VI.A: q racks of 2q switches, 3,971 cables inside and 6,498 between for q = 19."""
    layout = place(build("slimfly:q=19,hosts=15"))
    assert layout.racks == 19
    assert set(np.bincount(layout.rack).tolist()) == {38}
    assert int(layout.between.sum()) == 6498
    assert int((~layout.between).sum()) == 3971


def test_limits_split_large_groups_and_join_small_ones():
    """With 16 switches per rack, groups of 38 take three racks each; groups of 4 share one, whole."""
    large = assign_racks(build("slimfly:q=19"), replace(preset("slimfly-2014"), switches_per_rack=16))
    assert large.max() + 1 == 19 * 3
    assert np.bincount(large).max() <= 16
    dragonfly = build("dragonfly:h=2")
    small = assign_racks(dragonfly, replace(preset("slimfly-2014"), switches_per_rack=16))
    assert small.max() + 1 == 3
    for group in range(9):
        assert len(set(small[dragonfly.labels["group"] == group].tolist())) == 1


def test_host_limits_hold():
    """No rack has more hosts than the floor allows, and one switch with too many is refused."""
    topology = build("jellyfish:n=60,degree=6,hosts=7")
    rack = assign_racks(topology, replace(preset("koibuchi-2013"), hosts_per_rack=30))
    assert np.bincount(rack, weights=topology.endpoints_at).max() <= 30
    with pytest.raises(InputError, match="has 7 host ports"):
        assign_racks(build("slimfly:q=5,hosts=7"), replace(preset("slimfly-2014"), hosts_per_rack=6))


def test_sequence_fills_racks_evenly():
    """Koibuchi 2013 IV.C: 2^p or one less in each, in the order of the switches."""
    sizes = np.bincount(assign_racks(build("ring:n=100"), preset("koibuchi-2013")))
    assert sizes.max() - sizes.min() <= 1
    assert sizes.max() <= 16


def test_unknown_floors_and_clusters_are_named():
    """What is not known is answered with what is."""
    with pytest.raises(InputError, match=r"no floor named 'x' \(there are koibuchi-2013"):
        place(build("petersen"), "x")
    with pytest.raises(InputError, match="auto, groups, sequential, walktrap, metis"):
        place(build("petersen"), cluster="x")
    with pytest.raises(InputError, match="has no groups"):
        place(build("petersen"), cluster="groups")

"""Shuffled networks: boxes, cords and trunks are counted, every lane is a link or lost."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology
from topoloom.topologies.families.shuffled import boxes_of

_ODD = (
    "shuffled:n=64,degree=16,r=8",
    "shuffled:n=47,degree=9,r=5,c=3",
    "shuffled:n=33,degree=16",
    "shuffled:n=33,degree=16,passes=0",
    "shuffled:n=20,degree=5,r=3,c=1",
    "shuffled:n=10,degree=15,r=4,c=3,seed=4",
)


def _doubled(topology: Topology) -> int:
    return len(topology.links) - len(np.unique(topology.links, axis=0))


def test_960_switches_of_64_lanes_are_cabled_by_480_boxes():
    """The published size: 480 boxes, 960 trunks of 32 lanes, 15,360 cords, 30,720 links, none lost, none doubled."""
    topology = build("shuffled:n=960,degree=64,hosts=64")
    boxes = boxes_of(topology)
    assert topology.hosts == 61_440
    assert len(topology.links) == 30_720
    assert boxes.switch_at.shape == (480, 32)
    assert boxes.far.size == 1920
    assert boxes.lanes.shape == (960, 32, 2)
    assert (boxes.switch_at >= 0).sum() == 15_360
    assert (boxes.self_lanes, boxes.dark_lanes, _doubled(topology)) == (0, 0, 0)
    assert set(topology.degrees.tolist()) == {64}


def test_every_pair_of_ports_of_a_box_has_one_pair_of_fibres():
    """K(32, 4): the lanes of a box are all pairs of an r-port and a c-port, each once, 128 of them."""
    boxes = boxes_of(build("shuffled:n=960,degree=64"))
    at = boxes.trunks.reshape(-1, 2)
    r_ports = np.arange(32)
    lanes = np.stack(np.broadcast_arrays(at[:, None, 0], r_ports, at[:, None, 1]), axis=2).reshape(-1, 3)
    assert len(np.unique(lanes, axis=0)) == len(lanes) == 480 * 128


@pytest.mark.parametrize("spec", _ODD)
def test_every_lane_is_a_link_or_lost(spec):
    """Lane ends are those of links, of lanes to the same switch, and of dark lanes; `link_of` leads to the link's switches."""
    topology = build(spec)
    boxes = boxes_of(topology)
    c = boxes.far.shape[1]
    cords = int((boxes.switch_at >= 0).sum())
    assert cords * c == 2 * len(topology.links) + 2 * boxes.self_lanes + boxes.dark_lanes
    links = boxes.link_of[boxes.link_of >= 0]
    assert sorted(links.tolist()) == list(range(len(topology.links)))
    assert np.array_equal(topology.links[links], np.sort(boxes.lanes[boxes.link_of >= 0], axis=1))


@pytest.mark.parametrize("spec", _ODD)
def test_the_boxes_are_the_fewest_and_the_cords_of_a_switch_are_in_different_ones(spec):
    """ceil(n degree / (r c)) boxes, or one per cord; each switch has each cord once; trunks join different boxes."""
    topology = build(spec)
    boxes = boxes_of(topology)
    (count, r), c = boxes.switch_at.shape, boxes.far.shape[1]
    cords = int(boxes.cord_at.max()) + 1
    assert count == max(cords, -(-topology.switches * cords // r))
    box = np.repeat(np.arange(count), r).reshape(count, r)
    there = boxes.switch_at >= 0
    assert (
        len(np.unique(np.stack([boxes.switch_at[there], boxes.cord_at[there]]), axis=1).T) == topology.switches * cords
    )
    assert len(np.unique(np.stack([boxes.switch_at[there], box[there]]), axis=1).T) == topology.switches * cords
    assert (boxes.trunks[:, 0, 0] != boxes.trunks[:, 1, 0]).all()
    assert len(boxes.trunks) == count * c // 2
    ends = boxes.trunks.reshape(-1, 2)
    assert len(np.unique(ends, axis=0)) == len(ends)


@pytest.mark.parametrize("seed", range(1, 5))
def test_without_exchanges_lanes_are_lost_as_theory_says(seed):
    """About (d - 1) / 2 lanes join a switch to itself, and (d - 1)^2 / 4 two switches that another lane joins."""
    topology = build(f"shuffled:n=960,degree=64,passes=0,seed={seed}")
    boxes = boxes_of(topology)
    assert boxes.self_lanes == pytest.approx(31.5, abs=3 * 31.5**0.5)
    assert _doubled(topology) == pytest.approx(992, rel=0.15)
    distinct = 2 * len(np.unique(topology.links, axis=0)) / topology.switches
    assert 61.4 < distinct < 62.1


@pytest.mark.parametrize("r", [8, 32])
def test_with_equal_positions_in_all_boxes_the_network_falls_apart(r):
    """Position k meets position k only: r components, each with one switch of every group."""
    boxes = boxes_of(build(f"shuffled:n={30 * r},degree=64,r={r}"))
    equal = replace(boxes, switch_at=np.sort(boxes.switch_at, axis=1))
    parts = components(Topology(links=equal.links, switches=30 * r))
    assert len(np.unique(parts)) == r
    assert np.array_equal(parts, np.arange(30 * r) % r)


def test_boxes_are_those_of_the_draw_that_is_connected(caplog):
    """A disconnected draw is drawn again, and `boxes_of` finds the draw of the network."""
    topology = build("shuffled:n=30,degree=2,r=2,c=1")
    assert "drawing again" in caplog.text
    boxes = boxes_of(topology)
    assert np.array_equal(topology.links, Topology(links=boxes.links, switches=30).links)


def test_other_networks_have_no_boxes():
    """One sentence for a network of another family, and for one whose links were changed."""
    with pytest.raises(InputError, match="no boxes are known; only the family 'shuffled' has them"):
        boxes_of(build("petersen"))
    topology = build("shuffled:n=64,degree=8,r=8")
    with pytest.raises(InputError, match="its links are not those of its spec"):
        boxes_of(topology.replace(links=topology.links[1:]))


def test_dring_is_that_of_its_definition():
    """Ten supernodes of two: degree 8 and 80 links; a switch is linked to all of the supernodes at 1 and 2, and to no other."""
    topology = build("dring:supernodes=10,size=2")
    assert len(topology.links) == 80
    assert set(topology.degrees.tolist()) == {8}
    group = topology.labels["group"][topology.links]
    apart = (group[:, 1] - group[:, 0]) % 10
    assert set(np.minimum(apart, 10 - apart).tolist()) == {1, 2}
    assert len(np.unique(topology.links, axis=0)) == 80

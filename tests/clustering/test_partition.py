"""METIS partitions, repaired to what racks hold."""

import builtins

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.core.random_streams import Draws
from topoloom.model.topology import Topology
from topoloom.placement.clustering.packing import links_between, place_the_rest
from topoloom.placement.clustering.partition import metis
from topoloom.placement.clustering.walktrap import walktrap


@pytest.mark.parametrize(
    ("spec", "most", "racks"),
    [
        ("jellyfish:n=500,degree=7", [16, np.inf, np.inf], 32),
        ("fat-tree:k=8", [16, 26, np.inf], 6),  # 32 of 80 with 4 hosts, 6 per rack
        ("fat-tree:k=8", [np.inf, np.inf, 1600], 8),  # 158.4 or 129.2 watts
        ("slimfly:q=7,hosts=5", [38, 60, np.inf], 9),  # 98 switches, 12 per rack
        ("slimfly:q=5", [np.inf, np.inf, np.inf], 1),
    ],
)
def test_no_limit_is_passed_and_no_rack_too_many(spec, most, racks):
    """METIS balances one resource nearly; after the repair all fit, in as few racks as the scarcest allows."""
    topology = build(spec)
    loads = np.stack([np.ones(topology.switches), topology.endpoints_at, 100 + 7.3 * topology.degrees], axis=1)
    rack = metis(topology, loads, np.array(most), topology.switches)
    assert list(dict.fromkeys(rack.tolist())) == list(range(racks))
    for load, limit in zip(loads.T, most, strict=True):
        assert np.bincount(rack, weights=load).max() <= limit * (1 + 1e-6)


@pytest.mark.parametrize(
    ("spec", "links"),
    [("hypercube:n=9", 1280), ("torus:dims=16x16", 128), ("dragonfly:h=4", 528), ("torus:dims=8x8x8", 640)],
)
def test_cuts_are_near_the_best(spec, links):
    """Racks of 16 (of 8 for the dragonfly): subcubes, squares, groups and bars of 2 x 2 x 4, or within a tenth of them."""
    topology = build(spec)
    most = np.array([8.0 if "dragonfly" in spec else 16.0])
    rack = metis(topology, np.ones((topology.switches, 1)), most, topology.switches)
    assert links <= links_between(topology, rack) <= 1.1 * links


def test_parallel_links_weigh_more():
    """A ring of 4 with two sides doubled is cut at the single ones."""
    topology = Topology(links=[(0, 1), (1, 2), (1, 2), (2, 3), (3, 0), (3, 0)], switches=4)
    assert metis(topology, np.ones((4, 1)), np.array([2.0]), 2).tolist() == [0, 1, 1, 0]


def test_the_switch_that_loses_least_leaves_a_full_rack():
    """Of four in a rack of 3 that goes with the most links to another less those inside: 3 (2 - 1), not 0 (3 - 4)."""
    topology = Topology(
        links=[(0, 1)] * 3 + [(0, 2), (1, 2), (2, 3), (0, 4), (0, 4), (0, 5), (3, 4), (3, 5)], switches=6
    )
    rack = np.array([0, 0, 0, 0, 1, 1], np.int32)
    assert place_the_rest(topology, rack, np.ones((6, 1)), np.array([3.0]), 2)
    assert rack.tolist() == [0, 0, 0, 1, 1, 1]


def test_links_between_counts_parallel_links_one_by_one():
    """Links inside a rack do not count."""
    topology = Topology(links=[(0, 1), (1, 2), (1, 2)], switches=3)
    assert links_between(topology, np.array([0, 0, 1])) == 2


def test_the_same_seed_gives_the_same_racks():
    """Another seed gives others."""
    topology = build("jellyfish:n=200,degree=6")
    one, again, other = (metis(topology, np.ones((200, 1)), np.array([10.0]), 20, seed=seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist() != other.tolist()


def test_without_links_the_order_decides():
    """METIS is not asked about a topology without links."""
    topology = Topology(links=[], switches=5)
    assert np.bincount(metis(topology, np.ones((5, 1)), np.array([2.0]), 3)).max() == 2


def test_it_says_what_does_not_fit_and_what_to_install(monkeypatch):
    """Too few racks are counted; a missing pymetis is named with its extra."""
    topology = build("ring:n=20")
    with pytest.raises(InputError, match="20 switches need 5 racks or more, and do not fit into 4; allow more"):
        metis(topology, np.ones((20, 1)), np.array([4.0]), 4)
    with pytest.raises(InputError, match="every limit must be above 0"):
        metis(topology, np.ones((20, 1)), np.array([0.0]), 4)
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda name, *rest: real("no_metis" if name == "pymetis" else name, *rest)
    )
    with pytest.raises(InputError, match=r"pip install topoloom\[partition\]"):
        metis(topology, np.ones((20, 1)), np.array([4.0]), 5)


@pytest.mark.parametrize("seed", range(8))
def test_no_rack_is_overfilled_with_uneven_hosts(seed):
    """A torus with 0 to 4 hosts per switch, at most 12 in a rack: neither method passes the limit."""
    hosts = Draws(seed).below(5, 36)
    topology = build("torus:dims=6x6")
    topology = topology.replace(endpoints=np.repeat(np.arange(36), hosts), host=None, spec=None)
    loads = np.column_stack([np.ones(36), hosts]).astype(float)
    most = np.array([6.0, 12.0])
    for rack in (metis(topology, loads, most, 36), walktrap(topology, loads, most, 36)):
        assert np.bincount(rack).max() <= 6
        assert np.bincount(rack, hosts).max() <= 12

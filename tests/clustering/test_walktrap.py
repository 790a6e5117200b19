"""Walktrap with a limit on what a cluster holds, and the packing of clusters into racks."""

from itertools import combinations

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.model.topology import Topology
from topoloom.placement.clustering import walktrap as module
from topoloom.placement.clustering.packing import links_between, pack
from topoloom.placement.clustering.walktrap import clusters_after, dendrogram, walktrap


def places(topology):
    """Loads of places alone."""
    return np.ones((topology.switches, 1))


def scattered(switches, links, seed):
    """A random multigraph: parts without links to each other, switches alone, parallel links."""
    ends = np.random.default_rng(seed).integers(0, switches, (links, 2))
    return Topology(links=ends[ends[:, 0] != ends[:, 1]], switches=switches)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("topology", "most", "steps"),
    [
        ("jellyfish:n=40,degree=4", 40, 4),
        ("jellyfish:n=60,degree=5", 6, 3),
        ("slimfly:q=5", 8, 2),
        (scattered(50, 70, 1), 7, 4),
        (scattered(30, 90, 2), 5, 1),
        ("hypercube:n=5", 8, 4),
    ],
)
def test_every_merge_is_the_cheapest_that_fits(topology, most, steps):
    """Koibuchi 2013 IV.C with loops: of linked clusters that fit together those merge whose variance grows least,
    until none fit.
    """
    topology = build(topology) if isinstance(topology, str) else topology
    n = topology.switches
    step = np.eye(n)
    np.add.at(step, (*topology.links.T,), 1)
    np.add.at(step, (*topology.links.T[::-1],), 1)
    degree = step.sum(axis=1)
    walk = np.linalg.matrix_power(step / degree[:, None], steps) / np.sqrt(degree)
    clusters = {u: [u] for u in range(n)}

    def costs():
        found = {}
        for a, b in combinations(clusters, 2):
            size_a, size_b = len(clusters[a]), len(clusters[b])
            if size_a + size_b <= most and step[np.ix_(clusters[a], clusters[b])].any():
                apart = walk[clusters[a]].mean(axis=0) - walk[clusters[b]].mean(axis=0)
                found[a, b] = size_a * size_b / (size_a + size_b) * (apart**2).sum()
        return found

    for stays, joins in dendrogram(topology, places(topology), np.array([float(most)]), steps).tolist():
        known = costs()
        assert known[min(stays, joins), max(stays, joins)] <= min(known.values()) * (1 + 1e-5) + 1e-9
        clusters[stays] += clusters.pop(joins)
    assert not costs()


@pytest.mark.parametrize(
    ("spec", "clusters", "expected"),
    [
        ("jellyfish:n=50,degree=5", 3, "01222212110211111221010111121110212110111102110201"),
        ("jellyfish:n=50,degree=5", 8, "01223243456311441235650145527710273576711503740364"),
        (
            "dsn-f:n=100",
            8,
            "0000111122223333444455556666777700007777777777777777777777777777000011112222333344445555666677770000",
        ),
    ],
)
def test_without_a_limit_it_is_walktrap(spec, clusters, expected):
    """The clusters that igraph 1.0.0 finds (community_walktrap(steps=4).as_clustering(clusters)), numbered by first member."""
    topology = build(spec)
    n = topology.switches
    merged = clusters_after(dendrogram(topology, places(topology), np.array([np.inf]))[: n - clusters], n).tolist()
    names = list(dict.fromkeys(merged))
    assert "".join(str(names.index(cluster)) for cluster in merged) == expected


@pytest.mark.parametrize(
    ("spec", "least"),
    [("ring-shortcuts:n=512,degree=9", 0.97), ("nbr:n=512,degree=9,p=0.5", 0.97), ("torus:dims=8x8x8", 0.85)],
)
def test_it_beats_the_order_of_the_switches(spec, least):
    """Koibuchi 2013 Fig. 14: fewer links between full racks than sequence has, on RING-n, Nbr(0.5)-n and a torus."""
    topology = build(spec)
    sequence = np.arange(512) // 16
    rack = walktrap(topology, places(topology), np.array([16.0]), 32)
    assert np.bincount(rack).tolist() == [16] * 32
    assert links_between(topology, rack) < least * links_between(topology, sequence)


def test_sequence_wins_on_hypercubes():
    """Koibuchi 2013 IV.C.2: a hypercube's own order is best; nothing has fewer links between racks of 16 than subcubes."""
    topology = build("hypercube:n=9")
    found = links_between(topology, walktrap(topology, places(topology), np.array([16.0]), 32))
    assert found > links_between(topology, np.arange(512) // 16) == 512 * 5 // 2


def test_groups_that_fill_racks_are_found():
    """A dragonfly's groups of 8, each fully linked, are its clusters when a rack holds 8."""
    topology = build("dragonfly:h=4")
    rack = walktrap(topology, places(topology), np.array([8.0]), 33)
    assert rack.tolist() == topology.labels["group"].tolist()


@pytest.mark.parametrize(
    ("spec", "most", "racks"),
    [
        ("fat-tree:k=8", [16, np.inf, np.inf], 5),  # 80 switches
        ("fat-tree:k=8", [16, 26, np.inf], 6),  # 32 of them with 4 hosts, 6 per rack
        ("slimfly:q=11,hosts=8", [np.inf, np.inf, 4000], 15),  # 242 of 224.1 watts, 17 per rack
        ("jellyfish:n=100,degree=5,hosts=5", [40, 33, np.inf], 17),  # 6 per rack
        ("slimfly:q=5,hosts=2", [np.inf, np.inf, np.inf], 1),
        ("ring:n=20", [1, np.inf, np.inf], 20),
    ],
)
def test_no_limit_is_passed_and_no_rack_too_many(spec, most, racks):
    """Places, hosts and watts all fit, in as few racks as the scarcest allows, numbered by their first switches."""
    topology = build(spec)
    loads = np.stack([np.ones(topology.switches), topology.endpoints_at, 100 + 7.3 * topology.degrees], axis=1)
    rack = walktrap(topology, loads, np.array(most), topology.switches)
    assert list(dict.fromkeys(rack.tolist())) == list(range(racks))
    for load, limit in zip(loads.T, most, strict=True):
        assert np.bincount(rack, weights=load).max() <= limit * (1 + 1e-6)


def test_large_switches_and_small_ones_share_racks():
    """A switch makes room: three of 3 hosts and three of 5 fill three racks of 8, 2 switches each."""
    topology = Topology(links=[(0, 1), (1, 2), (3, 4), (4, 5)], switches=6)
    hosts = np.array([3.0, 3.0, 3.0, 5.0, 5.0, 5.0])
    rack = walktrap(topology, np.stack([np.ones(6), hosts], axis=1), np.array([2.0, 8.0]), 3)
    assert np.bincount(rack, weights=hosts).tolist() == [8.0] * 3


def test_a_switch_makes_room_for_one_that_fits_nowhere():
    """Bare switches fill the only rack that may have another host: the least linked of them moves away."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 5), (2, 3)], switches=6)
    loads = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    rack = pack(topology, np.array([0, 0, 1, 1, 2, 0]), loads, np.array([3.0, 2.0]), 2)
    assert rack.tolist() == [0, 0, 1, 1, 0, 1]


def test_clusters_are_kept_whole_while_racks_have_room():
    """Clusters of 3, 3 and 2 in racks of 4: two whole, and the last goes where its links go."""
    topology = Topology(links=[(0, 6), (3, 7), (6, 7), (0, 6)], switches=8)
    cluster = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    assert pack(topology, cluster, np.ones((8, 1)), np.array([4.0]), 2).tolist() == [0, 0, 0, 1, 1, 1, 0, 1]


def test_parallel_links_draw_more():
    """The neighbour with two links is the one to share a rack with."""
    topology = Topology(links=[(0, 1), (1, 2), (1, 2), (2, 3)], switches=4)
    assert walktrap(topology, np.ones((4, 1)), np.array([2.0]), 2).tolist() == [0, 1, 1, 0]


def test_it_says_what_does_not_fit(monkeypatch):
    """Too few racks, a switch too large, a limit of nothing, no steps, too many switches: each with a remedy."""
    topology = build("ring:n=20,hosts=3")
    loads = np.stack([np.ones(20), np.full(20, 3.0)], axis=1)
    with pytest.raises(InputError, match=r"20 switches need 5 racks or more, and do not fit into 4; allow more"):
        walktrap(topology, loads, np.array([4.0, np.inf]), 4)
    with pytest.raises(InputError, match=r"switch 0 needs 3 of a resource, but a rack has 2; raise that limit"):
        walktrap(topology, loads, np.array([4.0, 2.0]), 20)
    with pytest.raises(InputError, match="every limit must be above 0"):
        walktrap(topology, loads, np.array([4.0, 0.0]), 20)
    with pytest.raises(InputError, match="at least one step"):
        walktrap(topology, loads, np.array([4.0, np.inf]), 20, steps=0)
    monkeypatch.setattr(module, "MOST_SWITCHES", 19)
    with pytest.raises(
        InputError, match=r"Walktrap takes at most 19 switches, not 20; use cluster='metis' or 'sequential'"
    ):
        walktrap(topology, loads, np.array([4.0, np.inf]), 20)

"""Flat networks in clusters: an Xpander is cabled by equal bundles, and links between clusters can be thinned."""

import numpy as np
import pytest

from topoloom import build, cable, open_network
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.traffic import uniform_remote


def test_an_xpander_is_cabled_by_equal_bundles():
    """17 meta-nodes of 10 switches, each in a rack of its own: 136 bundles of 10 cables, all of its 1,360 links."""
    network = open_network("xpander:degree=16,lifts=10").placed(switches_per_rack=10, cluster="groups", map="rows")
    cables = cable(network.layout)
    assert network.topology.switches == 170
    assert len(network.topology.links) == 1360
    assert len(cables.pairs) == 17 * 16 // 2 == 136
    assert set(cables.bundle_sizes.tolist()) == {10}


@pytest.mark.parametrize(
    ("n", "degree", "clusters", "inside"),
    [(40, 8, 2, 5), (41, 7, 3, 3), (9, 5, 4, 1), (12, 6, 2, 0), (16, 9, 2, 7), (64, 16, 4, 6)],
)
def test_clusters_have_the_links_inside_that_are_asked_for(n, degree, clusters, inside):
    """Degrees as a random regular graph has them, no parallel links, and `inside` links of each switch in its own cluster."""
    topology = build(f"clustered-jellyfish:n={n},degree={degree},clusters={clusters},inside={inside}")
    degrees = np.sort(topology.degrees)
    assert (degrees[1:] == degree).all()
    assert degree - degrees[0] == n * degree % 2
    assert len(np.unique(topology.links, axis=0)) == len(topology.links)
    group = topology.labels["group"]
    assert np.ptp(np.bincount(group)) <= 1
    own = topology.links[group[topology.links[:, 0]] == group[topology.links[:, 1]]]
    within = np.bincount(own.ravel(), minlength=n)
    assert within.max() == inside
    for cluster in range(clusters):
        members = within[group == cluster]
        assert (inside - members).sum() == members.size * inside % 2


def test_links_between_clusters_are_drawn_from_all_pairs():
    """Each pair of four clusters has about a sixth of the links between clusters, and other seeds draw others."""
    topology = build("clustered-jellyfish:n=400,degree=12,clusters=4,inside=6")
    group = np.sort(topology.labels["group"][topology.links], axis=1)
    between = np.bincount((group @ [4, 1])[group[:, 0] != group[:, 1]])
    assert between[between > 0].tolist() == pytest.approx([200] * 6, abs=45)
    assert topology != build("clustered-jellyfish:n=400,degree=12,clusters=4,inside=6,seed=2")


def _throughput(spec: str) -> float:
    topology = build(f"{spec},hosts=1")
    return concurrent_flow(topology, uniform_remote(topology))


def test_throughput_is_the_same_until_one_link_leaves_the_cluster():
    """Two clusters of 8 with 5 links: with 1 to 3 of them inside throughput is the same, with 4 it is a fifth lower."""
    by_inside = [_throughput(f"clustered-jellyfish:n=16,degree=5,clusters=2,inside={inside}") for inside in (1, 3, 4)]
    assert by_inside[0] == pytest.approx(by_inside[1], rel=0.02)
    assert by_inside[2] < 0.85 * by_inside[1]


@pytest.mark.exhaustive
def test_throughput_is_flat_until_most_links_stay_inside():
    """Two clusters of 12 with 6 links: 2 to 4 of them inside change throughput little; with 5 it is clearly lower.

    A random graph has about 3 of 6 inside. Singla, Godfrey and Kolla 2014 find the same plateau.
    """
    plain = _throughput("jellyfish:n=24,degree=6")
    many = {
        inside: _throughput(f"clustered-jellyfish:n=24,degree=6,clusters=2,inside={inside}") for inside in (2, 4, 5)
    }
    assert many[2] == pytest.approx(plain, rel=0.12)
    assert many[4] == pytest.approx(plain, rel=0.12)
    assert many[5] < 0.7 * plain

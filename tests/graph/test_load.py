"""Channel loads under uniform traffic."""

import math

import networkx as nx
import numpy as np
import pytest
from graph_cases import complete, cube, path, regular, ring, topologies, torus, weighted_networkx
from hypothesis import given

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.graph.hops import hops
from topoloom.graph.load import average_channel_load, channel_loads, full_bandwidth_hosts
from topoloom.model.topology import Topology


@pytest.mark.parametrize("q", [5, 7, 8, 9, 19])
def test_the_formula_of_slim_fly_for_diameter_two(q):
    """Besta 2014, II.B.2: p = k' N_r / (2 N_r - k' - 2), and each channel carries (2 N_r - k' - 2) p^2 / k'."""
    topology = build(f"slimfly:q={q}")
    n, degree = topology.switches, int(topology.degrees.max())
    assert full_bandwidth_hosts(topology) == pytest.approx(degree * n / (2 * n - degree - 2))
    assert average_channel_load(topology.with_hosts(3)) == pytest.approx((2 * n - degree - 2) * 9 / degree)


def test_only_switches_with_hosts_send():
    """A fat tree of k = 8 sustains more than the 4 hosts on each of its 32 edge switches, on average over its channels."""
    topology = build("fat-tree:k=8")
    pairs = hops(topology).host_aspl * 128 * 127 / 16
    assert full_bandwidth_hosts(topology) == pytest.approx(2 * 256 * 32 / pairs)
    assert average_channel_load(topology) == pytest.approx(channel_loads(topology).mean)


def test_limits():
    """A switch alone carries any number of hosts; switches that do not reach each other none."""
    assert full_bandwidth_hosts(Topology(links=[], switches=1)) == math.inf
    assert average_channel_load(Topology(links=[], switches=1)) == 0.0
    assert full_bandwidth_hosts(Topology(links=[(0, 1)], switches=3)) == 0.0
    assert average_channel_load(Topology(links=[(0, 1)], switches=3)) == math.inf


@given(topologies(connected=True, simple=True))
def test_loads_are_edge_betweenness(topology):
    """Split evenly over all shortest paths, both directions of a link carry its betweenness over ordered pairs."""
    found = channel_loads(topology)
    expected = nx.edge_betweenness_centrality(weighted_networkx(topology), normalized=False)
    for (u, v), both in zip(topology.links.tolist(), found.loads, strict=True):
        assert both[0] == pytest.approx(both[1])
        assert both.sum() == pytest.approx(2 * expected.get((u, v), expected.get((v, u))))


@given(topologies(connected=True, hosts=True))
def test_no_traffic_is_lost(topology):
    """All loads together are all hops of all pairs of hosts; parallel links share."""
    found, measured = channel_loads(topology), hops(topology)
    if topology.hosts > 1:
        assert found.loads.sum() == pytest.approx(measured.host_aspl * topology.hosts * (topology.hosts - 1))


def test_known_loads():
    """Edge-transitive graphs load all channels alike; the middle of a path carries the most."""
    assert channel_loads(cube(5)).loads == pytest.approx(np.full((80, 2), 16.0))
    assert channel_loads(complete(6)).loads == pytest.approx(np.ones((15, 2)))
    assert channel_loads(path(5)).loads[:, 0].tolist() == [4, 6, 6, 4]
    found = channel_loads(torus(8, 8).with_hosts(1))
    assert (found.mean, found.greatest, found.saturation) == (pytest.approx(64), pytest.approx(64), pytest.approx(1))
    assert channel_loads(ring(8).with_hosts(4)).saturation == pytest.approx(0.25)


def test_threads_change_no_digit():
    """The order of additions is fixed, so that loads are the same on every machine."""
    topology = regular(300, 5).with_hosts(2)
    assert channel_loads(topology, jobs=1).loads.tolist() == channel_loads(topology, jobs=4).loads.tolist()


def test_hosts_that_do_not_reach_each_other_are_refused():
    """Loads need a way between every two hosts; a switch without hosts may stand apart."""
    apart = Topology(links=[(0, 1)], switches=3)
    with pytest.raises(InputError, match="connected"):
        channel_loads(apart)
    assert channel_loads(apart.replace(endpoints=[0, 1])).greatest == 1.0
    assert channel_loads(Topology(links=[], switches=1)).saturation == 1.0

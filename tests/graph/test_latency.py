"""Zero-load latency over the quickest ways."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from graph_cases import path, regular, ring, topologies, torus
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.graph.hops import hops
from topoloom.graph.latency import latencies
from topoloom.graph.serialization import Serialization
from topoloom.model.topology import Topology
from topoloom.topologies.spec import build

#: Lengths of every size, zero included, which make the buckets of the search wide and narrow.
lengths = st.sampled_from([0.0, 1e-4, 0.5, 1.0, 2.0, 7.3, 40.0, 1e5])


@given(topologies(most=14, hosts=True), st.data(), st.sampled_from([0.0, 1.0, 60.0]))
def test_the_quickest_ways_are_dijkstras(topology, data, switch_ns):
    """Any lengths, any delays: mean and maximum over pairs of switches and of hosts are those of NetworkX."""
    length = data.draw(st.lists(lengths, min_size=len(topology.links), max_size=len(topology.links)))
    graph = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    for (u, v), metres in zip(topology.links.tolist(), length, strict=True):
        cost = switch_ns + 5 * metres
        if not graph.has_edge(u, v) or graph[u][v]["weight"] > cost:
            graph.add_edge(u, v, weight=cost)
    ways = dict(nx.all_pairs_dijkstra_path_length(graph))
    switches = list(range(topology.switches))
    for between, ends in (("switches", switches), ("hosts", topology.endpoints.tolist())):
        if not ends:
            continue
        found = latencies(topology, np.array(length), switch_ns, 5.0, between)
        pairs = [ways[u].get(v, math.inf) + switch_ns for i, u in enumerate(ends) for j, v in enumerate(ends) if i != j]
        assert found.mean_ns == pytest.approx(np.mean(pairs) if pairs else 0.0)
        assert found.max_ns == pytest.approx(max(pairs, default=0.0))


def test_with_equal_cables_latency_is_hops():
    """A way of h hops passes h + 1 switches and h cables: the mean is that of the hops, scaled."""
    topology = regular(300, 4)
    measured, found = hops(topology), latencies(topology, 2.0, 60, 5, "switches")
    assert found.mean_ns == pytest.approx(60 + 70 * measured.aspl)
    assert found.max_ns == pytest.approx(60 + 70 * measured.diameter)


def test_the_quickest_way_may_have_more_hops():
    """Three short cables beat a long one."""
    topology = ring(4)
    metres = np.array([100.0 if tuple(link) == (0, 3) else 1.0 for link in topology.links.tolist()])
    assert latencies(topology, metres, 10, 5, "switches").max_ns == 4 * 10 + 3 * 5


def test_samples_are_told_and_threads_change_no_digit():
    """A sample starts from fewer switches; the number of threads never shows."""
    topology = torus(20, 20).with_hosts(2)
    metres = np.linspace(1, 30, len(topology.links))
    one, two = (latencies(topology, metres, 60, 5, sources=37, seed=2, jobs=jobs) for jobs in (1, 3))
    assert one == two
    assert (one.sampled, one.sources) == (True, 37)
    whole = latencies(topology, metres, 60, 5)
    assert not whole.sampled
    assert whole.max_ns >= one.max_ns
    assert one.mean_ns == pytest.approx(whole.mean_ns, rel=0.05)


def test_hosts_on_one_switch_are_one_switch_apart():
    """Two hosts on a switch: its delay; one host alone: no pair."""
    alone = Topology(links=[], switches=1)
    assert latencies(alone.with_hosts(2), 1.0, 60, 5).mean_ns == 60
    assert latencies(alone.with_hosts(1), 1.0, 60, 5).mean_ns == 0.0


def test_pieces_are_infinitely_far():
    """Where there is no way there is no latency."""
    found = latencies(Topology(links=[(0, 1)], switches=3), 1.0, 60, 5, "switches")
    assert (found.mean_ns, found.max_ns) == (math.inf, math.inf)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"length_m": [1.0]}, "give one each"),
        ({"length_m": -1.0}, "0 or more"),
        ({"length_m": math.nan}, "0 or more"),
        ({"switch_delay_ns": -1}, "nanoseconds"),
        ({"cable_delay_ns_per_m": math.inf}, "nanoseconds"),
        ({"between": "hosts"}, "no hosts"),
        ({"between": "racks"}, "racks"),
        ({"sources": 0}, "at least one"),
    ],
)
def test_impossible_settings_are_refused(settings, reason):
    """Each is answered by a sentence that says what would do."""
    given = {"length_m": 1.0, "switch_delay_ns": 60, "cable_delay_ns_per_m": 5, "between": "switches", **settings}
    with pytest.raises(InputError, match=reason):
        latencies(path(4), **given)


@given(topologies(most=40), st.data())
def test_sweeps_and_buckets_give_the_same_bits(topology, data):
    """Whichever way the quickest paths are found, mean and maximum are the same numbers to the last digit."""
    length = np.array(data.draw(st.lists(lengths, min_size=len(topology.links), max_size=len(topology.links))))
    found = []
    for most in (-1, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("topoloom.graph.latency._MOST_SWEEPS", most)
            latency = latencies(topology, length, 60.1, 4.9, "switches")
        found.append((latency.mean_ns, latency.max_ns))
    assert found[0] == found[1]


@pytest.mark.parametrize("spec", ["fat-tree:k=4,hosts=8+rails:nics=2", "fat-tree:k=4,hosts=8+nics:count=2"])
def test_hosts_with_several_ports_use_the_best_pair(spec):
    """By Dijkstra over all pairs of ports; a packet's bits add the same to all pairs of one rate."""
    network = build(spec)
    lengths = np.random.default_rng(1).random(len(network.links)) * 10
    graph = nx.MultiGraph()
    for (u, v), length in zip(network.links.tolist(), lengths.tolist(), strict=True):
        graph.add_edge(u, v, ns=60 + 5 * length)
    ns = dict(nx.all_pairs_dijkstra_path_length(graph, weight="ns"))
    ports = [network.endpoints[network.host == host].tolist() for host in range(network.hosts)]
    expected = [60 + min(ns[u][v] for u in a for v in b) for a, b in itertools.permutations(ports, 2)]
    measured = latencies(network, lengths, 60, 5)
    assert (measured.mean_ns, measured.max_ns) == pytest.approx((np.mean(expected), max(expected)))
    packet = Serialization(packet_bytes=4096, rate_gbps=100)
    assert latencies(network, lengths, 60, 5, packet=packet).mean_ns == pytest.approx(np.mean(expected) + 327.68)
    rated = build(f"{spec}+rates:links=100,hosts=50")
    slow = latencies(rated, lengths, 60, 5, packet=Serialization(packet_bytes=4096))
    # A port of 50 Gb/s sends the packet in 655.36 ns; the faster links behind wait for it, and the last link is as slow.
    apart = [ns > 60 for ns in expected]
    assert slow.mean_ns == pytest.approx(np.mean(expected) + 655.36 + np.mean(apart) * (655.36 - 327.68))
    assert slow.sources == len({tuple(sorted(each)) for each in ports})

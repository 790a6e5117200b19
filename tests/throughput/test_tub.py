"""Bounds from hops: golden values, brute force over all permutations, and what they bound."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughput_cases import GOLDEN, SMALL, maximal_permutation

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.graph.load import channel_loads
from topoloom.model.topology import Topology
from topoloom.throughput.traffic import hosts_on, uniform_remote
from topoloom.throughput.tub import tub, uniform_bound, volume_bound
from topoloom.topologies.spec import build


@pytest.mark.parametrize(("spec", "hosts", "value", "_flow", "even"), GOLDEN, ids=[row[0] for row in GOLDEN])
def test_golden_bounds(spec, hosts, value, _flow, even):
    """The bound of the maximal permutation and that of uniform traffic, to four digits."""
    topology = build(spec).with_hosts(hosts)
    assert tub(topology).value == pytest.approx(value, abs=5e-5)
    assert uniform_bound(topology) == pytest.approx(even, abs=5e-5)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_the_assignment_is_the_best_of_all_permutations(seed, hosts):
    """On six switches with any hosts, no permutation takes more channel hops than the one found."""
    graph = nx.gnp_random_graph(6, 0.5, seed=seed)
    if not nx.is_connected(graph) or sum(hosts) == 0:
        return
    topology = Topology.from_networkx(graph).with_hosts(np.array(hosts))
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    carriers = [v for v in range(6) if hosts[v]]
    most = max(
        sum(min(hosts[s], hosts[d]) * hops[s][d] for s, d in zip(carriers, order, strict=True))
        for order in itertools.permutations(carriers)
    )
    found = tub(topology)
    assert found.value == (pytest.approx(2 * graph.number_of_edges() / most) if most else np.inf)
    assert sorted(found.partner.tolist()) == list(range(6))


@pytest.mark.parametrize("name", SMALL)
def test_the_bound_is_that_of_its_own_permutation(name):
    """TUB is the bound from hops of the traffic between the partners that it names."""
    topology = SMALL[name]
    assert tub(topology).value == pytest.approx(volume_bound(topology, maximal_permutation(topology)))


@pytest.mark.parametrize("name", SMALL)
def test_uniform_traffic_is_even_and_no_host_is_over_full(name):
    """Equal between any two hosts on different switches; the busiest host sends one unit, and none more."""
    topology = SMALL[name]
    traffic, hosts = uniform_remote(topology), hosts_on(topology)
    demand = traffic.dense()
    assert (demand == demand.T).all()
    carriers = np.flatnonzero(hosts)
    each = {round(demand[s, d] / hosts[s] / hosts[d], 12) for s in carriers for d in carriers if s != d}
    assert len(each) == 1
    assert (demand.sum(axis=1)[carriers] / hosts[carriers]).max() == pytest.approx(1.0)
    assert traffic.host_limit == 1.0


def test_parallel_links_count():
    """Two links between two switches carry twice as much."""
    assert tub(Topology(links=[(0, 1)] * 2, switches=2)).value == 2 * tub(Topology(links=[(0, 1)], switches=2)).value


def test_the_uniform_bound_agrees_with_the_load_of_shortest_paths():
    """Where all channels are loaded alike, the bound is reached by shortest paths (another room's measure)."""
    topology = build("hypercube:n=4")
    loads = channel_loads(topology)
    assert loads.greatest == pytest.approx(loads.mean)
    assert uniform_bound(topology) == pytest.approx((topology.switches - 1) / loads.greatest)


def test_hosts_on_one_switch_know_no_bound():
    """Nothing leaves the switch: endless."""
    topology = Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 0])
    assert tub(topology).value == np.inf
    assert uniform_bound(topology) == np.inf


def test_networks_in_parts_are_refused():
    """One sentence that says what is wrong."""
    with pytest.raises(InputError, match="two: some hosts do not reach each other"):
        tub(Topology(links=[(0, 1), (2, 3)], switches=4, name="two"))

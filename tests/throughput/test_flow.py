"""The exact flow, and the bracket of the approximate one: golden values, other programs' flows, laws."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from throughput_cases import GOLDEN, SMALL, maximal_permutation

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import approximate_flow
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.traffic import matrix, permutation, uniform_remote
from topoloom.throughput.tub import tub, uniform_bound, volume_bound
from topoloom.topologies.spec import build


def flow_over_paths(topology, demand):
    """The concurrent flow with one variable for every simple path: another linear program for the same number."""
    graph = nx.DiGraph()
    for u, v in topology.links.tolist():
        for a, b in ((u, v), (v, u)):
            graph.add_edge(a, b, links=graph.get_edge_data(a, b, {"links": 0})["links"] + 1)
    arcs = {arc: number for number, arc in enumerate(graph.edges)}
    pairs = [(s, d) for s, d in np.argwhere(demand).tolist() if s != d]
    columns, owner = [], []
    for number, (s, d) in enumerate(pairs):
        for path in nx.all_simple_edge_paths(graph, s, d):
            columns.append([arcs[arc] for arc in path])
            owner.append(number)
    use, send = np.zeros((len(arcs), len(columns) + 1)), np.zeros((len(pairs), len(columns) + 1))
    for number, column in enumerate(columns):
        use[column, number] = 1
        send[owner[number], number] = 1
    send[:, -1] = [-demand[pair] for pair in pairs]
    gain = np.zeros(len(columns) + 1)
    gain[-1] = -1
    room = [graph.edges[arc]["links"] for arc in arcs]
    return -linprog(gain, A_ub=use, b_ub=room, A_eq=send, b_eq=np.zeros(len(pairs)), method="highs-ds").fun


@pytest.mark.parametrize(("spec", "hosts", "value", "flow", "_even"), [row for row in GOLDEN if row[3]])
def test_golden_flows(spec, hosts, value, flow, _even):
    """The flow of the maximal permutation where all of them have the same."""
    topology = build(spec).with_hosts(hosts)
    assert concurrent_flow(topology, maximal_permutation(topology)) == pytest.approx(flow, abs=1e-6)
    assert flow <= value + 1e-9


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_flow_is_that_over_all_paths(graph_seed, traffic_seed):
    """On five switches with parallel links and any traffic, the flow by arcs is the flow by paths."""
    graph = nx.gnm_random_graph(5, 6, seed=graph_seed)
    if not nx.is_connected(graph):
        return
    topology = Topology(links=[*graph.edges, next(iter(graph.edges))], switches=5)
    random = np.random.default_rng(traffic_seed)
    demand = np.round(random.random((5, 5)) * (random.random((5, 5)) < 0.5), 2)
    np.fill_diagonal(demand, 0)
    if demand.any():
        found = concurrent_flow(topology, matrix(topology, demand))
        assert found == pytest.approx(flow_over_paths(topology, demand), rel=1e-6)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_bracket_holds_the_exact_flow(graph_seed, traffic_seed):
    """On twelve switches with any traffic, from one pair to all, the two bounds hold the exact flow between them."""
    graph = nx.gnm_random_graph(12, 20, seed=graph_seed)
    if not nx.is_connected(graph):
        return
    topology = Topology.from_networkx(graph)
    random = np.random.default_rng(traffic_seed)
    demand = random.random((12, 12)) * (random.random((12, 12)) < random.random()) * 10.0 ** random.integers(-3, 4)
    np.fill_diagonal(demand, 0)
    if demand.any():
        traffic = matrix(topology, demand)
        found, exact = approximate_flow(topology, traffic, gap=0.02), concurrent_flow(topology, traffic)
        assert found.lower * (1 - 1e-6) <= exact <= found.upper * (1 + 1e-6)
        assert found.gap <= 0.02 or found.turns == 1000


def test_one_pair_gets_the_maximum_flow():
    """With one sender and one destination the concurrent flow is the maximum flow between them."""
    topology = build("jellyfish:n=14,degree=4")
    graph = topology.to_networkx()
    plain = nx.DiGraph([(u, v) for a, b in graph.edges() for u, v in ((a, b), (b, a))])
    nx.set_edge_attributes(plain, 1, "capacity")
    demand = np.zeros((14, 14))
    demand[3, 9] = 2.0
    found = concurrent_flow(topology, matrix(topology, demand))
    assert found == pytest.approx(nx.maximum_flow_value(plain, 3, 9) / 2)


@pytest.mark.parametrize("name", SMALL)
def test_no_flow_passes_its_bounds(name):
    """Exact flows are at most the bounds from hops, and lie in the bracket of the approximate ones."""
    topology = SMALL[name]
    for traffic in (uniform_remote(topology), maximal_permutation(topology)):
        exact = concurrent_flow(topology, traffic)
        assert exact <= volume_bound(topology, traffic) + 1e-6
        found = approximate_flow(topology, traffic, gap=0.03)
        assert found.lower - 1e-6 <= exact <= found.upper + 1e-6
        assert found.gap <= 0.03
    assert concurrent_flow(topology, maximal_permutation(topology)) <= tub(topology).value + 1e-6


def test_uniform_traffic_of_edge_transitive_networks_reaches_its_bound():
    """Where every channel is like every other, shortest paths can be loaded evenly, and flow and bound agree."""
    for spec in ("torus:dims=7", "hypercube:n=3", "complete:n=6", "petersen"):
        topology = build(spec)
        assert concurrent_flow(topology, uniform_remote(topology)) == pytest.approx(uniform_bound(topology), rel=1e-6)


def test_twice_the_traffic_half_the_share():
    """The share is inverse to the traffic, exact and approximate."""
    topology = SMALL["random"]
    demand = uniform_remote(topology).dense()
    one, two = (concurrent_flow(topology, matrix(topology, factor * demand)) for factor in (1, 2))
    assert one == pytest.approx(2 * two, rel=1e-6)
    near, far = (approximate_flow(topology, matrix(topology, factor * demand)) for factor in (1, 1000))
    assert near.lower == pytest.approx(1000 * far.lower)
    assert near.upper == pytest.approx(1000 * far.upper)


def test_the_bracket_does_not_depend_on_threads():
    """The same two bounds, to the last digit, from one thread and from three."""
    topology = build("jellyfish:n=60,degree=5")
    traffic = maximal_permutation(topology)
    one, three = (approximate_flow(topology, traffic, jobs=jobs) for jobs in (1, 3))
    assert (one.lower, one.upper, one.turns) == (three.lower, three.upper, three.turns)
    assert one.gap <= 0.05


def test_long_ways_have_room():
    """On a long ring flows need more arcs than there is room for at first."""
    topology = build("torus:dims=300")
    partner = (np.arange(300) + 150) % 300
    found = approximate_flow(topology, permutation(topology, partner), gap=0.02)
    assert found.lower * 0.999 <= 4 / 300 <= found.upper * 1.001  # 300 flows of 150 hops on 600 channels
    assert found.gap <= 0.02


def test_no_traffic_and_too_much_work():
    """Without traffic there is no limit; mistakes are one sentence with a way out."""
    topology = build("torus:dims=6")
    nothing = matrix(topology, np.zeros((6, 6)))
    assert concurrent_flow(topology, nothing) == approximate_flow(topology, nothing).lower == np.inf
    large = build("jellyfish:n=400,degree=8")
    with pytest.raises(InputError, match="400 sending switches x 3200 channels are too many for the exact flow"):
        concurrent_flow(large, uniform_remote(large))
    with pytest.raises(InputError, match="gap=0"):
        approximate_flow(topology, uniform_remote(topology), gap=0)
    parts = Topology(links=[(0, 1), (2, 3)], switches=4)
    for solve in (concurrent_flow, approximate_flow):
        with pytest.raises(InputError, match="no path for the traffic from switch 0 to switch 2"):
            solve(parts, uniform_remote(parts))


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        (np.zeros((2, 2)), "it must be 3 x 3"),
        (np.full((3, 3), -1.0), "negative or infinite"),
        (np.full((3, 3), np.nan), "negative or infinite"),
        (np.ones((3, 3)), "from or to switch 2, which has no hosts"),
    ],
)
def test_traffic_that_makes_no_sense_is_refused(demand, message):
    """Matrices of another shape, with entries that are no amounts, or for switches without hosts."""
    topology = Topology(links=[(0, 1), (1, 2)], switches=3, endpoints=[0, 1])
    with pytest.raises(InputError, match=message):
        matrix(topology, demand)


def test_partners_must_be_a_permutation():
    """A partner twice is refused."""
    with pytest.raises(InputError, match="not a permutation of the switches; list each of 0 to 5 once"):
        permutation(build("torus:dims=6"), [0, 0, 1, 2, 3, 4])

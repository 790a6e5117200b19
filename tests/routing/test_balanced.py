"""Balanced routing: loads counted again, optima against brute force, bounds that hold, and Xu 2019's loads."""

from itertools import pairwise
from itertools import product as combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.balance.balance import balance_paths, balance_routing
from topoloom.routing.balance.evenness import even_squares, least_squares, unevenness
from topoloom.routing.balance.search import even_trees
from topoloom.routing.route import route
from topoloom.topologies.spec import build

OBJECTIVES = ("vertices", "edges")


def _random(seed, n, p=0.35):
    graph = nx.gnp_random_graph(n, p, seed=seed)
    parts = list(nx.connected_components(graph))
    graph.add_edges_from((min(one), min(two)) for one, two in pairwise(parts))
    return Topology.from_networkx(graph)


def _loads(topology, paths, objective, directed=True):
    """Loads of paths (lists of switches), counted in plain Python; channels by (from, to), links by (low, high).

    Only paths between switches with hosts count, where there are hosts.
    """
    hosts = topology.endpoints_at.tolist() if topology.hosts else [1] * topology.switches
    load = dict.fromkeys(range(topology.switches), 0)
    if objective == "edges":
        ends = [tuple(link) for link in topology.links.tolist()]
        load = dict.fromkeys(ends + ([(v, u) for u, v in ends] if directed else []), 0)
    for path in paths:
        if not hosts[path[0]] or not hosts[path[-1]]:
            continue
        hops = list(pairwise(path))
        for used in (
            path[1:-1] if objective == "vertices" else hops if directed else [tuple(sorted(hop)) for hop in hops]
        ):
            load[used] += 1
    return [load[key] for key in sorted(load)]


def _all_pairs(routing):
    n = routing.topology.switches
    return {(s, d): routing.path(s, d) for s in range(n) for d in range(n) if s != d}


def _best(topology, objective, *, trees, directed=True):
    """The least sum of squares over all choices of shortest paths, by trying every one."""
    graph = nx.Graph(topology.links.tolist())
    pairs = [(s, d) for s in graph for d in graph if s != d and (directed or s < d)]
    choices = [[tuple(path) for path in nx.all_shortest_paths(graph, *pair)] for pair in pairs]
    best = None
    for chosen in combinations(*choices):
        if trees:
            path_of = dict(zip(pairs, chosen, strict=True))
            if not directed:
                path_of |= {path[::-1][:1] + path[:1]: path[::-1] for path in chosen}
                path_of = {(path[0], path[-1]): path for path in path_of.values()}
            if any(len(path) > 2 and path_of[path[1], path[-1]] != path[1:] for path in path_of.values()):
                continue
        load = np.array(_loads(topology, chosen, objective, directed))
        best = min(int(load @ load), best) if best is not None else int(load @ load)
    return best


def _choices(topology, directed=True):
    graph = nx.Graph(topology.links.tolist())
    count = 1
    for s in graph:
        for d in graph:
            if s != d and (directed or s < d):
                count *= len(list(nx.all_shortest_paths(graph, s, d)))
    return count


@pytest.mark.sweep(1)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("spec", ["optimal:n=16,degree=3", "fat-tree:k=4", "grid:rows=5,columns=4,degree=4,length=2"])
def test_loads_are_those_of_the_tables(spec, objective):
    """The loads that are told, and the verifier's, are those that a plain walk along the tables counts."""
    topology = build(spec)
    found = balance_routing(topology, objective, rounds=30)
    counted = _loads(topology, _all_pairs(found.routing).values(), objective)
    verification = found.routing.verification
    assert found.load.tolist() == counted
    assert (verification.switch_load if objective == "vertices" else verification.channel_load).tolist() == counted
    assert verification.minimal
    assert found.value == pytest.approx(np.var(counted) * len(counted))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_proof_agrees_with_brute_force(objective):
    """On graphs of 5 and 6 switches: with and without directions, in trees and pair by pair, with and without hosts."""
    tried = apart = 0
    for seed in range(60):
        topology = _random(seed, 5 + seed % 2, 0.4)
        if not 1 < _choices(topology) <= 3000:
            continue
        tried += 1
        if seed % 3 == 0:
            topology = topology.with_hosts(np.arange(topology.switches) % 4)
        for directed in (True, False):
            tables = balance_routing(topology, objective, exact=True, directed=directed, rounds=20)
            paths = balance_paths(topology, objective, directed=directed)
            wanted = [_best(topology, objective, trees=trees, directed=directed) for trees in (True, False)]
            assert [int(one.load @ one.load) for one in (tables, paths)] == wanted
            assert tables.optimal
            assert paths.optimal
            apart += wanted[0] > wanted[1]
    assert tried >= 10
    assert objective == "vertices" or apart  # one next hop a destination can cost evenness


@given(seed=st.integers(0, 10_000), n=st.integers(4, 14), by_channels=st.booleans())
@settings(max_examples=examples(40), deadline=None)
def test_no_choice_is_below_the_bound(seed, n, by_channels):
    """The prices' bound is at most the squares of any shortest trees, and at most the proved optimum of free paths."""
    topology = _random(seed, n)
    _, load = even_trees(topology, by_channels, seed, rounds=5)
    least = least_squares(topology, by_channels, load, jobs=1)
    free = balance_paths(topology, "edges" if by_channels else "vertices")
    assert even_squares(int(load.sum()), load.size) <= least <= int(free.load @ free.load) <= int(load @ load)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_even_squares_are_the_least(numbers):
    """No other whole numbers of that count and total have a smaller sum of squares, nor a smaller unevenness."""
    total, size = sum(numbers), len(numbers)
    assert even_squares(total, size) <= sum(x * x for x in numbers)
    assert unevenness(np.array(numbers)) == pytest.approx(np.var(numbers) * size)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("n", "degree", "least", "most", "value"),
    [(16, 3, 18, 18, 0), (16, 4, 10, 12, 11), (32, 3, 60, 60, 0), (32, 4, 42, 42, 0)],
)
def test_loads_of_the_optimal_graphs(n, degree, least, most, value):
    """Xu 2019, fig. 8 and section 3.1: equal loads but for (16,4), whose objective is proved to be 11; in trees and without."""
    topology = build(f"optimal:n={n},degree={degree}")
    tables, paths = balance_routing(topology, exact=True), balance_paths(topology)
    for found in (tables, paths):
        assert (int(found.load.min()), int(found.load.max())) == (least, most)
        assert found.value == found.bound == value
    assert tables.routing.verification.switch_load.tolist() == tables.load.tolist()


def test_the_path_back_is_the_path_there():
    """directed=False: every path reversed is a path, loads count unordered pairs, and tables load twice that."""
    for objective in OBJECTIVES:
        found = balance_routing(build("optimal:n=16,degree=4"), objective, exact=True, directed=False)
        paths = _all_pairs(found.routing)
        assert all(path == paths[d, s][::-1] for (s, d), path in paths.items())
        once = [path for (s, d), path in paths.items() if s < d]
        assert found.load.tolist() == _loads(found.routing.topology, once, objective, directed=False)
        paths = balance_paths(build("petersen"), objective, directed=False).paths
        assert all(path == paths[d, s][::-1] for (s, d), path in paths.items())
    vertices = balance_routing(build("optimal:n=16,degree=4"), exact=True, directed=False)
    assert (vertices.routing.verification.switch_load == 2 * vertices.load).all()


def test_paths_join_their_pairs_by_shortest_paths():
    """A path a pair: it begins and ends there, goes along links, and is as short as NetworkX says."""
    topology = build("dragonfly:h=2")
    graph = nx.Graph(topology.links.tolist())
    paths = balance_paths(topology).paths
    assert len(paths) == topology.switches * (topology.switches - 1)
    for (s, d), path in paths.items():
        assert (path[0], path[-1]) == (s, d)
        assert all(graph.has_edge(*hop) for hop in pairwise(path))
        assert len(path) - 1 == nx.shortest_path_length(graph, s, d)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "spec", ["dragonfly:h=2", "jellyfish:n=60,degree=4", "dsn:n=64", "fat-tree:k=4", "torus:dims=5x4"]
)
def test_the_search_is_never_less_even_than_where_it_begins(spec, objective):
    """The tables of engine minimal are the start; rounds are worth nothing or something."""
    topology = build(spec)
    start = route(topology, "minimal").verification
    before = start.switch_load if objective == "vertices" else start.channel_load
    none, some = (balance_routing(topology, objective, rounds=rounds).value for rounds in (0, 60))
    assert some <= none <= unevenness(before)


@pytest.mark.exhaustive
def test_a_thousand_switches_get_loads_that_are_proved_most_even():
    """Random networks have so many shortest paths that every load is the mean, rounded down or up."""
    found = balance_routing(build("jellyfish:n=1000,degree=8"))
    assert found.optimal
    assert int(found.load.max()) == found.least_max == int(found.load.min()) + 1


@pytest.mark.exhaustive
def test_the_same_for_any_number_of_threads_and_another_for_another_seed():
    """Tables, loads and bound depend on the seed alone."""
    topology = build("jellyfish:n=90,degree=4")
    one, three, other = (
        balance_routing(topology, rounds=10, seed=seed, jobs=jobs) for seed, jobs in ((1, 1), (1, 3), (2, 1))
    )
    assert (one.routing.ports == three.routing.ports).all()
    assert one.bound == three.bound
    assert (one.routing.ports != other.routing.ports).any()


def test_parallel_links_share_the_pairs_over_channels():
    """Two cables between two switches: the pairs over them differ by one at most."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 2), (2, 3), (3, 4)], switches=5)
    found = balance_routing(topology, "edges", exact=True)
    assert found.optimal
    assert sorted(found.load[:2].tolist()) == [2, 2]


def test_small_topologies():
    """One switch has no pairs, two have one in each direction; both are as even as can be."""
    for links, n in (([], 1), ([(0, 1)], 2)):
        topology = Topology(links=links, switches=n)
        for objective in OBJECTIVES:
            found = balance_routing(topology, objective, exact=True)
            assert (found.value, found.gap, found.optimal) == (0.0, 0.0, True)
            assert balance_paths(topology, objective).value == 0.0
            assert "value 0" in repr(found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: balance_routing(build("petersen"), "links"), "no objective 'links'; choose 'vertices' or 'edges'"),
        (lambda: balance_routing(build("petersen"), rounds=-1), "0 or more"),
        (lambda: balance_routing(build("petersen"), directed=False), "requires exact=True"),
        (lambda: balance_paths(build("hypercube:n=7")), "more than 40000 shortest paths"),
        (lambda: balance_paths(build("optimal:n=32,degree=4"), seconds=0), "no solution within 0 seconds"),
        (lambda: balance_paths(Topology(links=[(0, 1), (2, 3)], switches=4)), "not connected: 2 parts"),
        (lambda: balance_routing(Topology(links=[(0, 1), (2, 3)], switches=4)), "not connected: 2 parts"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(call, message):
    """An objective that is not there, too many paths for a proof, no time, no network."""
    with pytest.raises(InputError, match=message):
        call()


def test_time_that_is_up_leaves_a_gap_and_tables():
    """Without time for the proof the search's tables stand, with the bound of the prices."""
    found = balance_routing(build("optimal:n=32,degree=4"), "edges", exact=True, seconds=0)
    assert found.gap > 0
    assert found.routing.verification.minimal
    assert found.bound >= 24

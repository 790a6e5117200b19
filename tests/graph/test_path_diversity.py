"""Numbers of paths, of paths that share no link, and interference, against enumeration and other algorithms."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import tiers
from topoloom import InputError, Topology, build, path_diversity
from topoloom.graph.channel_backs import channel_backs
from topoloom.graph.kernels.path_diversity import disjoint_counts, interferences, path_counts

_SPECS = [
    "petersen",
    "torus:dims=4x5",
    "hyperx:dims=3x3,width=2x1",
    "jellyfish:n=16,degree=4,seed=3",
    "fat-tree:k=4",
    "watts-strogatz:n=14,degree=4,beta=0.4",
    "mlfm:h=3",
    "dragonfly:h=1",
    "mesh:dims=3x4",
]


def _multigraph(topology) -> nx.MultiGraph:
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(topology.switches))
    graph.add_edges_from((u, v, link) for link, (u, v) in enumerate(topology.links.tolist()))
    return graph


def _link_paths(graph: nx.MultiGraph, source: int, goal: int, longest: int) -> list[list[int]]:
    """Simple paths of at most so many hops, each as its links."""
    return [[edge[2] for edge in path] for path in nx.all_simple_edge_paths(graph, source, goal, cutoff=longest)]


def _most_apart(paths: list[list[int]], links: int) -> int:
    """The most of these paths that share no link, by integer programming."""
    if not paths:
        return 0
    holds = np.zeros((links, len(paths)))
    for number, path in enumerate(paths):
        holds[path, number] = 1
    found = milp(
        -np.ones(len(paths)),
        constraints=LinearConstraint(holds, ub=1),
        integrality=np.ones(len(paths)),
        bounds=Bounds(0, 1),
    )
    return round(-found.fun)


@pytest.mark.parametrize("spec", _SPECS)
def test_paths_of_each_length_are_those_that_enumeration_finds(spec):
    """Of l, l + 1 and l + 2 hops, between all pairs; links side by side make paths of their own."""
    topology = build(spec)
    graph = _multigraph(topology)
    n = topology.switches
    first, to, _ = topology.csr
    deepest = nx.diameter(nx.Graph(graph))
    counts, length = np.empty((n, n, 3)), np.empty((n, n), np.int64)
    path_counts(first, to, np.arange(n), deepest, counts, length)
    assert (length == np.array(nx.floyd_warshall_numpy(nx.Graph(graph), range(n)))).all()
    for s, t in list(combinations(range(n), 2))[::3]:
        lengths = [len(path) for path in _link_paths(graph, s, t, int(length[s, t]) + 2)]
        wanted = [lengths.count(int(length[s, t]) + more) for more in range(3)]
        assert counts[s, t].tolist() == counts[t, s].tolist() == wanted


def _disjoint(topology, pairs, slack: int = 2) -> tuple[np.ndarray, np.ndarray]:
    first, to, _ = topology.csr
    pairs = np.array(pairs, np.int64)
    counts, length = np.empty((len(pairs), slack + 1), np.int64), np.empty(len(pairs), np.int64)
    disjoint_counts(first, to, channel_backs(topology), pairs, slack, counts, length)
    return counts, length


@pytest.mark.sweep(2)
@pytest.mark.parametrize("spec", _SPECS)
def test_paths_that_share_no_link_are_the_most_there_are(spec):
    """Shortest ones, and those of up to three hops, are as many as an integer program finds; longer ones no more than those."""
    topology = build(spec)
    graph = _multigraph(topology)
    pairs = list(combinations(range(topology.switches), 2))[::5]
    counts, length = _disjoint(topology, pairs)
    for (s, t), found, least in zip(pairs, counts.tolist(), length.tolist(), strict=True):
        for more in range(3):
            most = _most_apart(_link_paths(graph, s, t, least + more), len(topology.links))
            if more == 0 or least + more <= 3:
                assert found[more] == most
            else:
                assert found[more - 1] <= found[more] <= most


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", _SPECS[:4])
def test_interference_is_that_of_its_definition(spec):
    """c({a, c}, {b}) + c({a, c}, {d}) - c({a, c}, {b, d}) for up to three hops, by integer programs."""
    topology = build(spec)
    graph = _multigraph(topology)
    first, to, _ = topology.csr
    rng = np.random.default_rng(5)
    fours = np.array([rng.permutation(topology.switches)[:4] for _ in range(12)])
    counts = np.empty((12, 3), np.int64)
    interferences(first, to, channel_backs(topology), fours, np.array([1, 2, 3]), counts)

    def most(sources, sinks, hops):
        found = [path for s in sources for t in sinks for path in _link_paths(graph, s, t, hops)]
        return _most_apart(found, len(topology.links))

    for (a, b, c, d), found in zip(fours.tolist(), counts.tolist(), strict=True):
        wanted = [
            most((a, c), (b,), hops) + most((a, c), (d,), hops) - most((a, c), (b, d), hops) for hops in (1, 2, 3)
        ]
        assert found == wanted


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_networks_with_parallel_links_agree_with_integer_programs(seed):
    """Small multigraphs, where flows and bundles meet in every way."""
    rng = np.random.default_rng(seed)
    links = [(u, v) for u, v in combinations(range(8), 2) for _ in range(rng.integers(0, 3))]
    links += [(i, i + 1) for i in range(7)]
    topology = Topology(links=links, switches=8)
    graph = _multigraph(topology)
    pairs = list(combinations(range(8), 2))
    counts, length = _disjoint(topology, pairs)
    for (s, t), found, least in zip(pairs, counts.tolist(), length.tolist(), strict=True):
        for more in range(3):
            if least + more <= 3:
                assert found[more] == _most_apart(_link_paths(graph, s, t, least + more), len(links))


def test_a_moore_graph_has_what_follows_from_its_girth():
    """Hoffman-Singleton: one shortest path; two switches two hops apart have six of three hops, and 7 that share no link."""
    found = path_diversity(build("hoffman-singleton"))
    assert [spread.most for spread in found.paths[:2]] == [1, 6]
    assert found.paths[1].none == pytest.approx(7 / 49)
    assert (found.disjoint[1].median, found.disjoint[1].most) == (7, 7)
    assert found.mean_hops == pytest.approx(1.857143, abs=1e-6)
    assert found.flows[0] == pytest.approx(2 * 175 / (91 / 49))


def test_slim_fly_has_the_diversity_that_fatpaths_reports():
    """Besta et al. 2020: most pairs of Slim Fly q = 19 have one shortest path, and all have three almost shortest ones.

    Almost shortest: of up to three hops, one more than the diameter; all counted, exactly, for pairs that share no link.
    """
    topology = build("slimfly:q=19")
    found = path_diversity(topology, samples=10)
    assert found.paths[0].one > 0.9
    n = topology.switches
    matrix = np.zeros((n, n), bool)
    u, v = topology.links.T
    matrix[u, v] = matrix[v, u] = True
    pairs = np.argwhere(np.triu(np.ones_like(matrix), 1))[:: 7 if tiers.EVERYTHING else 29]
    near = matrix[pairs[:, 0], pairs[:, 1]]
    assert _disjoint(topology, pairs[near])[0][:, 2].min() >= 3
    assert _disjoint(topology, pairs[~near], slack=1)[0][:, 1].min() >= 3


def test_what_is_drawn_has_an_interval_and_is_the_same_for_any_threads():
    """The mean of all lies within five errors; a seed is a draw."""
    topology = build("jellyfish:n=60,degree=5")
    every = path_diversity(topology)
    drawn = path_diversity(topology, samples=300, jobs=1)
    assert every.disjoint[0].all_counted
    assert not drawn.disjoint[0].all_counted
    for mine, other in zip(drawn.disjoint, every.disjoint, strict=True):
        assert abs(mine.mean - other.mean) < 5 * mine.error
    assert drawn.rows() == path_diversity(topology, samples=300, jobs=2).rows()
    assert drawn.rows() != path_diversity(topology, samples=300, seed=2).rows()


def test_only_switches_with_hosts_count():
    """Leaves of a tree: 4 x 4 paths over the top between pods of a fat tree of 8 ports, all of l hops."""
    found = path_diversity(build("fat-tree:k=8"))
    assert (found.diameter, found.paths[0].most, found.paths[0].least, found.paths[1].most) == (4, 16, 4, 0)
    assert found.disjoint[0].least == found.disjoint[0].most == 4


def test_long_networks_have_the_binomial_numbers():
    """On a mesh of 9 x 9 the corners are joined by 16 choose 8 shortest paths; counts need no enumeration."""
    topology = build("mesh:dims=9x9")
    first, to, _ = topology.csr
    counts, length = np.empty((1, 81, 3)), np.empty((1, 81), np.int64)
    path_counts(first, to, np.array([0]), 16, counts, length)
    assert counts[0, 80, 0] == 12870


@pytest.mark.parametrize(
    ("topology", "options", "words"),
    [
        (build("complete:n=1"), {}, "need two switches with hosts, and there are 1"),
        (Topology(links=[(0, 1)], switches=3), {}, "not connected"),
        (build("petersen"), {"samples": 0}, "samples=0: at least one"),
        (build("petersen:hosts=1+planes:count=2"), {}, "2 planes, which no path connects; measure one"),
    ],
)
def test_what_has_no_paths_is_refused(topology, options, words):
    """In one sentence."""
    with pytest.raises(InputError, match=words):
        path_diversity(topology, **options)

"""Flows by symmetry against the whole linear program, and the duals against what changed links do."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse.csgraph import dijkstra

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import approximate_flow, priced_flow
from topoloom.throughput.flow import arcs, concurrent_flow
from topoloom.throughput.symmetric import symmetric_flow
from topoloom.throughput.traffic import permutation, uniform_remote
from topoloom.topologies.spec import build


def flow_by_pairs(topology, demand):
    """The maximum concurrent flow with a variable for every pair and arc: no sources are put together."""
    n = topology.switches
    ends = np.concatenate([topology.links, topology.links[:, ::-1]])
    pairs = np.argwhere(demand > 0)
    m = len(ends)
    size = len(pairs) * m + 1
    room = np.zeros((m, size))
    rows, right = [], []
    for number, (s, d) in enumerate(pairs.tolist()):
        columns = number * m + np.arange(m)
        room[np.arange(m), columns] = 1
        for v in range(n):
            if v == d:
                continue
            row = np.zeros(size)
            row[columns[ends[:, 0] == v]] += 1
            row[columns[ends[:, 1] == v]] -= 1
            if v == s:
                row[-1] = -demand[s, d]
            rows.append(row)
            right.append(0.0)
    gain = np.zeros(size)
    gain[-1] = -1
    found = linprog(gain, A_ub=room, b_ub=np.ones(m), A_eq=np.array(rows), b_eq=right, method="highs")
    return -found.fun


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_small_random_graphs(seed):
    """No symmetry to speak of: the columns, the program by sources and one by pairs give one number."""
    graph = build(f"jellyfish:n=8,degree=3,seed={seed}")
    whole = flow_by_pairs(graph, uniform_remote(graph).dense())
    assert concurrent_flow(graph, uniform_remote(graph)) == pytest.approx(whole, abs=1e-6)
    found = symmetric_flow(graph, uniform_remote(graph))
    assert found.lower == pytest.approx(whole, abs=1e-6)
    assert found.upper == pytest.approx(whole, abs=1e-6)


@pytest.mark.sweep(1)
@pytest.mark.sweep(7)
@pytest.mark.parametrize(
    "spec",
    [
        "mesh:dims=3x4",
        "dragonfly:a=4,h=2",
        "fat-tree:k=4",
        "torus:dims=3x4,hosts=3",
        "folded-hypercube:n=4",
        "jellyfish:n=20,degree=3,hosts=2",
        "hyperx:dims=3x3",
        "torus:dims=4x5x3",
    ],
)
def test_the_reduced_program_equals_the_whole_one(spec):
    """One sender of each kind and one capacity for each kind of arcs lose nothing."""
    network = build(spec)
    found = symmetric_flow(network, uniform_remote(network))
    exact = concurrent_flow(network, uniform_remote(network))
    assert found.lower == pytest.approx(exact, abs=1e-6)
    assert found.lower <= found.upper <= found.lower * (1 + 1e-6)


@pytest.mark.exhaustive
def test_thousands_of_switches():
    """A torus of 16 x 16 x 16 brings (n - 1) 8 / (n k): its rings carry k / 8 of what each switch sends."""
    torus = build("torus:dims=16x16x16")
    found = symmetric_flow(torus, uniform_remote(torus))
    assert found.lower == pytest.approx(4095 / 4096 * 8 / 16, abs=1e-9)
    assert found.upper == pytest.approx(found.lower, abs=1e-9)


def test_doubled_links_have_room_for_two():
    """Two switches with k links between them send each other k."""
    for k in (1, 2, 3):
        pair = Topology(links=[(0, 1)] * k, switches=2)
        assert symmetric_flow(pair, uniform_remote(pair)).lower == pytest.approx(k)


def test_what_it_leaves_to_others():
    """Traffic that is not uniform, and networks of more kinds than are solved, have no answer here; parts have none at all."""
    ring = build("ring:n=6")
    assert symmetric_flow(ring, permutation(ring, [1, 2, 3, 4, 5, 0])) is None
    large = build("jellyfish:n=200,degree=4")
    assert symmetric_flow(large, uniform_remote(large)) is None
    apart = Topology(links=[(0, 1), (2, 3)], switches=4)
    with pytest.raises(InputError, match="no path for the traffic"):
        symmetric_flow(apart, uniform_remote(apart))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", ["torus:dims=4x4x3", "jellyfish:n=24,degree=4", "mesh:dims=4x5"])
def test_the_bracket_holds_the_exact_flow(spec):
    """Whatever gap is asked for, the exact flow lies between the bounds, which keep it."""
    network = build(spec)
    exact = concurrent_flow(network, uniform_remote(network))
    for gap in (0.2, 0.01):
        found = approximate_flow(network, uniform_remote(network), gap=gap)
        assert found.lower <= exact * (1 + 1e-9)
        assert exact <= found.upper * (1 + 1e-9)
        assert found.gap <= gap


def priced(network):
    """The bracket, and the prices as a matrix of lengths."""
    found, prices = priced_flow(network, uniform_remote(network), gap=0.002)
    origin, to, capacity = arcs(network)
    length = np.zeros((network.switches, network.switches))
    length[origin, to] = prices
    return found, length, float(prices @ capacity)


@pytest.mark.parametrize("spec", ["jellyfish:n=20,degree=3", "mesh:dims=3x5"])
def test_prices_are_a_solution_of_the_dual(spec):
    """All channels cost the upper bound, and what the traffic needs costs 1 along shortest paths."""
    network = build(spec)
    found, length, everything = priced(network)
    assert everything == pytest.approx(found.upper, rel=1e-9)
    assert (uniform_remote(network).dense() * dijkstra(length)).sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", ["jellyfish:n=16,degree=3", "mesh:dims=3x5"])
def test_prices_bound_what_every_exchange_brings(spec):
    """A link less costs its price at least, a link more brings its shortest path at most; and so for random exchanges."""
    network = build(spec)
    found, length, _ = priced(network)
    far = dijkstra(length)
    both, apart = length + length.T, far + far.T
    links = network.links.tolist()
    for u, v in links[::5]:
        rest = [link for link in links if link != [u, v]]
        fewer = Topology(links=rest, switches=network.switches)
        try:
            brings = concurrent_flow(fewer, uniform_remote(fewer))
        except InputError:
            continue  # the link held the network together
        assert brings <= found.upper - both[u, v] + 1e-6
    draw = np.random.default_rng(7)
    raised = 0
    for _ in range(12):
        (u, u2), (v, v2) = (links[i] for i in draw.choice(len(links), 2, replace=False))
        if len({u, u2, v, v2}) < 4:
            continue
        rest = [link for link in links if link not in ([u, u2], [v, v2])]
        other = Topology(links=[*rest, (u, v), (u2, v2)], switches=network.switches)
        promised = apart[u, v] + apart[u2, v2] - both[u, u2] - both[v, v2]
        try:
            brings = concurrent_flow(other, uniform_remote(other))
        except InputError:
            continue
        assert brings <= found.upper + promised + 1e-6
        raised += brings > found.upper + 1e-6
        if promised < 0:
            assert brings <= found.upper
    one, other = np.unravel_index(np.argmax(apart), apart.shape)
    more = Topology(links=[*links, (one, other)], switches=network.switches)
    assert found.lower - 1e-6 < concurrent_flow(more, uniform_remote(more)) <= found.upper + apart[one, other] + 1e-6

"""FatPaths' layers: shortest paths over links that are drawn, and what becomes of the traffic."""

import networkx as nx
import numpy as np
import pytest

from topoloom import InputError, build, layered_routing, path_diversity, route
from topoloom.core.random_streams import Draws
from topoloom.routing.layered import _kept
from topoloom.throughput.traffic import permutation
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.throughput.tub import tub


def _hops(routing, ports) -> np.ndarray:
    """The hops of every path of a table, int64[n, n], by following it."""
    first, to = routing.channels.first, routing.channels.to
    n = routing.topology.switches
    hops = np.zeros((n, n), np.int64)
    for d in range(n):
        for s in range(n):
            at = s
            while at != d:
                at = int(to[first[at] + int(ports[d, at])])
                hops[d, s] += 1
                assert hops[d, s] < n
    return hops


@pytest.mark.parametrize("spec", ["slimfly:q=4", "hyperx:dims=4x4,width=2", "mesh:dims=4x5"])
def test_a_layer_has_shortest_paths_over_its_links(spec):
    """The first layer over all links; each other over those of the draw, as NetworkX finds them."""
    topology = build(spec)
    routing = layered_routing(topology, 3, 0.7, seed=5)
    for number, ports in enumerate((routing.ports, *routing.choice.ports)):
        kept = np.arange(len(topology.links)) if number == 0 else _kept(topology, 0.7, Draws(5, 20 + number))
        graph = nx.Graph(topology.links[kept].tolist())
        assert (_hops(routing, ports) == nx.floyd_warshall_numpy(graph, range(topology.switches))).all()


@pytest.mark.parametrize(("spec", "keep"), [("slimfly:q=5", 0.5), ("ring:n=12", 0.3), ("hyperx:dims=3x3,width=3", 0.2)])
def test_a_layer_keeps_its_share_and_what_joins_the_rest(spec, keep):
    """So many of the links, and no more beyond those than pieces would be left: never a link that closes a ring."""
    topology = build(spec)
    wanted = round(keep * len(topology.links))
    kept = _kept(topology, keep, Draws(1, 21))
    graph = nx.MultiGraph(topology.links[kept].tolist())
    assert nx.is_connected(graph)
    assert graph.number_of_nodes() == topology.switches
    assert wanted <= len(kept)
    chosen = Draws(1, 21).permutation(len(topology.links))[:wanted]
    alone = nx.MultiGraph()
    alone.add_nodes_from(range(topology.switches))
    alone.add_edges_from(topology.links[chosen].tolist())
    assert len(kept) - wanted == nx.number_connected_components(alone) - 1


def test_layers_are_free_of_deadlock_and_the_same_for_a_seed():
    """Virtual channels are by hop; another seed is another draw; threads change nothing."""
    topology = build("slimfly:q=5,hosts=4")
    routing = layered_routing(topology, 5, jobs=1)
    assert routing.verification.deadlock_free
    assert routing.verification.virtual_channels_used == routing.verification.max_hops
    assert routing.verification.reached_pairs == 5 * 50 * 49
    again, other = layered_routing(topology, 5, jobs=2), layered_routing(topology, 5, seed=2)
    assert all((a == b).all() for a, b in zip(routing.choice.ports, again.choice.ports, strict=True))
    assert any((a != b).any() for a, b in zip(routing.choice.ports, other.choice.ports, strict=True))
    assert (route(topology, "fatpaths").choice.ports[0] == routing.choice.ports[0]).all()


@pytest.mark.parametrize("spec", ["slimfly:q=7,hosts=6", "dragonfly:h=3"])
def test_layers_bring_more_of_a_hard_permutation(spec):
    """Where a pair has one shortest path, layers bring what more paths bring (Besta et al. 2020): above the one path's."""
    topology = build(spec)
    assert path_diversity(topology, samples=50).paths[0].one > 0.7
    hard = permutation(topology, tub(topology).partner)
    one, many = route(topology, "minimal"), layered_routing(topology)
    assert expected_loads(many, hard).throughput > 1.3 * expected_loads(one, hard).throughput


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("petersen", {"layers": 0}, "layers=0; they must be 1 to 128"),
        ("petersen", {"layers": 500}, "layers=500"),
        ("petersen", {"keep": 0}, "keep=0; it must be a share of the links"),
        ("petersen", {"keep": 1.5}, "keep=1.5"),
        ("petersen:hosts=1+planes:count=2", {}, "make layers for each plane"),
    ],
)
def test_bad_layers_are_refused(spec, options, words):
    """In a sentence with what would do."""
    with pytest.raises(InputError, match=words):
        layered_routing(build(spec), **options)

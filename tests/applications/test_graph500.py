"""Graph500's searches: levels and distances against networkx, messages counted edge by edge, and the trace that is replayed."""

import networkx
import numpy as np
import pytest

from topoloom.simulation.applications.graph500 import kronecker, searches
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.run import run_app
from topoloom.topologies.spec import build

_SCALE, _RANKS, _SEED = 8, 5, 3


def _drawn():
    """The graph of a seed, and the vertex where its first search begins."""
    draws = np.random.default_rng(_SEED)
    ends, weights = kronecker(_SCALE, draws)
    linked = np.unique(ends)
    return ends, weights, int(draws.choice(linked, size=1, replace=False)[0])


def test_levels_send_every_edge_of_their_vertices_once():
    """A step a level; each directed edge of a reached vertex is one message, from owner to owner."""
    ends, _, root = _drawn()
    (search,) = searches(_RANKS, "bfs", _SCALE, 1, _SEED)
    graph = networkx.Graph(ends.T.tolist())
    level = networkx.single_source_shortest_path_length(graph, root)
    assert len(search.messages) == max(level.values()) + 1
    for step, moved in enumerate(search.messages):
        wanted = np.zeros((_RANKS, _RANKS), int)
        for u, v in [*ends.T.tolist(), *ends[::-1].T.tolist()]:
            if level.get(u) == step:
                wanted[u % _RANKS, v % _RANKS] += 1
        assert np.array_equal(moved, wanted)
    assert search.edges == sum(u in level for u in ends[0].tolist())


def test_shortest_paths_relax_every_edge_at_least_once():
    """Delta-stepping sends each edge of a reached vertex, heavy ones once, light ones as often as its distance falls."""
    ends, weights, root = _drawn()
    (search,) = searches(_RANKS, "sssp", _SCALE, 1, _SEED)
    (levels,) = searches(_RANKS, "bfs", _SCALE, 1, _SEED)
    assert search.edges == levels.edges
    assert sum(int(moved.sum()) for moved in search.messages) >= 2 * search.edges
    graph = networkx.MultiGraph()
    graph.add_weighted_edges_from(
        (*edge, weight) for edge, weight in zip(ends.T.tolist(), weights.tolist(), strict=True)
    )
    far = max(networkx.single_source_dijkstra_path_length(graph, root).values())
    # A light phase and a heavy one at least for each bucket that has a vertex, none beyond the farthest.
    assert len(search.messages) >= 2
    assert far < 0.1 * len(search.messages)


def test_doubling_messages_doubles_operations():
    """A graph twice as large counts twice the edges."""
    once, twice = (program_of(f"graph500:scale=6,grow={grow}", 4) for grow in (0, 1))
    assert twice.operations == 2 * once.operations


@pytest.mark.simgrid
@pytest.mark.parametrize("kernel", ["bfs", "sssp"])
def test_a_search_runs_on_a_network(kernel):
    """All that leaves a rank for another passes a link: more bytes on a ring's links than were sent."""
    ran = run_app(build("torus:dims=4x2,hosts=1"), f"graph500:kernel={kernel},scale=8", 8)
    assert ran.mops > 0
    words = {"bfs": 2, "sssp": 3}[kernel]
    (search,) = searches(8, kernel, 8, 1, 1)
    sent = sum(4 * words * int(moved.sum() - np.trace(moved)) for moved in search.messages)
    assert ran.link_bytes_total >= sent

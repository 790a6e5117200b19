"""The k shortest loop-free paths of each pair: they are those of NetworkX, held exactly, and counted as tunnels."""

import itertools

import networkx as nx
import numpy as np
import pytest

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.groups.state import next_hop_state, tunnel_entries
from topoloom.routing.route import route
from topoloom.topologies.spec import build

SMALL = "jellyfish:n=16,degree=4,hosts=2"


def paths(routing, s, d):
    """The paths of a pair, one per member of the group at its source; as switches."""
    groups, channels, all_paths = routing.choice, routing.channels, []
    own = groups.group[0, d, s]
    for member in range(groups.first[own], groups.first[own + 1]):
        path, at = [s], member
        while True:
            path.append(int(channels.to[channels.first[path[-1]] + groups.port[at]]))
            if path[-1] == d:
                break
            group = groups.group[groups.next_state[at], d, path[-1]]
            assert groups.widths[group] == 1
            at = groups.first[group]
        all_paths.append(tuple(path))
    return all_paths


@pytest.mark.parametrize(
    ("spec", "engine", "k", "longer"),
    [
        (SMALL, "ksp", 8, 4),
        (SMALL, "ksp:k=20,longer=1", 20, 1),
        ("torus:dims=3x4", "ksp:k=5", 5, 4),
        ("ring:n=9", "ksp", 8, 4),
    ],
)
def test_paths_are_the_k_shortest_without_loops(spec, engine, k, longer):
    """Hops of the paths of every pair are the k lowest of all simple paths; paths differ, and no switch comes twice."""
    routing = route(build(spec), engine)
    graph = nx.Graph(routing.topology.links.tolist())
    for s, d in itertools.permutations(graph, 2):
        least = nx.shortest_path_length(graph, s, d)
        wanted = itertools.islice(nx.shortest_simple_paths(graph, s, d), k)
        hops = [len(path) - 1 for path in wanted if len(path) - 1 <= least + longer]
        made = paths(routing, s, d)
        assert [len(path) - 1 for path in made] == hops
        assert len(set(made)) == len(made)
        assert all(len(set(path)) == len(path) for path in made)
        assert len(routing.path(s, d)) - 1 == least
    assert routing.verification.complete
    assert routing.verification.max_hops == max(
        len(p) - 1 for s, d in itertools.permutations(graph, 2) for p in paths(routing, s, d)
    )


def test_paths_of_equal_hops_spread_over_the_links_of_the_source():
    """In a complete network the direct link, then one path over each other link."""
    routing = route(build("complete:n=9"), "ksp:k=8")
    for s, d in itertools.permutations(range(9), 2):
        assert sorted(path[1] for path in paths(routing, s, d)) == [v for v in range(9) if v != s]
    assert next_hop_state(routing).disjoint_least == 8


def test_parallel_links_are_different_paths():
    """Two cables, two paths; a switch behind one link has one."""
    routing = route(Topology(links=[(0, 1), (0, 1), (1, 2)], switches=3), "ksp")
    assert [len(paths(routing, s, d)) for s, d in ((0, 1), (0, 2), (1, 2))] == [2, 2, 1]


def test_entries_of_tunnels():
    """A path of each pair has an entry at each of its switches: (n - 1) k (hops + 1) on average."""
    routing = route(build(SMALL), "ksp:k=4")
    n = routing.topology.switches
    counted = np.zeros(n, np.int64)
    for s, d in itertools.permutations(range(n), 2):
        for path in paths(routing, s, d):
            counted[list(path)] += 1
    entries = tunnel_entries(routing)
    assert np.array_equal(entries, counted)
    state = next_hop_state(routing)
    assert entries.mean() == pytest.approx((n - 1) * 4 * (state.mean_hops + 1))
    assert state.route_members < entries.max()
    assert tunnel_entries(route(build(SMALL), "minimal")).sum() < entries.sum()
    for engine in ("ecmp", "shortest-union", "vlb"):
        with pytest.raises(InputError, match=f"engine {engine} has no paths per pair"):
            tunnel_entries(route(build(SMALL), engine))


def test_classes_states_and_faults(monkeypatch):
    """A class per hop cannot deadlock; too many states, and a stop, end in a sentence."""
    assert route(build(SMALL), "ksp:lossless=yes").verification.deadlock_free
    assert route(build("complete:n=1"), "ksp").verification.complete
    with pytest.raises(InputError, match="k=65 is out of range"):
        route(build(SMALL), "ksp:k=65")
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        route(build(SMALL), "ksp", work=work)
    monkeypatch.setattr("topoloom.routing.engines.ksp.MOST_STATES", 3)
    with pytest.raises(InputError, match="in more than 2 ways, and packets have as many states; use fewer paths"):
        route(build(SMALL), "ksp")

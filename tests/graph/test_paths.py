"""How many shortest paths there are."""

from math import comb, factorial

import networkx as nx
import numpy as np
import pytest
from graph_cases import cube, regular, ring, topologies, weighted_networkx
from hypothesis import given

from topoloom.core.errors import InputError
from topoloom.graph.paths import sample_switches, shortest_path_counts
from topoloom.model.topology import Topology


@given(topologies(most=12, simple=True))
def test_shortest_paths_are_counted_as_networkx_lists_them(topology):
    """Over all pairs that reach each other: mean, least, most and the share of single paths."""
    graph, n = weighted_networkx(topology), topology.switches
    counts = [
        len(list(nx.all_shortest_paths(graph, u, v)))
        for u in range(n)
        for v in range(n)
        if u != v and nx.has_path(graph, u, v)
    ]
    found = shortest_path_counts(topology)
    if counts:
        assert found.mean == pytest.approx(np.mean(counts))
        assert (found.fewest, found.most) == (min(counts), max(counts))
        assert found.single == pytest.approx(np.mean(np.array(counts) == 1))
    else:
        assert (found.mean, found.most) == (0.0, 0.0)


def test_a_hypercube_has_a_factorial_of_paths():
    """d! shortest paths join switches d bits apart."""
    found = shortest_path_counts(cube(8))
    assert found.most == factorial(8)
    assert found.mean == pytest.approx(sum(comb(8, d) * factorial(d) for d in range(1, 9)) / 255)


def test_parallel_links_make_more_paths():
    """With every link of a path of three doubled, four ways lead over both."""
    found = shortest_path_counts(Topology(links=[(0, 1), (0, 1), (1, 2), (1, 2)], switches=3))
    assert (found.fewest, found.most) == (2.0, 4.0)


def test_counts_past_any_integer_saturate_into_floats():
    """A chain of 700 diamonds has 2^700 shortest paths end to end: no overflow, no infinity."""
    links = [(3 * i, 3 * i + s) for i in range(700) for s in (1, 2)]
    links += [(3 * i + s, 3 * i + 3) for i in range(700) for s in (1, 2)]
    assert shortest_path_counts(Topology(links=links, switches=2101), sources=None).most == 2.0**700


def test_samples_are_told_and_repeatable():
    """With fewer sources than switches the result says so; the same seed gives the same, on any number of threads."""
    topology = regular(400, 5)
    one, two = (shortest_path_counts(topology, sources=50, seed=4, jobs=jobs) for jobs in (1, 3))
    assert one == two
    assert (one.sampled, one.sources) == (True, 50)
    assert not shortest_path_counts(ring(9)).sampled


def test_a_sample_of_nothing_is_refused():
    """sources=0 is answered by a sentence."""
    with pytest.raises(InputError, match="at least one"):
        sample_switches(np.arange(5), 0, 0)

"""Components, the least cut of links, and link-disjoint paths."""

import networkx as nx
import numpy as np
import pytest
from graph_cases import complete, cube, path, regular, ring, topologies, torus, weighted_networkx
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.graph.connectivity import components, edge_connectivity, edge_disjoint_paths
from topoloom.model.topology import Topology


@given(topologies())
def test_components_are_numbered_by_their_smallest_switch(topology):
    """Two switches share a number if and only if they reach each other, and numbers appear in order."""
    found = components(topology)
    parts = sorted(nx.connected_components(weighted_networkx(topology)), key=min)
    for number, part in enumerate(parts):
        assert (np.flatnonzero(found == number) == sorted(part)).all()


@given(topologies(most=16))
def test_edge_connectivity_is_the_least_cut(topology):
    """On any multigraph the answer is that of Stoer and Wagner; 0 when disconnected or one switch."""
    graph = weighted_networkx(topology)
    split = topology.switches == 1 or not nx.is_connected(graph)
    assert edge_connectivity(topology) == (0 if split else nx.stoer_wagner(graph)[0])


def test_edge_connectivity_of_known_graphs():
    """Ring, torus, hypercube and complete graph lose a switch by its own links first; two clusters by what joins them."""
    assert [edge_connectivity(t) for t in (ring(50), torus(7, 9), cube(8), complete(12), path(9))] == [2, 4, 8, 11, 1]
    bridge = np.concatenate([complete(8).links, complete(8).links + 8, [(0, 8), (1, 9), (2, 10)]])
    assert edge_connectivity(Topology(links=bridge, switches=16)) == 3


def test_edge_connectivity_of_a_large_graph():
    """A random regular graph of 4,000 switches is as connected as its degree, found in well under a second."""
    assert edge_connectivity(regular(4000, 12)) == 12


@given(topologies(most=12), st.integers(0, 1000))
def test_disjoint_paths_are_the_maximum_flow(topology, seed):
    """By Menger the paths without a common link are as many as a maximum flow of unit links carries."""
    if topology.switches < 2:
        return
    graph = weighted_networkx(topology)
    found = edge_disjoint_paths(topology, samples=10, seed=seed)
    for (u, v), count in zip(found.pairs.tolist(), found.counts.tolist(), strict=True):
        assert count == nx.maximum_flow_value(graph, u, v)
    assert found.sampled == (topology.switches * (topology.switches - 1) // 2 > 10)
    assert (found.fewest, found.most) == (found.counts.min(), found.counts.max())


def test_samples_are_the_same_on_every_number_of_threads():
    """The pairs come from the seed, the counts do not depend on threads."""
    topology = regular(200, 5)
    one, many = (edge_disjoint_paths(topology, samples=100, seed=3, jobs=jobs) for jobs in (1, 4))
    assert one.pairs.tolist() == many.pairs.tolist()
    assert one.counts.tolist() == many.counts.tolist()
    assert one.mean == 5.0


@pytest.mark.parametrize("pairs", [[(0, 0)], [(0, 9)], [(-1, 2)], []])
def test_pairs_must_be_two_different_switches(pairs):
    """A pair of a switch with itself, out of range, or no pair at all is refused."""
    with pytest.raises(InputError, match="different switches"):
        edge_disjoint_paths(ring(5), pairs=pairs)

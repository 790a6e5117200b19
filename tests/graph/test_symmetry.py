"""Symmetries against their definition, and against orbits counted by another program."""

import networkx
import numpy as np
import pytest

from topoloom.graph.symmetry import symmetries
from topoloom.model.topology import Topology
from topoloom.throughput.flow import arcs
from topoloom.topologies.spec import build


def orbits_by_networkx(topology):
    """The orbits of all automorphisms, which VF2 lists one by one."""
    graph = networkx.Graph(topology.to_networkx())
    for switch in graph:
        graph.nodes[switch]["hosts"] = int(topology.endpoints_at[switch])
    matcher = networkx.isomorphism.GraphMatcher(
        graph, graph, node_match=lambda one, other: one["hosts"] == other["hosts"]
    )
    together = networkx.Graph()
    together.add_nodes_from(graph)
    for image in matcher.isomorphisms_iter():
        together.add_edges_from(image.items())
    return {frozenset(part) for part in networkx.connected_components(together)}


def orbits(found, n):
    """The same of what was found."""
    number = found.switch_orbits if len(found.maps) else np.arange(n)
    return {frozenset(np.flatnonzero(number == orbit).tolist()) for orbit in set(number.tolist())}


@pytest.mark.parametrize(
    "spec",
    [
        "petersen",
        "torus:dims=3x4",
        "hypercube:n=3",
        "mesh:dims=3x4",
        "mesh:dims=4x4",
        "ring:n=9",
        "jellyfish:n=12,degree=3",
    ],
)
def test_orbits_are_those_of_all_automorphisms(spec):
    """On small graphs nothing is missing: the orbits are those of every automorphism there is."""
    topology = build(spec)
    assert orbits(symmetries(topology), topology.switches) == orbits_by_networkx(topology)


@pytest.mark.parametrize("spec", ["torus:dims=4x4x4", "twisted-torus:dims=4x4x8", "slimfly:q=5", "dragonfly:a=4,h=2"])
def test_every_map_keeps_every_link(spec):
    """A map is a permutation that takes the links, as a multiset, onto themselves."""
    topology = build(spec)
    found = symmetries(topology)
    assert len(found.maps)
    links = np.sort(topology.links, axis=1)
    for image in found.maps:
        assert sorted(image.tolist()) == list(range(topology.switches))
        onto = np.sort(image[topology.links], axis=1)
        assert sorted(map(tuple, onto.tolist())) == sorted(map(tuple, links.tolist()))


def test_parallel_links_and_hosts_tell_switches_apart():
    """A ring of four with one doubled link has two kinds of switches; with a host on one switch, three of a plain ring."""
    doubled = Topology(links=[(0, 1), (0, 1), (1, 2), (2, 3), (0, 3)], switches=4)
    assert orbits(symmetries(doubled), 4) == {frozenset({0, 1}), frozenset({2, 3})}
    hosted = Topology(links=[(0, 1), (1, 2), (2, 3), (0, 3)], switches=4, endpoints=[0])
    assert orbits(symmetries(hosted), 4) == {frozenset({0}), frozenset({1, 3}), frozenset({2})}


def test_arcs_that_are_alike():
    """A torus of two unlike sides has two kinds of links, the cube one; each kind has as many arcs as links twice."""
    for spec, kinds in (("torus:dims=4x6", [48, 48]), ("torus:dims=5x5x5", [750])):
        topology = build(spec)
        origin, to, _ = arcs(topology)
        found = symmetries(topology).arc_orbits(origin, to, both_ways=True)
        assert np.bincount(found).tolist() == kinds


def test_what_has_no_symmetry_has_no_map():
    """A path with a branch that no map keeps; and a network without links, of which nothing is asked."""
    odd = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)], switches=7)
    assert not len(symmetries(odd).maps)
    assert not len(symmetries(Topology(links=np.empty((0, 2), int), switches=3)).maps)

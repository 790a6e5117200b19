"""Topology: immutable, content-equal, array-backed."""

import dataclasses
import pickle

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, Topology, build


@st.composite
def topologies(draw: st.DrawFn) -> Topology:
    """Small multigraphs with hosts, some of several ports."""
    n = draw(st.integers(2, 12))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda link: link[0] != link[1])
    endpoints = draw(st.lists(st.integers(0, n - 1), max_size=12))
    hosts = draw(st.integers(1, max(1, len(endpoints))))
    host = [i % hosts for i in range(len(endpoints))]
    return Topology(links=draw(st.lists(ends, max_size=30)), switches=n, endpoints=endpoints, host=host)


@given(topologies(), st.randoms())
@settings(max_examples=examples(60), deadline=None)
def test_the_order_and_direction_of_links_do_not_matter(topology, random):
    """Links are kept with u < v and sorted, so any order and direction of them is the same topology."""
    links = [random.choice([(u, v), (v, u)]) for u, v in topology.links.tolist()]
    random.shuffle(links)
    again = topology.replace(links=links)
    assert again == topology
    assert hash(again) == hash(topology)
    assert (topology.links[:, 0] < topology.links[:, 1]).all()
    assert np.array_equal(np.lexsort((topology.links[:, 1], topology.links[:, 0])), np.arange(len(topology.links)))


@given(topologies())
@settings(max_examples=examples(60), deadline=None)
def test_ports_are_numbered_without_gaps(topology):
    """At every switch, endpoints take the first ports and links the next ones, 1 .. radix of that switch."""
    ports = [[] for _ in range(topology.switches)]
    for switch, port in zip(topology.endpoints, topology.endpoint_ports, strict=True):
        ports[switch].append(int(port))
    assert [sorted(p) for p in ports] == [list(range(1, count + 1)) for count in topology.endpoints_at]
    for (u, v), (p, q) in zip(topology.links, topology.link_ports, strict=True):
        ports[u].append(int(p))
        ports[v].append(int(q))
    assert [sorted(p) for p in ports] == [
        list(range(1, used + 1)) for used in (topology.degrees + topology.endpoints_at).tolist()
    ]


@given(topologies())
@settings(max_examples=examples(40), deadline=None)
def test_csr_lists_every_link_from_both_ends(topology):
    """Row u of the CSR adjacency holds the other end of each of u's links, ascending, with the link's number."""
    offsets, neighbours, link = topology.csr
    for u in range(topology.switches):
        row = slice(offsets[u], offsets[u + 1])
        assert list(neighbours[row]) == sorted(neighbours[row])
        for v, number in zip(neighbours[row], link[row], strict=True):
            assert set(topology.links[number].tolist()) == {u, int(v)}
    assert neighbours.size == 2 * len(topology.links)


def test_equality_is_by_content_not_by_name():
    """Name and spec tell where a topology came from; links, hosts and labels what it is."""
    square = Topology(links=[(0, 1), (1, 2), (2, 3), (3, 0)], switches=4, labels={"group": [0, 0, 1, 1]})
    assert square == square.replace(name="other", spec="ring:n=4")
    assert square != square.replace(labels={"group": [0, 1, 1, 0]})
    assert square != square.with_hosts(1)
    assert square != square.replace(links=[(0, 1), (0, 1), (1, 2), (2, 3), (3, 0)])
    assert square != "square"


def test_a_topology_cannot_be_changed():
    """Neither fields nor arrays nor labels can be assigned to, and the caller's own array stays his."""
    mine = np.array([[0, 1], [1, 2]])
    topology = Topology(links=mine, switches=3, labels={"x": np.arange(3)})
    with pytest.raises(dataclasses.FrozenInstanceError):
        topology.switches = 4
    with pytest.raises(ValueError, match="read-only"):
        topology.links[0, 0] = 2
    with pytest.raises(TypeError):
        topology.labels["y"] = np.arange(3)
    with pytest.raises(ValueError, match="read-only"):
        topology.labels["x"][0] = 5
    mine[0] = 2, 1
    assert topology.links.tolist() == [[0, 1], [1, 2]]


def test_hosts_may_have_several_ports():
    """A host with a port on each of two planes is one host with two endpoints."""
    rails = Topology(links=[(0, 1)], switches=2, endpoints=[0, 1, 0, 1], host=[0, 0, 1, 1])
    assert rails.hosts == 2
    assert rails.endpoints.tolist() == [0, 0, 1, 1]
    assert rails.host.tolist() == [0, 1, 0, 1]
    assert rails.radix == 3


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"links": [(0, 0)], "switches": 2}, "switch 0 is linked to itself"),
        ({"links": [(0, 5)], "switches": 2}, "link at switch 5, but switches are numbered 0 to 1"),
        ({"links": [(0, -1)], "switches": 2}, "switch -1"),
        ({"links": [(0, 1, 2)], "switches": 3}, "shape"),
        ({"links": [(0.5, 1)], "switches": 2}, "must hold integers"),
        ({"links": [], "switches": 0}, "a topology has 1 to"),
        ({"links": [], "switches": 10**12}, "a topology has 1 to"),
        ({"links": [], "switches": 2, "endpoints": [2]}, "endpoint at switch 2"),
        ({"links": [], "switches": 2, "endpoints": [0, 1], "host": [0]}, "1 hosts named for 2 endpoints"),
        ({"links": [], "switches": 2, "endpoints": [0, 1], "host": [0, 2]}, "without gaps"),
        ({"links": [], "switches": 2, "labels": {"x": [1]}}, "label 'x' has shape"),
        ({"links": [], "switches": 1, "labels": {"x": [None]}}, "numbers or text"),
    ],
)
def test_impossible_parts_are_refused_with_the_reason(parts, words):
    """What no network can be raises InputError, which names the place."""
    with pytest.raises(InputError, match=words):
        Topology(**parts)


@given(topologies())
@settings(max_examples=examples(30), deadline=None)
def test_pickling_and_networkx_keep_the_content(topology):
    """A topology survives pickling whole, and NetworkX with hosts of one port each."""
    assert pickle.loads(pickle.dumps(topology)) == topology
    single = topology.replace(endpoints=topology.endpoints)
    assert Topology.from_networkx(single.to_networkx()) == single


def test_networkx_graphs_come_in_with_their_attributes():
    """Nodes are numbered in the graph's order; an attribute that all nodes have becomes a label."""
    graph = networkx.Graph([("a", "b"), ("b", "c")])
    networkx.set_node_attributes(graph, {"a": 1, "b": 2, "c": 3}, "rack")
    graph.nodes["b"]["odd"] = True
    topology = Topology.from_networkx(graph)
    assert topology.links.tolist() == [[0, 1], [1, 2]]
    assert topology.labels["rack"].tolist() == [1, 2, 3]
    assert topology.labels["name"].tolist() == ["a", "b", "c"]
    assert list(topology.labels) == ["name", "rack"]
    with pytest.raises(InputError, match="directed"):
        Topology.from_networkx(networkx.DiGraph([(0, 1)]))
    graph.nodes["a"]["hosts"] = "many"
    with pytest.raises(InputError, match="'hosts' must be a whole number"):
        Topology.from_networkx(graph)


def test_nodes_of_networkx_keep_what_they_are_called():
    """Nodes that are not 0, 1, 2 ... in order become the label name; a name of their own stays, and numbers need none."""
    assert Topology.from_networkx(networkx.path_graph(3)).labels == {}
    turned = networkx.Graph([(1, 0), (0, 2)])
    assert Topology.from_networkx(turned).labels["name"].tolist() == ["1", "0", "2"]
    grid = networkx.grid_2d_graph(2, 2)
    assert Topology.from_networkx(grid).labels["name"].tolist() == ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
    named = networkx.relabel_nodes(networkx.path_graph(2), {0: "x", 1: "y"})
    networkx.set_node_attributes(named, {"x": "left", "y": "right"}, "name")
    assert Topology.from_networkx(named).labels["name"].tolist() == ["left", "right"]


@pytest.mark.parametrize("key", ["capacity", "weight"])
def test_edges_of_unequal_weight_are_refused(key):
    """Capacities without a unit are no rates; equal ones pass, and an edge without one differs too."""
    graph = networkx.path_graph(4)
    networkx.set_edge_attributes(graph, 100, key)
    assert Topology.from_networkx(graph).links.tolist() == [[0, 1], [1, 2], [2, 3]]
    graph.edges[1, 2][key] = 200.0
    reason = rf"^x: the edges differ in their {key} \(100, 200\), which has no unit; give rates in Gb/s as rate_gbps"
    with pytest.raises(InputError, match=reason):
        Topology.from_networkx(graph, "x")
    del graph.edges[1, 2][key]
    with pytest.raises(InputError, match=r"\(100, None\)"):
        Topology.from_networkx(graph)


@pytest.mark.parametrize("hosts", [-1, 1.5, [1, 2]])
def test_impossible_numbers_of_hosts_are_refused(hosts):
    """Hosts a switch are whole numbers from 0, one for all switches or one for each."""
    with pytest.raises(InputError, match="whole number from 0"):
        Topology(links=[(0, 1), (1, 2)], switches=3).with_hosts(hosts)


def test_two_million_links_fit_easily():
    """100,000 switches with 2,000,000 links: built in one go, with ports and adjacency."""
    switch = np.arange(100_000)
    links = np.concatenate([np.stack([switch, (switch + jump) % 100_000], axis=1) for jump in range(1, 21)])
    topology = Topology(links=links, switches=100_000)
    assert len(topology.links) == 2_000_000
    assert topology.link_ports.max() == 40
    assert set(topology.degrees.tolist()) == {40}


def test_a_built_topology_remembers_its_spec():
    """`spec` rebuilds the topology exactly, defaults and seed written out."""
    topology = build("jellyfish:n=40,degree=4,hosts=2")
    assert topology.spec == "jellyfish:n=40,degree=4,seed=1,hosts=2"
    assert build(topology.spec) == topology

"""DirectedTopology: immutable, equal by content, never mistaken for an undirected network."""

import pickle
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from in_process import run
from topoloom import DirectedTopology, InputError, Topology, build, hops, new_study, open_directed, open_network
from topoloom.model.directed import DirectedNetworkError

_FIXTURES = Path(__file__).parents[1] / "formats" / "fixtures"
TRIANGLE = DirectedTopology(arcs=[(2, 0), (0, 1), (1, 2)], switches=3, endpoints=[2, 0], name="triangle")


def test_it_is_equal_by_content_and_not_by_origin():
    """The order of arcs and hosts, name and spec do not count; the direction does, and pickling keeps all."""
    same = DirectedTopology(arcs=[(0, 1), (1, 2), (2, 0)], switches=3, endpoints=[0, 2], spec="x")
    assert same == TRIANGLE
    assert hash(same) == hash(TRIANGLE)
    assert DirectedTopology(arcs=[(1, 0), (2, 1), (0, 2)], switches=3, endpoints=[0, 2]) != TRIANGLE
    assert pickle.loads(pickle.dumps(TRIANGLE)) == TRIANGLE
    undirected = Topology(links=[(0, 1), (1, 2), (0, 2)], switches=3, endpoints=[0, 2])
    assert undirected != TRIANGLE
    assert TRIANGLE.digest != undirected.digest
    assert not isinstance(TRIANGLE, Topology)
    with pytest.raises(ValueError, match="read-only"):
        TRIANGLE.arcs[0, 0] = 1


def test_degrees_and_arcs_by_head_and_tail():
    """Out- and in-degrees, and both adjacencies of one digraph with parallel arcs."""
    net = DirectedTopology(arcs=[(0, 1), (0, 1), (2, 1), (1, 0)], switches=4)
    assert net.out_degrees.tolist() == [2, 1, 1, 0]
    assert net.in_degrees.tolist() == [1, 3, 0, 0]
    assert [part.tolist() for part in net.out_csr] == [[0, 2, 3, 4, 4], [1, 1, 0, 1]]
    offsets, tails, arc = net.in_csr
    assert (offsets.tolist(), tails.tolist()) == ([0, 1, 4, 4, 4], [1, 0, 0, 2])
    assert net.arcs[arc].tolist() == [[1, 0], [0, 1], [0, 1], [2, 1]]


def test_undirected_merges_only_opposite_arcs():
    """Two arcs one way and one the other way are two cables: the opposite ones share one."""
    net = DirectedTopology(arcs=[(0, 1), (0, 1), (1, 0), (2, 1)], switches=3, endpoints=[1], labels={"x": [1, 2, 3]})
    links = net.undirected()
    assert links.links.tolist() == [[0, 1], [0, 1], [1, 2]]
    assert (links.hosts, links.labels["x"].tolist(), links.spec) == (1, [1, 2, 3], None)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"arcs": [(0, 0)]}, "an arc from switch 0 to itself"),
        ({"arcs": [(0, 3)]}, "arc at switch 3, but switches are numbered 0 to 2"),
        ({"arcs": [(0, 1, 2)]}, "arcs has shape"),
        ({"arcs": [(0.5, 1)]}, "arcs holds float64"),
        ({"arcs": [], "endpoints": [5]}, "endpoint at switch 5"),
        ({"arcs": [], "labels": {"x": [1]}}, "label 'x' has shape"),
        ({"arcs": [], "switches": 0}, "0 switches"),
    ],
)
def test_bad_parts_are_refused(arguments, reason):
    """One sentence that names the part."""
    with pytest.raises(InputError, match=reason):
        DirectedTopology(**{"switches": 3, **arguments})


def test_networkx_there_and_back():
    """Directions, hosts, labels and names survive; an undirected graph is refused here, a directed one by Topology."""
    net = open_directed("unidirectional-torus:dims=3x2,hosts=2")
    assert DirectedTopology.from_networkx(net.to_networkx()) == net
    named = nx.DiGraph([("b", "a"), ("a", "c")])
    assert DirectedTopology.from_networkx(named).labels["name"].tolist() == ["b", "a", "c"]
    assert open_directed(named).arcs.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(InputError, match=r"the graph is undirected; pass graph.to_directed"):
        open_directed(nx.path_graph(3))
    with pytest.raises(InputError, match=r"the graph is directed; .* topoloom.open_directed"):
        Topology.from_networkx(named)
    rated = nx.DiGraph()
    rated.add_edge(0, 1, rate_gbps=100)
    with pytest.raises(InputError, match="a directed network has no rates"):
        open_directed(rated)


def test_open_directed_takes_directed_networks_only():
    """An undirected spec, file or object is refused by name."""
    with pytest.raises(InputError, match="petersen: this network is undirected, and open_directed takes directed ones"):
        open_directed("petersen")
    with pytest.raises(InputError, match=r"open_directed takes a directed network .* not a Topology"):
        open_directed(build("petersen"))
    with pytest.raises(InputError, match="no family, file or folder named 'zzqqxx'"):
        open_directed("zzqqxx")


def test_a_refusal_can_open_what_it_refuses():
    """The gate of operations: the refusal carries the way to the directed network, and names what takes it instead."""
    with pytest.raises(
        DirectedNetworkError, match=r"open_network takes undirected ones; topoloom.open_directed takes it"
    ) as at:
        open_network("unidirectional-ring:n=3")
    assert at.value.opened().arcs.tolist() == [[0, 1], [1, 2], [2, 0]]
    with pytest.raises(
        InputError, match=r"triangle: .* and hops takes undirected ones; topoloom.directed_hops takes it"
    ):
        hops(TRIANGLE)


class _Holder:
    """Has a topology, as layouts and routings do."""

    topology = TRIANGLE


def test_what_holds_a_directed_topology_is_refused_too():
    """An object whose `topology` is directed is no way around the gate."""
    with pytest.raises(InputError, match="triangle: this network is directed, and hops"):
        hops(_Holder())


def test_hosts_per_switch():
    """One number for all, or one for each."""
    assert TRIANGLE.with_hosts(2).endpoints.tolist() == [0, 0, 1, 1, 2, 2]
    assert TRIANGLE.with_hosts(np.array([0, 1, 2])).hosts == 3
    with pytest.raises(InputError, match="hosts per switch"):
        TRIANGLE.with_hosts(-1)


def test_a_directed_part_is_not_the_whole(tmp_path):
    """A folder whose topology is directed is refused, not opened as that file; standard input is opened as what it is."""
    (tmp_path / "topology.json").write_bytes((_FIXTURES / "version3.json").read_bytes())
    for opened in (open_directed, open_network):
        with pytest.raises(DirectedNetworkError, match=r"topology.json: this network is directed"):
            opened(tmp_path)
    assert run("info", tmp_path).code == 2


def test_a_new_study_of_directed_networks():
    """A template for an operation that takes directed specs; any other operation refuses them when the file is made."""
    spec = "kautz-digraph:base=2,length=3"
    assert spec in new_study(operation="hops", networks=[spec], axis="none").text
    with pytest.raises(InputError, match=f"{spec}: this network is directed, and cuts takes undirected ones"):
        new_study(operation="cuts", networks=[spec], axis="none")

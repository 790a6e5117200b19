"""`directed_hops` and `directed_info` on digraphs of any form, against NetworkX."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import run
from tiers import examples
from topoloom import DirectedTopology, InputError, directed_hops, directed_info, open_directed, run_task, task_of


@st.composite
def digraphs(draw):
    """Up to 12 switches, up to 40 arcs with parallel ones, up to 3 hosts on each."""
    n = draw(st.integers(1, 12))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda arc: arc[0] != arc[1])
    arcs = draw(st.lists(ends, max_size=40)) if n > 1 else []
    return DirectedTopology(arcs, n, draw(st.lists(st.integers(0, n - 1), max_size=3 * n)))


@settings(max_examples=examples(60), deadline=None)
@given(digraphs())
def test_hops_are_those_of_networkx(net):
    """Pairs of switches and of hosts, strong components, largest distances."""
    graph = net.to_networkx()
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    found = directed_hops(net, eccentricities=True)
    away = [hops for row in lengths.values() for hops in row.values()]
    assert found.histogram.tolist() == np.bincount(away).tolist()
    assert found.components == nx.number_strongly_connected_components(graph)
    whole = nx.is_strongly_connected(graph)
    assert found.connected == whole
    assert found.diameter == (max(away) if whole else math.inf)
    assert found.eccentricities.radius == min(max(row.values()) for row in lengths.values())
    if net.hosts < 2:
        assert found.host_aspl is None
        return
    pairs = [
        lengths[a].get(b, math.inf) for i, a in enumerate(net.endpoints) for j, b in enumerate(net.endpoints) if i != j
    ]
    assert found.host_aspl == pytest.approx(np.mean(pairs))
    assert found.host_diameter == max(pairs)


@settings(max_examples=examples(30), deadline=None)
@given(digraphs())
def test_info_keeps_the_bounds(net):
    """Degrees are those of NetworkX, and no digraph is below its bounds."""
    found, graph = directed_info(net), net.to_networkx()
    assert (found.out_degree_max, found.in_degree_max) == (
        max(dict(graph.out_degree()).values()),
        max(dict(graph.in_degree()).values()),
    )
    assert found.strongly_connected == nx.is_strongly_connected(graph)
    assert found.moore_diameter_bound <= found.diameter
    assert found.moore_aspl_bound <= found.aspl + 1e-12
    if found.strongly_connected:
        assert net.switches <= found.moore_order
        assert found.moore_share == net.switches / found.moore_order


def test_threads_and_samples():
    """Threads change nothing; a sample estimates the mean within its interval, and all sources are no sample."""
    net = open_directed("random-digraph:n=400,degree=3")
    whole = directed_hops(net)
    assert directed_hops(net, 1).histogram.tolist() == whole.histogram.tolist()
    sample = directed_hops(net, samples=60)
    assert sample.sampled
    assert abs(sample.aspl - whole.aspl) < 2 * sample.aspl_ci95
    assert directed_hops(net, samples=400).aspl_ci95 == 0.0
    with pytest.raises(InputError, match="at least one is needed"):
        directed_hops(net, samples=0)


def test_a_large_bound_is_no_number_of_a_record():
    """2^1999 switches would be reachable: the record says None, and the share stays a number."""
    found = directed_info("unidirectional-torus:dims=300x2")
    assert (found.diameter, found.moore_order) == (300, None)
    assert 0 <= found.moore_share < 1e-80
    assert found.record()["moore_order"] is None


def test_one_switch_and_two():
    """The smallest networks have values or None, and no warning of NumPy."""
    one = directed_info(DirectedTopology([], 1, [0, 0]))
    assert (one.diameter, one.aspl, one.host_aspl, one.moore_order) == (0, 0.0, 0.0, 1)
    apart = directed_info(DirectedTopology([(0, 1)], 2, [0, 1]))
    assert (apart.diameter, apart.host_diameter, apart.strong_components, apart.moore_order) == (
        math.inf,
        math.inf,
        2,
        None,
    )
    assert apart.record()["diameter"] is None


def test_the_command_the_study_and_python_agree():
    """`topoloom info` and `hops`, tasks of a study and the functions give one record."""
    spec = "kautz-digraph:base=2,length=3,hosts=1"
    assert run("info", spec, "--json").record == directed_info(spec).record()
    assert run("hops", spec, "--json").record == directed_hops(spec).record()
    for operation, function in (("info", directed_info), ("hops", directed_hops)):
        record, row = run_task(task_of(operation, {"topology": spec}))
        assert record == function(spec).record()
        assert row["aspl"] == function(spec).aspl
    printed = run("hops", spec, "--eccentricities").out
    assert "strongly connected  yes" in printed
    assert "farthest at" in printed
    assert "moore share" in run("info", spec).out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("hops", "--paths"), "--paths: the network is directed"),
        (("hops", "--latency"), "--latency: the network is directed"),
        (("hops", "--device", "cpu"), "--device: the network is directed"),
        (("info", "--load"), "--load: the network is directed"),
        (("info", "--measure", "girth"), "--measure: the network is directed"),
        (("info", "--seeds", "3"), "--seeds: the network is directed"),
    ],
)
def test_options_of_undirected_networks_are_refused(words, reason):
    """An option that would be ignored is refused."""
    done = run(words[0], "unidirectional-ring:n=4", *words[1:])
    assert done.code == 2
    assert reason in done.error


def test_a_long_count_is_omitted_with_its_reason(monkeypatch):
    """`info` says how long it would take; --full counts."""
    monkeypatch.setattr("topoloom.graph.directed_info._PATIENCE_SECONDS", 0.0)
    found = directed_info("unidirectional-ring:n=9")
    assert found.diameter is None
    assert "--full measures it" in found.skipped["hops"]
    assert directed_info("unidirectional-ring:n=9", full=True).diameter == 8
    assert "no hops" in run("info", "unidirectional-ring:n=9").out

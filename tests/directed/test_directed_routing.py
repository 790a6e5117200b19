"""Tables of directed networks: paths along arcs, loads, and freedom from deadlock, checked without the verifier."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from in_process import run
from tiers import examples
from topoloom import (
    DirectedRouting,
    DirectedTopology,
    InputError,
    directed_hops,
    directed_route,
    open_directed,
    route,
    run_task,
    task_of,
    verify_directed,
)
from topoloom.routing.directed_routing import carrier_of
from topoloom.routing.routing import HOP, SWITCH

CASES = [
    ("kautz-digraph:base=2,length=3", "lash"),
    ("kautz-digraph:base=3,length=2,hosts=2", "hop-vcs"),
    ("debruijn-digraph:base=2,length=4", "lash"),
    ("imase-itoh:n=30,degree=3", "hop-vcs"),
    ("unidirectional-ring:n=9", "dor"),
    ("unidirectional-torus:dims=4x3,hosts=1", "dor"),
    ("unidirectional-torus:dims=2x1x3", "dor"),
    ("directed-circulant:n=12,jumps=1x5", "lash"),
    ("random-digraph:n=40,degree=3", "lash"),
    ("random-digraph:n=40,degree=3", "minimal"),
]


def _paths(tables):
    """Of every pair, the arcs of its path with their virtual channels, read from the plain arrays."""
    net = tables.network
    offsets, heads = net.out_csr
    for d in range(net.switches):
        for s in range(net.switches):
            at, arcs = s, []
            while at != d:
                arc = int(offsets[at]) + int(tables.ports[d, at])
                assert net.arcs[arc, 0] == at
                rule, vcs = tables.virtual_channel_rule, tables.virtual_channels
                vc = len(arcs) if rule == HOP else 0 if vcs is None else int(vcs[d, at if rule == SWITCH else s])
                arcs.append((arc, vc))
                at = int(heads[arc])
                assert len(arcs) < net.switches
            yield s, d, arcs


@pytest.mark.parametrize(("spec", "engine"), CASES)
def test_tables_lead_along_arcs_in_the_fewest_hops_without_deadlock(spec, engine):
    """Paths, loads and channel dependencies by an independent walk; the dependency graph by NetworkX."""
    net = open_directed(spec)
    tables = directed_route(net, engine)
    away = dict(nx.all_pairs_shortest_path_length(net.to_networkx()))
    load = np.zeros(len(net.arcs), int)
    waits = nx.DiGraph()
    for s, d, arcs in _paths(tables):
        assert len(arcs) == away[s][d]
        for arc, _ in arcs:
            load[arc] += 1
        waits.add_edges_from(pairwise(arcs))
    verification = tables.verification
    assert verification.channel_load.tolist() == load.tolist()
    assert verification.edge_forwarding_index == load.max()
    assert verification.load_over_mean == pytest.approx(load.max() / load.mean())
    assert verification.mean_hops == pytest.approx(directed_hops(net).aspl)
    assert verification.deadlock_free == nx.is_directed_acyclic_graph(waits) == (engine != "minimal")
    assert (verification.minimal, verification.complete, verification.stretch) == (True, True, 1.0)
    assert tables.path(0, net.switches - 1)[-1] == net.switches - 1


@st.composite
def _strong_digraphs(draw):
    """A ring through 2 to 9 switches in random order, and arcs anywhere, parallel ones too."""
    n = draw(st.integers(2, 9))
    order = draw(st.permutations(range(n)))
    ring = [(order[i], order[(i + 1) % n]) for i in range(n)]
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda arc: arc[0] != arc[1])
    return DirectedTopology(
        ring + draw(st.lists(ends, max_size=20)), n, draw(st.lists(st.integers(0, n - 1), max_size=5))
    )


@settings(max_examples=examples(60), deadline=None)
@given(_strong_digraphs(), st.sampled_from(["lash", "hop-vcs"]))
def test_any_strongly_connected_digraph_is_routed(net, engine):
    """Every path is shortest, and the dependencies of paths between switches with hosts have no cycle."""
    tables = directed_route(net, engine)
    away = dict(nx.all_pairs_shortest_path_length(net.to_networkx()))
    carries = net.endpoints_at > 0 if net.hosts else np.ones(net.switches, bool)
    waits = nx.DiGraph()
    for s, d, arcs in _paths(tables):
        assert len(arcs) == away[s][d]
        if carries[s] and carries[d]:
            waits.add_edges_from(pairwise(arcs))
    assert nx.is_directed_acyclic_graph(waits)
    assert tables.verification.deadlock_free


@pytest.mark.exhaustive
@pytest.mark.parametrize("spec", ["imase-itoh:n=1000,degree=4", "random-digraph:n=600,degree=6"])
def test_large_digraphs_are_routed(spec):
    """The verifier and NetworkX agree on hops, and no virtual channel has a cycle."""
    net = open_directed(spec)
    tables = directed_route(net, "hop-vcs")
    assert tables.verification.mean_hops == pytest.approx(
        nx.average_shortest_path_length(nx.DiGraph(net.to_networkx()))
    )
    assert tables.verification.minimal
    assert tables.verification.deadlock_free


def test_the_engine_that_fits():
    """Rings and tori by datelines in two virtual channels, others by pairs; a renumbered torus is no torus here."""
    for spec, engine, most in (
        ("unidirectional-ring:n=20", "dor", 2),
        ("unidirectional-torus:dims=5x5", "dor", 2),
        ("directed-circulant:n=20,jumps=1", "dor", 2),
        ("kautz-digraph:base=2,length=3", "lash", 3),
    ):
        tables = directed_route(spec)
        assert (tables.engine, tables.verification.virtual_channels_used) == (engine, most)
        assert tables.provenance.digest == open_directed(spec).digest
    ring = DirectedTopology(arcs=[(0, 2), (2, 1), (1, 0)], switches=3)
    assert directed_route(ring).engine == "lash"
    with pytest.raises(InputError, match="engine dor routes unidirectional rings and tori; this network is none"):
        directed_route(ring, "dor")


def test_a_ring_needs_its_dateline():
    """One virtual channel deadlocks, and the cycle is the ring itself; the dateline breaks it."""
    one = directed_route("unidirectional-ring:n=6", "minimal").verification
    assert not one.deadlock_free
    assert {tail for tail, _ in one.cycle} <= set(range(6))
    assert directed_route("unidirectional-ring:n=6").verification.deadlock_free


@pytest.mark.parametrize("threads", [1, 2])
def test_the_seed_decides_and_threads_do_not(threads):
    """Equal tables with any number of threads, others with another seed."""
    spec = "random-digraph:n=60,degree=4"
    first = directed_route(spec, seed=3, jobs=threads)
    assert np.array_equal(first.ports, directed_route(spec, seed=3).ports)
    assert not np.array_equal(first.ports, directed_route(spec, seed=4).ports)


def test_own_tables_are_verified():
    """A path that goes round, and one that ends: the verifier says so; a port that is no arc is refused."""
    net = open_directed("unidirectional-torus:dims=3x3")
    tables = directed_route(net)
    ports = tables.ports.copy()
    # From switch 0 to 4, by either dimension first: both are shortest, and a longer way is not.
    ports[1, 0] = 1 - ports[1, 0]
    longer = verify_directed(DirectedRouting(net, "own", ports, tables.virtual_channels, SWITCH))
    assert not longer.minimal
    ports = ports.copy()
    ports[1, 0] = tables.none
    ended = verify_directed(DirectedRouting(net, "own", ports, tables.virtual_channels, SWITCH))
    assert "0 to 1" in ended.fault or "switch 0" in ended.fault
    ports = ports.copy()
    ports[1, 0] = 7
    with pytest.raises(InputError, match="port 7 at switch 0 for switch 1; it has 2 arcs"):
        DirectedRouting(net, "own", ports)
    for arguments, reason in (
        ({"ports": ports[:2]}, "ports must be uint8 or uint16, 9 destinations x 9"),
        ({"virtual_channels": ports[:2]}, "virtual channels must be uint8"),
        ({"virtual_channel_rule": "odd"}, "virtual_channel_rule is 'pair', 'switch' or 'hop'"),
    ):
        with pytest.raises(InputError, match=reason):
            DirectedRouting(**{"network": net, "engine": "own", "ports": tables.ports} | arguments)


def test_the_carrier_has_a_cable_for_each_arc():
    """Parallel and opposite arcs have cables of their own, and each arc's channel leads from its tail to its head."""
    net = DirectedTopology(arcs=[(0, 1), (1, 0), (1, 0), (2, 1), (0, 2), (2, 0)], switches=3, endpoints=[1])
    topology, channel = carrier_of(net)
    assert (len(topology.links), topology.hosts) == (6, 1)
    offsets, to, link = topology.csr
    origin = np.repeat(np.arange(3), np.diff(offsets))
    assert np.stack([origin[channel], to[channel]], axis=1).tolist() == net.arcs.tolist()
    assert len(set(link[channel].tolist())) == 6


@pytest.mark.parametrize(
    ("spec", "arguments", "reason"),
    [
        ("directed-circulant:n=8,jumps=2x4", {}, "not strongly connected: 2 strong components"),
        ("unidirectional-ring:n=4", {"engine": "orders"}, "no engine for directed networks named 'orders'"),
        ("unidirectional-ring:n=4", {"virtual_channels": 1}, "virtual_channels=1, but engine dor needs 2"),
        ("kautz-digraph:base=2,length=3", {"virtual_channels": 2}, "need more than 2 virtual channels; engine hop-vcs"),
        ("unidirectional-ring:n=4", {"virtual_channels": 0}, "at least one is needed"),
        ("petersen", {}, "this network is undirected, and directed_route takes directed ones"),
    ],
)
def test_what_cannot_be_routed_is_refused(spec, arguments, reason):
    """One sentence, before or after the tables are made."""
    with pytest.raises(InputError, match=reason):
        directed_route(spec, **arguments)


def test_undirected_functions_refuse_directed_tables():
    """A DirectedRouting is no Routing: nothing takes it by accident."""
    tables = directed_route("unidirectional-ring:n=4,hosts=1")
    with pytest.raises(InputError, match=r"route takes a network .* not a DirectedRouting"):
        route(tables)


def test_the_command_the_study_and_python_agree():
    """`topoloom route`, a task and the function give one record."""
    spec = "unidirectional-torus:dims=3x4,hosts=1"
    record = directed_route(spec).record()
    told = run("route", spec, "--json").record
    assert told["verification"] == record["verification"]
    assert told["schema"] == "topoloom/directed-routing/1"
    task, row = run_task(task_of("route", {"topology": spec}))
    assert task["verification"]["mean_hops"] == record["verification"]["mean_hops"]
    assert (row["engine"], row["deadlock_free"]) == ("dor", True)
    printed = run("route", spec).out
    assert "deadlock free" in printed
    assert "virtual channel                changes on the path, by switch" in printed
    for words in (("--root", "1"), ("--check", "2"), ("-o", "x"), ("--on-disk", "x")):
        assert "directed" in run("route", spec, *words).error


def test_loads_are_drawn():
    """The sorted loads of the arcs."""
    tables = directed_route("kautz-digraph:base=2,length=2")
    assert tables.plot().axes
    assert tables.rows()[0]["engine"] == "lash"
    assert "DirectedRouting(lash on kautz-digraph" in repr(tables)

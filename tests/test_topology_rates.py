"""Rates of links and endpoints: what a topology keeps of them, and of what is made of it."""

import pickle

import networkx
import numpy as np
import pytest

import topoloom
from topoloom import InputError, Topology, build, place, route
from topoloom.graph.planes import planes_of
from topoloom.graph.product import cartesian_product
from topoloom.model.link_rates import rate_for, refuse_mixed
from topoloom.topologies.families.planes import planes

PLAIN = build("fat-tree:k=4")
#: Uplinks of 800 Gb/s, hosts of 400.
MIXED = PLAIN.with_rates(800, 400)
UNIFORM = PLAIN.with_rates(800)
#: A rate of its own for every link and every endpoint, so that none can be mistaken for another.
EVERY = PLAIN.with_rates(np.arange(100.0, 132), np.arange(1.0, 17))
SENTENCE = r"^{}: .* has links of 400 and 800 Gb/s, and {} takes one rate for all; its \.without_rates\(\)"


def rates_by_ends(topology):
    """The rates by what is joined, whatever the order: of links by both switches, of endpoints by switch and host."""
    links = [
        (*ends, rate) for ends, rate in zip(topology.links.tolist(), topology.link_rate_gbps.tolist(), strict=True)
    ]
    at, host = topology.endpoints.tolist(), topology.host.tolist()
    return sorted(links), sorted(zip(at, host, topology.endpoint_rate_gbps.tolist(), strict=True))


def test_rates_follow_their_links_and_endpoints_into_order():
    """Links are sorted, and turned; the rates go with them, and parallel cables keep the order they are given in."""
    links = [(3, 1), (0, 1), (1, 3), (2, 0)]
    topology = Topology(links, 4, [2, 0, 2], link_rate_gbps=[1, 2, 3, 4], endpoint_rate_gbps=[10, 20, 30])
    assert topology.links.tolist() == [[0, 1], [0, 2], [1, 3], [1, 3]]
    assert topology.link_rate_gbps.tolist() == [2, 4, 1, 3]
    assert topology.endpoints.tolist() == [0, 2, 2]
    assert topology.endpoint_rate_gbps.tolist() == [20, 10, 30]
    assert topology.rates_gbps.tolist() == [1, 2, 3, 4, 10, 20, 30]
    for array in (topology.link_rate_gbps, topology.endpoint_rate_gbps, topology.rates_gbps):
        assert array.dtype == np.float64
        assert not array.flags.writeable


def test_what_a_network_says_of_its_rates():
    """One rate is `uniform_rate_gbps`, several are `mixed`, none are neither."""
    assert [(one.rated, one.mixed, one.uniform_rate_gbps) for one in (PLAIN, UNIFORM, MIXED)] == [
        (False, False, None),
        (True, False, 800.0),
        (True, True, None),
    ]
    assert repr(UNIFORM).endswith("16 hosts, 800 Gb/s)")
    alone = Topology([], 1, link_rate_gbps=[], endpoint_rate_gbps=[])
    assert not alone.rated
    assert alone == Topology([], 1)


def test_rates_are_content_and_a_network_without_them_is_what_it_was():
    """The digest without rates is that of the release before; with rates it is another, for each of their arrangements."""
    assert PLAIN.digest == "dece997b8097e4700d6b1c6b4d62d7b4f6e7c38f966411b2545d5cfea9870e47"
    digests = {one.digest for one in (PLAIN, UNIFORM, MIXED, EVERY, PLAIN.with_rates(400))}
    assert len(digests) == 5
    assert MIXED != PLAIN
    assert PLAIN.with_rates(np.full(32, 800.0), np.full(16, 400.0)) == MIXED
    assert MIXED.without_rates() == PLAIN
    assert {MIXED: 1}[PLAIN.with_rates(800, 400)] == 1


@pytest.mark.parametrize(
    ("links", "endpoints", "reason"),
    [
        ([400, 400], 400, r"line: link_rate_gbps has shape \(2,\); it must be one number, or one for each of 3 links"),
        ([400, 400, np.nan], 400, "line: link_rate_gbps holds nan; a rate is a number above 0, in Gb/s"),
        ([400, 400, 0], 400, "link_rate_gbps holds 0; a rate"),
        (np.inf, 400, "link_rate_gbps holds inf; a rate"),
        (400, -1, "endpoint_rate_gbps holds -1; a rate"),
        (["a", "b", "c"], 400, "link_rate_gbps holds <U1; a rate"),
        ([[400, 400, 400]], 400, r"link_rate_gbps has shape \(1, 3\)"),
        (400, None, "endpoint_rate_gbps is missing; rates are given for all links and endpoints, or for none"),
        (None, 400, "link_rate_gbps is missing; rates are given for all links and endpoints, or for none"),
    ],
)
def test_what_is_no_rate_is_refused(links, endpoints, reason):
    """A rate is a finite number above 0, and all links and endpoints have one, or none has."""
    with pytest.raises(InputError, match=reason):
        Topology([(0, 1), (1, 2), (2, 3)], 4, [0, 3], name="line", link_rate_gbps=links, endpoint_rate_gbps=endpoints)


def test_changed_networks_keep_their_rates_or_refuse():
    """New links, or endpoints, have the one rate of those before; where there are several, new ones must be given."""
    fewer = UNIFORM.replace(links=UNIFORM.links[:-1])
    assert fewer.link_rate_gbps.tolist() == [800.0] * 31
    assert MIXED.with_hosts(3).endpoint_rate_gbps.tolist() == [400.0] * 60
    assert MIXED.replace(links=MIXED.links[1:]).uniform_rate_gbps is None
    assert EVERY.replace(name="x", labels={}) == EVERY.replace(labels={})
    moved = EVERY.replace(endpoints=EVERY.endpoints, host=np.arange(16)[::-1])
    assert moved.endpoint_rate_gbps.tolist() == EVERY.endpoint_rate_gbps.tolist()
    with pytest.raises(
        InputError,
        match=r"its links change, but they have several rates \(100, 101, \.\.\. and 131 Gb/s\); give link_rate_gbps",
    ):
        EVERY.replace(links=EVERY.links[1:])
    with pytest.raises(
        InputError,
        match=r"its endpoints change, but they have several rates \(1, 2, \.\.\. and 16 Gb/s\); give endpoint_rate_gbps",
    ):
        EVERY.with_hosts(1)
    with pytest.raises(InputError, match=r"its endpoints change, but they have several rates \(100 and 200 Gb/s\)"):
        Topology([(0, 1), (1, 2)], 3, link_rate_gbps=[100, 200]).with_hosts(1)
    kept = EVERY.replace(links=EVERY.links[1:], **EVERY.rates_of(slice(1, None)))
    assert kept.link_rate_gbps.tolist() == EVERY.link_rate_gbps.tolist()[1:]


def test_a_spec_that_says_nothing_of_rates_is_not_kept_with_them():
    """A spec rebuilds a topology exactly; with rates the one of the family does not."""
    assert PLAIN.spec == "fat-tree:k=4"
    assert MIXED.spec is None
    assert MIXED.with_rates(800, 400) == MIXED


def test_networks_made_of_others_have_the_rates_of_their_parts():
    """Pickling, losses, planes, products, tables on what is left, transforms: every link keeps the rate that it had."""
    assert pickle.loads(pickle.dumps(EVERY)) == EVERY
    left = topoloom.surviving_network(EVERY, share=0.1)
    assert len(left.links) == 29
    assert set(rates_by_ends(left)[0]) < set(rates_by_ends(EVERY)[0])
    assert rates_by_ends(left)[1] == rates_by_ends(EVERY)[1]
    fewer = topoloom.surviving_network(EVERY, "switches", share=0.1)
    rate = dict(zip(map(tuple, EVERY.links.tolist()), EVERY.link_rate_gbps.tolist(), strict=True))
    was = fewer.labels["was"][fewer.links]
    assert fewer.link_rate_gbps.tolist() == [rate[tuple(ends)] for ends in was.tolist()]
    two = planes(EVERY, count=2)
    assert [plane.topology.link_rate_gbps.tolist() for plane in planes_of(two)] == [EVERY.link_rate_gbps.tolist()] * 2
    ring = Topology([(0, 1), (1, 2), (0, 2)], 3, link_rate_gbps=[1, 2, 3])
    grid = cartesian_product([ring, ring])
    assert sorted(grid.link_rate_gbps.tolist()) == sorted([1.0, 2.0, 3.0] * 6)
    with pytest.raises(InputError, match="has no link rates, but another factor has"):
        cartesian_product([ring, ring.without_rates()])
    rerouted = topoloom.reroute(route(EVERY, "minimal"), cables=[0])
    assert rerouted.routing.topology.link_rate_gbps.tolist() == EVERY.link_rate_gbps.tolist()[1:]
    tables = topoloom.layered_routing(EVERY)
    assert tables.topology is EVERY


def test_tables_know_the_rates_of_their_network(tmp_path):
    """Saved tables are of the network with its rates, and open without it."""
    route(EVERY).save(tmp_path / "folder")
    network = topoloom.open_network(tmp_path / "folder")
    assert network.topology == EVERY
    assert network.tables.topology == EVERY


def test_graphs_of_networkx_have_rates_of_edges_and_hosts():
    """There and back: `rate_gbps` of edges, `host_rate_gbps` of nodes, which is a text where the hosts of one differ."""
    for network in (UNIFORM, MIXED, EVERY):
        graph = network.to_networkx()
        assert Topology.from_networkx(graph) == network
    assert EVERY.to_networkx().nodes[0]["host_rate_gbps"] == "1 2"
    assert MIXED.to_networkx().nodes[0]["host_rate_gbps"] == 400
    assert not any("rate_gbps" in data for *_, data in PLAIN.to_networkx().edges(data=True))
    graph = networkx.path_graph(3)
    networkx.set_edge_attributes(graph, 400, "rate_gbps")
    networkx.set_node_attributes(graph, 1, "hosts")
    networkx.set_node_attributes(graph, [100], "host_rate_gbps")
    assert rates_by_ends(Topology.from_networkx(graph)) == ([(0, 1, 400), (1, 2, 400)], [(i, i, 100) for i in range(3)])


@pytest.mark.parametrize(
    ("edge", "node", "reason"),
    [
        (
            {"rate_gbps": 400},
            {},
            r"^net: the edge \(1, 2\) has no rate_gbps, but other links have; give it to all or to none$",
        ),
        (
            {"rate_gbps": "fast"},
            {},
            r"^net: the edge \(0, 1\) has rate_gbps 'fast'; a rate is a number above 0, in Gb/s$",
        ),
        ({"rate_gbps": True}, {}, r"has rate_gbps 'True'; a rate"),
        ({"rate_gbps": 0}, {}, r"has rate_gbps '0'; a rate"),
        ({}, {"hosts": 2, "host_rate_gbps": "1 2 3"}, r"^net: node 0: host_rate_gbps holds 3 rates for 2 hosts"),
        ({}, {"hosts": 2, "host_rate_gbps": "1 x"}, r"^net: node 0: host_rate_gbps is '1 x'; a rate"),
    ],
)
def test_graphs_with_wrong_or_missing_rates_are_refused(edge, node, reason):
    """All edges have a rate above 0, or none has; and so have all hosts."""
    graph = networkx.path_graph(3)
    graph.edges[0, 1].update(edge)
    graph.nodes[0].update(node)
    with pytest.raises(InputError, match=reason):
        Topology.from_networkx(graph, "net")


def test_edges_with_rates_and_hosts_without_are_refused():
    """A host's rate is nobody's guess."""
    graph = networkx.path_graph(2)
    graph.edges[0, 1]["rate_gbps"] = 400
    graph.nodes[0]["hosts"] = 3
    with pytest.raises(
        InputError, match=r"^net: links have rate_gbps, but 3 of 3 hosts' ports have no rate; .* host_rate_gbps"
    ):
        Topology.from_networkx(graph, "net")


def test_one_rate_stands_where_a_function_takes_one():
    """The given rate counts, else the network's, else what it was without; a mixed network has none."""
    assert rate_for(PLAIN, None, "x") is None
    assert rate_for(UNIFORM, None, "x") == 800
    assert rate_for(UNIFORM, 400, "x") == 400
    for given in (None, 400):
        with pytest.raises(InputError, match=SENTENCE.format("x", "x")):
            rate_for(MIXED, given, "x")
    refuse_mixed(UNIFORM, "x")
    layouts = {one: place(one) for one in (PLAIN, UNIFORM)}
    price = topoloom.price
    assert price(layouts[UNIFORM]).cost_usd == price(layouts[PLAIN], rate_gbps=800).cost_usd
    assert price(layouts[UNIFORM], rate_gbps=40).cost_usd == price(layouts[PLAIN]).cost_usd
    run = topoloom.run_app(UNIFORM, "alltoall:bytes=65536", simulator="flows")
    assert run.settings.rate_gbps == 800


def test_grown_and_optimized_networks_have_the_rate_of_what_stands(tmp_path):
    """Every step of a plan, before and after it is saved, and the links that a search has put elsewhere."""
    stands = build("dsn-f:n=24").with_rates(800)
    plan = topoloom.expand(stands, 27)
    plan.save(tmp_path / "plan")
    for one in (plan, topoloom.load_expansion(tmp_path / "plan")):
        networks = [one.before.layout.topology, one.after.layout.topology, *(step.topology for step in one.steps)]
        assert {network.uniform_rate_gbps for network in networks} == {800}
    assert plan.provenance.settings["rate_gbps"] == 800
    with pytest.raises(
        InputError, match=r"^expand: .* has 800 Gb/s, and .* 400 Gb/s; a network grows with links of its own rates"
    ):
        topoloom.expand(stands, into=build("dsn-f:n=32").with_rates(400))
    found = topoloom.optimize(build("jellyfish:n=16,degree=3").with_rates(200), moves=100, jobs=1)
    assert found.topology.uniform_rate_gbps == 200


def test_a_network_remembers_its_rate(tmp_path):
    """The folder of a network with one rate is priced at it; a rate that is given counts instead."""
    network = topoloom.as_network(UNIFORM).placed()
    network.save(tmp_path / "net")
    opened = topoloom.open_network(tmp_path / "net")
    assert opened.topology == UNIFORM
    assert [topoloom.price(one).rate_gbps for one in (network, opened, tmp_path / "net")] == [800, 800, 800]
    assert topoloom.price(opened, rate_gbps=400).rate_gbps == 400

"""The operation: one value that agrees with its parts, and with what bounds what."""

from dataclasses import astuple

import numpy as np
import pytest
from throughput_cases import SMALL

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.throughput.bisections import effective_bisection
from topoloom.throughput.one_pattern import uniform_throughput
from topoloom.throughput.quality import quality
from topoloom.throughput.result import LoadSummary, Quality
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.throughput.traffic.worst import worst_permutation
from topoloom.topologies.spec import build


@pytest.mark.parametrize("name", SMALL)
def test_tables_are_below_flows_and_flows_below_bounds(name):
    """For each traffic: what the tables bring <= the best flow <= the bound from hops; and the worst is the worst."""
    found = quality(route(SMALL[name]), bisections=20)
    assert found.uniform_throughput <= found.uniform_flow.lower + 1e-6
    assert found.uniform_flow.upper <= found.uniform_bound + 1e-6
    assert found.permutation_throughput <= found.permutation_flow.lower + 1e-6
    assert found.permutation_flow.upper <= found.tub + 1e-6
    assert found.worst_throughput <= min(1.0, found.worst_flow.lower) + 1e-6
    assert found.worst_throughput <= found.permutation_throughput
    assert found.worst_throughput <= found.effective_bisection <= 1.0
    assert found.hosts_assumed == (not SMALL[name].endpoints.size)


@pytest.mark.exhaustive
def test_the_parts_are_those_of_their_own_functions():
    """Loads are the verifier's, bisections and worst permutation those found one by one."""
    tables = route(build("jellyfish:n=30,degree=4").with_hosts(2))
    found = quality(tables, bisections=50, seed=3)
    assert found.edge_forwarding_index == tables.verification.edge_forwarding_index == found.channel_load.most
    assert found.channel_load.mean == pytest.approx(tables.verification.channel_load.mean())
    assert found.switch_load.most == tables.verification.switch_load.max()
    drawn = effective_bisection(tables, 50, seed=3)
    assert (found.effective_bisection, found.effective_bisection_error) == (drawn.mean, drawn.error)
    assert found.worst_load == worst_permutation(tables).load
    assert found == quality(tables, bisections=50, seed=3, jobs=1)


def test_large_networks_get_a_bracket_when_asked():
    """Past the quick exact flows there is none, or two bounds within the gap; these are exact for small ones all the same."""
    tables = route(build("torus:dims=10x10"))
    without = quality(tables, bisections=5)
    assert without.permutation_flow is without.worst_flow is None
    assert without.uniform_flow.lower == pytest.approx(99 / 100 * 8 / 10)  # exact, by symmetry: rings of 10
    found = quality(tables, bisections=5, gap=0.1)
    for flow in (found.uniform_flow, found.permutation_flow, found.worst_flow):
        assert 0 < flow.gap <= 0.1
    assert found.uniform_flow.upper <= found.uniform_bound
    assert quality(route(build("petersen")), bisections=5, gap=0.1).uniform_flow.gap == 0
    with pytest.raises(InputError, match="gap=-1"):
        quality(tables, gap=-1)


def test_the_mean_of_the_bisections_is_within_its_error():
    """Two seeds agree to a few standard errors, which shrink with the root of the number."""
    tables = route(build("slimfly:q=5,hosts=4"), "minimal")
    few, many, other = (effective_bisection(tables, n, seed=s) for n, s in ((100, 1), (1600, 1), (1600, 2)))
    assert abs(many.mean - other.mean) < 4 * np.hypot(many.error, other.error)
    assert many.error == pytest.approx(few.error / 4, rel=0.3)


def test_next_to_nothing():
    """One switch with hosts, one host in all: no error, and nothing that divides by nothing."""
    one = quality(route(Topology(links=[(0, 1)], switches=2, endpoints=[0])), bisections=3)
    assert one.hosts == 1
    assert np.isnan(one.effective_bisection)
    assert (one.worst_load, one.worst_throughput, one.tub) == (0, 1.0, np.inf)
    assert one.uniform_throughput == 1.0
    assert astuple(LoadSummary.of(np.zeros(0))) == (0.0,) * 7


def test_detours_are_refused():
    """Where packets go then depends on queues."""
    for name in ("valiant", "ugal-l"):
        with pytest.raises(InputError, match="its loads are known only from a simulation; simulate it"):
            quality(route(build("torus:dims=4x4,hosts=1"), name))


@pytest.mark.parametrize(
    ("spec", "engine"),
    [("slimfly:q=3,hosts=2", "fatpaths"), ("petersen:hosts=1", "lnmp"), ("torus:dims=4x5,hosts=1", "dor-random")],
)
def test_layers_share_what_a_pair_sends(spec, engine):
    """Every path of every layer that a pair may take, followed by hand, carries its share of the pair's demand."""
    network = build(spec)
    routing = route(network, engine)
    tables, allowed, none = (routing.ports, *routing.choice.ports), routing.choice.allowed, routing.none
    first, to, n = routing.channels.first, routing.channels.to, network.switches
    demand, wanted = uniform_remote(network).demand_to(0, n), np.zeros(to.size)
    for d in range(n):
        for s in range(n):
            takes = [k for k in range(len(tables)) if allowed is None or allowed[d, s] >> k & 1]
            for layer in takes if s != d else []:
                at = s
                while at != d:
                    assert tables[layer][d, at] != none
                    channel = first[at] + int(tables[layer][d, at])
                    wanted[channel] += demand[d, s] / len(takes)
                    at = int(to[channel])
    assert np.allclose(expected_loads(routing, uniform_remote(network)).channels, wanted)
    found = quality(routing, "permutation")
    assert found.expected
    assert found.worst_load is None
    assert found.uniform_throughput == pytest.approx(min(1.0, 1 / wanted.max()))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", ["fat-tree:k=8", "slimfly:q=5,hosts=4", "torus:dims=4x5,hosts=2", "kary-tree:k=4,n=3"])
def test_equal_cost_groups_split_evenly(spec):
    """Loads add up to hops times demand; a non-blocking tree carries all; one shortest path a pair is that of the tables."""
    network = build(spec)
    routing = route(network, "ecmp")
    loads = expected_loads(routing, uniform_remote(network))
    hops = path_lengths_of(network)
    assert loads.channels.sum() == pytest.approx((uniform_remote(network).demand_to(0, network.switches) * hops).sum())
    if spec.startswith(("fat", "kary")):
        assert loads.throughput == pytest.approx(1.0)
    found = quality(routing)
    assert found.expected
    assert found.worst_load is None
    assert np.isnan(found.effective_bisection)
    assert found.uniform_throughput == loads.throughput
    assert found.channel_load.mean == pytest.approx(route(network, "minimal").verification.channel_load.mean())


def path_lengths_of(network):
    """Hops from each switch to each."""
    import networkx

    lengths = dict(networkx.all_pairs_shortest_path_length(networkx.Graph(network.to_networkx())))
    return np.array([[lengths[u][v] for v in range(network.switches)] for u in range(network.switches)])


def test_a_single_shortest_path_is_that_of_minimal():
    """Slim Fly of girth 5 has one path of two hops for most pairs: a network of girth 5 and diameter 2 has one for all."""
    network = build("petersen:hosts=2")
    split, tables = (
        expected_loads(route(network, name), uniform_remote(network)).channels for name in ("ecmp", "minimal")
    )
    assert np.allclose(split, tables)


def test_who_escapes_is_measured_as_who_chooses():
    """Adaptive virtual channels on shortest paths have the loads of equal-cost groups, whatever they escape to."""
    network = build("torus:dims=4x4,hosts=1")
    duato, ecmp = (expected_loads(route(network, name), uniform_remote(network)).channels for name in ("duato", "ecmp"))
    assert np.allclose(duato, ecmp)


def test_quality_is_a_record_that_reads_back():
    """What `record` says, `from_record` makes again; two equal calls give equal records but for timings."""
    routing = route(build("torus:dims=4x4,hosts=2"))
    first, again = (quality(routing, "hotspot", bisections=5, seed=3) for _ in range(2))
    assert first.record() == again.record()
    assert Quality.from_record(first.record()) == first
    assert (first.provenance.engine, first.provenance.seed) == (routing.engine, 3)


def test_stopped_quality_says_so():
    """Nothing to show: the exception that ends an operation."""
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        quality(route(build("torus:dims=4x4")), bisections=5, work=work)


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5,hosts=3", "fat-tree:k=4,hosts=8+rails:nics=2", "fat-tree:k=4,hosts=8+planes:count=2"]
)
def test_uniform_throughput_alone_equals_that_of_quality(spec):
    """Both the throughput and its bound, also on rails."""
    routing = route(build(spec))
    whole = quality(routing, bisections=1)
    assert uniform_throughput(routing) == (whole.uniform_throughput, whole.uniform_bound)

"""Traffic in the mean: what goes from switch to switch is what the hosts send, host by host."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.simulation.flits.simulate import simulate
from topoloom.throughput.quality import quality
from topoloom.throughput.traffic import (
    LISTS,
    PATTERNS,
    ROUND,
    UNIFORM,
    Traffic,
    host_permutation,
    matrix,
    traffic_of,
    uniform_remote,
)
from topoloom.throughput.traffic.loads import table_loads
from topoloom.throughput.tub import volume_bound
from topoloom.topologies.spec import build

NETWORK = Topology(
    links=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 4)],
    switches=5,
    endpoints=[0, 0, 0, 0, 1, 2, 2, 4, 4],
    name="uneven",
)


def by_hosts(traffic):
    """What each host sends to each, float64[hosts, hosts], by the definition of the kinds, in Python."""
    hosts = traffic.hosts
    sent = np.zeros((hosts, hosts))
    for s in range(hosts):
        others = [d for d in range(hosts) if d != s]
        listed, share = [], 0.0
        if traffic.kind == LISTS:
            listed = traffic.to[traffic.first[s] : traffic.first[s + 1]].tolist()
            if not listed:
                continue
            share = traffic.share
        for d in listed:
            sent[s, d] += share / len(listed)
        for d in others:
            sent[s, d] += (1 - share) / len(others)
    return sent


def by_switches(traffic, sent):
    """The same between switches; what stays on a switch is omitted."""
    found = np.zeros((traffic.switches, traffic.switches))
    np.add.at(found, (traffic.switch[:, None], traffic.switch[None, :]), sent)
    np.fill_diagonal(found, 0)
    return found


PLAIN = [
    name for name, record in PATTERNS.items() if record.rest is None and name not in {"chip", "skewed", "worst-case"}
]


@pytest.mark.parametrize("pattern", [*PLAIN, "hotspot:hosts=1,share=0.5", "hotspot:hosts=3,share=1"])
def test_every_pattern_has_the_demand_that_its_hosts_make(pattern):
    """Between switches, and what the hosts' links let through: one over what the busiest host gets, at most 1."""
    traffic = traffic_of(pattern, NETWORK)
    sent = by_hosts(traffic)
    assert traffic.dense() == pytest.approx(by_switches(traffic, sent))
    assert traffic.host_limit == pytest.approx(1 / max(1.0, sent.sum(axis=0).max()))
    assert traffic.senders.tolist() == (sent.sum(axis=1) > 0).tolist()
    assert traffic.receivers.tolist() == (sent.sum(axis=0) > 0).tolist() or traffic.share < 1


@given(st.permutations(range(9)))
def test_a_permutation_of_hosts_is_a_matrix_of_ones(partner):
    """Every host sends, and gets, one; the same demand as the matrix of its pairs."""
    traffic = host_permutation(NETWORK, partner)
    sent = np.zeros((9, 9))
    sent[np.arange(9), partner] = 1
    assert traffic.dense().tolist() == by_switches(traffic, sent).tolist()
    assert traffic.host_limit == 1.0


def test_with_one_host_a_switch_all_uniform_kinds_are_alike():
    """To any host, to all in turn, and to those of other switches: the same in the mean."""
    topology = build("petersen").with_hosts(1)
    remote = uniform_remote(topology).dense()
    for pattern, kind in (("uniform", UNIFORM), ("all-to-all", ROUND)):
        traffic = traffic_of(pattern, topology)
        assert traffic.kind == kind
        assert traffic.dense() == pytest.approx(remote)


def test_quality_measures_the_traffic_that_is_asked_for():
    """By name or as a value: the tables' throughput, the bound from hops and the best flow are those of that traffic."""
    routing = route(build("torus:dims=4x4,hosts=2"))
    traffic = traffic_of("hotspot:hosts=2", routing)
    for given_as in ("hotspot:hosts=2", traffic):
        found = quality(routing, given_as, bisections=5)
        assert found.traffic == "hotspot:hosts=2"
        assert found.traffic_throughput == table_loads(routing, traffic).throughput
        assert found.traffic_bound == volume_bound(routing.topology, traffic)
        assert found.traffic_flow.lower <= found.traffic_bound + 1e-6
    plain = quality(routing, bisections=5)
    assert plain.traffic is None
    assert plain.traffic_flow is None


def test_quality_assumes_a_host_a_switch_for_patterns_too():
    """As for all its other traffic."""
    found = quality(route(build("torus:dims=4x4"), "dor"), "tornado", bisections=5)
    assert found.hosts_assumed
    assert found.traffic_throughput == 1.0


def test_what_throughput_cannot_take_is_said():
    """A closed loop, traffic of another network, and a pattern by the tables without tables."""
    routing = route(build("torus:dims=9x8,hosts=1"))
    with pytest.raises(InputError, match="ends, and so has no load"):
        quality(routing, "chip", bisections=1)
    with pytest.raises(InputError, match="is for 5 switches, but the network has 72"):
        quality(routing, uniform_remote(NETWORK), bisections=1)
    with pytest.raises(InputError, match="depends on the tables"):
        traffic_of("worst-case", NETWORK)


def test_amounts_between_switches_are_not_simulated(monkeypatch):
    """The simulator sends from host to host, and says so before it sends anything wrong."""
    from topoloom.simulation.flits import simulate as module

    routing = route(build("petersen").with_hosts(1))
    amounts: Traffic = matrix(routing.topology, np.ones((10, 10)))
    monkeypatch.setattr(module, "traffic_between_hosts", lambda *_: amounts)
    with pytest.raises(InputError, match="between switches"):
        simulate(routing, loads=[0.1])

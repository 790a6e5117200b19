"""Tables of networks whose links differ in rate: every engine spreads pairs by rates, and its promises hold."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, balance_paths, balance_routing, build, host_routings, layered_routing, route
from topoloom.model.topology import Topology
from topoloom.routing.registry import engines
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads

#: Eight leaves with hosts at 100 Gb/s; two spines, to which links have 400 and 100 Gb/s.
UNEVEN = Topology(
    links=[(leaf, 8 + spine) for leaf in range(8) for spine in range(2)],
    switches=10,
    endpoints=np.repeat(np.arange(8), 5),
    link_rate_gbps=[400, 100] * 8,
    endpoint_rate_gbps=100,
    name="uneven",
)
#: Each of four leaves has three cables of 100 Gb/s and one of 50 to one spine.
PARALLEL = Topology(
    links=[(leaf, 8) for leaf in range(8) for _ in range(4)],
    switches=9,
    endpoints=np.repeat(np.arange(8), 7),
    link_rate_gbps=[100, 100, 100, 50] * 8,
    endpoint_rate_gbps=50,
    name="parallel",
)


def test_pairs_are_spread_by_the_rates_of_spines():
    """Of 56 pairs, about four fifths over the spine of 400: the loads are even to a pair per channel of 100."""
    routing = route(UNEVEN, "minimal")
    pairs = routing.verification.channel_load
    fast = routing.channels.to == 8
    assert pairs[fast].sum() == pytest.approx(56 * 0.8, abs=4)
    even, plain = (
        expected_loads(tables, uniform_remote(UNEVEN)).throughput
        for tables in (routing, _as_rated(route(UNEVEN.without_rates(), "minimal")))
    )
    assert plain < 0.5 < even


def _as_rated(routing):
    """Tables made without rates, on the network with them."""
    return replace(routing, topology=UNEVEN, verification=None)


def test_parallel_cables_get_pairs_by_their_rates():
    """Seven destinations of each leaf: two over each cable of 100 Gb/s, and one over that of 50."""
    routing = route(PARALLEL, "minimal")
    for leaf in range(8):
        to_others = np.bincount(routing.ports[np.delete(np.arange(8), leaf), leaf], minlength=4)
        assert sorted(to_others.tolist()) == [1, 2, 2, 2]
        assert to_others[3] == 1


@pytest.mark.sweep(2)
@pytest.mark.parametrize("spec", ["fat-tree:k=4", "hypercube:n=4,hosts=2", "torus:dims=4x4,hosts=2"])
def test_every_engine_makes_verified_tables(spec):
    """`route` verifies what each engine promises; where an engine refuses the network, it refuses it without rates, too."""
    plain = build(spec)
    draw = np.random.default_rng(1)
    mixed = plain.with_rates(draw.choice([100.0, 400.0], len(plain.links)), 100)
    routed = 0
    for name in engines:
        try:
            without = route(plain, name)
        except InputError:
            with pytest.raises(InputError):
                route(mixed, name)
            continue
        routing = route(mixed, name)
        assert routing.topology == mixed
        assert routing.verification.deadlock_free == without.verification.deadlock_free or not engines.find(name).safe
        routed += 1
    assert routed > 6


def test_several_tables_shift_over_cables_by_rates():
    """The tables of the hosts of a switch, and layers of tables, are tables of the network itself."""
    for routing in host_routings(PARALLEL, "minimal", 3):
        assert routing.topology == PARALLEL
    layers = layered_routing(UNEVEN, layers=2)
    assert layers.topology == UNEVEN


def test_equal_rates_give_the_tables_without_rates():
    """To the last entry."""
    for engine in ("minimal", "updown", "orders"):
        assert np.array_equal(
            route(UNEVEN.with_rates(400, 400), engine).ports, route(UNEVEN.without_rates(), engine).ports
        )


@pytest.mark.parametrize("exact", [False, True])
def test_balance_gives_a_link_of_four_times_the_rate_four_times_the_pairs(exact):
    """Two switches with ten others behind each: 100 pairs each way over links of 400 and 100 Gb/s, 80 and 20."""
    links = [(0, 1), (0, 1), *((0, leaf) for leaf in range(2, 12)), *((1, leaf) for leaf in range(12, 22))]
    ends = Topology(links=links, switches=22, endpoints=range(2, 22))
    network = ends.with_rates([400, 100] + [100] * 20, 100)
    balanced = balance_routing(network, "edges", exact=exact)
    assert balanced.optimal
    middle = balanced.routing.verification.channel_load[:2]
    assert middle.tolist() == [80, 20]
    assert balanced.load.max() == 20 if exact else balanced.load.max() >= 20
    by_switches, plain = (balance_routing(one, "vertices").load for one in (network, network.without_rates()))
    assert np.array_equal(by_switches, plain)


def test_balanced_paths_count_parallel_links():
    """Of 4 pairs each way over links of 300 and 100 Gb/s, three take the fast one: every parallel link of 100 has one."""
    network = Topology(
        links=[(0, 1), (0, 1), (0, 2), (0, 3), (1, 4), (1, 5)],
        switches=6,
        endpoints=[2, 3, 4, 5],
        link_rate_gbps=[300, 100, 300, 300, 300, 300],
        endpoint_rate_gbps=100,
    )
    balanced = balance_paths(network, "edges")
    assert balanced.optimal
    assert balanced.load.max() == 1
    assert balanced.paths[2, 4] == (2, 0, 1, 4)

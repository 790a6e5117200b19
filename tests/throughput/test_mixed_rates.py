"""Throughput, loads, cuts and worst cases of networks whose links differ in rate: by hand, by programmes and by brute force."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.optimize import linprog

from topoloom import cuts, quality, route
from topoloom.graph.cuts import exact_bisection
from topoloom.graph.load import average_channel_load, channel_loads, full_bandwidth_hosts
from topoloom.model.topology import Topology
from topoloom.throughput.flow import concurrent_flow
from topoloom.throughput.symmetric import symmetric_flow
from topoloom.throughput.traffic import host_permutation, uniform_remote
from topoloom.throughput.traffic.loads import table_loads
from topoloom.throughput.traffic.worst import worst_permutation

DIRECT = Topology(
    links=[(0, 1)],
    switches=2,
    endpoints=[0] * 4 + [1] * 4,
    link_rate_gbps=400,
    endpoint_rate_gbps=100,
    name="two leaves",
)
THROUGH = Topology(
    links=[(0, 2), (1, 2)],
    switches=3,
    endpoints=[0] * 4 + [1] * 4,
    link_rate_gbps=400,
    endpoint_rate_gbps=100,
    name="two leaves, one spine",
)
#: Four leaves of 48 hosts at 25 Gb/s, each with a link of 100 Gb/s to each of four spines.
LEAVES = Topology(
    links=[(leaf, 4 + spine) for leaf in range(4) for spine in range(4)],
    switches=8,
    endpoints=np.repeat(np.arange(4), 48),
    link_rate_gbps=100,
    endpoint_rate_gbps=25,
    name="leaves of 48",
)
#: 350 Gb/s between two switches of seven hosts at 50 Gb/s each.
PARALLEL = Topology(
    links=[(0, 1)] * 4,
    switches=2,
    endpoints=[0] * 7 + [1] * 7,
    link_rate_gbps=[100, 100, 100, 50],
    endpoint_rate_gbps=50,
    name="parallel",
)


def _random(seed: int, hosts_alike: bool = False) -> Topology:
    """A connected network of 6 switches with parallel links, and hosts on most of them."""
    draw = np.random.default_rng(seed)
    links = [(v, int(draw.integers(v))) for v in range(1, 6)]
    links += [tuple(draw.choice(6, 2, replace=False).tolist()) for _ in range(5)]
    endpoints = np.sort(draw.integers(0, 6, 9))
    rates = draw.choice([25.0, 100.0, 400.0], len(links))
    hosts = np.full(9, 50.0) if hosts_alike else draw.choice([25.0, 50.0, 100.0], 9)
    return Topology(
        links=links,
        switches=6,
        endpoints=endpoints,
        link_rate_gbps=rates,
        endpoint_rate_gbps=hosts,
        name=f"random {seed}",
    )


def _gravity(topology: Topology) -> np.ndarray:
    """Uniform traffic in Gb/s by its definition: proportional to both rates, and no host sends more than its rate."""
    at = np.zeros(topology.switches)
    np.add.at(at, topology.endpoints, topology.endpoint_rate_gbps)
    demand = np.outer(at, at) / (at.sum() - at[at > 0].min())
    np.fill_diagonal(demand, 0.0)
    return demand


def _best(topology: Topology, demand: np.ndarray) -> float:
    """The throughput of the best routing: one flow per pair of switches over each link and direction, by linear programming."""
    pairs = [(s, d) for s, d in np.argwhere(demand > 0).tolist()]
    tails = np.concatenate([topology.links[:, 0], topology.links[:, 1]])
    heads = np.concatenate([topology.links[:, 1], topology.links[:, 0]])
    room = np.tile(topology.link_rate_gbps, 2)
    arcs, n = tails.size, topology.switches
    columns = len(pairs) * arcs + 1
    equal, within = np.zeros((len(pairs) * n, columns)), np.zeros((arcs, columns))
    for number, (s, d) in enumerate(pairs):
        for arc in range(arcs):
            equal[number * n + tails[arc], number * arcs + arc] += 1.0
            equal[number * n + heads[arc], number * arcs + arc] -= 1.0
            within[arc, number * arcs + arc] = 1.0
        equal[number * n + s, -1] -= demand[s, d]
        equal[number * n + d, -1] += demand[s, d]
    goal = np.zeros(columns)
    goal[-1] = -1.0
    solved = linprog(goal, A_ub=within, b_ub=room, A_eq=equal, b_eq=np.zeros(len(equal)), bounds=(0, None))
    return float(-solved.fun)


@pytest.mark.parametrize("topology", [DIRECT, THROUGH], ids=lambda network: network.name)
@pytest.mark.parametrize("engine", ["minimal", "ecmp"])
def test_four_hosts_of_100_fill_an_uplink_of_400(topology, engine):
    """All four hosts of a leaf send at full rate to those of the other: 400 Gb/s on 400, by every measure."""
    measured = quality(route(topology, engine), "neighbour", bisections=20)
    assert measured.permutation_throughput == measured.tub == measured.uniform_bound == 1.0
    assert measured.uniform_throughput == measured.traffic_throughput == 1.0
    for bracket in (measured.uniform_flow, measured.permutation_flow, measured.traffic_flow):
        assert bracket.lower == pytest.approx(1.0 if bracket is not measured.traffic_flow else 4.0)
    if engine == "minimal":
        assert (measured.worst_load, measured.worst_throughput, measured.effective_bisection) == (1.0, 1.0, 1.0)


def test_a_leaf_of_48_times_25_with_four_times_100_upwards_gets_a_third():
    """1,200 Gb/s of hosts on 400 Gb/s of uplinks: 1/3; and 12 times the rate of a single link under single paths."""
    measured = quality(route(LEAVES, "ecmp"), bisections=5)
    for value in (measured.uniform_throughput, measured.permutation_throughput, measured.uniform_bound, measured.tub):
        assert value == pytest.approx(1 / 3)
    assert measured.uniform_flow.lower == pytest.approx(1 / 3)
    single = quality(route(LEAVES, "minimal"), bisections=5)
    assert (single.worst_load, single.worst_throughput) == (12.0, 1 / 12)
    # Besta's balance counts the hosts of the same leaf too, which stay on it: 1/4 of all.
    assert full_bandwidth_hosts(LEAVES) == pytest.approx(16 * 4 / 3)
    assert channel_loads(LEAVES).saturation == pytest.approx(4 / 9)
    assert average_channel_load(LEAVES) == pytest.approx(48**2 * 24 / (2 * 16 * 4))


def test_three_cables_of_100_and_one_of_50_are_350():
    """The cut, the loads and the throughput between two switches."""
    cut = exact_bisection(PARALLEL)
    assert (cut.links, cut.gbps, cut.narrowest_gbps) == (4, 350.0, 350.0)
    assert cuts(PARALLEL, seeds=1).gbps == 350.0
    measured = quality(route(PARALLEL, "ecmp"), bisections=5)
    assert measured.uniform_throughput == measured.permutation_throughput == pytest.approx(1.0)
    assert measured.uniform_flow.lower == pytest.approx(1.0)
    loads = channel_loads(PARALLEL)
    assert np.ptp(loads.shares) == pytest.approx(0.0)
    assert loads.greatest == pytest.approx(49 / 7)
    # All over one cable of 100 or 50 Gb/s: 350 on 50 is the worst of single paths.
    assert quality(route(PARALLEL, "minimal"), bisections=5).worst_load in (3.5, 7.0)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_flow_is_that_of_an_independent_programme(seed):
    """Uniform traffic of hosts that differ in rate, over links that differ in rate."""
    topology = _random(seed)
    demand = uniform_remote(topology).dense() * topology.rates_gbps[0]
    assert demand == pytest.approx(_gravity(topology))
    assert concurrent_flow(topology, uniform_remote(topology)) == pytest.approx(_best(topology, demand), rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hosts_alike", [True, False])
def test_the_worst_permutation_is_that_of_brute_force(seed, hosts_alike):
    """No permutation of seven hosts, each pair at the lower rate of both, fills a channel of the tables more."""
    topology = _random(seed, hosts_alike)
    few = topology.endpoints[:7], topology.endpoint_rate_gbps[:7]
    topology = topology.replace(endpoints=few[0], endpoint_rate_gbps=few[1])
    routing = route(topology, "minimal")
    channels, rates = routing.channels, topology.link_rate_gbps[topology.csr[2]]
    host_rate = topology.endpoint_rate_gbps
    most, paths = 0.0, np.zeros((7, 7, channels.to.size))
    for s in range(7):
        for d in range(7):
            at, end = int(topology.endpoints[s]), int(topology.endpoints[d])
            while at != end:
                channel = int(channels.first[at]) + int(routing.ports[end, at])
                paths[s, d, channel] = min(host_rate[s], host_rate[d]) / rates[channel]
                at = int(channels.to[channel])
    for partner in permutations(range(7)):
        most = max(most, float(paths[np.arange(7), list(partner)].sum(axis=0).max()))
    worst = worst_permutation(routing)
    assert worst.load == pytest.approx(most)
    loads = table_loads(routing, host_permutation(topology, worst.partner))
    assert loads.greatest == pytest.approx(worst.load)


@pytest.mark.parametrize("seed", range(4))
def test_the_exact_bisection_has_the_least_gbps_of_all_halves(seed):
    """Of all halves of six switches; the cut of METIS is not below, and here as good."""
    topology = _random(seed)
    least = np.inf
    for half in combinations(range(6), 3):
        inside = np.isin(topology.links, half)
        least = min(least, float(topology.link_rate_gbps[inside[:, 0] != inside[:, 1]].sum()))
    exact = exact_bisection(topology)
    assert exact.exact
    assert exact.gbps == least == exact.between_gbps[0, 1]
    assert cuts(topology, seeds=4).gbps == least


@pytest.mark.parametrize("seed", range(3))
def test_a_link_of_400_is_four_parallel_links_of_100(seed):
    """What can be split: best flows, bounds, loads of even splits, cuts, and uniform loads."""
    topology = _random(seed)
    copies = (topology.link_rate_gbps / 25).astype(int)
    thin = topology.replace(links=np.repeat(topology.links, copies, axis=0), link_rate_gbps=25.0)
    one, many = (quality(route(network, "ecmp"), bisections=5) for network in (topology, thin))
    for name in ("uniform_throughput", "permutation_throughput", "uniform_bound", "tub"):
        assert getattr(one, name) == pytest.approx(getattr(many, name))
    assert one.uniform_flow.lower == pytest.approx(many.uniform_flow.lower, rel=1e-6)
    assert exact_bisection(topology).gbps == exact_bisection(thin).gbps
    assert channel_loads(topology).greatest == pytest.approx(channel_loads(thin).greatest)
    assert channel_loads(topology).mean == pytest.approx(channel_loads(thin).mean)
    assert full_bandwidth_hosts(topology) == pytest.approx(full_bandwidth_hosts(thin))


def _values(topology: Topology) -> dict[str, object]:
    """All measures of a network, without its identity and Gb/s."""
    measured = quality(route(topology, "minimal"), "permutation", bisections=30).record()
    cut, loads = exact_bisection(topology).record(), channel_loads(topology)
    for record in (measured, cut):
        del record["provenance"]
    return measured | {
        "part": cut["part"],
        "links": cut["links"],
        "loads": loads.shares.tolist(),
        "saturation": loads.saturation,
        "full": full_bandwidth_hosts(topology),
        "mean": average_channel_load(topology),
    }


@pytest.mark.parametrize("seed", range(3))
def test_all_rates_times_eight_change_nothing(seed):
    """To the last digit; Gb/s of cuts are eight times as many."""
    topology = _random(seed)
    eightfold = topology.with_rates(topology.link_rate_gbps * 8, topology.endpoint_rate_gbps * 8)
    assert _values(eightfold) == _values(topology)
    assert exact_bisection(eightfold).gbps == 8 * exact_bisection(topology).gbps


@pytest.mark.parametrize("seed", range(3))
def test_equal_rates_are_no_rates(seed):
    """To the last digit."""
    topology = _random(seed)
    assert _values(topology.with_rates(400, 400)) == _values(topology.without_rates())


def test_symmetries_keep_rates():
    """A ring of 8 with one slow link has no rotations; the best flow over the rest is that of the exact programme."""
    links = [(i, (i + 1) % 8) for i in range(8)]
    ring = Topology(links=links, switches=8, endpoints=range(8)).with_rates([50] + [100] * 7, 100)
    even = uniform_remote(ring)
    assert symmetric_flow(ring, even).lower == pytest.approx(concurrent_flow(ring, even), rel=1e-6)
    slow = Topology(links=links, switches=8, endpoints=range(8)).with_rates(100, [50, 100] * 4)
    even = uniform_remote(slow)
    assert symmetric_flow(slow, even).lower == pytest.approx(concurrent_flow(slow, even), rel=1e-6)


def test_planes_of_different_rates_each_carry_their_own():
    """A host with ports of 100 and 400 Gb/s on two planes of links of 400: the plane of 400 is oversubscribed, and limits."""
    links = [(0, 2), (1, 2), (3, 5), (4, 5)]
    hosts = np.tile(np.arange(8), 2)
    planes = Topology(
        links=links,
        switches=6,
        endpoints=[0] * 4 + [1] * 4 + [3] * 4 + [4] * 4,
        host=hosts,
        link_rate_gbps=400,
        endpoint_rate_gbps=[100] * 8 + [400] * 8,
    )
    measured = quality(route(planes, "minimal"), bisections=20)
    assert measured.planes == 2
    assert measured.uniform_throughput == measured.permutation_throughput == 0.25
    # The fast plane alone has a bisection of its own; it has four fifths of the rate.
    alone = quality(route(DIRECT.with_rates(400, 400), "minimal"), bisections=20).effective_bisection
    assert 0.8 * alone + 0.2 == pytest.approx(measured.effective_bisection)


@pytest.mark.parametrize("seed", range(3))
def test_several_tables_of_hosts_that_differ_in_rate(seed):
    """Tables for the hosts of a switch in turn: one table twice is one table; no permutation drawn at random is worse."""
    topology = _random(seed)
    first, second = route(topology, "minimal", seed=1), route(topology, "minimal", seed=2)
    one, same = worst_permutation(first), worst_permutation([first, first])
    assert one.load == pytest.approx(same.load)
    worst = worst_permutation([first, second])
    switch = topology.endpoints.astype(int)
    table = (np.arange(switch.size) - np.searchsorted(switch, switch)) % 2
    rates, host_rate = topology.link_rate_gbps[topology.csr[2]], topology.endpoint_rate_gbps

    def load(partner: np.ndarray) -> float:
        """The fullest channel, each pair along the table of its receiver."""
        channels, shares = first.channels, np.zeros(rates.size)
        for s, d in enumerate(partner.tolist()):
            at, end, ports = int(switch[s]), int(switch[d]), (first, second)[table[d]].ports
            while at != end:
                channel = int(channels.first[at]) + int(ports[end, at])
                shares[channel] += min(host_rate[s], host_rate[d]) / rates[channel]
                at = int(channels.to[channel])
        return float(shares.max())

    assert load(worst.partner) == pytest.approx(worst.load)
    draw = np.random.default_rng(seed)
    assert max(load(draw.permutation(switch.size)) for _ in range(200)) <= worst.load * (1 + 1e-9)
    measured = quality([first, second], bisections=20)
    assert measured.worst_load == worst.load
    assert 0 < measured.effective_bisection <= 1

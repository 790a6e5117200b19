"""The quality of tables for hosts on rails: port r of a host sends to ports r of the others, and to nothing else."""

from itertools import permutations, product

import numpy as np
import pytest

from topoloom import InputError, Topology, build, host_routings, quality, route
from topoloom.core.random_streams import Draws
from topoloom.core.random_streams.kernels import shuffle
from topoloom.core.work import Work
from topoloom.throughput.rail_worst import worst_on_rails
from topoloom.throughput.rails import rails_of
from topoloom.throughput.traffic import uniform_remote

SMALL = "fat-tree:k=4,hosts=8+rails:nics=2"


def channels_of_path(routing, source, goal):
    """The channels that the tables take, one by one."""
    found, at = [], source
    while at != goal:
        found.append(int(routing.channels.first[at]) + int(routing.ports[goal, at]))
        at = int(routing.channels.to[found[-1]])
    return found


def flows(topology, routings):
    """The channels from each host to each other on each rail, by the table of the port that is sent to."""
    rails = rails_of(topology, len(routings))
    at = topology.endpoints[rails.ports]
    for a, b in product(range(topology.hosts), repeat=2):
        if a != b:
            for rail in range(rails.count):
                table = routings[rails.table[rails.ports[b, rail]]]
                yield a, b, rail, channels_of_path(table, int(at[a, rail]), int(at[b, rail]))


def test_two_units_of_two_rails_by_hand():
    """Each rail has two leaves of two ports, with a cable to each of two spines; what leaves a leaf is two rates.

    With one table all of it goes to the other leaf by one cable: 1/2. With a table for each port it takes both: 1, as the bound
    says: 16 channels, and 8 rates over two hops each.
    """
    topology = build(SMALL)
    one = quality(route(topology), bisections=20)
    assert (one.rails, one.host_tables, one.hosts) == (2, 1, 8)
    assert (one.uniform_throughput, one.permutation_throughput) == (0.5, 0.5)
    assert (one.uniform_bound, one.tub, one.uniform_flow.lower) == (1.0, 1.0, pytest.approx(1.0))
    two = quality(host_routings(topology, "fat-tree", 2), bisections=20)
    assert (two.host_tables, two.uniform_throughput, two.permutation_throughput) == (2, 1.0, 1.0)
    # The worst permutation sends all of a leaf over one cable; with a table for each port, one port per cable.
    assert (one.worst_load, one.worst_throughput) == (2, 0.5)
    assert (two.worst_load, two.worst_throughput) == (1, 1.0)
    assert quality(route(topology, "ecmp"), bisections=20).uniform_throughput == 1.0


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("spec", "tables"),
    [
        (SMALL, 1),
        (SMALL, 2),
        ("slimfly:q=5,hosts=2+rails:nics=2", 2),
        ("fat-tree:k=8,hosts=32+rails:nics=2,ports=2", 3),
    ],
)
def test_every_pair_of_ports_followed_one_by_one_agrees(spec, tables):
    """Uniform loads, and the effective bisection of the same draws, by plain walks through the tables."""
    topology = build(spec)
    engine = "fat-tree" if spec.startswith("fat-tree") else "orders"
    routings = host_routings(topology, engine, tables)
    found = quality(routings, bisections=6, seed=5)
    rails = rails_of(topology, tables)
    carried = np.zeros(2 * len(topology.links))
    paths = {(a, b, rail): path for a, b, rail, path in flows(topology, routings)}
    for (_, _, rail), path in paths.items():
        on_switch = np.bincount(rails.switch(rail))
        carried[path] += 1 / (topology.hosts - on_switch[on_switch > 0].min())
    assert found.uniform_throughput == pytest.approx(min(1.0, 1 / carried.max()))
    shares, half = [], topology.hosts // 2
    for number in range(6):
        order = np.arange(topology.hosts)
        shuffle(Draws(5, number).state(), order)
        drawn = [paths[order[i], order[half + i], rail] for i, rail in product(range(half), range(rails.count))]
        flowing = np.zeros(carried.size)
        for path in drawn:
            flowing[path] += 1
        shares.append(np.mean([1 / max(1, flowing[path].max(initial=0)) for path in drawn]))
    assert found.effective_bisection == pytest.approx(np.mean(shares))


def test_a_table_for_each_port_makes_a_rail_tree_full():
    """DGX units on 64-port switches: cables in bundles of four, of which each port's table takes its own, up and down."""
    topology = build("fat-tree:hosts=512,k=64+rails:nics=8")
    assert int(topology.endpoints_at.max()) == 32
    found = quality(host_routings(topology, "fat-tree", 32), "permutation", bisections=5)
    assert (found.uniform_throughput, found.permutation_throughput, found.traffic_throughput) == (1.0, 1.0, 1.0)
    assert (found.effective_bisection, found.effective_bisection_error) == (1.0, 0.0)


def test_rails_in_planes_are_those_of_a_plane():
    """Two planes with rails are as good as one, and have twice the ports."""
    one, two = (
        quality(host_routings(build(spec), "fat-tree", 2), "permutation", bisections=20)
        for spec in (SMALL, f"{SMALL}+planes:count=2")
    )
    assert (two.planes, two.rails, two.host_tables, two.hosts) == (2, 2, 2, 16)
    for name in ("uniform_throughput", "permutation_throughput", "traffic_throughput", "effective_bisection", "tub"):
        assert getattr(two, name) == getattr(one, name), name


@pytest.mark.exhaustive
def test_ports_on_one_switch_are_no_rails():
    """Which of them is sent to makes no difference: numbers are those of as many hosts."""
    hosts, nics = (quality(route(build(f"slimfly:q=5,hosts=4{more}")), bisections=20) for more in ("", "+nics:count=2"))
    assert nics == hosts
    assert nics.rails == 1


def test_hosts_of_unlike_numbers_of_ports_have_none():
    """A host with two ports beside one with one: each port counts for itself."""
    mixed = Topology(links=[(0, 1), (1, 2), (0, 2)], switches=3, endpoints=[0, 1, 2], host=[0, 0, 1], name="mixed")
    assert rails_of(mixed) is None
    assert quality(route(mixed), bisections=5).rails == 1


def test_what_does_not_go_together_is_said():
    """Traffic of switches on rails, tables without rails, tables of two networks, none."""
    topology = build(SMALL)
    with pytest.raises(InputError, match="but the hosts have 2 rails; give the name of a pattern"):
        quality(route(topology), uniform_remote(topology))
    plain = build("fat-tree:k=4,hosts=8")
    with pytest.raises(InputError, match="but the hosts have 2 tables; give the name of a pattern"):
        quality(host_routings(plain, "fat-tree", 2), uniform_remote(plain))
    with pytest.raises(InputError, match="2 tables need hosts; add hosts"):
        quality(host_routings(build("hypercube:n=3"), "orders", 2))
    with pytest.raises(InputError, match="one of the tables is of another network"):
        quality([route(topology), route(plain)])
    with pytest.raises(InputError, match="empty sequence"):
        quality([])


@pytest.mark.parametrize(
    ("spec", "tables", "mixed"),
    [
        ("fat-tree:k=4,hosts=12+rails:nics=2", 1, False),
        ("fat-tree:k=4,hosts=12+nics:count=2", 2, False),
        ("fat-tree:k=6,hosts=12+nics:count=3", 3, True),
        ("random-regular:n=6,degree=3,hosts=2+rails:nics=2", 1, True),
    ],
)
def test_the_worst_permutation_of_rails_is_that_of_all_permutations(spec, tables, mixed):
    """Brute force over all permutations of at most six hosts; where rates differ, a pair sends the lower of its two rates."""
    topology = build(spec)
    if mixed:
        rates = np.where(np.arange(topology.endpoints.size) % 5 < 2, 100.0, 200.0)
        topology = topology.replace(endpoint_rate_gbps=rates, link_rate_gbps=np.full(len(topology.links), 100.0))
    routings = host_routings(topology, "fat-tree", tables) if tables > 1 else (route(topology),)
    rails = rails_of(routings[0].topology, tables)
    weight = np.zeros((len(rails.ports), len(rails.ports), 2 * len(topology.links)))
    for a, b, rail, channels in flows(routings[0].topology, routings):
        rate = 1.0 if not mixed else min(rates[rails.ports[a, rail]], rates[rails.ports[b, rail]]) / 100
        weight[a, b, channels] += rate
    hosts = range(len(weight))
    most = max(sum(weight[a, b] for a, b in enumerate(order)).max() for order in permutations(hosts))
    worst = worst_on_rails(rails, routings, Work())
    assert sorted(worst.partner.tolist()) == list(hosts)
    assert worst.load == pytest.approx(most)
    assert sum(weight[a, b] for a, b in enumerate(worst.partner.tolist())).max() == pytest.approx(most)


def test_rails_of_one_fat_tree_have_the_worst_permutation_of_planes():
    """256 servers of eight ports: eight leaves of 32 ports per rail, so seven ports elsewhere share the cable of one place."""
    rails = quality(route(build("fat-tree:k=64,hosts=2048+rails:nics=8"), "fat-tree-hosts"), bisections=10)
    planes = quality(route(build("fat-tree:k=64,hosts=256+planes:count=8"), "fat-tree-hosts"), bisections=10)
    assert (rails.worst_load, rails.worst_throughput) == (planes.worst_load, planes.worst_throughput) == (7, 1 / 7)

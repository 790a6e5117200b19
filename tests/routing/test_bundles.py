"""Default tables use every cable between two switches, by its rate; networks without parallel links keep their tables."""

import numpy as np
import pytest

from topoloom import as_network, build, cases_of, quality, reroute, route
from topoloom.model.topology import Topology
from topoloom.routing.bundles import spread_over_bundles
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads


def pair(rates, hosts, host_rate=100.0):
    """Two switches with hosts, and parallel cables of these rates."""
    return Topology(
        links=[(0, 1)] * len(rates),
        switches=2,
        endpoints=[0] * hosts + [1] * hosts,
        link_rate_gbps=rates,
        endpoint_rate_gbps=host_rate,
        name="pair",
    )


def throughput(tables):
    """Of uniform traffic between the two switches, by the tables of the hosts."""
    return expected_loads(tables, uniform_remote(tables.topology)).throughput


def test_hosts_take_the_cables_in_turn_by_rate():
    """3 x 100 and 50 Gb/s: of seven hosts, two on each cable of 100 and one on that of 50; 350 of 700 Gb/s."""
    tables = as_network(pair([100, 100, 100, 50], 7)).with_tables().tables
    cables = [int(table.ports[1, 0]) for table in tables.host_tables]
    assert np.bincount(cables).tolist() == [2, 2, 2, 1]
    assert cables[:4] == [0, 1, 2, 3]
    assert throughput(tables) == pytest.approx(0.5)
    assert tables.verification.deadlock_free
    assert tables.verification.minimal


@pytest.mark.parametrize(
    ("rates", "hosts", "host_rate", "share"),
    [
        ([100] * 4, 48, 25, 1 / 3),  # 48 x 25 = 1,200 Gb/s over 400
        ([400], 4, 100, 1),
        ([100] * 4, 4, 100, 1),
        ([100] * 4, 2, 100, 1),  # more cables than hosts
        ([400, 100], 5, 100, 1),
        ([400, 200, 100], 14, 100, 0.5),  # three rates
    ],
)
def test_throughput_by_hand(rates, hosts, host_rate, share):
    """The hosts' traffic over the sum of the cables' rates."""
    network = pair(rates, hosts, host_rate)
    assert throughput(as_network(network).with_tables().tables) == pytest.approx(share)
    measured = quality(network, bisections=20)
    assert measured.uniform_throughput == pytest.approx(share)
    assert measured.permutation_throughput == pytest.approx(share)
    assert len(cases_of("pair", network)[0].routings) == len(as_network(network).with_tables().tables.host_tables)


def test_networks_without_parallel_links_keep_their_tables():
    """To the last entry; so does an engine that is named, and a tree, which has tables per host already."""
    plain = build("slimfly:q=5,hosts=3")
    assert np.array_equal(as_network(plain).with_tables().tables.ports, route(plain).ports)
    assert as_network(plain).with_tables().tables.choice is None
    bundled = build("hyperx:dims=3x3,width=3,hosts=3")
    assert as_network(bundled).with_tables("dor").tables.choice is None
    tree = build("fat-tree:k=8,hosts=16")
    assert spread_over_bundles(route(tree)).choice is None


def test_paths_between_switches_stay():
    """Only cables change: every copy has the same next switches, and each cable of a bundle serves a third of the copies."""
    bundled = build("hyperx:dims=3x3,width=3,hosts=3")
    alone, spread = route(bundled), as_network(bundled).with_tables().tables
    to, first = alone.channels.to, alone.channels.first[:-1]
    filled = alone.ports != alone.none
    next_switch = [to[np.where(filled, first[None, :] + table.ports, 0)] for table in spread.host_tables]
    assert len(next_switch) == 3
    assert all(np.array_equal(switches[filled], next_switch[0][filled]) for switches in next_switch)
    ports = np.stack([table.ports for table in spread.host_tables])[:, filled]
    assert all(len(set(column)) == 3 for column in ports.T.tolist())


def test_default_tables_can_be_repaired():
    """`reroute` of a network without tables repairs one table."""
    assert reroute(pair([100] * 4, 8), cables=[0]).routing.choice is None

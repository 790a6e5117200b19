"""Switches with different numbers of hosts: made by a spec, and counted right by everything after it."""

import itertools

import numpy as np
import pytest

from topoloom import InputError, build, hops, load, place, price, quality, route, save, simulate, verify_routing
from topoloom.graph.distances import distance_matrix


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ("ring:n=6+spread:hosts=6", [1] * 6),
        ("ring:n=6+spread:hosts=8", [1, 1, 2, 1, 1, 2]),
        ("ring:n=6+spread:hosts=2", [0, 0, 1, 0, 0, 1]),
        ("ring:n=5+spread:pattern=3x1x0", [3, 1, 0, 3, 1]),
        ("kary-tree:k=2,n=2+spread:hosts=5", [2, 3, 0, 0]),  # only leaves carry hosts
    ],
)
def test_hosts_of_the_switches(spec, counts):
    assert build(spec).endpoints_at.tolist() == counts


def _most_pairs_of_hosts(routing, network):
    """The most pairs of hosts whose path crosses one channel, by following the tables from switch to switch."""
    crossing = {}
    for target in range(network.switches):
        for source in range(network.switches):
            path = routing.path(source, target)
            for channel in itertools.pairwise(path):
                pairs = int(network.endpoints_at[source] * network.endpoints_at[target])
                crossing[channel] = crossing.get(channel, 0) + pairs
    return max(crossing.values())


def test_hosts_are_counted_where_they_are(tmp_path):
    """A torus with 0 to 3 hosts per switch: distances, tables, loads, simulation, racks, bill and files."""
    network = build("torus:dims=4x4+spread:pattern=3x1x0x2x1")
    counts = network.endpoints_at
    assert (network.hosts, counts.min(), counts.max()) == (24, 0, 3)
    distance = distance_matrix(network)
    mean = (np.outer(counts, counts) * distance).sum() / (24 * 23)
    assert hops(network).host_aspl == pytest.approx(mean)
    routing = route(network, "dfsssp-switches")
    assert verify_routing(routing).deadlock_free
    loads = quality(routing)
    assert loads.hosts == 24
    assert loads.uniform_throughput == pytest.approx(23 / _most_pairs_of_hosts(routing, network))
    point = simulate(routing, loads=[0.1]).points[0]
    assert point.accepted == pytest.approx(0.1, rel=0.05)
    assert point.hops_mean == pytest.approx(mean + 1, rel=0.02)  # counts the switch of the sender
    for name in ("network.json", "network.orp"):
        save(network, tmp_path / name)
        assert np.array_equal(load(tmp_path / name).endpoints_at, counts)
    layout = place(network)
    assert (len(layout.host_rack), price(layout).hosts) == (24, 24)
    bill = price(layout)
    assert bill.ports_used == 2 * len(network.links) + 24


def test_fewer_hosts_of_a_pattern():
    """`populated` removes from the fullest switches, and a resized pattern keeps its order."""
    fewer = build("ring:n=5+spread:pattern=3x1+populated:hosts=8")
    assert fewer.endpoints_at.tolist() == [2, 1, 2, 1, 2]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("ring:n=4+spread", "give either hosts=, a total, or pattern="),
        ("ring:n=4+spread:hosts=3,pattern=1x2", "give either hosts=, a total, or pattern="),
        ("ring:n=4+spread:pattern=0x0", "pattern=0x0 has no hosts"),
        ("ring:n=4,hosts=2+nics:count=2+spread:hosts=3", "use it before planes, rails and nics"),
        ("ring:n=4+spread:hosts=-1", "hosts=-1"),
    ],
)
def test_what_cannot_be_spread(spec, sentence):
    with pytest.raises(InputError, match=sentence):
        build(spec)

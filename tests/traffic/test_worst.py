"""Worst-case traffic: Besta 2014's patterns do what they are for, and the generic one is as bad as tables allow, or nearly."""

import networkx as nx
import numpy as np
import pytest

from topoloom.model.topology import Topology
from topoloom.routing.route import route
from topoloom.throughput.traffic import matrix, traffic_of
from topoloom.throughput.traffic.loads import table_loads
from topoloom.throughput.traffic.worst import busy_permutation, greedy, worst_permutation
from topoloom.topologies.spec import build


def demand(routing, traffic):
    """What goes from switch to switch when every host sends at its full rate, float64[n, n]."""
    switch, count = routing.topology.endpoints, np.diff(traffic.first)
    asked = np.zeros((routing.topology.switches,) * 2)
    sender = np.repeat(np.arange(count.size), count)
    np.add.at(asked, (switch[sender], switch[traffic.to]), 1 / count[sender])
    return asked


def loads(routing, traffic):
    """Hosts that send over each channel of the tables."""
    return table_loads(routing, matrix(routing.topology, demand(routing, traffic))).channels


@pytest.mark.parametrize(
    ("q", "hosts", "engine"),
    [(3, 2, "minimal"), (5, 4, "orders"), (7, 6, "minimal"), (8, 6, "hop-vcs"), (9, 7, "minimal")],
)
def test_the_worst_of_a_slim_fly_loads_links_with_the_hosts_of_two_switches(q, hosts, engine):
    """Errata Besta 2014, 17: 2 p hosts over a link, which no permutation passes (found exactly).

    Nobody gets more than he can.
    """
    routing = route(build(f"slimfly:q={q},hosts={hosts}"), engine)
    traffic = traffic_of("worst-case", routing)
    assert sorted(traffic.to.tolist()) == list(range(traffic.hosts))
    found = loads(routing, traffic)
    assert found.max() == 2 * hosts == worst_permutation(routing).load
    # Not one link: every four switches have one, both ways, and at most a quarter of them is left over.
    assert (found == 2 * hosts).sum() >= 2 * (routing.topology.switches * 3 // 4 // 4)


def test_the_rows_of_a_slim_fly_exchange_through_their_middle_link():
    """Exchanges are mutual, and two hops long; their shortest paths are the only ones in Besta 2014's Figure 9."""
    routing = route(build("slimfly:q=5,hosts=1"), "minimal")
    to = traffic_of("worst-case", routing).to
    mutual = [(s, int(d)) for s, d in enumerate(to) if to[d] == s]
    assert len(mutual) >= 40
    assert all(len(routing.path(s, d)) == 3 for s, d in mutual)


@pytest.mark.parametrize(
    "spec", ["dragonfly:h=2", "dragonfly:h=3,g=5", "dragonfly:h=2,wiring=palmtree", "dragonfly:a=4,h=1,p=3,g=3"]
)
def test_the_worst_of_a_dragonfly_goes_from_each_group_to_the_next(spec):
    """Each host may draw every host of the next group and no other; all that a group sends takes its links to the next."""
    topology = build(spec)
    routing = route(topology, "dragonfly")
    traffic = traffic_of("worst-case", routing)
    group = topology.labels["group"][topology.endpoints]
    groups = int(group.max()) + 1
    for host in range(traffic.hosts):
        listed = traffic.to[traffic.first[host] : traffic.first[host + 1]]
        assert sorted(listed.tolist()) == np.flatnonzero(group == (group[host] + 1) % groups).tolist()
    channels, found = routing.channels, loads(routing, traffic)
    at = topology.labels["group"]
    crossing = at[channels.origin] != at[channels.to]
    onward = (at[channels.to] - at[channels.origin]) % groups == 1
    # Minimal ways: nothing passes a third group; a group's hosts share its links to the next.
    assert found[crossing & ~onward].sum() == 0 or groups == 2
    assert found[crossing].sum() == pytest.approx(traffic.hosts)


@pytest.mark.parametrize(
    "spec",
    [
        "polarstar:q=3,d=3,hosts=2",
        "bundlefly:q=3,p=5,hosts=1",
        "megafly:leaves=2",
        "cascade:groups=3,chassis=2,blades=2,h=2",
    ],
)
def test_the_worst_of_groups_goes_from_each_to_the_next(spec):
    """PolarStar, Bundlefly, Megafly, Cascade: as in a Dragonfly every host may draw every host of the next group, no other."""
    topology = build(spec)
    traffic = traffic_of("worst-case", route(topology))
    group = topology.labels["group"][topology.endpoints]
    for host in range(0, traffic.hosts, 7):
        listed = traffic.to[traffic.first[host] : traffic.first[host + 1]]
        assert sorted(listed.tolist()) == np.flatnonzero(group == (group[host] + 1) % (group.max() + 1)).tolist()


@pytest.mark.parametrize(("spec", "share"), [("oft:q=4", 5), ("oft:q=3", 4), ("mlfm:h=4", 4), ("mlfm:h=5,layers=2", 5)])
def test_the_worst_of_trees_with_one_common_spine_sends_leaves_over_one_link(spec, share):
    """All hosts of a leaf pass the one spine that it shares with the next: 1 / k of an OFT's rate gets through, 1 / h of an
    MLFM's, by any tables of shortest paths (Kathareios et al. 2015)."""
    topology = build(spec)
    for engine in ("ancestors", "orders"):
        routing = route(topology, engine)
        traffic = traffic_of("worst-case", routing)
        assert sorted(traffic.to.tolist()) == list(range(traffic.hosts))
        assert loads(routing, traffic).max() == share == worst_permutation(routing).load


@pytest.mark.parametrize(
    "spec", ["fat-tree:k=4", "fat-tree:k=6", "kary-tree:k=3,n=2", "kary-tree:k=3,n=3", "kary-tree:k=2,n=3,hosts=3"]
)
def test_in_the_worst_of_a_fat_tree_every_packet_passes_a_top_switch(spec):
    """Besta 2014 V.C; and hosts get what one host sends."""
    topology = build(spec)
    routing = route(topology, "fat-tree")
    traffic = traffic_of("worst-case", routing)
    level, switch = topology.labels["level"], topology.endpoints
    assert sorted(traffic.to.tolist()) == list(range(traffic.hosts))
    for s, d in zip(switch, switch[traffic.to], strict=True):
        assert max(level[routing.path(int(s), int(d))]) == level.max()


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("torus:dims=6x6,hosts=2", "dor"),
        ("jellyfish:n=40,degree=5,hosts=3", "minimal"),
        ("hypercube:n=5,hosts=1", "updown"),
        ("dragonfly:h=2", "dragonfly"),
    ],
)
def test_other_tables_get_the_permutation_that_loads_a_channel_most(spec, engine):
    """`worst_permutation` is exact; the greedy pairing of large networks gets half of it or more, and is a permutation."""
    routing = route(build(spec), engine)
    most = worst_permutation(routing).load
    assert loads(routing, traffic_of("worst-case:by=tables", routing)).max() == most
    partner = greedy(routing)
    assert sorted(partner.tolist()) == list(range(partner.size))
    asked = np.zeros((routing.topology.switches,) * 2)
    np.add.at(asked, (routing.topology.endpoints, routing.topology.endpoints[partner]), 1)
    assert most / 2 <= table_loads(routing, matrix(routing.topology, asked)).channels.max() <= most


def test_the_greedy_pairing_is_half_of_the_best_of_a_channel_at_least():
    """NetworkX's maximum matching of one channel, by the ways of the tables."""
    from topoloom.throughput.traffic.kernels.busiest import pairs_over

    routing = route(build("jellyfish:n=30,degree=4,hosts=1"), "minimal")
    channels = routing.channels
    ones = np.ones(30, np.int64)
    for channel in range(0, channels.to.size, 7):
        u, v = int(channels.origin[channel]), int(channels.to[channel])
        over = [
            (f"s{s}", f"d{d}")
            for s in range(30)
            for d in range(30)
            if s != d and (u, v) in zip(path := routing.path(s, d), path[1:], strict=False)
        ]
        graph = nx.Graph(over)
        best = len(nx.bipartite.maximum_matching(graph, [n for n in graph if n[0] == "s"])) // 2 if over else 0
        found = pairs_over(channels.first, channels.to, routing.ports, ones, u, channel - int(channels.first[u]))
        assert {(f"s{s}", f"d{d}") for s, d, _ in found.tolist()} <= set(over)
        assert best / 2 <= len(found) <= best


def test_nobody_is_paired_with_himself():
    """Those that the busiest channel leaves over go to each other; a single one is silent."""
    routing = route(build("mesh:dims=3x3,hosts=1"), "dor")
    partner = busy_permutation(routing)
    assert (partner != np.arange(9)).all()
    lonely = route(Topology(links=[(0, 1)], switches=2, endpoints=[0, 0, 1], name="lonely"), "minimal")
    traffic = traffic_of("worst-case", lonely)
    assert 2 <= traffic.to.size <= 3
    assert (traffic.to != np.flatnonzero(traffic.senders)).all()


def test_one_switch_has_a_worst_case_too():
    """No channel at all: its hosts send to each other."""
    routing = route(build("clos:leaves=1,spines=1,width=4"), "orders")
    assert sorted(traffic_of("worst-case", routing).to.tolist()) == [0, 1, 2, 3]


def test_a_network_of_no_known_family_and_a_changed_one_have_a_worst_case():
    """By its tables without a spec; by its family with links moved, as long as it is labelled."""
    plain = build("slimfly:q=3,hosts=2").replace(spec=None, labels={})
    routing = route(plain, "minimal")
    assert loads(routing, traffic_of("worst-case", routing)).max() == worst_permutation(routing).load
    routing = route(build("slimfly:q=5,hosts=2+permute:mode=full"), "minimal")
    assert sorted(traffic_of("worst-case", routing).to.tolist()) == list(range(100))


def test_large_networks_take_the_greedy_pairing(monkeypatch):
    """Above the size that is found exactly; forced here on a small one."""
    from topoloom.throughput.traffic import worst

    routing = route(build("torus:dims=5x5,hosts=1"), "dor")
    exact = busy_permutation(routing)
    monkeypatch.setattr(worst, "_EXACT", 0)
    near = busy_permutation(routing)
    assert sorted(exact.tolist()) == sorted(near.tolist()) == list(range(25))

"""Trees whose bundles differ in width: tables per host keep the paths of a tree, and use all cables."""

import numpy as np
import pytest

import topoloom.routing.engines.fat_tree as engine_module
from topoloom import Topology, build, host_routings, quality, route
from topoloom.routing.channels import channels_of
from topoloom.routing.engines.fat_tree import levels_of
from topoloom.routing.trees.uneven import wired_evenly

LEAF_SPINE = "fat-tree:k=16,hosts=72,bundles=uneven"


def _drawn(seed: int) -> Topology:
    """Two levels, four to seven leaves and two to four spines, with one to three cables between any two."""
    draw = np.random.default_rng(seed)
    leaves, spines = int(draw.integers(4, 8)), int(draw.integers(2, 5))
    links = [
        (leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines) for _ in range(draw.integers(1, 4))
    ]
    hosts = np.repeat(np.arange(leaves), draw.integers(1, 7, leaves))
    return Topology(links, leaves + spines, hosts, labels={"level": [0] * leaves + [1] * spines})


def _loads(routing) -> np.ndarray:
    """Pairs of hosts over each channel, by walking every path."""
    topology, channels = routing.topology, routing.channels
    load = np.zeros(channels.to.size, np.int64)
    first = np.cumsum(topology.endpoints_at) - topology.endpoints_at
    for host, d in enumerate(topology.endpoints.tolist()):
        table = routing.host_tables[(host - first[d]) % len(routing.host_tables)]
        for s in np.flatnonzero(topology.endpoints_at).tolist():
            at = s
            while at != d:
                channel = channels.first[at] + table.ports[d, at]
                load[channel] += topology.endpoints_at[s]
                at = channels.to[channel]
    return load


@pytest.mark.parametrize("seed", range(6))
def test_paths_rise_and_fall_and_loads_are_no_worse_than_by_digits(seed, monkeypatch):
    """Every path between leaves has two hops; the maximum load is at most that of plain d-mod-k."""
    tree = _drawn(seed)
    assert not wired_evenly(levels_of(tree), channels_of(tree))
    tables = route(tree, "fat-tree-hosts")
    assert tables.verification.minimal
    assert tables.verification.deadlock_free
    assert tables.verification.max_hops == 2
    monkeypatch.setattr(engine_module, "wired_evenly", lambda level, channels: True)
    by_digits = route(tree, "fat-tree-hosts")
    assert _loads(tables).max() <= _loads(by_digits).max()
    assert quality(tables).uniform_throughput >= quality(by_digits).uniform_throughput - 1e-9


def test_every_cable_serves_and_hosts_of_a_leaf_keep_apart():
    """72 hosts on 14 switches: 0.571 by digits; no shift of the leaves puts more than three hosts on a cable."""
    tree = build(LEAF_SPINE)
    tables = route(tree, "fat-tree-hosts")
    assert quality(tables).uniform_throughput >= 0.8 - 1e-9
    leaves, channels = np.flatnonzero(tree.endpoints_at), tables.channels
    for shift in range(1, leaves.size):
        carried = np.zeros(channels.to.size, np.int64)
        for place, a in enumerate(leaves):
            b = leaves[(place + shift) % leaves.size]
            for table in tables.host_tables[: tree.endpoints_at[b]]:
                up = channels.first[a] + table.ports[b, a]
                spine = channels.to[up]
                carried[[up, channels.first[spine] + table.ports[b, spine]]] += 1
        assert carried.max() <= 3


def test_published_size_of_uneven_bundles_carries_its_hosts():
    """1,152 hosts on 36 leaves and 18 spines of 64 ports: more than nine tenths of uniform traffic."""
    tree = build("fat-tree:k=64,hosts=1152,bundles=uneven")
    assert tree.switches == 54
    assert quality(route(tree, "fat-tree-hosts")).uniform_throughput > 0.9


@pytest.mark.exhaustive
def test_three_levels_with_uneven_bundles_between_the_upper_two():
    """5,000 hosts: 0.628 by digits; more than 0.95."""
    tables = route(build("fat-tree:k=64,hosts=5000,bundles=uneven"), "fat-tree-hosts")
    assert tables.verification.minimal
    assert quality(tables).uniform_throughput > 0.95


def test_separate_tables_are_those_of_all_hosts_together():
    """`host_routings` and `route` with one host agree with the engine that makes all tables; each is verified."""
    tree = build(LEAF_SPINE)
    together = route(tree, "fat-tree-hosts").host_tables
    separate = host_routings(tree, "fat-tree", len(together))
    for number, (table, one) in enumerate(zip(together, separate, strict=True)):
        assert (table.ports == one.ports).all()
        assert one.verification.deadlock_free
        assert one.provenance.settings["host"] == (number, len(together))
    alone = route(tree, "fat-tree", host=(3, len(together)))
    assert (alone.ports == together[3].ports).all()


def test_a_tree_that_lost_one_cable_of_a_bundle():
    """Paths still have two hops; of four hosts on three cables two share one, which twelve remote hosts each send to."""
    links = [(leaf, 4 + spine) for leaf in range(4) for spine in range(2) for _ in range(2)]
    whole = Topology(links, 6, np.repeat(np.arange(4), 4), labels={"level": [0] * 4 + [1] * 2})
    tree = Topology(links[1:], 6, whole.endpoints, labels={"level": [0] * 4 + [1] * 2})
    assert wired_evenly(levels_of(whole), channels_of(whole))
    assert not wired_evenly(levels_of(tree), channels_of(tree))
    assert quality(route(whole, "fat-tree-hosts")).uniform_throughput == 1
    tables = route(tree, "fat-tree-hosts")
    assert tables.verification.max_hops == 2
    assert quality(tables).uniform_throughput == pytest.approx(12 / 24)

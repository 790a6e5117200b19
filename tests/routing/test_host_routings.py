"""Tables for each host of a switch: shortest, free of deadlock, and different paths."""

from itertools import pairwise

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.routing.channels import channels_of
from topoloom.routing.host_routings import host_routings
from topoloom.routing.verification.verify import verify_routing


@pytest.mark.parametrize(
    ("spec", "engine"),
    [("fat-tree:k=6", "fat-tree"), ("hyperx:dims=3x3,width=3,hosts=3", "dor"), ("slimfly:q=5,hosts=3", "orders")],
)
def test_each_table_is_one(spec, engine):
    """The verifier finds each shortest and without a cycle."""
    for routing in host_routings(build(spec), engine, 3):
        verification = verify_routing(routing)
        assert not verification.fault
        assert verification.minimal
        assert verification.deadlock_free


def test_parallel_cables_are_taken_in_turn():
    """Three cables between two switches, three tables: each path takes each of them once, by the same switches."""
    topology = build("hyperx:dims=3x3,width=3,hosts=3")
    routings = host_routings(topology, "dor", 3)
    to = channels_of(topology).to
    first = channels_of(topology).first
    for goal in range(topology.switches):
        for at in range(topology.switches):
            if at != goal:
                channels = [int(first[at] + routing.ports[goal, at]) for routing in routings]
                assert len(set(channels)) == 3
                assert len(set(to[channels])) == 1


def test_the_hosts_of_a_leaf_go_up_by_different_switches():
    """d-mod-k: as many paths up as the leaf has hosts, whoever sends."""
    topology = build("fat-tree:k=8")
    routings = host_routings(topology, "fat-tree", 4)
    leaves = np.unique(topology.endpoints)
    for source, goal in pairwise(leaves.tolist()):
        assert len({int(routing.ports[goal, source]) for routing in routings}) == 4


def test_a_switch_without_links_has_tables():
    """There is nothing to lead."""
    assert all((one.ports == one.none).all() for one in host_routings(build("complete:n=1,hosts=4"), "minimal", 4))


def test_one_is_the_engines_own_and_none_is_refused():
    """Without several tables nothing changes."""
    topology = build("fat-tree:k=4")
    (routing,) = host_routings(topology, "fat-tree", 1)
    assert routing.verification is not None
    with pytest.raises(InputError, match="count=0; at least one table is needed"):
        host_routings(topology, "fat-tree", 0)


@pytest.mark.parametrize(
    "spec", ["fat-tree:k=8", "fat-tree:k=8,hosts=16", "fat-tree:k=8,hosts=32", "fat-tree:k=8,hosts=64"]
)
def test_shifts_pass_without_contention(spec):
    """d-mod-k on trees of one radix: host h sends to h + s, and no cable carries two, in bundles of two and four neither.

    Zahavi, Johnson, Kerbyson and Lang, CCPE 22(2), 2010.
    """
    topology = build(spec)
    at = topology.endpoints.astype(int)
    each = int(topology.endpoints_at.max())
    routings = host_routings(topology, "fat-tree", each)
    channels = routings[0].channels
    for shift in range(1, topology.hosts):
        carried = np.zeros(channels.to.size, int)
        for host in range(topology.hosts):
            to = (host + shift) % topology.hosts
            here, goal, table = at[host], at[to], routings[to % each]
            while here != goal:
                channel = int(channels.first[here]) + int(table.ports[goal, here])
                carried[channel] += 1
                here = int(channels.to[channel])
        assert carried.max() == 1, shift

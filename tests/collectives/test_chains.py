"""A broadcast by chains: every host receives and forwards on all its ports at once, along the tables."""

import pytest

from topoloom import AppSettings, build, collective, route

PLANES = "fat-tree:k=8,hosts=16+planes:count=4"


def test_each_port_carries_its_share_once():
    """Four planes: a host but the root receives a quarter on each port; every host but the last forwards it."""
    tree = build(PLANES)
    run = collective(route(tree), "broadcast", 1 << 22, algorithm="chains", root_rank=5)
    schedule = run.schedule
    assert (schedule.algorithm, schedule.paths, schedule.chunks) == ("chains", "tables", 4)
    assert [tree.root for tree in schedule.trees] == [5] * 4
    for one in schedule.trees:
        assert [edge.sender for edge in one.edges] == [5, *(edge.receiver for edge in one.edges[:-1])]
        assert len(one.edges) == 15
    ports = {edge.switches[0] // (tree.switches // 4) for one in schedule.trees for edge in one.edges if one.first == 2}
    assert ports == {2}


def test_a_broadcast_on_all_ports_is_near_its_bound():
    """1 GiB over four planes of 16 hosts, without delays: the last host waits for 14 pieces more than the first."""
    quick = AppSettings(switch_ns=0, cable_ns_per_m=0)
    run = collective(route(build(PLANES)), "broadcast", 1 << 30, algorithm="chains", settings=quick, pieces=300)
    assert 1 < run.seconds / run.bound.seconds < 1.1
    binomial = collective(route(build(PLANES)), "broadcast", 1 << 30, algorithm="binomial", settings=quick)
    assert run.seconds < binomial.seconds / 15


@pytest.mark.exhaustive
def test_large_networks_broadcast_by_chains():
    """128 hosts, for which no forest is packed: 1.2 times the bound for 64 MiB, where a binomial tree takes 28 times."""
    run = collective(route(build("fat-tree:k=8,hosts=128")), "broadcast", 1 << 26)
    assert run.schedule.algorithm == "chains"
    assert run.seconds < 1.25 * run.bound.seconds

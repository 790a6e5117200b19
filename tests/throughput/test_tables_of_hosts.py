"""Fat trees with a table per host: what d-mod-k promises, the worst permutation of several tables, one number everywhere."""

import json
from itertools import permutations

import numpy as np
import pytest

from topoloom import build, quality, route
from topoloom.routing.host_routings import host_routings
from topoloom.throughput.one_pattern import pattern_throughput
from topoloom.throughput.traffic.worst import worst_permutation


def _path(routing, source: int, goal: int) -> list[int]:
    channels = []
    while source != goal:
        channels.append(int(routing.channels.first[source]) + int(routing.ports[goal, source]))
        source = int(routing.channels.to[channels[-1]])
    return channels


@pytest.mark.parametrize("radix", [4, pytest.param(8, marks=pytest.mark.exhaustive), 12, 16])
def test_a_full_tree_carries_shifts_and_uniform_traffic_in_full(radix):
    """d-mod-k (Zahavi et al. 2010): shifts meet on no channel, so tornado and uniform traffic get 1.

    The worst permutation of three levels sends the k - 1 hosts of other pods that share all digits over one channel.
    """
    found = quality(route(build(f"fat-tree:k={radix}"), "fat-tree-hosts"), "tornado", bisections=100)
    assert (found.uniform_throughput, found.traffic_throughput, found.permutation_throughput) == (1.0, 1.0, 1.0)
    assert found.worst_load == radix - 1
    assert (found.rails, found.host_tables, found.expected) == (1, radix // 2, False)
    assert found.effective_bisection > 0.68
    single = quality(route(build(f"fat-tree:k={radix}"), "fat-tree"), "tornado", bisections=100)
    assert single.traffic_throughput <= 2 / radix, "one table leads all hosts of a switch over one path"
    assert found.effective_bisection > single.effective_bisection


def test_one_routing_with_tables_of_hosts_is_measured_by_these_tables():
    """`fat-tree-hosts`, `host_routings` and the pattern alone give the same numbers."""
    tree = build("fat-tree:k=4")
    whole = route(tree, "fat-tree-hosts")
    found = quality(whole, "bit-reversal", bisections=20)
    assert found == quality(host_routings(tree, "fat-tree", 2), "bit-reversal", bisections=20)
    assert pattern_throughput(whole, "bit-reversal") == (found.traffic_throughput, found.traffic_bound)
    assert found.tub == quality(route(tree, "fat-tree"), bisections=2).tub


@pytest.mark.parametrize("spec", ["fat-tree:k=4,levels=2,hosts=6", "fat-tree:k=4,hosts=6"])
@pytest.mark.parametrize("count", [2, 3])
def test_the_worst_permutation_of_several_tables_is_that_of_all_permutations(spec, count):
    """Brute force over all permutations of six hosts."""
    tree = build(spec)
    tables = host_routings(tree, "orders", count)
    switch = tree.endpoints.tolist()
    place = [switch[:host].count(at) for host, at in enumerate(switch)]
    paths = {
        (s, d): _path(tables[place[d] % count], switch[s], switch[d])
        for s in range(len(switch))
        for d in range(len(switch))
    }
    most = 0
    for partner in permutations(range(len(switch))):
        load = np.bincount([c for s, d in enumerate(partner) for c in paths[s, d]], minlength=1)
        most = max(most, int(load.max()))
    worst = worst_permutation(tables)
    load = np.bincount([c for s, d in enumerate(worst.partner.tolist()) for c in paths[s, d]], minlength=1)
    assert sorted(worst.partner.tolist()) == list(range(len(switch)))
    assert worst.load == load.max() == most


@pytest.mark.parametrize(
    ("spec", "uniform"),
    [
        ("fat-tree:hosts=64,k=16+rails:nics=2", 1.0),
        ("fat-tree:k=8,hosts=64+planes:count=2", 1.0),
        ("fat-tree:k=8,hosts=64+nics:count=2", 1.0),
        ("fat-tree:k=8,hosts=32+rails:nics=2+planes:count=2", 1.0),
    ],
)
def test_rails_planes_and_interfaces_get_their_full_rate(spec, uniform):
    """Each port of a host sends to the same port of the others; each plane counts for itself."""
    found = quality(route(build(spec), "fat-tree-hosts"), "tornado", bisections=5)
    assert found.uniform_throughput == pytest.approx(uniform)
    assert found.traffic_throughput == 1.0


@pytest.mark.exhaustive
def test_a_taper_costs_what_it_says():
    """2:1: about half of uniform traffic, which stays in part within leaves, and half of a shift."""
    found = quality(route(build("fat-tree:k=8,hosts=128,taper=2:1"), "fat-tree-hosts"), "tornado", bisections=5)
    assert 0.5 <= found.uniform_throughput < 0.52
    assert found.traffic_throughput == 0.5


@pytest.mark.exhaustive
def test_the_command_line_takes_a_table_for_each_host():
    """With the fitting engine, --engine fat-tree and --engine fat-tree-hosts; --host-tables 1 gives the single table."""
    from click.testing import CliRunner

    from topoloom.cli.main import cli

    def run(*more: str) -> dict:
        arguments = ["quality", "fat-tree:k=4", "--traffic", "tornado", "--bisections", "5", "--json", *more]
        return json.loads(CliRunner().invoke(cli, arguments).stdout)

    keys = ("uniform_throughput", "traffic_throughput", "effective_bisection", "worst_throughput", "host_tables")
    fitting, named, hosts, single = (
        [run(*more)[key] for key in keys]
        for more in ((), ("--engine", "fat-tree"), ("--engine", "fat-tree-hosts"), ("--host-tables", "1"))
    )
    assert fitting == named == hosts
    assert fitting[:2] == [1.0, 1.0]
    assert single[1] <= 0.5
    assert single[-1] == 1

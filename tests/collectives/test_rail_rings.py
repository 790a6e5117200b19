"""Collectives of accelerators on all ports of their hosts at once: right sums, full ports, times near the bound."""

import json

import numpy as np
import pytest

from topoloom import InputError, build, collective, route
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.simulation.applications.rail_collectives import ScaleUp, rail_collective, scale_up_domains
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.collectives import making
from topoloom.simulation.collectives.rail_rings import rail_trees
from topoloom.simulation.collectives.schedule import CollectiveSchedule, checked_schedule

_MIB = 1 << 20
_FAST = AppSettings(rate_gbps=800, loopback_gbps=7200, switch_ns=100)


def _swapped(spec: str, hosts: list[int], accelerators: int, operation: str) -> CollectiveSchedule:
    trees, chunks = rail_trees(build(spec), np.array(hosts), accelerators)
    homes, ranks = np.repeat(hosts, accelerators), len(hosts) * accelerators
    return CollectiveSchedule(operation, ranks, 1 << 20, "rail-ring", "tables", chunks, 1, homes, trees)


@pytest.mark.parametrize(
    ("spec", "hosts", "accelerators"),
    [
        ("complete:n=3,hosts=1+planes:count=4", [0, 1, 2], 4),
        ("complete:n=3,hosts=2+planes:count=4", [5, 0, 3, 2], 2),
        ("fat-tree:k=4,hosts=8+rails:nics=2", [0, 2, 3], 4),
    ],
)
def test_every_rank_ends_with_the_sum(spec, hosts, accelerators):
    """Followed with numbers: up the trees the parts are added, down the trees the sums are copied; each chunk once."""
    schedule = checked_schedule(_swapped(spec, hosts, accelerators, "allreduce"), "test")
    rng = np.random.default_rng(1)
    data = rng.integers(0, 1000, (schedule.ranks, schedule.chunks))
    for tree in schedule.trees:
        sums = data[:, tree.first].copy()
        for edge in reversed(tree.edges):
            sums[edge.sender] += sums[edge.receiver]
        assert sums[tree.root] == data[:, tree.first].sum()
        has = {tree.root}
        for edge in tree.edges:
            assert edge.sender in has
            has.add(edge.receiver)
        assert has == set(range(schedule.ranks))


def test_a_ring_crosses_between_hosts_once_per_host_on_its_own_port():
    """Edges between hosts join the same accelerator; of every tree hosts - 1 edges cross."""
    schedule = _swapped("complete:n=4,hosts=1+planes:count=2", [0, 1, 2, 3], 2, "allgather")
    for tree in schedule.trees:
        crossing = [edge for edge in tree.edges if edge.sender // 2 != edge.receiver // 2]
        assert len(crossing) == 3
        assert {rank % 2 for edge in crossing for rank in (edge.sender, edge.receiver)} == {tree.root % 2}


@pytest.mark.parametrize(
    ("spec", "hosts"),
    [
        ("fat-tree:k=16,hosts=16+planes:count=8", 16),
        ("fat-tree:k=16,hosts=128+rails:nics=8", 16),
        ("fat-tree:k=64,hosts=256+planes:count=8", 256),
    ],
)
def test_servers_of_eight_ports_are_within_a_tenth_of_the_bound(spec, hosts):
    """8 x 800G and 256 MiB: 2 (n - 1) / n of the vector through eight ports; inside over 900 GB/s, overlapped."""
    tables = route(build(spec), "fat-tree-hosts")
    times = rail_collective(tables, "allreduce", 256 * _MIB, scale_up=ScaleUp(8, 900.0), settings=_FAST)
    by_hand = 2 * (hosts - 1) / hosts * 256 * _MIB * 8 / (8 * 800e9)
    assert (times.hosts, times.ports) == (hosts, 8)
    assert times.bound_s == pytest.approx(by_hand, rel=0.01)
    assert by_hand <= times.bound_s <= times.seconds < 1.1 * times.bound_s
    assert times.inside_s == pytest.approx(2 * 7 / 8 * 256 * _MIB / 900e9)


def test_other_operations_and_unknown_inside_rates():
    """Without a rate nothing is counted inside; a gather moves half of what an all-reduce moves; odd hosts have rings."""
    tables = route(build("fat-tree:k=8,hosts=12+planes:count=4"), "fat-tree-hosts")
    reduce, gather, scatter, exchange = (
        rail_collective(tables, operation, size, scale_up=ScaleUp(4), settings=_FAST)
        for operation, size in (
            ("allreduce", 64 * _MIB),
            ("allgather", 64 * _MIB),
            ("reduce-scatter", 64 * _MIB),
            ("alltoall", 4 * _MIB),
        )
    )
    assert reduce.inside_s == gather.inside_s == 0
    assert reduce.seconds == reduce.network_s
    assert gather.seconds == pytest.approx(scatter.seconds, rel=1e-3)
    assert reduce.seconds == pytest.approx(2 * gather.seconds, rel=0.02)
    for times in (reduce, gather, scatter, exchange):
        assert times.bound_s <= times.seconds < 1.1 * times.bound_s, times.operation


def test_rails_and_planes_of_several_rates_share_the_data_by_their_rates():
    """Two planes of 400G and two of 800G carry what three planes of 800G carry: 1 : 1 : 2 : 2 of the data, at the same time.

    With equal rates that are written out, the times are those without rates.
    """
    tree = build("fat-tree:k=8,hosts=12+planes:count=4")
    tables = route(tree, "fat-tree-hosts")
    plain = rail_collective(tables, "allreduce", 64 * _MIB, settings=_FAST)
    links, ports = len(tree.links), tree.endpoints.size

    def rated(factors: list[float]) -> float:
        slow, fast = np.array(factors)[:, None] * 800.0, 12
        own = tree.replace(
            endpoints=tree.endpoints,
            host=tree.host,
            link_rate_gbps=np.repeat(slow, links // 4),
            endpoint_rate_gbps=slow.ravel()[part_of_port(tree)],
        )
        assert own.endpoints.size == ports == 4 * fast
        times = rail_collective(route(own, "fat-tree-hosts"), "allreduce", 64 * _MIB, settings=_FAST)
        assert times.bound_s <= times.seconds < 1.1 * times.bound_s
        return times.seconds

    assert rated([1, 1, 1, 1]) == pytest.approx(plain.seconds)
    assert rated([0.5, 0.5, 1, 1]) == pytest.approx(plain.seconds * 4 / 3, rel=0.02)


def part_of_port(topology):
    """The plane of each host port: planes follow each other in the order of their switches."""
    return topology.endpoints // (topology.switches // 4)


def test_a_rack_of_trays_is_one_domain():
    """Sixteen accelerators on four trays of four ports: the network carries a quarter of what single trays would need."""
    tables = route(build("fat-tree:k=8,hosts=32+planes:count=4"), "fat-tree-hosts")
    trays = rail_collective(tables, "allreduce", 64 * _MIB, scale_up=ScaleUp(4, 900.0), settings=_FAST)
    racks = rail_collective(tables, "allreduce", 64 * _MIB, scale_up=ScaleUp(16, 900.0), settings=_FAST)
    assert (trays.hosts, trays.ports, racks.hosts, racks.ports) == (32, 4, 8, 16)
    assert racks.network_s < trays.network_s / 3.5
    odd = build("fat-tree:k=8,hosts=30+planes:count=4")
    assert scale_up_domains(odd, ScaleUp(16)).hosts == 30, "hosts that do not fill whole domains count one by one"


def test_the_schedule_is_simulated_near_the_bound_and_read_back(tmp_path):
    """Four hosts of four accelerators: no port carries more than its share, and the file gives the same time."""
    tables = route(build("fat-tree:k=8,hosts=8+planes:count=4"), "fat-tree-hosts")
    found = collective(tables, "allreduce", 64 * _MIB, algorithm="rail-ring", settings=_FAST)
    assert (found.ranks, found.algorithm, found.trees) == (32, "rail-ring", 32)
    assert found.fullest_s == pytest.approx(found.bound.bandwidth_s, rel=1e-3)
    assert found.bound.seconds <= found.seconds < 1.1 * found.bound.seconds
    found.schedule.save(tmp_path / "rails.json")
    again = collective(tables, CollectiveSchedule.load(tmp_path / "rails.json"), settings=_FAST)
    assert again.seconds == found.seconds
    slow = collective(tables, "allreduce", 64 * _MIB, algorithm="rail-ring", settings=AppSettings(rate_gbps=800))
    assert slow.seconds > 2 * found.seconds, "inside hosts at 400 Gb/s"


@pytest.mark.exhaustive
def test_sixteen_servers_of_eight_accelerators_by_their_schedule():
    """128 ranks, message by message."""
    tables = route(build("fat-tree:k=16,hosts=16+planes:count=8"), "fat-tree-hosts")
    found = collective(tables, "allreduce", 256 * _MIB, algorithm="rail-ring", settings=_FAST)
    assert found.bound.seconds <= found.seconds < 1.1 * found.bound.seconds


def test_the_command_line_knows_rails():
    """The same as in Python."""
    from click.testing import CliRunner

    from topoloom.cli.main import cli

    arguments = "collective fat-tree:k=4,hosts=4+planes:count=2 --engine fat-tree --operation allreduce --bytes 4MiB"
    more = "--algorithm rail-ring --accelerators 4 --set rate_gbps=800 --set loopback_gbps=7200 --json"
    record = json.loads(CliRunner().invoke(cli, [*arguments.split(), *more.split()]).stdout)
    assert (record["algorithm"], record["ranks"]) == ("rail-ring", 16)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"algorithm": "ring", "accelerators": 2}, "`accelerators` is for `algorithm` rail-ring"),
        ({"algorithm": "rail-ring", "accelerators": 3}, "3 accelerators on 2 ports of a host"),
        ({"algorithm": "rail-ring", "ranks": 3}, "a host has 2 accelerators; give a multiple of 2"),
        ({"algorithm": "rail-ring", "simulator": "simgrid"}, "use `simulator` flows"),
        ({"algorithm": "rail-ring", "paths_from": "own"}, "uses the paths of the tables"),
    ],
)
def test_what_does_not_fit_is_refused(given, words):
    """One sentence with the remedy."""
    with pytest.raises(InputError, match=words):
        collective(build("fat-tree:k=4,hosts=4+planes:count=2"), "allreduce", _MIB, **given)


def test_rails_refuse_what_they_cannot_do():
    """Another operation, one host."""
    tables = route(build("fat-tree:k=4,hosts=4+planes:count=2"))
    with pytest.raises(InputError, match="the collectives of rails are allreduce"):
        rail_collective(tables, "broadcast", 8)
    with pytest.raises(InputError, match="needs two hosts"):
        rail_collective(tables, "allreduce", 8, [0])


def test_where_no_forest_is_packed_the_rings_use_all_ports(monkeypatch):
    """A rank per host; a ring of ranks, on one port of four, takes four times as long."""
    monkeypatch.setattr(making, "why_no_forest", lambda *_, **__: "its forest takes too long")
    tables = route(build("fat-tree:k=8,hosts=64+rails:nics=4"), "fat-tree-hosts")
    taken = {
        name: collective(tables, "allreduce", 64 * _MIB, algorithm=name, settings=_FAST) for name in (None, "ring")
    }
    assert (taken[None].algorithm, taken[None].ranks) == ("rail-ring", 16)
    assert taken[None].seconds < 1.5 * taken[None].bound.seconds
    assert taken["ring"].seconds > 2.5 * taken[None].seconds


@pytest.mark.exhaustive
def test_a_layout_with_rack_scale_units_gives_both_levels():
    """Four racks of four trays with four accelerators each are four hosts of 16 ranks, at the rate that the hosts state.

    Outside, 2 (3/4) of the vector goes through 16 ports of 800 Gb/s; the chain of ranks inside takes more at a lower rate.
    """
    trays = "fat-tree:k=4,hosts=16+planes:count=4"
    times = {}
    for rate in (900.0, 9.0):
        host = HostType(u=1, scale_up=16, scale_up_gb_per_s=rate)
        network = open_network(trays).placed(
            "koibuchi-2013", hosts=Housing(host, RackRule(unit_hosts=4)), rate_gbps=800
        )
        result = collective(network, "allreduce", 64 * _MIB, algorithm="rail-ring")
        assert result.ranks == 4 * 16
        assert result.bound.seconds == pytest.approx(2 * 3 / 4 * 64 * _MIB * 8 / (16 * 800e9), rel=0.05)
        assert result.settings.loopback_gbps == 8 * rate
        times[rate] = result.seconds
    assert times[900.0] < times[9.0] / 5

"""An outage has the numbers of the other commands on the damaged network; a rank of losses has those of its outages."""

import itertools

import numpy as np
import pytest

from in_process import run
from topoloom import (
    InputError,
    Topology,
    blast_radius,
    build,
    hops,
    losses,
    open_network,
    outage,
    quality,
    reroute,
    route,
)
from topoloom.failures.disjoint_paths import disjoint_paths
from topoloom.graph.connectivity import edge_disjoint_paths

_HOUSED = """
[host]
u = 1
[rack]
hosts = 4
feeds = 2
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("spec", "lost"),
    [
        ("fat-tree:k=4", {"switches": [9], "links": [(2, 10)]}),
        ("torus:dims=4x4,hosts=2", {"switches": [5], "links": [(0, 1)]}),
        ("slimfly:q=5,hosts=2", {"links": [(0, 1), (0, 4)]}),
    ],
)
def test_the_numbers_are_those_of_the_other_commands(spec, lost):
    """Distances as `hops`, tables and path as `reroute`, throughput as `quality` of what is left."""
    network = build(spec)
    found = outage(network, **lost, pair=(2, 7), measure_throughput=True)
    repaired = reroute(open_network(spec).with_tables().tables, **lost)
    for name in ("entries", "entries_broken", "entries_changed", "virtual_channels_changed", "rebuilt"):
        assert getattr(found, name) == getattr(repaired, name)
    left = repaired.surviving
    assert (found.after.diameter, found.after.mean_hops) == (hops(left.topology).diameter, hops(left.topology).aspl)
    assert found.after.max_load == left.verification.channel_load.max()
    assert found.after.deadlock_free == left.verification.deadlock_free
    assert found.after.virtual_channels == left.verification.virtual_channels_used
    measured = quality(left)
    after = found.after
    assert (after.uniform_bound, after.worst_bound) == (measured.uniform_bound, measured.tub)
    assert (after.uniform_throughput, after.worst_throughput) == (
        measured.uniform_throughput,
        measured.worst_throughput,
    )
    assert list(after.path) == repaired.routing.path(2, 7)
    before = quality(route(network))
    assert (found.before.uniform_bound, found.before.worst_bound) == (before.uniform_bound, before.tub)
    assert found.before.disjoint == edge_disjoint_paths(network, [(2, 7)]).counts[0]


def test_disjoint_paths_share_no_link():
    """As many as Menger's theorem gives, each a path of the network, and no link twice."""
    for spec in ("petersen", "torus:dims=4x3", "clos:leaves=4,spines=2,hosts=1", "dragonfly:p=1,a=4,h=2"):
        network = build(spec)
        links = {tuple(link) for link in network.links.tolist()}
        paths = disjoint_paths(network, 0, 3)
        assert len(paths) == edge_disjoint_paths(network, [(0, 3)]).counts[0]
        taken = [tuple(sorted(pair)) for path in paths for pair in itertools.pairwise(path)]
        assert len(taken) == len(set(taken))
        assert set(taken) <= links
        assert all(path[0] == 0 and path[-1] == 3 for path in paths)


def test_a_rank_of_losses_has_the_worst_outages():
    """Of each kind, the listed losses cut off as many hosts as their outages, and no other loss more."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        n = 8
        links = [*((i, int(rng.integers(0, i))) for i in range(1, n)), (0, n - 1)]
        network = Topology(
            links=sorted({tuple(sorted(link)) for link in links}),
            switches=n,
            endpoints=rng.integers(0, n, 9),
            host=np.arange(9),
            labels={"group": np.arange(n) // 2},
        )
        for kind, units in (
            ("cable", [{"cables": [cable]} for cable in range(len(network.links))]),
            ("group", [{"switches": [2 * group, 2 * group + 1]} for group in range(n // 2)]),
        ):
            cut_off = sorted((outage(network, **unit).cut_off for unit in units), reverse=True)
            ranked = blast_radius(network, [kind], most=3).losses
            assert [loss.cut_off for loss in ranked] == cut_off[:3]
            for loss in ranked:
                lost = losses(network, loss.name)
                assert outage(network, links=lost.links, switches=lost.switches).cut_off == loss.cut_off


def test_pairs_without_a_path():
    """Hosts of a lost switch, and hosts in different parts, are pairs without a path; planes replace each other."""
    ring = outage("ring:n=6,hosts=1", links=[(0, 1), (2, 3)])
    assert (ring.cut_off, ring.pairs, ring.pairs_disconnected, ring.separated_switches) == (2, 15, 8, 2)
    assert ring.cut_off_hosts == ("H1", "H2")
    planes = "slimfly:q=5,hosts=2+planes:count=2"
    assert outage(planes, switches=[0]).pairs_disconnected == 0
    lost = losses(planes, "plane:1")
    whole = outage(planes, switches=lost.switches, pair=(0, 7))
    assert (whole.cut_off, whole.after.switches, whole.entries_changed) == (0, 50, 0)
    assert whole.before.path == whole.after.path
    both = outage(planes, switches=[0, 50])
    assert both.cut_off == 2
    assert both.after.deadlock_free


def test_tables_that_cannot_be_repaired_are_made_again():
    """The note has the reason."""
    found = outage("dragonfly:p=1,a=4,h=2", switches=[3])
    assert found.rebuilt
    assert found.entries is None
    assert "made again by engine orders" in found.notes[0]


def test_a_network_without_links_has_no_tables():
    """Of two switches, one lost."""
    found = outage("complete:n=2,hosts=2", switches=[0])
    assert (found.cut_off, found.after.engine, found.after.switches) == (2, None, 1)


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        ({"switches": [99]}, "no switch 99; they are 0 to 9"),
        ({"links": [(0, 2)]}, "no link 0-2, or it is lost already"),
        ({"cables": [99]}, "no cable 99"),
        ({"switches": range(10)}, "no switch is left"),
        ({"pair": (0, 0)}, "are one switch"),
        ({"pair": (0, 99)}, "no switch 99"),
    ],
)
def test_what_does_not_exist_is_one_sentence(lost, message):
    """Each names the wrong part."""
    with pytest.raises(InputError, match=message):
        outage("petersen:hosts=1", **lost)


@pytest.fixture(scope="module")
def housed(tmp_path_factory):
    """A folder of a network whose hosts have racks with two power feeds."""
    path = tmp_path_factory.mktemp("housed")
    (path / "hosts.toml").write_text(_HOUSED)
    done = run("layout", "clos:leaves=4,spines=2,hosts=4", "--server", path / "hosts.toml", "-o", path / "net")
    assert done.code == 0, done.err
    return str(path / "net")


def test_racks_and_feeds(housed):
    """One of two feeds loses nothing; both of a rack lose its switches and its hosts."""
    network = open_network(housed)
    names = network.layout.rack_names
    rack = names[int(network.layout.host_rack[0])]
    whole = losses(network, f"rack:{rack}")
    assert 0 in whole.hosts
    one = losses(network, f"feed:{rack}/A")
    assert (one.switches, one.hosts) == ([], [])
    assert one.notes == ["feed A: the other feeds of 1 rack carry them, and nothing is lost there"]
    two = losses(network, f"feed:{rack}/a,feed:{rack}/B")
    assert (two.switches, two.hosts, two.notes) == (whole.switches, whole.hosts, [])
    found = outage(network, switches=whole.switches, hosts=whole.hosts)
    assert found.cut_off >= len(whole.hosts)
    assert blast_radius(network, ["rack"]).losses[0].name.startswith("rack:")
    with pytest.raises(InputError, match="no power feed C; each rack has A, B"):
        losses(network, "feed:C")
    with pytest.raises(InputError, match="the power feeds of this network are not known"):
        losses("petersen", "feed:A")
    with pytest.raises(InputError, match="the racks of this network are not known"):
        losses("petersen", "rack:A01")


def test_the_command_prints_both_states(housed):
    """A table of before and after; hosts stand for their switches."""
    done = run("outage", housed, "switch:0", "--pair", f"{open_network(housed).fabric.host_names[4]},3")
    assert done.code == 0, done.err
    assert "hosts cut off" in done.out
    assert "mean hops" in done.out
    assert run("outage", "petersen", "0-1", "--pair", "3").code != 0

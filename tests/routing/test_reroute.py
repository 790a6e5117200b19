"""Tables after failures: everything left arrives, nothing deadlocks, and hardly more entries change than have to."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.routing.reroute import reroute, without
from topoloom.routing.route import route
from topoloom.topologies.spec import build

SPECS = (
    "slimfly:q=5,hosts=2",
    "torus:dims=4x4x3",
    "jellyfish:n=80,degree=6",
    "fat-tree:k=4",
    "hyperx:dims=3x3,width=2",
)


def cables(topology, count, seed):
    """Some cables, no two the same."""
    drawn = np.random.default_rng(seed).choice(len(topology.links), count, replace=False)
    return [tuple(link) for link in topology.links[drawn].tolist()]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("count", [1, 3])
def test_lost_cables_change_few_entries(spec, count):
    """All pairs arrive without deadlock; entries that led over other cables than the lost stay, but for a few turned round."""
    topology = build(spec)
    before = route(topology)
    lost = cables(topology, count, 5)
    found = reroute(before, links=lost)
    verification = found.routing.verification
    assert verification.complete
    assert verification.deadlock_free
    assert found.entries_broken <= found.entries_changed <= 1.3 * found.entries_broken + 4
    assert len(found.routing.topology.links) == len(topology.links) - count
    if not found.rebuilt:
        n = topology.switches
        differ = sum(before.path(s, d)[1] != found.routing.path(s, d)[1] for d in range(n) for s in range(n) if s != d)
        assert differ <= found.entries_changed


@pytest.mark.parametrize("spec", SPECS)
def test_a_lost_switch_is_left_out(spec):
    """Pairs of the switches that are left arrive; the lost one stands alone, without hosts."""
    topology = build(spec)
    dead = topology.switches - 1
    found = reroute(route(topology), switches=[dead])
    n, left = topology.switches, found.routing.topology
    assert left.switches == n
    assert left.degrees[dead] == 0
    assert left.endpoints_at[dead] == 0
    assert found.routing.verification.reached_pairs == (n - 1) * (n - 2)
    assert found.routing.verification.deadlock_free
    assert found.entries == (n - 1) * (n - 2)


def test_nothing_lost_changes_nothing():
    """The same tables again."""
    before = route(build("jellyfish:n=40,degree=5"))
    found = reroute(before)
    assert (found.entries_broken, found.entries_changed, found.virtual_channels_changed, found.rebuilt) == (
        0,
        0,
        0,
        False,
    )
    assert (found.routing.ports == before.ports).all()


def test_where_the_lanes_do_not_suffice_all_is_made_anew():
    """Within the one virtual channel of up*/down* a repaired path may close a cycle: then new tables within it are made, and
    proved.
    """
    topology = build("jellyfish:n=60,degree=4")
    before = route(topology, virtual_channels=1)
    outcomes = [reroute(before, links=cables(topology, 4, seed), virtual_channels=1) for seed in range(4)]
    assert any(found.rebuilt for found in outcomes)
    for found in outcomes:
        assert found.routing.verification.complete
        assert found.routing.verification.deadlock_free
        assert found.routing.verification.virtual_channels_used == 1
    dead = reroute(before, switches=[7, 12], links=cables(topology, 2, 1), virtual_channels=1)
    assert dead.routing.verification.reached_pairs == 58 * 57


def test_tables_that_may_deadlock_are_mended_too():
    """`minimal` promises no freedom of deadlock; its ports are repaired and nothing is claimed."""
    found = reroute(route(build("torus:dims=5x5"), "minimal"), links=[(0, 1)])
    assert found.routing.verification.complete
    assert found.routing.virtual_channels is None
    by_hop = reroute(route(build("torus:dims=5x5"), "hop-vcs"), links=[(0, 1)])
    assert by_hop.routing.verification.deadlock_free


def test_one_of_two_cables_side_by_side_may_be_lost():
    """The other takes over; both lost is another matter."""
    topology = Topology(links=[(0, 1), (0, 1), (1, 2), (0, 3)], switches=4)
    assert reroute(route(topology), links=[(1, 0)]).routing.verification.complete
    with pytest.raises(InputError, match="not connected: 2 parts"):
        reroute(route(topology), links=[(0, 1), (0, 1)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"links": [(0, 24)]}, "no link 0-24"),
        ({"links": [(0, 1), (0, 1)]}, "no link 0-1, or it is lost already"),
        ({"switches": range(25)}, "no link is left"),
        ({"switches": [99]}, "no switch 99; they are 0 to 24"),
        ({"links": [(0, 1), (0, 4), (0, 5), (0, 20)]}, "not connected: 2 parts"),
    ],
)
def test_losses_that_cannot_be_are_refused(given, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        reroute(route(build("torus:dims=5x5")), **given)


def test_lanes_by_switch_and_choices_are_routed_anew_by_the_user():
    """Dimension order after a loss is no dimension order."""
    for name in ("dor", "valiant", "lnmp"):
        with pytest.raises(
            InputError,
            match=r"(lets packets choose|changes virtual channels on the path); route the remaining network again",
        ):
            reroute(route(build("torus:dims=5x5"), name), links=[(0, 1)])


def test_what_is_left_keeps_its_hosts():
    """Hosts of a lost switch go with it; all others keep their switch."""
    topology = build("torus:dims=3x3,hosts=2")
    left, kept = without(topology, [(0, 1)], [4])
    assert left.endpoints.size == 16
    assert not (left.endpoints == 4).any()
    assert kept.size == 18 - 1 - 4


def test_tables_of_the_living_are_the_same_tables():
    """Without the switches that stand alone: every path is the same, by the numbers that are left."""
    found = reroute(route(build("slimfly:q=5,hosts=2")), switches=[7, 20], links=[(0, 1)])
    small, living = found.surviving, found.surviving_switches
    assert living.size == 48
    assert small.topology.hosts == 96
    for s, d in [(0, 47), (3, 20), (40, 5)]:
        path = [int(living[v]) for v in small.path(s, d)]
        assert path == found.routing.path(int(living[s]), int(living[d]))

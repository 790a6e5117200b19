"""VLB hybrid: the share of the traffic that takes detours is exact, and detours go by every switch equally often."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.routing.groups.state import next_hop_state
from topoloom.routing.route import route
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads
from topoloom.topologies.spec import build

SMALL = "jellyfish:n=24,degree=4,hosts=2"


def loads(topology, engine):
    return expected_loads(route(topology, engine), uniform_remote(topology)).channels


@pytest.mark.parametrize("spec", [SMALL, "torus:dims=3x4", "ring:n=7"])
@pytest.mark.parametrize("share", [0, 0.25, 0.37, 1])
def test_loads_are_those_of_shortest_paths_and_of_detours_in_the_ratio(spec, share):
    """Every channel: (1 - share) of `ecmp`, and share of the same detours alone."""
    topology = build(spec)
    hybrid, shortest, valiant = (loads(topology, engine) for engine in (f"vlb:share={share}", "ecmp", "vlb:share=1"))
    assert np.allclose(hybrid, (1 - share) * shortest + share * valiant, rtol=1e-9)


def test_vlb_of_a_complete_network_has_two_hops():
    """All other switches serve for detours, each for an equal share: two hops, and equal loads."""
    routing = route(build("complete:n=7,hosts=1"), "vlb:share=1,detours=253")
    assert routing.verification.complete
    assert routing.verification.histogram.tolist() == [0, 0, 7 * 6]
    assert np.allclose(routing.verification.channel_load, 2)
    assert routing.choice.states == 2 + 6


def test_detours_by_all_switches_are_those_of_valiant():
    """Expected hops of a pair: to any other switch and on, unless the destination lies on the way there."""
    topology = build("ring:n=5")
    routing = route(topology, "vlb:share=1,detours=4")
    # From 0 to 1: by 2 over 1 (1 hop), by 3 over 4 (4), by 4 (1 + 2). From 0 to 2: by 1 (2), by 3 (2 + 1), by 4 (1 + 2).
    assert routing.verification.mean_hops == pytest.approx(((1 + 4 + 3) / 3 + (2 + 3 + 3) / 3) / 2)


def test_every_switch_serves_as_many_destinations():
    """The state of a detour ends at its switch: one destination per switch and state."""
    routing = route(build(SMALL), "vlb:detours=3")
    n = routing.topology.switches
    for table in routing.choice.group[2:]:
        ends = (table < 0) & ~np.eye(n, dtype=bool)
        assert (ends.sum(axis=0) == 1).all()
        assert (ends.sum(axis=1) == 1).all()


def test_a_class_per_hop_is_free_of_deadlock():
    """Lossless detours use at most twice the diameter in classes."""
    routing = route(build(SMALL), "vlb:lossless=yes")
    assert routing.verification.deadlock_free
    assert routing.verification.virtual_channels_used == routing.verification.max_hops
    assert next_hop_state(routing).states == 10


def test_small_networks_and_bad_shares():
    """Without other switches there are no detours; a share that groups cannot meet exactly is refused."""
    assert route(build("complete:n=2"), "vlb").verification.mean_hops == 1
    assert route(build("complete:n=1"), "vlb").verification.complete
    with pytest.raises(InputError, match=r"share=0.333 is not a whole percent; give 0.33"):
        route(build(SMALL), "vlb:share=0.333")
    with pytest.raises(InputError, match="share=2 is out of range"):
        route(build(SMALL), "vlb:share=2")


def test_groups_that_do_not_fit_in_memory_are_refused(monkeypatch):
    """Before they are made, with a remedy."""
    monkeypatch.setattr("topoloom.routing.engines.vlb.free_bytes", lambda: 10_000)
    with pytest.raises(InputError, match=r"up to .* members, .* free; use fewer detours, or a simpler share"):
        route(build(SMALL), "vlb:share=0.49")

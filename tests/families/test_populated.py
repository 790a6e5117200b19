"""Networks with fewer hosts than they have room for: whole hosts go, and nothing else changes."""

import numpy as np
import pytest

from topoloom import InputError, build
from topoloom.topologies.families.populated import populated

BASES = (
    "slimfly:q=5,hosts=4",
    "dragonfly:a=4,p=2,h=2",
    "fat-tree:k=8,hosts=100",
    "fat-tree:k=8,hosts=96+rails:nics=4",
    "torus:dims=4x5,hosts=6+nics:count=2",
    "fat-tree:k=8,hosts=32+planes:count=2",
    "fat-tree:k=8,hosts=96+rails:nics=4+planes:count=2",
    "fat-tree:k=8,hosts=30+rail-only:rails=4",
)


def places_of(topology):
    """The switches of every host's ports, in the order of hosts."""
    return [tuple(sorted(topology.endpoints[topology.host == host].tolist())) for host in range(topology.hosts)]


@pytest.mark.parametrize("fill", ["", ",fill=even", ",fill=first"])
@pytest.mark.parametrize("base", BASES)
def test_whole_hosts_go_and_nothing_else_changes(base, fill):
    """The hosts that stay have all their ports where they were, and are in the same order; switches and links are the same."""
    whole = build(base)
    for hosts in (1, 2, whole.hosts // 3, whole.hosts - 1):
        part = build(f"{base}+populated:hosts={hosts}{fill}")
        assert (part.hosts, part.switches) == (hosts, whole.switches)
        assert np.array_equal(part.links, whole.links)
        assert part.labels.keys() == whole.labels.keys()
        assert all(np.array_equal(part.labels[key], whole.labels[key]) for key in part.labels)
        rest = iter(places_of(whole))
        assert all(place in rest for place in places_of(part))  # a subsequence


@pytest.mark.parametrize("base", BASES)
def test_even_filling_leaves_places_alike(base):
    """Brute force: places that had more than the fewest hosts differ by one at most, and no place below them gave up any."""
    whole = build(base)
    before = dict.fromkeys(places_of(whole), 0)
    for place in places_of(whole):
        before[place] += 1
    for hosts in range(1, whole.hosts + 1):
        after = dict.fromkeys(before, 0)
        for place in places_of(populated(whole, hosts)):
            after[place] += 1
        highest = max(after.values())
        for place, count in after.items():
            assert count >= min(before[place], highest - 1), (hosts, place)


@pytest.mark.parametrize("base", BASES)
def test_all_hosts_are_the_network_itself(base):
    """Nothing is removed when all hosts stay, so the digest is the same."""
    whole = build(base)
    for fill in ("even", "first"):
        assert populated(whole, whole.hosts, fill).digest == whole.digest


@pytest.mark.parametrize("fill", ["even", "first"])
def test_planes_before_and_after_are_the_same_network(fill):
    """A plane filled in part and copied equals planes filled in part."""
    part = f"+populated:hosts=21,fill={fill}"
    assert build(f"fat-tree:k=8,hosts=32+planes:count=3{part}") == build(f"fat-tree:k=8,hosts=32{part}+planes:count=3")


def test_the_rest_is_spread_over_the_floor():
    """101 hosts on 50 switches of four: one switch has three. 60 on 50: ten switches have two, every fifth."""
    assert build("slimfly:q=5,hosts=4+populated:hosts=101").endpoints_at.tolist() == [3] + [2] * 49
    counts = build("slimfly:q=5,hosts=4+populated:hosts=60").endpoints_at
    assert np.flatnonzero(counts == 2).tolist() == list(range(0, 50, 5))


def test_units_of_rails_are_filled_alike():
    """256 hosts of eight rails in six units of 51: 43, 43, 43, 43, 42, 42 in some order, and 2,048 ports in all.

    The same from the first: five units of 51 and one of a single host.
    """
    base = "fat-tree:k=64,hosts=2448,taper=4:1+rails:nics=8"
    even, first = build(f"{base}+populated:hosts=256"), build(f"{base}+populated:hosts=256,fill=first")
    assert even.endpoints.size == first.endpoints.size == 2048
    assert sorted(even.endpoints_at[:48].tolist()) == [42] * 16 + [43] * 32
    assert first.endpoints_at[:48].tolist() == [51] * 40 + [1] * 8
    # Each host has a port on every leaf of one unit.
    for host in (0, 100, 255):
        leaves = np.sort(even.endpoints[even.host == host])
        assert leaves.tolist() == list(range(leaves[0], leaves[0] + 8))
        assert leaves[0] % 8 == 0


def test_rates_of_the_hosts_that_stay_are_kept():
    """Hosts of 100 and 400 Gb/s keep their rates when others go."""
    whole = build("ring:n=4,hosts=2").with_rates(400, np.array([100.0, 400.0] * 4))
    part = populated(whole, 4)
    assert part.endpoint_rate_gbps.tolist() == [100.0] * 4
    assert np.array_equal(part.link_rate_gbps, whole.link_rate_gbps)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("slimfly:q=5,hosts=4+populated:hosts=201", "it has 200 hosts, so 201 cannot stay; use at most 200"),
        ("slimfly:q=5+populated:hosts=1", "it has 0 hosts, so 1 cannot stay"),
        ("slimfly:q=5,hosts=4+populated:hosts=0", "populated: hosts=0"),
        ("slimfly:q=5,hosts=4+populated", "populated: hosts= is missing"),
        ("slimfly:q=5,hosts=4+populated:hosts=8,fill=last", "'last' is unknown; it must be even or first"),
    ],
)
def test_what_cannot_be_populated_is_refused(spec, message):
    """One sentence names the number and the remedy."""
    with pytest.raises(InputError, match=message):
        build(spec)

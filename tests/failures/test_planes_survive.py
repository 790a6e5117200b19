"""Random failures of several planes: survived while all hosts that are left reach each other through some plane."""

from itertools import combinations

import networkx
import numpy as np
import pytest
from failure_cases import left

from topoloom import InputError, build, degradation, lifetime, resilience, route
from topoloom.failures.failure_orders import failing, failures_at, states
from topoloom.graph.planes import planes_of
from topoloom.throughput.tub import uniform_bound

_PLANES = "ring:n=5,hosts=1+planes:count=2"


def reached(topology, graph):
    """Whether any two hosts with live ports have some in one part; hosts do not forward."""
    part = {switch: number for number, one in enumerate(networkx.connected_components(graph)) for switch in one}
    places = {}
    for switch, host in zip(topology.endpoints.tolist(), topology.host.tolist(), strict=True):
        if switch in part:
            places.setdefault(host, set()).add(part[switch])
    return bool(places) and all(one & other for one, other in combinations(places.values(), 2))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("fail", ["links", "switches", "racks"])
@pytest.mark.parametrize(
    "spec", [_PLANES, "fat-tree:k=4,hosts=8+planes:count=3", "fat-tree:k=4,hosts=8+rail-only:rails=2"]
)
def test_each_sample_is_what_an_oracle_says(fail, spec):
    """Level by level, and for links the exact number of failures, too."""
    network, levels, samples = build(spec), [0.1, 0.3, 0.5, 0.8, 1.0], 60
    racks = np.arange(network.switches) // 2 if fail == "racks" else None
    found = resilience(network, fail, levels=levels, samples=samples, racks=racks)
    what = failing(network, fail, "random", racks)
    for level in found.levels:
        survived = 0
        for state in states(1, 0, samples).tolist():
            gone = what.drawn(state)[: failures_at(level.share, what.units)]
            survived += reached(network, left(network, fail, gone, what.unit))
        assert level.survived == survived
        assert (level.mean, level.worst) == (None, None)
    assert (found.planes, found.of) == (2 if "count=3" not in spec else 3, "hosts")
    assert "each pair through some plane" in found.survives
    assert (found.exact is None) == (fail != "links")


def test_more_planes_survive_more():
    """The same network, alone and twice."""
    one, two = (
        resilience(build(f"fat-tree:k=8,hosts=32{more}"), of="hosts", samples=200) for more in ("", "+planes:count=2")
    )
    assert two.exact > one.exact
    assert one.planes == 1


def test_what_is_of_one_plane_only_says_so():
    """Lengths, times to disconnection, and repaired tables."""
    network = build(_PLANES)
    with pytest.raises(InputError, match="diameter after failures is defined for one plane"):
        resilience(network, metric="diameter")
    with pytest.raises(InputError, match="give a single plane"):
        lifetime(network, link_fit=1)
    with pytest.raises(InputError, match="one plane at a time"):
        degradation(route(network))
    lonely = network.replace(endpoints=network.endpoints, host=[0, 1, 2, 3, 4, 5, 6, 7, 8, 0])
    with pytest.raises(InputError, match="share no plane"):
        resilience(lonely)


def test_links_of_all_planes_fail_together():
    """5 % of the links of one plane of five links is none; of eight such planes it is two, and each plane counts an eighth."""
    network = build("ring:n=5,hosts=1+planes:count=8")
    (level,) = degradation(network, levels=[0.05], samples=12)
    assert level.failures == 2
    ring = planes_of(network)[0].topology
    path = ring.replace(links=ring.links[1:])
    open_ring = uniform_bound(path) / uniform_bound(ring)
    # Two lost links are in two planes, or in one, which is then in two parts and counts as 0.
    two, one = (6 + 2 * open_ring) / 8, 7 / 8
    assert level.connected == 12
    assert min(two, one) - 1e-12 <= level.uniform_least <= level.uniform <= max(two, one) + 1e-12
    assert level.uniform in [pytest.approx((number * two + (12 - number) * one) / 12) for number in range(13)]


def test_a_single_plane_is_what_it_was():
    """The mean of one plane is that plane; unlike planes count each by itself."""
    ring = build("ring:n=9,hosts=1")
    (level,) = degradation(ring, levels=[0.12], samples=3)
    lost = uniform_bound(ring.replace(links=ring.links[1:])) / uniform_bound(ring)
    assert (level.failures, level.connected) == (1, 3)
    assert level.uniform == pytest.approx(lost)

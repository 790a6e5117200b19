"""Measures of networks of several planes: those of one plane; sizes and bisection are of all together."""

import networkx
import numpy as np
import pytest

from topoloom import InputError, Topology, bounds, build, cuts, hops, info
from topoloom.graph.articulation import articulation_switches
from topoloom.graph.cuts import exact_bisection
from topoloom.graph.latency import Delays
from topoloom.graph.load import average_channel_load, channel_loads, full_bandwidth_hosts
from topoloom.graph.planes import distinct_planes, planes_of

_SPECS = ["fat-tree:k=8,hosts=32", "slimfly:q=5,hosts=4", "hypercube:n=4,hosts=2"]
#: Two planes that differ: a ring and a complete graph, a host on each of their five switches.
_UNEVEN = Topology(
    links=[*((i, (i + 1) % 5) for i in range(5)), *((5 + i, 5 + j) for j in range(5) for i in range(j))],
    switches=10,
    endpoints=range(10),
    host=[*range(5), *range(5)],
    name="uneven",
)


@pytest.mark.parametrize("spec", _SPECS)
@pytest.mark.parametrize("more", ["planes:count=3", "rail-only:rails=3"])
def test_info_is_that_of_a_plane(spec, more):
    """Digit for digit; three times the switches, links and bisection."""
    one, three = (info(build(text), load=True) for text in (spec, f"{spec}+{more}"))
    assert (one.planes, three.planes) == (1, 3)
    threefold = {"switches", "links", "bisection", "components"}
    alone = {"bisection_analytic", "planes", "skipped", "provenance"}
    for name in one.__dataclass_fields__:
        if name not in alone:
            wanted = getattr(one, name) * (3 if name in threefold else 1) if name in threefold else getattr(one, name)
            assert getattr(three, name) == wanted, name


@pytest.mark.parametrize("spec", _SPECS)
def test_hops_are_those_of_a_plane(spec):
    """Pairs of one plane only; latency, paths and eccentricities as well."""
    asked = {"eccentricities": True, "paths": True, "latency": Delays()}
    one, two = (hops(build(text), **asked) for text in (spec, f"{spec}+planes:count=2"))
    assert (two.planes, two.components, two.connected) == (2, 2, True)
    assert (two.histogram == 2 * one.histogram).all()
    for name in ("diameter", "aspl", "aspl_including_self", "host_aspl", "host_diameter"):
        assert getattr(two, name) == getattr(one, name), name
    assert two.paths.disjoint == one.paths.disjoint
    assert two.paths.shortest.mean == pytest.approx(one.paths.shortest.mean)
    assert two.latency.mean_ns == pytest.approx(one.latency.mean_ns)
    assert two.eccentricities.radius == one.eccentricities.radius


def test_a_sample_of_planes_estimates_a_plane():
    """Every Slim Fly switch sees the same, so the estimate is exact."""
    found = hops(build("slimfly:q=5,hosts=2+planes:count=4"), samples=20)
    assert found.aspl == pytest.approx(hops(build("slimfly:q=5")).aspl)
    assert found.aspl_ci95 < 1e-9


def test_planes_that_differ_give_the_worst():
    """The ring's diameter, its narrow channels, its connectivity; the mean over all pairs of both."""
    ring, full = (plane.topology for plane in planes_of(_UNEVEN))
    found = info(_UNEVEN, load=True)
    assert (found.diameter, found.aspl, found.edge_connectivity) == (2, 1.25, 2)
    assert found.full_bandwidth_hosts == full_bandwidth_hosts(ring) < full_bandwidth_hosts(full)
    assert found.channel_load_mean == average_channel_load(ring)
    assert found.bisection == exact_bisection(ring).links + exact_bisection(full).links
    assert len(distinct_planes(_UNEVEN)) == 2
    seen = bounds(_UNEVEN, measured=True)
    assert (seen.planes, seen.measured_diameter, seen.measured_aspl) == (2, 2, 1.25)
    assert seen.aspl <= seen.measured_aspl


def test_every_plane_is_cut_alike():
    """A host is on one side in all planes, and each part has its share of each plane."""
    network = build("torus:dims=4x4,hosts=1+planes:count=3")
    found = cuts(network, ways=4)
    assert (found.planes, found.sizes.tolist()) == (3, [12, 12, 12, 12])
    assert (found.part.reshape(3, 16) == found.part[:16]).all()
    assert found.links == 3 * cuts(build("torus:dims=4x4,hosts=1"), ways=4).links == found.between.sum() // 2


def test_loads_of_channels_stay_in_their_plane():
    """Each plane has the loads of the network itself."""
    one, two = (channel_loads(build(f"hyperx:dims=3x4,hosts=2{more}")) for more in ("", "+planes:count=2"))
    assert np.array_equal(two.loads, np.tile(one.loads, (2, 1)))
    assert two.saturation == one.saturation


def test_parts_that_hosts_do_not_join_stay_disconnected():
    """As ever: infinite, and no planes."""
    apart = build("ring:n=4,hosts=1").replace(links=[(0, 1), (2, 3)])
    found = info(apart)
    assert (found.planes, found.connected, found.diameter, found.edge_connectivity) == (0, False, np.inf, 0)
    with pytest.raises(InputError, match="a point belongs to one plane, and the network has 2"):
        bounds(build("grid:rows=4,columns=4,degree=4,length=2,hosts=1+planes:count=2"), point=0)


def test_articulation_switches_are_those_of_networkx():
    """On trees, rings, and random graphs that are barely connected."""
    rng = np.random.default_rng(1)
    graphs = [build("ring:n=6"), Topology(links=[(0, 1), (1, 2), (3, 4)], switches=6)]
    for _ in range(40):
        links = rng.integers(0, 14, (16, 2))
        graphs.append(Topology(links=links[links[:, 0] != links[:, 1]], switches=14))
    for graph in graphs:
        wanted = sorted(networkx.articulation_points(networkx.Graph(graph.to_networkx())))
        assert articulation_switches(graph).tolist() == wanted

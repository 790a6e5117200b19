"""Tables of networks of planes: those of each plane, side by side, and judged together."""

import numpy as np
import pytest

from topoloom import InputError, build, place
from topoloom.graph.planes import plane_count, planes_of
from topoloom.placement.layout.layout import Layout
from topoloom.routing.route import route


@pytest.mark.parametrize("engine", ["orders", "minimal", "dfsssp-switches", "updown", "valiant", "silla-duato"])
def test_every_plane_has_the_tables_of_the_network_itself(engine):
    """Port for port and virtual channel for virtual channel; nothing leads from plane to plane, and that is no fault."""
    one, both = (route(build(f"slimfly:q=5,hosts=2{more}"), engine) for more in ("", "+planes:count=3"))
    for plane in range(3):
        block = np.s_[50 * plane : 50 * plane + 50]
        assert np.array_equal(both.ports[block, block], one.ports)
        if one.virtual_channels is not None:
            assert np.array_equal(both.virtual_channels[block, block], one.virtual_channels)
    assert (both.ports[:50, 50:] == both.none).all()
    found, alone = both.verification, one.verification
    assert found.complete
    assert (found.reached_pairs, found.apart_pairs) == (3 * alone.reached_pairs, 6 * 50 * 50)
    assert (found.deadlock_free, found.minimal_share) == (alone.deadlock_free, alone.minimal_share)
    assert found.mean_hops == pytest.approx(alone.mean_hops)
    assert found.virtual_channel_pairs.sum() == 3 * alone.virtual_channel_pairs.sum()


def test_131_072_hosts_in_eight_planes_have_tables():
    """6,144 switches of 512 ports; each of eight alike planes is routed once."""
    network = build("fat-tree:k=64,hosts=2048+planes:count=8")
    assert route(network, "fat-tree").verification.minimal


def test_parts_that_hosts_do_not_join_are_no_planes():
    """Planes share their hosts; a network that fell apart is refused as before."""
    ring = build("ring:n=4,hosts=1")
    assert [plane_count(ring), plane_count(build("ring:n=4,hosts=1+planes:count=3"))] == [1, 3]
    apart = ring.replace(links=[(0, 1), (2, 3)])
    assert plane_count(apart) == 0
    with pytest.raises(InputError, match="not connected: 2 parts, and they are not planes that share hosts"):
        route(apart)
    with pytest.raises(InputError, match="a root is not possible with several planes"):
        route(build("ring:n=4,hosts=1+planes:count=2"), "updown", root=1)


def test_a_plane_is_a_network_of_its_own():
    """Its switches, links, ports and hosts, in their order; rails of a plane stay with their hosts."""
    whole = build("fat-tree:k=8,hosts=64+rails:nics=4+planes:count=2")
    first, second = planes_of(whole)
    assert first.topology.links.tolist() == second.topology.links.tolist()
    assert first.hosts.tolist() == second.hosts.tolist() == list(range(16))
    assert (whole.endpoints[second.endpoints] == second.switches[second.topology.endpoints]).all()
    assert second.topology.hosts == 16
    assert second.topology.endpoints.size == 64


def test_planes_that_lie_on_a_floor_are_routed_where_they_stand():
    """Engine latency knows the lengths of each plane's own cables; others do not mind where anything stands."""
    network = build("torus:dims=4x4,hosts=1+planes:count=2")
    layout = place(network)
    found = route(network, "latency", layout=layout)
    for number, plane in enumerate(planes_of(network)):
        own = Layout(plane.topology, layout.floor, layout.slots, layout.slot[plane.switches])
        assert np.array_equal(own.length_m, layout.length_m[plane.links])
        block = np.s_[16 * number : 16 * number + 16]
        assert np.array_equal(found.ports[block, block], route(plane.topology, "latency", layout=own).ports)
    assert np.array_equal(route(network, layout=layout).ports, route(network).ports)

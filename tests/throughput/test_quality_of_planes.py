"""The quality of tables of several planes: that of a plane, for hosts spread their traffic evenly over them."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom import InputError, Topology, build, quality, route
from topoloom.throughput.traffic import uniform_remote


@pytest.mark.sweep(1)
@pytest.mark.parametrize("more", ["planes:count=3", "rail-only:rails=3"])
@pytest.mark.parametrize("spec", ["fat-tree:k=8,hosts=32", "slimfly:q=5,hosts=2"])
def test_planes_are_as_good_as_the_network_itself(spec, more):
    """Every share is the same; there are three times the ports."""
    one, three = (quality(route(build(text)), "permutation", bisections=50) for text in (spec, f"{spec}+{more}"))
    assert (three.planes, three.switches, three.hosts) == (3, 3 * one.switches, 3 * one.hosts)
    same = replace(three, planes=1, switches=one.switches, hosts=one.hosts, switch_load=one.switch_load)
    assert same == one
    assert three.switch_load.most == one.switch_load.most
    assert three.switch_load.mean == pytest.approx(one.switch_load.mean)


def test_the_slower_of_two_planes_counts():
    """A ring beside a complete graph: every host sends as much through each."""
    ring = [(i, (i + 1) % 8) for i in range(8)]
    full = [(i, j) for j in range(8) for i in range(j)]
    host = np.tile(np.arange(8), 2)
    both = Topology(
        links=[*ring, *((8 + i, 8 + j) for i, j in full)], switches=16, endpoints=range(16), host=host, name="both"
    )
    found = quality(route(both), bisections=200)
    alone = [
        quality(route(Topology(links=links, switches=8, endpoints=range(8))), bisections=200) for links in (ring, full)
    ]
    assert found.uniform_throughput == alone[0].uniform_throughput < alone[1].uniform_throughput
    assert found.tub == alone[0].tub
    assert found.uniform_flow.lower == alone[0].uniform_flow.lower
    assert found.worst_load == max(one.worst_load for one in alone)
    assert found.effective_bisection == pytest.approx(np.mean([one.effective_bisection for one in alone]))


def test_traffic_of_all_switches_is_refused():
    """A pattern is made for each plane; a matrix of all switches is not."""
    routing = route(build("complete:n=4,hosts=1+planes:count=2"))
    with pytest.raises(InputError, match="but the network has 2 planes; give the name of a pattern"):
        quality(routing, uniform_remote(routing.topology))

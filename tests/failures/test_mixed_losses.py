"""What losses and failures leave where links and ports differ in rate: shares of Gb/s."""

import numpy as np
import pytest

from topoloom import blast_radius, degradation, outage, quality, reroute, route
from topoloom.model.topology import Topology

#: Two leaves with two hosts each; leaf 0 has 400 Gb/s to spine 2 and 100 to spine 3, leaf 1 the reverse.
PAIR = Topology(
    links=[(0, 2), (0, 3), (1, 2), (1, 3)],
    switches=4,
    endpoints=[0, 0, 1, 1],
    link_rate_gbps=[400, 100, 100, 400],
    endpoint_rate_gbps=200,
    name="pair",
)


def test_a_lost_spine_takes_the_share_of_its_gbps():
    """A host of the leaf with 400 of 500 Gb/s on the lost spine keeps a fifth; of the other, four fifths."""
    (spine,) = blast_radius(PAIR, ["spine"]).losses
    assert (spine.cut_off, spine.ports_mean, spine.uplinks_mean, spine.uplinks_least) == (
        0,
        1.0,
        0.5,
        pytest.approx(0.2),
    )


def test_a_lost_port_takes_the_share_of_its_gbps():
    """Hosts with ports of 400 and 100 Gb/s: without the fast one, a fifth is left; an interface is the fast port."""
    hosts = Topology(
        links=[(0, 1)],
        switches=2,
        endpoints=[0, 0, 1, 1],
        host=[0, 1, 0, 1],
        link_rate_gbps=400,
        endpoint_rate_gbps=[400, 400, 100, 100],
    )
    port, nic, leaf = blast_radius(hosts, ["port", "nic", "leaf"]).losses
    assert (port.ports_least, port.ports_mean) == (pytest.approx(0.2), pytest.approx(0.6))
    assert nic.ports_least == pytest.approx(0.2)
    assert leaf.ports_least == leaf.ports_mean == pytest.approx(0.2)


def test_a_lost_plane_takes_its_share_of_gbps():
    """Planes of 800 and 400 Gb/s: the loss of the fast one leaves a third."""
    planes = Topology(
        links=[(0, 1), (2, 3)],
        switches=4,
        endpoints=[0, 1, 2, 3],
        host=[0, 1, 0, 1],
        link_rate_gbps=[800, 400],
        endpoint_rate_gbps=[800, 800, 400, 400],
    )
    (plane,) = blast_radius(planes, ["plane"]).losses
    assert (plane.worst, plane.cut_off) == (0, 0)
    assert plane.ports_least == plane.ports_mean == pytest.approx(1 / 3)


def test_equal_rates_are_no_rates():
    """To the last digit."""
    plain, rated = (blast_radius(network).rows() for network in (PAIR.without_rates(), PAIR.with_rates(400, 400)))
    assert plain == rated


def test_failures_degrade_the_bounds_by_gbps():
    """Any one of the four links: 900 or 600 of 1,000 Gb/s are left, and paths between the leaves stay at two hops."""
    levels = degradation(route(PAIR, "minimal"), levels=[0.25], samples=6)
    (level,) = levels
    assert level.failures == 1
    shares = {0.9, 0.6}
    assert min(abs(level.uniform_least - share) for share in shares) == pytest.approx(0.0, abs=1e-9)
    eightfold = PAIR.with_rates(PAIR.link_rate_gbps * 8, np.asarray(PAIR.endpoint_rate_gbps) * 8)
    assert degradation(route(eightfold, "minimal"), levels=[0.25], samples=6) == levels


def test_an_outage_keeps_the_rates():
    """What is left has the rates of its links, so the throughput after a loss is that of the remaining network."""
    found = outage(PAIR, switches=[0], measure_throughput=True)
    left = quality(reroute(route(PAIR), switches=[0]).surviving)
    assert found.after.uniform_throughput == left.uniform_throughput

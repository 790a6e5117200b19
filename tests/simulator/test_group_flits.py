"""Next-hop groups, flit by flit: hops and channel loads are those that an even split over the members gives."""

import numpy as np
import pytest

from topoloom import build, quality, route, simulate
from topoloom.core.errors import InputError
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.traffic.loads import expected_loads

_NETWORK = "jellyfish:n=16,degree=4,hosts=2"


@pytest.mark.parametrize(
    "engine", ["spraypoint:lossless=yes", "shortest-union:lossless=yes", "ksp:lossless=yes", "vlb:lossless=yes"]
)
def test_hops_and_loads_are_the_expected_ones(engine):
    """At a low load, each channel carries its expected share of the traffic, and packets make the expected hops."""
    routing = route(build(_NETWORK), engine)
    point = simulate(routing, "uniform", loads=[0.1]).points[0]
    expected = expected_loads(routing, uniform_remote(routing.topology))
    # Uniform traffic of the simulator also goes to the other host of the own switch: 30 of 31 others are elsewhere.
    remote = 30 / 31
    loads = np.asarray(point.channel_loads) / point.offered
    # About a thousand packets cross a channel: its load is within five standard deviations.
    assert np.allclose(loads, expected.channels * remote, rtol=0.2)
    # The loads of ksp differ little, so that chance hides more of it than of the other engines' loads.
    assert np.corrcoef(loads, expected.channels)[0, 1] > 0.92
    assert loads.mean() == pytest.approx(expected.channels.mean() * remote, rel=0.02)
    # A packet's routers are one more than its hops between switches.
    assert point.hops_mean - 1 == pytest.approx(routing.verification.mean_hops * remote, rel=0.02)


def test_one_class_of_lossless_links_can_deadlock():
    """Without a class per hop, the simulator finds the deadlock that the verifier predicts, and names the cycle."""
    routing = route(build("jellyfish:n=24,degree=4,hosts=2"), "spraypoint")
    assert routing.verification.deadlock_free is False
    with pytest.raises(InputError, match="deadlock by the tables of engine spraypoint"):
        simulate(routing, loads=[0.6])


def test_saturation_is_near_the_expected_throughput():
    """Below the expected throughput the network accepts what is offered, and far above it saturates."""
    routing = route(build(_NETWORK), "spraypoint:lossless=yes")
    most = quality(routing, bisections=5).uniform_throughput
    below, above = (simulate(routing, loads=[load * most]).points[0] for load in (0.7, 1.6))
    assert below.accepted == pytest.approx(0.7 * most, rel=0.05)
    assert above.saturated


def test_ports_of_several_rates_take_each_member_once():
    """Where packets wait for slow ports and ask again, they still make each hop in one state: all arrive."""
    topology = build(_NETWORK)
    rates = [100.0 if link % 3 else 400.0 for link in range(len(topology.links))]
    routing = route(topology.with_rates(rates, [100.0] * topology.endpoints.size), "spraypoint:lossless=yes")
    point = simulate(routing, loads=[0.2]).points[0]
    assert not point.saturated
    assert point.hops_mean - 1 == pytest.approx(routing.verification.mean_hops * 30 / 31, rel=0.03)

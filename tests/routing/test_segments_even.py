"""Engine segments-even: even shortest paths, free of deadlock in the virtual channels that there are, which all carry alike."""

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.graph.path_lengths import path_lengths
from topoloom.routing.route import route
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.simulate import simulate
from topoloom.topologies.spec import build


def _pairs_by_channel_and_vc(routing):
    """Pairs of switches over each channel in each virtual channel, by following every path."""
    n, first = routing.topology.switches, routing.channels.first
    load = np.zeros((routing.channels.to.size, int(routing.virtual_channels.max()) + 1), np.int64)
    for d in range(n):
        for s in range(n):
            for v in routing.path(s, d)[:-1]:
                load[first[v] + routing.ports[d, v], routing.virtual_channels[d, v]] += 1
    return load


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "spec",
    ["slimfly:q=5", "torus:dims=4x4x6", "jellyfish:n=100,degree=4", "ring:n=14", "megafly:leaves=4,g=5", "dsn-f:n=64"],
)
def test_seven_hops_take_four_lanes_at_most(spec):
    """Of h - 1 turns at most every other one is forbidden, so paths of h hops take no more than h // 2 + 1 virtual channels."""
    network = build(spec)
    found = route(network, "segments-even")
    assert path_lengths(network).diameter <= 7
    assert found.verification.deadlock_free
    assert found.verification.minimal
    assert found.verification.virtual_channels_used <= 4
    for s in range(0, network.switches, 7):
        for d in range(network.switches):
            virtual_channels = [int(found.virtual_channels[d, v]) for v in found.path(s, d)[:-1]]
            assert virtual_channels == sorted(virtual_channels)


@pytest.mark.exhaustive
def test_the_paths_are_those_of_balanced_edges():
    network = build("jellyfish:n=60,degree=5,hosts=2")
    assert (route(network, "segments-even").ports == route(network, "balanced-edges").ports).all()


def test_all_lanes_carry_alike():
    """Of what a channel carries its fullest of four virtual channels has less than half; by segments alone, most."""
    network = build("jellyfish:n=80,degree=6")
    shares = {}
    for engine in ("segments", "segments-even"):
        load = _pairs_by_channel_and_vc(route(network, engine))
        shares[engine] = (load.max(axis=1) / load.sum(axis=1)).mean()
    assert shares["segments-even"] < 0.45
    assert shares["segments"] > 0.6


@pytest.mark.exhaustive
def test_lanes_that_are_used_alike_carry_more_flits():
    """With as many virtual channels as virtual channels, beyond what other engines carry of uniform traffic."""
    network, accepted = build("jellyfish:n=64,degree=6,hosts=4"), {}
    for engine in ("segments", "orders-even", "segments-even"):
        routed = route(network, engine, virtual_channels=4)
        (point,) = simulate(routed, "uniform", RouterConfig(vcs=4), loads=[0.8], fast=True, jobs=1).points
        accepted[engine] = point.accepted
    assert accepted["segments-even"] > 1.1 * accepted["orders-even"] > accepted["segments"]


def test_what_lanes_cannot_do_is_said():
    """Long paths take more virtual channels, unless a number is given that they do not fit."""
    ring = build("ring:n=40")
    assert 2 <= route(ring, "segments-even").verification.virtual_channels_used <= 8
    with pytest.raises(InputError, match=r"engine segments-even need \d virtual channels by segments, more than 1"):
        route(ring, "segments-even", virtual_channels=1)
    with pytest.raises(InputError, match="engine segments-even takes 1 to 8"):
        route(ring, "segments-even", virtual_channels=9)

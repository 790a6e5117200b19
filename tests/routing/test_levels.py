"""Engine levels: shortest paths, free of deadlock, in chains no longer than there are levels."""

from itertools import pairwise

import numpy as np
import pytest

from topoloom import InputError, build, route, verify_routing
from topoloom.routing.engines.minimal import minimal
from topoloom.routing.registry import RoutingRequest
from topoloom.routing.routing import Routing
from topoloom.routing.virtual_channels.by_level import VIRTUAL_CHANNELS, vcs_by_level

NETWORKS = (
    "slimfly:q=5,hosts=3",
    "jellyfish:n=60,degree=7,hosts=2,seed=3",
    "petersen:hosts=1",
    "torus:dims=4x5,hosts=1",
)


def _chain(routing: Routing) -> int:
    """The most channels that wait for one another in a row, by following all paths: the depth of what waits for what."""
    channels = routing.channels
    follows: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for destination in range(routing.topology.switches):
        for source in range(routing.topology.switches):
            if source == destination:
                continue
            vc = int(routing.virtual_channels[destination, source])
            walked, at = [], source
            while at != destination:
                channel = int(channels.first[at] + routing.ports[destination, at])
                walked.append((vc, channel))
                at = int(channels.to[channel])
            for one, other in pairwise(walked):
                follows.setdefault(one, set()).add(other)
    depth: dict[tuple[int, int], int] = {}

    def deep(one: tuple[int, int]) -> int:
        if one not in depth:
            depth[one] = 1 + max((deep(other) for other in follows.get(one, ())), default=0)
        return depth[one]

    return max((deep(one) for one in follows), default=1)


@pytest.mark.parametrize("spec", NETWORKS)
def test_paths_are_shortest_and_free_of_deadlock(spec):
    """The verifier follows every path and finds no cycle; all pairs arrive, in the virtual channels that there are."""
    verification = route(build(spec), "levels").verification
    assert verification.deadlock_free
    assert verification.minimal_share == 1
    assert verification.reached_pairs == verification.pairs
    assert verification.virtual_channels_used <= VIRTUAL_CHANNELS


@pytest.mark.parametrize("spec", NETWORKS)
def test_no_chain_of_waiting_is_longer_than_there_are_levels(spec):
    """The law of the engine; with an order of the switches the chains are longer."""
    request = RoutingRequest(build(spec))
    tables = minimal(request)
    virtual_channels, levels = vcs_by_level(request, tables.ports, "levels")
    routed = Routing(tables.topology, "levels", tables.ports, virtual_channels, minimal=True)
    assert _chain(routed) <= levels
    assert verify_routing(routed).deadlock_free


def test_the_paths_are_those_of_minimal():
    """Only the virtual channels differ."""
    network = build("slimfly:q=5,hosts=3")
    assert np.array_equal(route(network, "levels").ports, route(network, "minimal").ports)


def test_pairs_are_spread_over_all_lanes():
    """No virtual channel has twice the mean: every queue of a port is of use."""
    pairs = route(build("slimfly:q=7,hosts=6"), "levels").verification.virtual_channel_pairs
    assert pairs.size == VIRTUAL_CHANNELS
    assert pairs.max() < 2 * pairs.mean()


def test_the_same_seed_gives_the_same_lanes():
    """And another seed others."""
    network = build("jellyfish:n=60,degree=7,hosts=2,seed=3")
    one, two, other = (route(network, "levels", seed=seed).virtual_channels for seed in (1, 1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("spec", "virtual_channels", "words"),
    [
        ("jellyfish:n=60,degree=7,hosts=2,seed=3", 1, "more virtual channels"),
        ("petersen:hosts=1", 99, "takes 1 to 15"),
        ("ring:n=60,hosts=1", None, "more than 16 hops"),
    ],
)
def test_what_it_cannot_do_is_told_in_a_sentence(spec, virtual_channels, words):
    """The limit, and what to take in its place."""
    with pytest.raises(InputError, match=words):
        route(build(spec), "levels", virtual_channels=virtual_channels)


def test_switches_without_hosts_need_no_lane():
    """Only pairs of switches with hosts are planned."""
    routed = route(build("fat-tree:k=4"), "levels")
    assert routed.verification.deadlock_free
    assert not routed.virtual_channels[~routed.carriers].any()


def test_too_few_virtual_channels_are_refused():
    """In the singular for one."""
    with pytest.raises(InputError, match="1 virtual channel does not serve all pairs; give engine levels more"):
        route(build("ring:n=9"), "levels", virtual_channels=1)

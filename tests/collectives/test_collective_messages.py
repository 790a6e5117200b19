"""Messages of schedules as operations of ranks: the times of flows, the paths that were meant, and virtual channels without a
cycle.
"""

from graphlib import TopologicalSorter
from itertools import pairwise

import numpy as np
import pytest

from topoloom import AppSettings, InputError, build, collective, load_goal, route, save_goal, schedule_of_program
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.collectives.messages import schedule_of_trees
from topoloom.simulation.collectives.path_layers import path_layers
from topoloom.simulation.flows.simulate import simulate_flows

#: Networks, whether hosts have more ports than one, and the rate of their links to hosts.
NETWORKS = {
    "torus": ("torus:dims=4x4,hosts=1", 16.0),
    "tree": ("fat-tree:k=4", 8.0),
    "star": ("complete:n=2,hosts=3", 8.0),
    "odd": ("petersen:hosts=1", 20.0),
    "planes": ("ring:n=4,hosts=1+planes:count=2", 8.0),
    "rails": ("complete:n=4,hosts=4+rails:nics=2", 8.0),
}
#: How many whole vectors all messages together are, by n ranks.
VECTORS = {
    "allgather": lambda n: n - 1,
    "reduce-scatter": lambda n: n - 1,
    "allreduce": lambda n: 2 * (n - 1),
    "broadcast": lambda n: n - 1,
    "alltoall": lambda n: n * (n - 1),
}


def made(name, operation, size=300_000, **more):
    """A schedule on a network, the network as flows have it, and the way back of its channels."""
    spec, host_rate = NETWORKS[name]
    settings = AppSettings(rate_gbps=8.0, host_rate_gbps=host_rate)
    routing = route(build(spec), "minimal")
    found = collective(routing, operation, size, settings=settings, **more)
    return found, network_as_flows([routing], settings, None), routing.channels.back.astype(np.int64)


def ways_by_number(found, net, back):
    """The ways of all edges, down and up in turn."""
    return schedule_of_trees(found.schedule, net, back).paths.ways


@pytest.mark.sweep(5)
@pytest.mark.parametrize("operation", VECTORS)
@pytest.mark.parametrize("name", ["torus", "tree", "star", "odd"])
def test_paths_of_the_tables_take_what_the_tables_take(name, operation):
    """Where hosts have one port each, messages along paths that are those of the tables take as long as without paths."""
    found, net, _ = made(name, operation, paths_from="tables")
    messages = schedule_of_trees(found.schedule)
    again = simulate_flows(net, messages, found.schedule.hosts, detached_bytes=0.0)
    assert again.seconds == pytest.approx(found.seconds, rel=1e-12)
    assert messages.messages == found.messages


@pytest.mark.sweep(1)
@pytest.mark.parametrize("operation", VECTORS)
@pytest.mark.parametrize("algorithm", [None, "ring"])
def test_every_byte_is_sent_once_a_rank(operation, algorithm):
    """All messages together are as many vectors as the operation needs, however many trees and pieces there are."""
    if algorithm == "ring" and operation in ("broadcast", "alltoall"):
        algorithm = None
    for pieces in (1, 5):
        found, net, back = made("torus", operation, algorithm=algorithm, pieces=pieces)
        messages = schedule_of_trees(found.schedule, net, back)
        assert messages.sent_bytes == pytest.approx(300_000 * VECTORS[operation](16))
        if operation == "alltoall":
            assert messages.paths is None
        else:
            assert (messages.paths.of >= 0).all()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("operation", ["allgather", "allreduce", "broadcast"])
@pytest.mark.parametrize("algorithm", ["forest", None])
@pytest.mark.parametrize("name", NETWORKS)
def test_layers_lead_along_the_paths(name, operation, algorithm):
    """Followed by the table of its layer, each message passes the channels that were meant, between the ports that were."""
    found, net, back = made(name, operation, algorithm=algorithm, paths_from=None)
    ways = ways_by_number(found, net, back)
    layers = path_layers(ways, net)
    for number, way in enumerate(ways):
        if way is None:
            assert layers.layer[number] == -1
            continue
        assert (layers.out[number], layers.into[number]) == (way.out, way.into)
        at, goal, walked = int(net.switch[way.out]), int(net.switch[way.into]), []
        while at != goal:
            walked.append(int(net.first[at]) + int(layers.ports[layers.layer[number]][goal, at]))
            at = int(net.to[walked[-1]])
        assert tuple(walked) == way.channels


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("spec", "algorithm", "hops"),
    [("slimfly:q=5,hosts=1", "ring", 20), ("petersen:hosts=1", "forest", 4), ("dragonfly:h=2", "ring", 3)],
)
def test_lanes_hold_no_cycle(spec, algorithm, hops):
    """Paths that wander through half the network: virtual channels only rise along each, and within a virtual channel no
    channels wait in a cycle.
    """
    routing = route(build(spec), "minimal")
    found = collective(routing, "allreduce", 1 << 20, algorithm=algorithm)
    net, back = network_as_flows([routing], AppSettings(), None), routing.channels.back.astype(np.int64)
    ways = ways_by_number(found, net, back)
    layers = path_layers(ways, net)
    waits: TopologicalSorter = TopologicalSorter()
    longest = 0
    for number, way in enumerate(ways):
        goal, table = int(net.switch[way.into]), layers.virtual_channels[layers.layer[number]]
        virtual_channels = [int(table[goal, routing.channels.origin[channel]]) for channel in way.channels]
        assert virtual_channels == sorted(virtual_channels)
        longest = max(longest, len(virtual_channels))
        for here, there in pairwise(zip(way.channels, virtual_channels, strict=True)):
            waits.add(there, here)
    waits.prepare()
    assert longest >= hops
    assert 1 + max(int(table.max()) for table in layers.virtual_channels) < longest


def test_a_path_twice_through_a_switch_is_refused():
    """No table could lead it."""
    found, net, back = made("torus", "broadcast", algorithm="forest", pieces=1)
    ways = ways_by_number(found, net, back)
    way = next(one for one in ways if one is not None and one.channels)
    round_trip = (way.channels[0], int(back[way.channels[0]]), *way.channels)
    with pytest.raises(InputError, match="passes a switch twice"):
        path_layers([type(way)(way.out, round_trip, way.into)], net)


def test_one_rank_and_too_many_messages_are_refused(monkeypatch):
    """In a sentence."""
    alone, _, _ = made("torus", "allgather", ranks=1)
    with pytest.raises(InputError, match="nothing to send"):
        schedule_of_program(alone.schedule)
    all_, _, _ = made("torus", "allgather", algorithm="ring", pieces=1)
    monkeypatch.setattr("topoloom.simulation.collectives.messages._MOST_MESSAGES", 239)
    with pytest.raises(InputError, match="240 messages; at most 239 are simulated one by one"):
        schedule_of_program(all_.schedule)


def test_goal_has_the_same_messages(tmp_path):
    """Written as GOAL and read back: operations, tags, and what waits for what; bytes to the nearest whole one."""
    found, _, _ = made("odd", "allreduce")
    schedule = schedule_of_program(found.schedule)
    save_goal(schedule, tmp_path / "it.goal")
    ours, again = schedule.operations, load_goal(tmp_path / "it.goal").operations
    for column in ("first", "kind", "peer", "tag", "done_first", "start_first"):
        assert np.array_equal(getattr(ours, column), getattr(again, column))
    assert np.abs(ours.amount - again.amount).max() <= 0.5
    for first, following in ((ours.done_first, "done_next"), (ours.start_first, "start_next")):
        for one, other in zip(
            np.split(getattr(ours, following), first[1:-1]),
            np.split(getattr(again, following), first[1:-1]),
            strict=True,
        ):
            assert sorted(one.tolist()) == sorted(other.tolist())

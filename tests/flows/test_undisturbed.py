"""Collectives that nothing disturbs take the same times without events, to the last digit; others are simulated by events."""

import numpy as np
import pytest
from fair_oracle import fabric

from topoloom import build, route
from topoloom.routing.host_routings import host_routings
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.schedules import as_schedule
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows import simulate
from topoloom.simulation.flows import undisturbed as choice
from topoloom.simulation.flows.kernels.ranks import DONE, FULL, run
from topoloom.simulation.flows.programs import Programs, Script, all_alike, laid
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.state import EVENTS, LEFT, MESSAGES

_NIC = AppSettings(speed_gflops=156_000, rate_gbps=200)
_TREE = host_routings(build("fat-tree:k=8"), "fat-tree", 4)


@pytest.fixture
def always(monkeypatch):
    """Short simulations try it, too; the calls after disturbances are listed."""
    monkeypatch.setattr(choice, "LONG", 0)
    calls, original = [], simulate.by_events
    monkeypatch.setattr(simulate, "by_events", lambda *given, **named: (calls.append(named), original(*given, **named)))
    return calls


def both(monkeypatch, net, schedule, homes):
    """The times without and with events."""
    quick = simulate.simulate_flows(net, schedule, homes)
    with monkeypatch.context() as patch:
        patch.setattr(choice, "LONG", 1 << 62)
        return quick, simulate.simulate_flows(net, schedule, homes)


def same(quick, slow):
    """Whether two simulations agree in every byte."""
    names = ("finished", "spent", "worked", "carried")
    return quick.messages == slow.messages and all(
        getattr(quick, name).tobytes() == getattr(slow, name).tobytes() for name in names
    )


@pytest.mark.parametrize(
    "app",
    [
        "alltoall:bytes=65536",
        "allreduce:bytes=67108864",
        "training:model=gpt3-175b,layers=8,tp=4,pp=2,batch=32",
        "training:model=mixtral-8x7b,layers=4,tp=2,pp=2,ep=4,batch=32,sequence=1024",
    ],
)
def test_without_events_the_same_bytes(app, always, monkeypatch):
    """Hosts in order on a fat tree: every collective on its own, or at least up to its last step."""
    settings = AppSettings(speed_gflops=156_000, rate_gbps=200, algorithms="alltoall:ring,allreduce:lr")
    net, schedule = network_as_flows(_TREE, settings, None), as_schedule(program_of(app, 128), settings)
    assert same(*both(monkeypatch, net, schedule, np.arange(128)))


def test_a_collective_alone_has_no_events(always):
    """Of 16,256 messages on a fat tree only the ranks' ends are events."""
    script = Script()
    script.collective("shift", 1e6)
    programs, net = all_alike(128, script), network_as_flows(_TREE, _NIC, None)
    arrays, homes = laid(programs, "all"), np.arange(128)
    until = choice.undisturbed(net, arrays, 0.0)
    program, state = simulate.programs_before(net, programs, arrays, homes, 0.0, (65536.0, 0.0), until)
    events = run(net, program, state, 1 << 40), int(state.counter[EVENTS])
    assert state.counter[MESSAGES] == 128 * 127
    assert events == (DONE, 127 * 8 + 128)  # every step counts as some, so that stops are checked in time


def test_stops_between_two_steps(always):
    """A collective without events stops after some of its steps, and goes on from there."""
    script = Script()
    script.collective("ring", 1e8, times=3)
    programs, net = all_alike(128, script), network_as_flows(_TREE, _NIC, None)
    arrays, ends = laid(programs, "all"), []
    for events in (1 << 40, 20):
        until = choice.undisturbed(net, arrays, 0.0)
        program, state = simulate.programs_before(net, programs, arrays, np.arange(128), 0.0, (65536.0, 0.0), until)
        pauses = 0
        while (end := run(net, program, state, events)) != DONE:
            assert end != FULL
            pauses += 1
        ends.append((state.finished.tobytes(), pauses))
    assert ends[0][0] == ends[1][0]
    assert ends[0][1] == 0
    assert ends[1][1] > 100


@pytest.mark.parametrize("algorithm", ["ring", "shift", "doubling", "halving", "tree"])
@pytest.mark.parametrize("spec", ["torus:dims=4x4,hosts=2", "slimfly:q=5,hosts=2", "jellyfish:n=20,degree=4,hosts=2"])
def test_messages_that_meet_are_simulated_by_events(spec, algorithm, always, monkeypatch):
    """Hosts at random share channels: groups continue with events, or all starts again with them.

    Messages of one moment may then start in another order; single ranks notice that, as they notice the order of ranks.
    """
    routing = route(build(spec))
    hosts = routing.topology.endpoints.size
    script, homes = Script(), np.random.default_rng(5).permutation(hosts)
    script.collective(algorithm, 1e8)
    script.collective("ring", 3e7, times=2)
    quick, slow = both(monkeypatch, fabric(routing, 2e-7), Schedule("all", all_alike(hosts, script)), homes)
    assert quick.seconds == pytest.approx(slow.seconds, rel=1e-6)
    assert quick.finished == pytest.approx(slow.finished, rel=2e-3)
    assert quick.carried.tobytes() == slow.carried.tobytes()


def test_a_flow_that_meets_a_collective_starts_all_again(always, monkeypatch):
    """A ring of one group is under way when a rank of another one sends over its channel."""
    ring, sender, receiver = Script(), Script(), Script()
    ring.collective("ring", 1e8, kind=1)
    sender.compute(1e8)
    sender.send(1, 1e6, kind=2)
    receiver.receive(0, kind=2)
    group, pair = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 1])
    of = np.array([0, 1, 0, 2])
    programs = Programs((ring, sender, receiver), of, (np.zeros(4, np.int64), group, pair))
    net = fabric(route(build("mesh:dims=4,hosts=1")), 2e-7)
    quick, slow = both(monkeypatch, net, Schedule("two", programs), np.arange(4))
    assert same(quick, slow)
    assert always == [{"more": True}]
    alone = Programs((ring,), np.zeros(2, np.int64), (np.zeros(2, np.int64),) * 2)
    assert quick.seconds > simulate.simulate_flows(net, Schedule("one", alone), np.array([0, 2])).seconds


def test_where_events_are_needed():
    """Short programs, windows, several ports, half duplex and fractions of bytes; runs end with their class and their group."""
    first, second = Script(), Script()
    for size, kind in ((4e6, 0), (8e6, 0), (4e6, 1), (4.5, 1)):
        first.collective("ring", size, kind=kind)
    second.collective("ring", 1e6, kind=1)
    groups = np.zeros(4, np.int64)
    programs = Programs((first, second), np.array([0, 0, 1, 1]), (groups, groups))
    routing = route(build("ring:n=4,hosts=1"))
    net, arrays = fabric(routing), laid(programs, "two")
    assert not choice.undisturbed(net, arrays, 0.0).any()
    long = laid(Programs((first, second), np.array([0, 0, 1, 1]), (groups, groups)), "two")
    object.__setattr__(long, "steps", choice.LONG)
    until = choice.undisturbed(net, long, 0.0)
    assert until.tolist() == [[2, 0], [2, 0], [3, 0], [0, 0], [5, 0]]
    assert not choice.undisturbed(net, long, 0.2).any()
    assert not choice.undisturbed(fabric(routing, half_duplex=True), long, 0.0).any()
    assert not choice.undisturbed(net._replace(port=np.zeros((4, 2), np.int32)), long, 0.0).any()
    choice.by_events(long, until, 0, more=True)
    assert until[:, LEFT].tolist() == [1, 1, 0, 0, 0]
    choice.by_events(long, until, 0, more=True)
    assert until.tolist() == [[0, 0], [0, 0], [3, 0], [0, 0], [5, 0]]
    choice.by_events(long, until, 2, more=False)
    assert not until.any()

"""Collectives as flows: the times that theory has for them, and every rank gets what it needs."""

import numpy as np
import pytest
from fair_oracle import RATE, fabric, sends

from topoloom import InputError, build, route
from topoloom.core.work import Work
from topoloom.simulation.flows.collectives import ALGORITHMS
from topoloom.simulation.flows.kernels.steps import step_of
from topoloom.simulation.flows.programs import Programs, Script, all_alike
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.flows.simulate import simulate_flows

SWITCH_S = 1e-6
SIZE = 1_048_576.0


def pair(name, first, second):
    """Two ranks of 1 Gflop/s, each with a script of its own."""
    return Schedule(name, Programs((first, second), np.arange(2), (np.zeros(2, np.int64),), flops=1e9))


def time_of(routing, algorithm, ranks, size=SIZE, times=1, **more):
    """Seconds of one collective on the first hosts."""
    script = Script()
    script.collective(algorithm, size, times=times)
    schedule = Schedule(algorithm, all_alike(ranks, script))
    return simulate_flows(fabric(routing, SWITCH_S), schedule, np.arange(ranks), **more).seconds


@pytest.fixture(scope="module")
def complete():
    """Every host one hop from every other: a message passes two switches."""
    return route(build("complete:n=16,hosts=1"))


@pytest.fixture(scope="module")
def star():
    """All hosts on one switch."""
    return route(build("complete:n=2,hosts=16"))


def test_a_lone_message():
    """The switches' delays, and bytes over the rate."""
    routing = route(build("ring:n=8,hosts=1"))
    times = simulate_flows(fabric(routing, SWITCH_S), sends(8, [(0, 3, SIZE)]), np.arange(8))
    assert times.seconds == pytest.approx(4 * SWITCH_S + SIZE / RATE)


def test_ranks_of_one_host_share_nothing():
    """Their messages take the host's own rate and delay, each for itself."""
    routing = route(build("ring:n=3,hosts=1"))
    net = fabric(routing, SWITCH_S, inside_rate=2 * RATE, inside_s=1e-7)
    times = simulate_flows(net, sends(3, [(0, 1, SIZE), (2, 1, SIZE)]), np.zeros(3, int))
    assert times.seconds == pytest.approx(1e-7 + SIZE / RATE / 2)


@pytest.mark.parametrize("ranks", [2, 3, 8, 13, 16])
@pytest.mark.parametrize("network", ["complete", "star"])
def test_a_ring(network, ranks, request):
    """All-reduce: 2 (n - 1) steps of 1/n of the vector, as Patarasuk and Yuan have it (JPDC 69(2), 2009)."""
    switches = 2 if network == "complete" else 1
    found = time_of(request.getfixturevalue(network), "ring", ranks, times=2)
    assert found == pytest.approx(2 * (ranks - 1) * (np.ceil(SIZE / ranks) / RATE + switches * SWITCH_S), rel=1e-4)


@pytest.mark.parametrize(
    ("algorithm", "steps", "bytes_"),
    [
        ("shift", 15, 15 * SIZE),
        ("xor", 15, 15 * SIZE),
        ("doubling", 4, 4 * SIZE),
        ("halving", 8, 2 * 15 / 16 * SIZE),
        ("gather", 4, 15 * SIZE),
        ("tree", 4, 4 * SIZE),
        ("reduce", 4, 4 * SIZE),
    ],
)
def test_where_nobody_meets_anybody(algorithm, steps, bytes_, complete):
    """Steps times delays, and the bytes of the busiest rank over the rate (Thakur, Rabenseifner and Gropp 2005, table 1)."""
    assert time_of(complete, algorithm, 16) == pytest.approx(steps * 2 * SWITCH_S + bytes_ / RATE)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("ranks", [1, 2, 4, 7, 12, 16])
def test_sends_and_receives_match(algorithm, ranks):
    """In each step whom a rank sends to awaits as much from it, and nobody else sends to that one."""
    found = ALGORITHMS[algorithm]
    if found.power_of_two and ranks & (ranks - 1):
        return
    for step in range(found.steps(ranks)):
        moves = [step_of(found.number, step, me, ranks, 100.0) for me in range(ranks)]
        out = sorted((me, to, size) for me, (to, size, _, _) in enumerate(moves) if to >= 0)
        awaited = sorted((source, me, size) for me, (_, _, source, size) in enumerate(moves) if source >= 0)
        assert out == awaited
        assert len({to for _, to, _ in out}) == len(out)


def test_an_all_to_all_reaches_everybody_once():
    """By a shift of 7 ranks, and by XOR of 8: each pair its bytes."""
    for algorithm, ranks in (("shift", 7), ("xor", 8)):
        script = Script()
        script.collective(algorithm, 5.0)
        assert np.array_equal(Schedule("all", all_alike(ranks, script)).bytes_between(), 5.0 * (1 - np.eye(ranks)))


def test_a_power_of_two_is_asked_for(complete):
    """XOR on 12 ranks is refused in a sentence."""
    with pytest.raises(InputError, match="power of two of ranks, not 12"):
        time_of(complete, "xor", 12)


def test_a_message_of_few_bytes_lets_its_sender_go(complete):
    """A send below the limit returns at once; one above it when its bytes are there."""
    for size, waits in ((1000.0, False), (1e6, True)):
        first, second = Script(), Script()
        first.send(1, size)
        second.receive(0)
        plan = pair("one", first, second)
        finished = simulate_flows(fabric(complete, SWITCH_S), plan, np.arange(2)).finished
        assert bool(finished[0] > 0) is waits
        assert finished[1] == pytest.approx(2 * SWITCH_S + size / RATE)


def test_an_eager_message_is_there_before_it_is_awaited(complete):
    """With a limit it travels while the receiver computes; without it afterwards."""
    first, second = Script(), Script()
    first.send(1, 1000.0)
    second.compute(1e9)
    second.receive(0)
    plan = pair("late", first, second)
    ends = [simulate_flows(fabric(complete), plan, np.arange(2), eager_bytes=limit).seconds for limit in (0.0, 2000.0)]
    assert ends == pytest.approx([1.0 + 1e-6, 1.0])


def test_thousands_of_messages_under_way(complete):
    """Room for messages grows: a sender far ahead of its receiver."""
    first, second = Script(), Script()
    for _ in range(3000):
        first.send(1, 10.0)
    second.compute(1e9)
    for _ in range(3000):
        second.receive(0)
    plan = pair("ahead", first, second)
    times = simulate_flows(fabric(complete), plan, np.arange(2))
    assert times.messages == 3000
    assert times.seconds == pytest.approx(1.0 + 3000 * 1e-8)


def test_who_waits_for_ever_is_named(complete):
    """A receive that nobody sends."""
    first, second = Script(), Script()
    second.receive(0)
    plan = pair("lost", first, second)
    with pytest.raises(InputError, match="1 of 2 ranks wait forever, rank 1 at its operation 1"):
        simulate_flows(fabric(complete), plan, np.arange(2))


def test_progress_counts_every_operation(complete):
    """What a work is told reaches what there is."""
    seen = []
    work = Work(on_progress=lambda progress: seen.append((progress.done, progress.total)))
    time_of(complete, "halving", 13, times=3, work=work)
    assert work.progress.done == work.progress.total == 13 * (1 + 3 * 8)

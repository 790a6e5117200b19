"""Schedules as flows against times by hand, an independent player of messages without bytes, and our own programs."""

import numpy as np
import pytest
from msgspec import structs

from topoloom import InputError, build, route
from topoloom.core.random_streams import Draws
from topoloom.simulation.applications.machine import network_as_flows
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.schedules import as_schedule
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flows.operations import ANY, CALC, RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of
from topoloom.simulation.flows.simulate import simulate_flows

#: 8 Gb/s are a byte a nanosecond; a message passes two switches of 200 ns.
MACHINE, DELAY = AppSettings(rate_gbps=8), 400.0


def ns(*ranks, machine=MACHINE, spec="complete:n={},hosts=1", eager=False, **settings):
    """Nanoseconds that each rank takes on a network where each pair has a link of its own."""
    schedule = schedule_of("mine", list(ranks), eager=eager)
    net = network_as_flows([route(build(spec.format(max(2, len(ranks)))))], machine, None)
    found = simulate_flows(net, schedule, np.arange(len(ranks)), eager_bytes=machine.eager_bytes, **settings)
    return (found.finished * 1e9).tolist(), (found.worked * 1e9).tolist()


def test_a_chain_takes_the_sum_of_its_parts():
    """Computing, a message and computing, each after the other: 100 + (400 + 5,000) + 50 ns."""
    a, b = Rank(), Rank()
    a.requires(a.add(SEND, 1, 5000), a.calc(100))
    got = b.add(RECV, 0, 5000)
    b.requires(b.calc(50), got)
    finished, computed = ns(a, b)
    assert finished == pytest.approx([100, 100 + DELAY + 5000 + 50])
    assert computed == pytest.approx([100, 50])


def test_a_great_send_is_over_with_its_message():
    """From 64 KiB on a send waits for its receive, and its rank for the message."""
    a, b = Rank(), Rank()
    sent = a.add(SEND, 1, 100_000)
    a.requires(a.calc(10), sent)
    b.requires(b.add(RECV, 0, 100_000), b.calc(3000))
    end = 3000 + DELAY + 100_000
    assert ns(a, b)[0] == pytest.approx([end + 10, end])
    # What is eager travels meanwhile.
    assert ns(a, b, eager=True)[0] == pytest.approx([DELAY + 100_000 + 10, DELAY + 100_000])


def test_operations_run_side_by_side_where_nothing_says_otherwise():
    """Two cpus compute at once, one does one thing after the other, and a rank computes as long as any cpu of its does."""
    two, one, staggered = Rank(), Rank(), Rank()
    two.calc(100, 0), two.calc(70, 1)
    one.calc(100, 0), one.calc(70, 0)
    staggered.requires(staggered.calc(70, 1), staggered.calc(100, 0))
    assert ns(two, one, staggered) == (pytest.approx([100, 170, 170]), pytest.approx([100, 170, 170]))


def test_a_cpu_that_computes_gives_nothing_away_and_takes_nothing():
    """A send waits for its cpu, as what has come does; on another cpu neither does."""
    for cpu, sent in ((0, 1000.0), (1, 0.0)):
        a, b = Rank(), Rank()
        a.calc(1000, 0), a.add(SEND, 1, 100, 0, cpu)
        b.calc(3000, 0)
        b.requires(b.calc(5, 2), b.add(RECV, 0, 100, 0, cpu))
        taken = sent + DELAY + 100 if cpu else 3000
        assert ns(a, b)[0] == pytest.approx([1000, max(3000, taken + 5)])


def test_irequires_waits_for_the_start_alone():
    """What follows the start of 1,000 ns begins at once; what requires their end does not."""
    for wait, end in (("follows", 1000), ("requires", 1300)):
        rank = Rank()
        long = rank.calc(1000, 0)
        getattr(rank, wait)(rank.calc(300, 1), long)
        assert ns(rank, Rank())[0][0] == pytest.approx(end)


def test_messages_of_one_pair_and_tag_match_in_their_order():
    """The first receive gets the first message; another tag overtakes."""
    a, b = Rank(), Rank()
    first = a.add(SEND, 1, 1000, 7)
    second = a.add(SEND, 1, 10, 7)
    third = a.add(SEND, 1, 20, 9)
    a.requires(second, first), a.requires(third, second)
    one, two, three = (b.add(RECV, 0, 0, tag) for tag in (7, 7, 9))
    marks = [b.calc(1, cpu) for cpu in (1, 2, 3)]
    for mark, got in zip(marks, (one, two, three), strict=True):
        b.requires(mark, got)
    # Alone on the link only after the others: 10 and 20 bytes share it with 1,000 at first, and end before it.
    schedule = schedule_of("mine", [a, b])
    net = network_as_flows([route(build("complete:n=2,hosts=1"))], MACHINE, None)
    assert simulate_flows(net, schedule, np.arange(2)).seconds * 1e9 == pytest.approx(DELAY + 1030 + 1)


@pytest.mark.parametrize("any_tag", [False, True])
def test_a_receive_from_anybody_takes_the_first_that_was_sent(any_tag):
    """Of two senders the earlier one is taken, whatever its number."""
    a, b, c = Rank(), Rank(), Rank()
    a.requires(a.add(SEND, 2, 100, 5), a.calc(900))
    b.requires(b.add(SEND, 2, 100, 5), b.calc(50))
    got = c.add(RECV, ANY, 100, ANY if any_tag else 5)
    c.requires(c.calc(1), got)
    other = c.add(RECV, ANY, 100, 5)
    c.follows(other, got)
    finished, _ = ns(a, b, c)
    assert finished == pytest.approx([900, 50, 900 + DELAY + 100])


def test_a_message_to_oneself_takes_no_link():
    """Within a host: 100 ns and 400 Gb/s, unless settings say otherwise."""
    rank = Rank()
    rank.add(SEND, 0, 5000), rank.add(RECV, 0, 5000)
    assert ns(rank, Rank())[0][0] == pytest.approx(100 + 5000 / 50)


def test_a_network_interface_is_a_port_of_the_host():
    """Messages by two interfaces of hosts in two planes do not meet; by one they share it; without a word they take turns."""
    spec = "complete:n=2,hosts=1+planes:count=2"
    for nics, took in (((1, 1), 2000), ((1, 0), 1000), ((0, 0), 1000)):
        a, b = Rank(), Rank()
        for tag, nic in enumerate(nics):
            a.add(SEND, 1, 1000, tag, 0, nic), b.add(RECV, 0, 1000, tag)
        assert ns(a, b, spec=spec)[0][1] == pytest.approx(DELAY + took)


@pytest.mark.parametrize(
    ("app", "ranks"),
    [
        ("collective:operation=allreduce,algorithm=ring", 16),
        ("collective:operation=allreduce,algorithm=halving", 13),
        ("collective:operation=allreduce,algorithm=hierarchical,group=4", 16),
        ("collective:operation=pipeline,repeats=3", 5),
        ("training:model=gpt3-175b,tp=2,pp=2,layers=4,batch=8", 8),
        ("lu:class=S,iterations=3", 16),
        ("is:class=S,iterations=2", 16),
    ],
)
@pytest.mark.parametrize("eager_bytes", [0, 65536])
def test_our_own_programs_take_as_long_as_schedules(app, ranks, eager_bytes):
    """Programs and their operations one by one are the same messages at the same times, on a torus where they meet."""
    settings = AppSettings(eager_bytes=eager_bytes)
    programs = as_schedule(program_of(app, ranks), settings)
    net = network_as_flows([route(build("torus:dims=4x4,hosts=1"))], settings, None)
    homes = np.arange(ranks)
    compact = simulate_flows(net, programs, homes, eager_bytes=eager_bytes)
    schedule = Schedule(app, programs.operations)
    one_by_one = simulate_flows(net, schedule, homes, eager_bytes=eager_bytes)
    assert one_by_one.seconds == pytest.approx(compact.seconds, rel=1e-9)
    assert one_by_one.messages == compact.messages == schedule.messages
    assert one_by_one.carried == pytest.approx(compact.carried)
    assert one_by_one.worked == pytest.approx(compact.worked)
    assert schedule.bytes_between() == pytest.approx(programs.bytes_between())


def played(ranks, delay):
    """When each rank of a schedule ends whose messages have no bytes: an own player, step by step over sorted moments.

    All cpus differ, so that no operation waits for one: an operation starts when what it needs is over.
    """
    start, end = {}, {}
    everything = [(r, i) for r, rank in enumerate(ranks) for i in range(len(rank.kind))]
    needs = {one: [] for one in everything}
    follows = {one: [] for one in everything}
    for r, rank in enumerate(ranks):
        for pairs, into in ((rank.needed, needs), (rank.followed, follows)):
            for later, earlier in zip(pairs[::2], pairs[1::2], strict=True):
                into[r, later].append((r, earlier))
    partner = {}
    for r, i in everything:
        if ranks[r].kind[i] == SEND:
            to, tag = ranks[r].peer[i], ranks[r].tag[i]
            partner[
                to, next(j for j in range(len(ranks[to].kind)) if ranks[to].kind[j] == RECV and ranks[to].tag[j] == tag)
            ] = (r, i)
    while len(end) < len(everything):
        before = len(start), len(end)
        for one in everything:
            r, i = one
            known = all(x in end for x in needs[one]) and all(x in start for x in follows[one])
            if one not in start and known:
                start[one] = max([0.0, *(end[x] for x in needs[one]), *(start[x] for x in follows[one])])
            if one in start and one not in end:
                if ranks[r].kind[i] != RECV:
                    end[one] = start[one] + (ranks[r].amount[i] if ranks[r].kind[i] == CALC else 0.0)
                elif partner[one] in start:
                    end[one] = max(start[one], start[partner[one]]) + delay
        assert (len(start), len(end)) != before
    return [max([0.0, *(end[r, i] for i in range(len(rank.kind)))]) for r, rank in enumerate(ranks)]


@pytest.mark.parametrize("seed", range(12))
def test_random_schedules_take_as_long_as_an_independent_player_says(seed):
    """Computing and messages without bytes, each on a cpu of its own, waiting for ends and starts of others."""
    draws, n = Draws(seed), 4
    ranks = [Rank() for _ in range(n)]
    for number in range(40):
        r, other, what = (int(draws.below(m, 1)[0]) for m in (n, n - 1, 3))
        mine = [(ranks[r], ranks[r].calc(float(draws.below(1000, 1)[0]), len(ranks[r].kind)))]
        if what:
            to = other + (other >= r)
            mine = [
                (ranks[r], ranks[r].add(SEND, to, 0, number, len(ranks[r].kind))),
                (ranks[to], ranks[to].add(RECV, r, 0, number, len(ranks[to].kind))),
            ]
        # Only on what is there already: so nothing waits for itself, also over other ranks.
        for rank, one in mine:
            for wait in (rank.requires, rank.follows):
                for earlier in set(draws.below(one, 2).tolist()) if one and what != 1 else ():
                    wait(one, int(earlier))
    schedule = schedule_of("mine", ranks)
    net = network_as_flows([route(build(f"complete:n={n},hosts=1"))], MACHINE, None)
    found = simulate_flows(net, schedule, np.arange(n))
    assert found.finished * 1e9 == pytest.approx(played(ranks, DELAY), abs=1e-3)


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda a, b: a.requires(a.calc(1), a.calc(1)) or a.follows(1, 0), "rank 0, operation 1 waits for itself"),
        (lambda a, b: a.requires(a.calc(1), 5), "rank 0 has 1 operations, but some of them wait for other operations"),
        (
            lambda a, b: a.add(RECV, 1, 8, 3),
            r"rank 0, operation 1 waits for a message that no rank sends \(from rank 1, tag 3\)",
        ),
        (lambda a, b: a.add(SEND, 1, 8, 3), r"is a send that no rank receives \(to rank 1, tag 3\)"),
        (lambda a, b: a.add(SEND, 2, 8), "names rank 2, but ranks are 0 to 1"),
        (lambda a, b: a.add(SEND, ANY, 8), "names rank -1, but ranks are 0 to 1"),
        (lambda a, b: a.calc(-1), "has -1 bytes or ns"),
        (lambda a, b: None, "no operation"),
    ],
)
def test_what_does_not_work_is_a_sentence(write, says):
    """Schedules that cannot begin, or do not end."""
    a, b = Rank(), Rank()
    write(a, b)
    with pytest.raises(InputError, match=says):
        ns(a, b)


def test_rates_that_are_out_of_date_are_near():
    """With a window the time is off by what docs/how-to/run-collectives.md says of it: less than 2 % at 0.2."""
    schedule = as_schedule(program_of("collective:operation=alltoall,bytes=20000", 16), AppSettings())
    schedule = Schedule("all", schedule.operations)
    net = network_as_flows([route(build("torus:dims=4x4,hosts=1"))], structs.replace(MACHINE, rate_gbps=40), None)
    exact, near = (simulate_flows(net, schedule, np.arange(16), window=window).seconds for window in (0.0, 0.2))
    assert near == pytest.approx(exact, rel=0.02)

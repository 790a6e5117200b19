"""Schedules flit by flit: cycles by hand, every packet counted, and flows beside them."""

import json

import pytest
from click.testing import CliRunner
from msgspec import structs

from topoloom import InputError, build, execute, route, run_app, save_goal, schedule_of_program
from topoloom.cli.commands import simulate as simulate_command
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.flits.execute import packets_of
from topoloom.simulation.flits.presets import find_preset
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import schedule_of
from topoloom.studies.task import run_task, task_of

#: A flit is 32 bytes, a cycle 2 ns. A lone packet of F flits takes 1 + F cycles and 3 for each of its routers
#: (docs/how-to/simulate-packets.md).
ROUTERS = structs.replace(find_preset("booksim"), flit_bits=256, cycle_ns=2.0, packet_flits=4, vcs=2, buffer_flits=256)
FLIT = 32


@pytest.fixture
def saved(tmp_path):
    """Writes ranks, or a schedule, as a GOAL file; what names it as traffic."""

    def save(*ranks, schedule=None):
        path = tmp_path / "mine.goal"
        save_goal(schedule_of("mine", list(ranks)) if schedule is None else schedule, path)
        return f"goal:file={path}"

    return save


def lone(flits, routers):
    """Cycles of a lone message."""
    return 1 + flits + 3 * routers


def test_a_chain_takes_the_sum_of_its_parts(saved):
    """100 ns are 50 cycles; 300 bytes are 10 flits, three packets one behind the other; then 51 ns, which are 26 cycles."""
    a, b = Rank(), Rank()
    a.requires(a.add(SEND, 1, 300), a.calc(100))
    b.requires(b.calc(51), b.add(RECV, 0, 300))
    found = execute(route(build("complete:n=2,hosts=1")), saved(a, b), ROUTERS)
    assert (found.cycles, found.packets, found.flits) == (50 + lone(10, 2) + 26, 3, 10)
    assert found.time_ns == 2 * found.cycles


@pytest.mark.exhaustive
def test_switches_of_512_ports_are_simulated_and_of_513_refused(saved):
    """A message to the host on the last port and its answer take a lone message each way; one port more does not fit."""
    ranks = [Rank() for _ in range(2 * 511)]
    ranks[-1].requires(ranks[-1].add(SEND, 0, FLIT), ranks[-1].add(RECV, 0, FLIT))
    ranks[0].add(SEND, 2 * 511 - 1, FLIT)
    ranks[0].add(RECV, 2 * 511 - 1, FLIT)
    found = execute(route(build("complete:n=2,hosts=511")), saved(*ranks), ROUTERS)
    assert (found.packets, found.cycles) == (2, 2 * lone(1, 2))
    with pytest.raises(
        InputError, match=r"2 switches of 513 ports.* at most 32,767 switches, 512 ports and 16 virtual"
    ):
        execute(route(build("complete:n=2,hosts=512")), saved(*ranks, Rank(), Rank()), ROUTERS)


@pytest.mark.parametrize("rounds", [1, 7])
def test_a_ping_pong_takes_a_lone_message_each_way(saved, rounds):
    """An answer sets out in the cycle in which the question has come: no cycle is lost or won."""
    a, b = Rank(), Rank()
    before = []
    for number in range(rounds):
        asked = a.add(SEND, 1, FLIT, number)
        a.requires(asked, *before)
        before = [a.add(RECV, 1, 3 * FLIT, number)]
        b.requires(b.add(SEND, 0, 3 * FLIT, number), b.add(RECV, 0, FLIT, number))
    found = execute(route(build("ring:n=4,hosts=1")), saved(a, b, Rank(), Rank()), ROUTERS)
    assert found.cycles == rounds * (lone(1, 2) + lone(3, 2))


def test_a_message_without_bytes_is_a_flit_and_one_to_oneself_none(saved):
    """What travels is seen by the routers; what stays in its host takes a cycle and none of them."""
    a, b = Rank(), Rank()
    a.add(SEND, 1, 0), b.add(RECV, 0, 0)
    found = execute(route(build("complete:n=2,hosts=1")), saved(a, b), ROUTERS)
    assert (found.cycles, found.flits) == (lone(1, 2), 1)
    a, b = Rank(), Rank()
    a.add(SEND, 0, 10**6), a.add(RECV, 0, 10**6)
    found = execute(route(build("complete:n=2,hosts=1")), saved(a, b), ROUTERS)
    assert (found.cycles, found.flits, found.packets) == (1, 0, 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("spec", "engine"),
    [("torus:dims=4x4,hosts=1", "dor"), ("torus:dims=4x4,hosts=1", "ugal-l"), ("hypercube:n=4,hosts=1", "duato")],
)
def test_every_flit_of_an_all_to_all_arrives(saved, spec, engine):
    """16 ranks, 15 messages each of 1,000 bytes, which are 32 flits in 8 packets; packets one by one say the same."""
    traffic = saved(schedule=schedule_of_program("collective:operation=alltoall,bytes=1000", 16))
    routing = route(build(spec), engine)
    found = execute(routing, traffic, ROUTERS)
    assert (found.packets, found.flits) == (16 * 15 * 8, 16 * 15 * 32)
    rows = packets_of(routing, traffic, ROUTERS).rows
    assert len(rows) == found.packets
    assert rows[:, 5].max() == found.cycles
    assert len({(source, goal) for source, goal, *_ in rows.tolist()}) == 16 * 15


def test_hosts_in_planes_send_by_the_ports_that_are_named(saved):
    """Two interfaces carry two messages side by side, one carries them one after the other."""
    took = []
    for nics in ((1, 0), (1, 1)):
        a, b = Rank(), Rank()
        for tag, nic in enumerate(nics):
            a.add(SEND, 1, 100 * FLIT, tag, 0, nic), b.add(RECV, 0, 100 * FLIT, tag)
        took.append(execute(route(build("complete:n=2,hosts=1+planes:count=2")), saved(a, b), ROUTERS).cycles)
    assert took == [lone(100, 2), lone(200, 2)]


@pytest.mark.parametrize(
    ("app", "ranks"),
    [
        ("collective:operation=allreduce,algorithm=ring,bytes=400000", 16),
        ("collective:operation=alltoall,algorithm=shift,bytes=20000", 16),
        ("collective:operation=allreduce,algorithm=doubling,bytes=60000", 16),
    ],
)
def test_flows_take_as_long_as_flits(saved, app, ranks):
    """Collectives on a complete graph, where nobody meets anybody: flows and flits within 3 %.

    docs/how-to/run-collectives.md holds 2.8 % of permutations; a step adds the cycle in which a message is found to have come.
    """
    routing = route(build("complete:n=16,hosts=1"))
    schedule = schedule_of_program(app, ranks)
    flits = execute(routing, saved(schedule=schedule), ROUTERS)
    # Of a lone packet each router takes 3 cycles and its host 1 in all; a cable's cycle is among them.
    machine = AppSettings(rate_gbps=128.0, switch_ns=6.0)
    flows = run_app(routing, schedule, settings=machine, simulator="flows")
    assert flits.time_ns == pytest.approx(flows.seconds * 1e9, rel=0.03)


def test_the_command_the_function_and_a_task_say_the_same(saved):
    """`topoloom simulate --json`, `execute` and the operation simulate of studies: one record."""
    traffic = saved(schedule=schedule_of_program("collective:operation=pipeline,bytes=1000", 4))
    spec, changes = "ring:n=4,hosts=1", ["flit_bits=256", "cycle_ns=2"]
    given = (spec, "--engine", "dor", "--traffic", traffic, "--set", changes[0], "--set", changes[1], "--json")
    ran = CliRunner().invoke(simulate_command.command, given, catch_exceptions=False, standalone_mode=False)
    by_command = json.loads(ran.stdout)
    by_function = execute(route(build(spec), "dor"), traffic, settings=changes).record()
    task = task_of(
        "simulate", {"topology": spec, "engine": "dor", "traffic": traffic, "set": {"flit_bits": 256, "cycle_ns": 2.0}}
    )
    by_task, _ = run_task(task)
    for name in ("traffic", "cycles", "packets", "flits", "latency_mean", "time_ns"):
        assert by_command[name] == by_function[name] == by_task[name]


def test_what_is_refused(saved):
    """Routers without a flit's size, more ranks than hosts, absurd messages, and schedules that stand still."""
    pair = route(build("complete:n=2,hosts=1"))
    a = Rank()
    a.add(RECV, 1, 5)
    with pytest.raises(InputError, match="needs the sizes of a flit and a cycle; set them, as in `set` flit_bits=256"):
        execute(pair, saved(a, Rank()))
    with pytest.raises(InputError, match=r"does not end: rank 0, operation 1 waits for a message that no rank sends"):
        execute(pair, saved(a, Rank()), ROUTERS)
    with pytest.raises(InputError, match=r"it has 3 ranks; complete\(n=2,hosts=1\) has 2 hosts"):
        execute(pair, saved(a, Rank(), Rank()), ROUTERS)
    a, b = Rank(), Rank()
    a.add(SEND, 1, 2**50), b.add(RECV, 0, 2**50)
    with pytest.raises(InputError, match=r"packets of 4 flits, but at most 8,388,608 can be simulated"):
        execute(pair, saved(a, b), ROUTERS)
    a = Rank()
    a.add(SEND, 1, 5)
    with pytest.raises(InputError, match=r"is a send that no rank receives \(to rank 1, tag 0\)"):
        execute(pair, saved(a, Rank()), ROUTERS)

"""Schedules as applications: flows beside SimGrid, placements, studies, the command line, and files for LogGOPSim."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import InputError, build, load_goal, place, route, run_app, run_apps, save_goal, schedule_of_program
from topoloom.cli.commands import app as app_command
from topoloom.core.random_streams import Draws
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import cases_of
from topoloom.simulation.flows.operations import ANY, RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import schedule_of
from topoloom.studies.task import run_task, task_of

TORUS = route(build("torus:dims=4x4,hosts=1"))


def command(*arguments):
    """What `topoloom app` prints; its errors are raised."""
    result = CliRunner().invoke(app_command.command, arguments, catch_exceptions=False, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def program(*ranks, eager=False):
    """A program of ranks that are written down."""
    return schedule_of("mine", list(ranks), eager=eager)


def drawn(seed, n=16, messages=60):
    """Ranks on three cpus that compute, and send each other little and much, also to anybody and by any tag."""
    draws, ranks = Draws(seed), [Rank() for _ in range(n)]

    def below(most):
        return int(draws.below(most, 1)[0])

    for number in range(messages):
        a, b = below(n), below(n)
        size = [0, 100, 60_000, 70_000, 1_000_000][below(5)]
        one = ranks[a].add(SEND, b, size, number if number % 3 else 0, below(3))
        other = ranks[b].add(
            RECV, a if number % 4 else ANY, size, (number if number % 3 else 0) if number % 5 else ANY, below(3)
        )
        for r, mine in ((a, one), (b, other)):
            computes = ranks[r].calc(below(20_000), below(3))
            ranks[r].requires(computes, mine)
            if mine and below(2):
                ranks[r].requires(mine, below(mine))
            if mine and below(3) == 0:
                ranks[r].follows(mine, below(mine))
    return ranks


@pytest.mark.sweep(3)
@pytest.mark.simgrid
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eager", [False, True])
def test_flows_and_simgrid_agree_on_any_schedule(seed, eager):
    """Seconds, what ranks compute and what links carry, on a torus; docs/how-to/run-collectives.md holds 0.1 %, less the
    16 bytes of MPI.

    A schedule whose great messages wait for each other in a circle ends in neither of them.
    """
    mine = program(*drawn(seed), eager=eager)
    try:
        flows = run_app(TORUS, mine, simulator="flows")
    except InputError:
        with pytest.raises(InputError, match="does not end"):
            run_app(TORUS, mine)
        return
    simgrid = run_app(TORUS, mine)
    assert simgrid.seconds == pytest.approx(flows.seconds, rel=1e-3)
    assert simgrid.communication == pytest.approx(flows.communication, abs=2e-3)
    assert simgrid.link_bytes == pytest.approx(flows.link_bytes)
    assert (simgrid.simulator, flows.simulator) == ("simgrid", "flows")


@pytest.mark.sweep(2)
@pytest.mark.simgrid
@pytest.mark.parametrize(
    "app", ["collective:operation=alltoall,bytes=50000", "lu:class=S,iterations=2", "mg:class=S,iterations=1"]
)
def test_our_programs_on_simgrid_take_as_long_as_schedules(app):
    """SimGrid's MPI runs the trace, our player the schedule of it: apart by the 16 bytes that MPI adds to a message.

    docs/how-to/run-collectives.md holds how much that is: 0.5 % of collectives, 1.9 % of NAS skeletons.
    """
    mpi = run_app(TORUS, app, 16)
    schedule = schedule_of_program(app, 16)
    ours = run_app(TORUS, schedule)
    assert ours.seconds == pytest.approx(mpi.seconds, rel=0.005 if app.startswith("collective") else 0.019)
    assert ours.seconds == pytest.approx(run_app(TORUS, app, 16, simulator="flows").seconds, rel=1e-3)


def test_a_schedule_knows_its_ranks_and_takes_every_placement(tmp_path):
    """In order, at random, in racks, optimised: ranks of the file, on a larger network, by its messages' bytes."""
    save_goal(
        schedule_of_program("collective:operation=allreduce,algorithm=ring,bytes=160000", 8), tmp_path / "ring.bin"
    )
    app = f"goal:file={tmp_path / 'ring.bin'}"
    network, took = build("torus:dims=4x4,hosts=1"), {}
    layout = place(network)
    for placement in ("linear", "random", "rack", "optimised"):
        run = run_app(
            TORUS, app, placement=placement, simulator="flows", layout=layout, settings=AppSettings(cable_m=0.0)
        )
        assert (run.program, run.ranks, np.unique(run.homes).size) == ("goal(ring)", 8, 8)
        took[placement] = run.seconds
    assert took["optimised"] <= min(took.values()) * (1 + 1e-9)
    with pytest.raises(InputError, match=r"goal\(ring\): the schedule is for 8 ranks, not for 7"):
        run_app(TORUS, app, 7, simulator="flows")
    with pytest.raises(InputError, match="8 ranks, but only 4 hosts"):
        run_app(build("ring:n=4,hosts=1"), app, simulator="flows")


def test_schedules_are_compared_like_any_program(tmp_path):
    """Networks of different sizes, with the file's ranks on each; several programs in one sweep."""
    save_goal(schedule_of_program("collective:operation=alltoall,bytes=10000", 9), tmp_path / "a.goal")
    cases = [
        case for spec in ("torus:dims=4x4,hosts=1", "complete:n=9,hosts=1") for case in cases_of(spec, build(spec))
    ]
    runs = run_apps(
        cases, [f"goal:file={tmp_path / 'a.goal'}", "collective:operation=alltoall,bytes=10000"], 9, simulator="flows"
    )
    assert len(runs.runs) == 4
    assert runs.runs[0].seconds == pytest.approx(runs.runs[2].seconds)
    assert runs.runs[1].seconds == pytest.approx(runs.runs[3].seconds)


def test_the_command_the_function_and_a_task_say_the_same(tmp_path):
    """`topoloom app --json`, `run_app` and the operation app of studies: one record."""
    path = tmp_path / "mine.goal"
    told = command("torus:dims=4x4,hosts=1", "--app", "collective:operation=allreduce", "--goal", str(path))
    assert told == f"wrote {path}: 16 ranks, 960 operations, 480 messages\n"
    app = f"goal:file={path}"
    given = ("torus:dims=4x4,hosts=1", "--app", app, "--simulator", "flows")
    assert command(*given).startswith("goal(mine), 16 ranks on torus(dims=4x4,hosts=1)\nseconds        ")
    by_command = json.loads(command(*given, "--json"))
    by_function = run_app(TORUS.topology, app, simulator="flows").record()
    by_task, _ = run_task(task_of("app", {"topology": "torus:dims=4x4,hosts=1", "app": app, "simulator": "flows"}))
    for other in (by_function, by_task):
        for name in ("program", "seconds", "ranks", "link_bytes_total", "homes"):
            assert json.loads(json.dumps(other[name], default=list)) == by_command[name]


def test_a_task_of_a_study_knows_what_is_in_the_file(tmp_path):
    """Another file of one name is another task; one that changes meanwhile is told; names count from the study's folder."""
    arguments = {"topology": "ring:n=8,hosts=1", "app": "goal:file=a.bin", "simulator": "flows"}
    digests, seconds = [], []
    for size in (1000, 2000):
        save_goal(schedule_of_program(f"collective:operation=allreduce,bytes={size}", 8), tmp_path / "a.bin")
        task = task_of("app", arguments, tmp_path)
        digests.append(task.digest)
        seconds.append(run_task(task)[0]["seconds"])
    assert digests[0] != digests[1]
    assert seconds[0] < seconds[1]
    save_goal(schedule_of_program("collective:operation=allreduce,bytes=3", 8), tmp_path / "a.bin")
    with pytest.raises(InputError, match="has changed since the study was planned"):
        run_task(task)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        task_of("app", arguments, tmp_path / "elsewhere")
    traces = Path(__file__).parents[1] / "workloads" / "astra_sim"
    one = task_of("app", arguments | {"app": "chakra:file=astra_sim"}, traces.parent)
    assert one.digest == task_of("app", arguments | {"app": "chakra:file=astra_sim"}, traces.parent).digest
    assert run_task(one)[0]["ranks"] == 4


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--app", "alltoall:bytes=8", "--goal", "x.goal"], ""),
        (["--app", "pingpong", "--goal", "x.goal"], "only SimGrid runs compiled programs"),
        (["--app", "alltoall", "--app", "lu:class=S", "--goal", "x.goal"], "--goal writes one program on one topology"),
        (["--app", "alltoall", "--goal", "x.goal", "--json"], "--json: a schedule is written, and nothing is run"),
        (["--app", "goal", "--simulator", "flows"], "goal: file= is missing"),
        (["--app", "goal:file=", "--simulator", "flows"], "it is empty; it must be a file"),
        (
            ["--app", "goal:file=none.goal", "--simulator", "flows"],
            "none.goal cannot be read: no such file or directory",
        ),
        (["--app", "chakra:file=none,allreduce=fast", "--simulator", "flows"], "'fast' is unknown; it must be ring or"),
    ],
)
def test_what_the_command_refuses(tmp_path, monkeypatch, options, says):
    """One line on what would do, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    if says:
        with pytest.raises(InputError) as raised:
            command("ring:n=4,hosts=1", *options)
        assert says in str(raised.value)
    else:
        command("ring:n=4,hosts=1", *options)
    assert (tmp_path / "x.goal").exists() == (not says)


@pytest.mark.simgrid
def test_what_simgrid_refuses_of_schedules():
    """A schedule that stands still, interfaces where routes are fixed, and MPI's model."""
    still = Rank()
    still.add(RECV, 1, 8)
    with pytest.raises(InputError, match="it does not end: 0 of 1 operations are done"):
        run_app(TORUS, program(still, Rank()))
    lost = Rank()
    lost.add(SEND, 1, 8)
    for simulator in ("simgrid", "flows"):
        with pytest.raises(InputError, match="does not end"):
            run_app(TORUS, program(lost, Rank()), simulator=simulator)
    other = Rank()
    other.add(SEND, 1, 8, 0, 0, 1)
    taker = Rank()
    taker.add(RECV, 0, 8)
    with pytest.raises(InputError, match="in SimGrid the two hosts determine the route; use `simulator` flows"):
        run_app(build("complete:n=2,hosts=1+planes:count=2"), program(other, taker))
    with pytest.raises(InputError, match="set model=plain for schedules"):
        run_app(TORUS, program(other, taker), settings=AppSettings(model="smpi"))


def test_a_written_program_is_one_that_is_read(tmp_path):
    """Text and binary of a step of training take as long as the step."""
    app = "training:model=gpt3-175b,tp=2,pp=2,layers=4,batch=8"
    schedule = schedule_of_program(app, 8)
    took = run_app(TORUS, app, 8, simulator="flows").seconds
    for name in ("t.goal", "t.bin"):
        save_goal(schedule, tmp_path / name)
        again = load_goal(tmp_path / name)
        assert again.sent_bytes == pytest.approx(schedule.sent_bytes, rel=1e-6)
        assert run_app(TORUS, f"goal:file={tmp_path / name}", simulator="flows").seconds == pytest.approx(
            took, rel=1e-6
        )


def test_a_program_for_any_number_of_ranks_needs_one():
    """`schedule_of_program` asks for it."""
    with pytest.raises(InputError, match="it runs on any number of ranks"):
        schedule_of_program("alltoall:bytes=8")

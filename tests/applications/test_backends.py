"""One schedule by three simulators, through one call: the same messages, nearly the same times, nothing written out in vain."""

import numpy as np
import pytest

from topoloom import AppSettings, InputError, Schedule, build, route, run_app, schedule_of_program
from topoloom.simulation.applications.backends import SIMULATORS, backend_of, run_schedule
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.applications.schedules import as_schedule
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import schedule_of

SIMULATED_BY = [pytest.param(name, marks=pytest.mark.simgrid) if name == "simgrid" else name for name in SIMULATORS]
COMPLETE = route(build("complete:n=8,hosts=1"))
SETTINGS = AppSettings(algorithms="alltoall:pair,alltoallv:ring,allreduce:rdb,reduce:binomial")


def by(name, schedule, routing=COMPLETE):
    """What a simulator makes of a schedule whose rank r is on host r."""
    homes = np.arange(schedule.ranks)
    return run_schedule(schedule, [routing], homes, backend=backend_of(name), settings=SETTINGS)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("simulator", SIMULATED_BY)
@pytest.mark.parametrize("app", ["alltoall:bytes=100000", "collective:operation=allreduce,bytes=800000", "is:class=S"])
def test_three_simulators_take_one_schedule(simulator, app):
    """Where nobody meets anybody: seconds within 3 % of flows', the same messages, and the schedule's bytes on links."""
    schedule = as_schedule(program_of(app, 8), SETTINGS)
    ours, flows = by(simulator, schedule), by("flows", schedule)
    assert ours.seconds == pytest.approx(flows.seconds, rel=0.03)
    assert ours.messages == flows.messages == schedule.messages
    # Flits are whole: a message of few bytes is one of 32.
    assert ours.link_bytes.sum() == pytest.approx(flows.link_bytes.sum(), rel=0.03)
    assert flows.link_bytes.sum() == pytest.approx(schedule.bytes_between().sum())


@pytest.mark.parametrize("simulator", SIMULATED_BY)
def test_computing_is_counted(simulator):
    """A rank that computes 3 us and then sends: every simulator says how long it computed."""
    a, b = Rank(), Rank()
    sent = a.add(1, 1, 1000)
    a.requires(sent, a.calc(3000))
    b.add(2, 0, 1000)
    found = by(simulator, schedule_of("two", [a, b]), route(build("complete:n=2,hosts=1")))
    assert found.worked * 1e6 == pytest.approx([3.0, 0.0], abs=0.02)
    assert found.seconds > 3e-6


def test_programs_run_without_being_written_out():
    """Flows run a collective as it stands in its program; its messages, a million, are never listed."""
    schedule = as_schedule(
        program_of("collective:operation=allreduce,algorithm=doubling,bytes=64", 1024), AppSettings()
    )
    by("flows", schedule, route(build("complete:n=32,hosts=32")))
    schedule.bytes_between()
    assert "operations" not in vars(schedule)


@pytest.mark.parametrize("simulator", ["flows", "flits"])
def test_a_schedule_is_an_application(simulator):
    """`run_app` takes it as it takes any program, and says what simulated it."""
    schedule = schedule_of_program("collective:operation=allgather,bytes=80000", 8)
    assert isinstance(schedule, Schedule)
    run = run_app(COMPLETE, schedule, simulator=simulator)
    assert run.simulator.partition(":")[0] == simulator
    assert run.seconds == by(simulator, schedule).seconds
    with pytest.raises(InputError, match="the schedule is for 8 ranks, not for 4"):
        run_app(COMPLETE, schedule, 4, simulator=simulator)


def test_training_among_routers_says_what_it_prints():
    """Without clocks by kind: the time, tokens and speed, and the share that ranks do not compute."""
    app = "training:model=llama2-7b,layers=1,batch=8,sequence=16,dp=8"
    flows, flits = (
        run_app(COMPLETE, app, 8, simulator=f"{name}", settings=AppSettings(speed_gflops=1e9))
        for name in ("flows", "flits:flit_bits=1048576,packet_flits=4096")
    )
    assert set(flits.results) < set(flows.results)
    assert flits.measured.value == pytest.approx(flows.measured.value, rel=0.05)
    assert flits.results["communication"].value == pytest.approx(flows.results["communication"].value, rel=0.05)

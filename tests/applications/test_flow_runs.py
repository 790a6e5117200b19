"""Applications by flows: beside SimGrid, the same program; the same on the command line and in Python; what is refused."""

import json
import shutil

import numpy as np
import pytest

from topoloom import AppRun, InputError, build, route
from topoloom.cli.main import main
from topoloom.simulation.applications.placement import PLACEMENTS
from topoloom.simulation.applications.registry import APPLICATIONS
from topoloom.simulation.applications.run import matrix_of, run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.applications.sweep import Case, run_apps

TORUS = route(build("torus:dims=4x4,hosts=1"), "dor")
SLIM = route(build("slimfly:q=5,hosts=2"))
#: So fast that most of the time is communication.
GPUS = AppSettings(speed_gflops=1e5, rate_gbps=200)


def pair(routing, app, ranks, settings=None, **more):
    """The run by SimGrid and that by flows."""
    return [run_app(routing, app, ranks, settings=settings, simulator=one, **more) for one in ("simgrid", "flows")]


@pytest.mark.sweep(6)
@pytest.mark.simgrid
@pytest.mark.parametrize(
    ("app", "algorithms"),
    [
        ("alltoall:bytes=100000", "alltoall:ring"),
        ("alltoall:bytes=100000", "alltoall:pair"),
        ("alltoall:bytes=1000", "alltoall:ring"),
        ("allreduce:bytes=1048576", "allreduce:rdb"),
        ("allreduce:bytes=1048576", "allreduce:lr"),
        ("allreduce:bytes=1048576", "allreduce:rab_rdb"),
    ],
)
@pytest.mark.parametrize(("routing", "ranks"), [(TORUS, 16), (SLIM, 64)], ids=["torus", "slimfly"])
def test_collectives_take_as_long_as_in_simgrid(routing, ranks, app, algorithms):
    """Within 2 % of it: 16 bytes that SimGrid adds to a message, and which of those that are ready at one moment goes first."""
    theirs, ours = pair(routing, app, ranks, AppSettings(algorithms=algorithms), placement="random")
    assert ours.measured.value == pytest.approx(theirs.measured.value, rel=0.02)
    assert ours.results.keys() <= theirs.results.keys()


@pytest.mark.simgrid
@pytest.mark.parametrize(
    "app",
    [
        "training:model=gpt3-175b,layers=8,tp=4,pp=4,zero=1,batch=32",
        "training:model=mixtral-8x7b,layers=4,tp=2,pp=2,ep=8,batch=32,sequence=1024",
    ],
)
def test_training_takes_as_long_as_in_simgrid(app):
    """Every kind of message of a step on 64 ranks."""
    theirs, ours = pair(SLIM, app, 64, GPUS)
    assert set(ours.results) == set(theirs.results)
    for name, value in theirs.results.items():
        assert ours.results[name].value == pytest.approx(value.value, rel=0.01), name
    assert ours.communication == pytest.approx(theirs.communication, rel=0.01)


@pytest.mark.sweep(1)
@pytest.mark.simgrid
@pytest.mark.parametrize("app", ["cg:class=S", "is:class=S", "mg:class=S", "lu:class=S", "dt:class=S", "ft:class=S"])
def test_a_trace_takes_as_long_as_in_simgrid(app):
    """The NAS skeletons, read line by line: collectives, requests, computing and the program's own clock."""
    theirs, ours = pair(TORUS, app, 16)
    assert ours.seconds == pytest.approx(theirs.seconds, rel=0.015)
    assert ours.measure == theirs.measure
    assert ours.measured.value == pytest.approx(theirs.measured.value, rel=0.015)


@pytest.mark.simgrid
@pytest.mark.parametrize(
    "operation", ["allreduce", "reduce-scatter", "allgather", "alltoall", "moe", "broadcast", "pipeline"]
)
def test_a_collective_is_the_same_trace(operation):
    """What SimGrid replays of a collective is what flows run, also in bytes: but for 16 that SimGrid adds to each message."""
    app = f"collective:operation={operation},bytes=200000,group=4"
    theirs, ours = pair(TORUS, app, 16)
    assert ours.seconds == pytest.approx(theirs.seconds, rel=0.01)
    assert ours.link_bytes.sum() == pytest.approx(theirs.link_bytes.sum(), rel=0.002)


@pytest.mark.simgrid
def test_half_duplex_and_slow_hosts():
    """Both directions share a link, and a host's link has a rate of its own, as in SimGrid."""
    settings = AppSettings(duplex="half", host_rate_gbps=25, link_ns=30, host_link_ns=50, cable_m=3)
    theirs, ours = pair(TORUS, "alltoall:bytes=100000", 16, settings)
    assert ours.measured.value == pytest.approx(theirs.measured.value, rel=0.03)


@pytest.mark.exhaustive
@pytest.mark.simgrid
def test_the_matrix_is_simgrids():
    """What ranks send to each other, counted from the programs: SimGrid's, without its 16 bytes a message."""
    from topoloom.simulation.applications.registry import program_of
    from topoloom.simulation.applications.schedules import as_schedule

    program = program_of("cg:class=S", 16)
    ours = as_schedule(program, AppSettings()).bytes_between()
    theirs = matrix_of(program, 16, TORUS, AppSettings())
    assert ((ours > 0) <= (theirs > 0)).all()
    assert ours.sum() == pytest.approx(theirs.sum(), rel=0.02)


def test_no_simgrid_is_needed(monkeypatch):
    """Flows run where SimGrid is not installed, under every placement, also the optimised one."""
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    for placement in set(PLACEMENTS) - {"file", "rack"}:
        run = run_app(TORUS, "allreduce:bytes=8000", placement=placement, simulator="flows")
        assert (run.simgrid, run.simulator) == ("", "flows")


def test_command_python_and_record_agree(tmp_path, capsys):
    """The same run three ways; its record says who simulated it, and is read back."""
    asked = ["app", "torus:dims=4x4,hosts=1", "--app", "alltoall:bytes=5000", "--engine", "dor"]
    with pytest.raises(SystemExit) as ended:
        main([*asked, "--simulator", "flows:window=0.1", "--json"])
    assert not ended.value.code
    record = json.loads(capsys.readouterr().out)
    run = run_app(TORUS, "alltoall:bytes=5000", simulator="flows:window=0.1")
    mine = run.record()
    for one in (record, mine):
        one["provenance"].pop("timings")
        one.pop("routing_seed")
        one["provenance"].pop("seed", None)
    assert {**record, "network": ""} == {**mine, "network": ""}
    assert record["provenance"]["settings"]["simulator"] == "flows:window=0.1"
    run.save(tmp_path / "run.json")
    assert AppRun.load(tmp_path / "run.json").simulator == "flows:window=0.1"


def test_the_same_seed_gives_the_same_bytes():
    """A run is the same again, ranks at random too."""
    runs = [
        run_app(SLIM, "collective:bytes=99999", 64, placement="random", seed=5, simulator="flows") for _ in range(2)
    ]
    assert runs[0].seconds == runs[1].seconds
    assert np.array_equal(runs[0].link_bytes, runs[1].link_bytes)


@pytest.mark.exhaustive
def test_a_sweep():
    """Networks side by side; what cannot run is refused before anything does."""
    cases = [Case("torus", (TORUS,), None, 1), Case("slim", (SLIM,), None, 1)]
    runs = run_apps(cases, ["alltoall:bytes=1000", "cg:class=S"], 16, simulator="flows")
    assert [run.network for run in runs.runs] == ["torus", "slim"] * 2
    assert {run.simulator for run in runs.runs} == {"flows"}
    with pytest.raises(InputError, match="only SimGrid runs compiled programs, except alltoall"):
        run_apps(cases, ["alltoall", "pingpong"], 16, simulator="flows")


@pytest.mark.parametrize(
    ("app", "changes", "simulator", "said"),
    [
        ("stencil2d", {}, "flows", "use `simulator` simgrid"),
        ("alltoall", {"model": "smpi"}, "flows", "model=smpi is for MPI programs; set model=plain"),
        ("alltoall", {"algorithms": "alltoall:bruck"}, "flows", "flows do not support alltoall:bruck"),
        ("allreduce", {"algorithms": ""}, "flows", "flows do not support SMPI's default allreduce"),
        ("allreduce", {"collectives": "ompi"}, "flows", "flows do not support the selector ompi"),
        ("is:class=S", {"algorithms": ""}, "flows", "flows do not support SMPI's default all"),
        ("alltoall", {}, "flow", "no simulator 'flow'"),
        ("alltoall", {}, "flows:window=2", "window='2'; it is a number from 0 to 1"),
        ("alltoall", {}, "simgrid:window=0.2", "simgrid takes no settings here"),
        ("collective:operation=moe,algorithm=ring", {}, "flows", "moe has no algorithm ring; use shift"),
        ("collective:operation=moe,group=5", {}, "flows", "group=5 must divide the ranks, 16"),
    ],
)
def test_what_is_refused(app, changes, simulator, said):
    """One sentence that says what would do."""
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        run_app(TORUS, app, 16, settings=AppSettings(**changes), simulator=simulator)


@pytest.mark.exhaustive
def test_every_trace_can_run():
    """Each application that is a trace, or has a plan, runs as flows on 16 ranks of the smallest size."""
    small = {"training": "training:model=llama2-7b,layers=2,batch=16", "collective": "collective"}
    traces = ["bt", "cg", "dt", "ep", "ft", "is", "lu", "mg", "sp"]
    for name in [*traces, *small]:
        assert name in APPLICATIONS
        assert run_app(TORUS, small.get(name, f"{name}:class=S"), 16, simulator="flows").seconds > 0

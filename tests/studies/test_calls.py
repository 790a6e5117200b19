"""Parts of one operation on the executors of studies: the same result as on one machine, and nothing finished runs twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from test_dask import started
from test_slurm import needs_slurm, slurm  # noqa: F401

from in_process import run
from topoloom import InputError, Store, build, design, open_executor, optimize, route, saturation, simulate
from topoloom._version import __version__
from topoloom.cli.main import main
from topoloom.core.calls import Call, ExecutorError, Shared, anywhere, awaited
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.designer.assessment.all_steps import STEPS
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation_of, studied
from topoloom.simulation.flits.loads_anywhere import LoadSubject
from topoloom.studies.call_tasks import answer_of, is_call, run_call, task_of_call
from topoloom.studies.dask_feeder import run_batch
from topoloom.studies.record import failed

LOADS = [0.1, 0.4, 0.9]
REQUIREMENT = """
hosts = 32
rate_gbps = 100
shortlist = 2
minutes = 60
repeats = 1
[switch]
radix = 8
[families]
try = ["fat-tree", "dragonfly", "hypercube"]
"""


@anywhere
def doubled(*, number: float, shared: list, work: Work, jobs: int | None) -> float:
    """A call of this file."""
    if number < 0:
        raise InputError(f"{number:g} is below 0; give another")
    if number == 0:
        raise Stopped("it takes for ever")
    return 2 * number + len(shared)


def call(number, seconds=None, value=(1, 2)):
    """A call of `doubled`."""
    return Call(doubled, f"number {number}", {"number": number}, {"shared": Shared("two", list(value))}, seconds)


def plain(record):
    """A record without what differs from run to run: timings and the seconds of steps."""
    if isinstance(record, dict):
        return {name: plain(value) for name, value in record.items() if name not in ("timings", "seconds")}
    return [plain(value) for value in record] if isinstance(record, list) else record


def carried_out(one, folder):
    """The answer of a call, as its task and record pass it on."""
    task = task_of_call(one, folder)
    assert is_call(task)
    return task, run_call(task, RunContext(1))


@pytest.fixture(scope="module")
def ring():
    """A ring with tables."""
    return route("ring:n=8,hosts=1")


@pytest.fixture(scope="module")
def requirement(tmp_path_factory):
    """The file of a small requirement."""
    path = tmp_path_factory.mktemp("requirement") / "small.toml"
    path.write_text(REQUIREMENT)
    return path


def test_a_call_is_a_task_whose_digest_is_that_of_what_decides(tmp_path):
    """The time limit and the folder do not count; the number and the key of what is shared do."""
    digests = [
        task_of_call(one, folder).digest
        for folder in (tmp_path / "a", tmp_path / "b")
        for one in (call(1.5), call(1.5, seconds=3))
    ]
    assert len(set(digests)) == 1
    assert task_of_call(call(2.5), tmp_path).digest != digests[0]


def test_refusals_are_answers_and_time_limits_are_not(tmp_path):
    """`InputError` comes back as its sentence; a call out of time fails, so that it may run again."""
    _, answer = carried_out(call(-1.0), tmp_path)
    assert answer == {"refused": "-1 is below 0; give another"}
    task = task_of_call(call(0.0, seconds=7), tmp_path)
    with pytest.raises(InputError, match="it took more than 7 s") as late:
        run_call(task, RunContext(1))
    with pytest.raises(Stopped):
        answer_of(call(0.0), failed(task, str(late.value)))
    with pytest.raises(ExecutorError, match=r"number 0.0: its worker was lost.*run it again"):
        answer_of(call(0.0), failed(task, "its worker was lost 3 times"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda task: task.arguments.update(version="0.1"),
            r"the worker has topoloom .*, and the task is of topoloom 0\.1",
        ),
        (
            lambda task: os.replace(task.files["shared"].path, task.files["shared"].path + "x"),
            "cannot be read on the worker",
        ),
        (lambda task: Path(task.files["shared"].path).write_bytes(b"no"), "another content than its name says"),
    ],
)
def test_a_worker_that_differs_says_so(change, words, tmp_path):
    """One sentence with the remedy; nothing is unpickled but what the client wrote."""
    one = call(1.5, value=[words])
    task = task_of_call(Call(one.function, "", one.arguments, {"shared": Shared(words, [words])}), tmp_path)
    change(task)
    with pytest.raises(InputError, match=words):
        run_call(task, RunContext(1))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nosuch_module:run", "the worker cannot import nosuch_module: .*; install the same packages there"),
        ("os:system", "os:system is not a part of an operation"),
    ],
)
def test_only_marked_functions_are_called(place, words, tmp_path):
    """A task with another function, or one that the worker lacks, is refused."""
    task = task_of_call(call(1.0), tmp_path)
    task = type(task)(place, task.arguments, task.files)
    with pytest.raises(InputError, match=words):
        run_call(task, RunContext(1))


def test_what_cannot_be_pickled_is_one_sentence(tmp_path):
    """A closure in a shared argument."""
    one = Call(doubled, "", {"number": 1.0}, {"shared": Shared("closure", [lambda: tmp_path])})
    with pytest.raises(InputError, match="cannot be sent to another process"):
        task_of_call(one, tmp_path)


def test_a_worker_of_dask_without_the_folder_asks_for_the_files(tmp_path):
    """The first answer names them; with their contents the batch runs. Another version of topoloom is refused."""
    import msgspec

    one = Call(doubled, "", {"number": 4.0}, {"shared": Shared("far", ["far", "away"])})
    task = task_of_call(one, tmp_path)
    path = Path(task.files["shared"].path)
    content = path.read_bytes()
    path.unlink()
    batch = msgspec.json.encode([task])
    answer = json.loads(run_batch(batch, 1, None, 0, __version__))
    assert answer == {"records": [], "missing": [str(path)]}
    (record,) = json.loads(run_batch(batch, 1, None, 0, __version__, {str(path): content}))["records"]
    assert record["state"] == "done"
    with pytest.raises(InputError, match=f"it has topoloom {__version__}, and this is topoloom 9"):
        run_batch(batch, 1, None, 0, "9")


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("proceses", {}, "no executor named 'proceses'"),
        ("threads", {}, "the executor threads takes no tasks while it runs; choose dask, processes, slurm"),
        ("processes", {"workers": 3}, "no option 'workers'"),
        ("dask", {"adress": "x"}, "no option 'adress' .did you mean address"),
        ("dask", {"address": "tcp://127.0.0.1:9"}, "no Dask cluster answers at tcp://127.0.0.1:9"),
        ("slurm", {"detach": True}, "detach: a command waits for its tasks"),
    ],
)
def test_what_no_executor_can_do_is_one_sentence(name, options, words, ring, tmp_path, monkeypatch):
    """The place and the remedy."""
    monkeypatch.setattr("topoloom.studies.executors.dask._ANSWER_S", 1.0)
    with pytest.raises(InputError, match=words), open_executor(name, tmp_path, options=options) as executor:
        simulate(ring, loads=[0.1], work=Work(executor=executor))


def test_a_task_of_a_study_runs_on_one_machine():
    """`executor` is no argument of a task."""
    with pytest.raises(InputError, match=r"a task of a study runs on one machine; its executor is that of \[run\]"):
        operation_of(studied("design"), {"requirement": "small.toml", "executor": "dask"})


def same_points(one, other):
    """Two curves are equal to the last digit, also in what records omit."""
    assert len(one.points) == len(other.points)
    for mine, yours in zip(one.points, other.points, strict=True):
        for name in set(mine.__dataclass_fields__) - {"provenance"}:
            np.testing.assert_array_equal(getattr(mine, name), getattr(yours, name), err_msg=name)


def test_loads_and_saturation_on_processes(ring, tmp_path):
    """Equal to one machine, arrays included; a second client of the folder runs nothing."""
    here = simulate(ring, loads=LOADS, fast=True)
    with open_executor("processes", tmp_path, jobs=1) as executor:
        there = simulate(ring, loads=LOADS, fast=True, work=Work(executor=executor))
        saturates = saturation(ring, width=0.2, fast=True, work=Work(executor=executor))
    same_points(here, there)
    assert plain(saturates.record()) == plain(saturation(ring, width=0.2, fast=True).record())
    records = len(Store(tmp_path).records())
    with open_executor("processes", tmp_path, jobs=1) as executor:
        again = simulate(ring, loads=LOADS, fast=True, work=Work(executor=executor))
    same_points(here, again)
    assert len(Store(tmp_path).records()) == records


def test_a_load_on_a_local_dask_cluster(ring, tmp_path):
    """A tiny cluster of one worker."""
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    with open_executor("dask", tmp_path, jobs=1) as executor:
        there = simulate(ring, loads=[0.2], fast=True, work=Work(executor=executor))
    same_points(simulate(ring, loads=[0.2], fast=True), there)


def test_the_key_of_a_load_is_that_of_its_inputs(ring):
    """Other tables, routers, cables or traffic are other points."""
    from topoloom.simulation.flits.host_ports import traffic_between_hosts
    from topoloom.simulation.flits.presets import router_of

    _, router = router_of("booksim")
    uniform, shift = (traffic_between_hosts(name, ring, 1) for name in ("uniform", "shift"))
    other = route("ring:n=9,hosts=1")
    subjects = [
        LoadSubject(ring, router, uniform, None),
        LoadSubject(ring, router, shift, None),
        LoadSubject(ring, router_of("slimfly-2014")[1], uniform, None),
        LoadSubject(ring, router, uniform, np.full(8, 3)),
        LoadSubject(other, router, traffic_between_hosts("uniform", other, 1), None),
    ]
    assert len({subject.key for subject in subjects}) == len(subjects)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["processes", "dask"])
def test_a_design_is_the_same_on_an_executor(name, requirement, tmp_path):
    """Candidates, tests on tables and steps of the shortlist."""
    here = design(requirement)
    with open_executor(name, tmp_path, jobs=2) as executor:
        there = design(requirement, work=Work(executor=executor))
    assert here.ended == there.ended == "done"
    assert not any(network.missing for network in there.shortlist)
    assert plain(here.record()) == plain(there.record())


@pytest.mark.exhaustive
def test_a_killed_worker_of_processes_loses_nothing(requirement, tmp_path):
    """kill -9 of each first worker: its part starts again."""
    here = design(requirement, shortlist=0)
    killed = []

    def kill(_outcome):
        workers = [int(pid) for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()]
        if len(killed) < 2 and workers:
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    with open_executor("processes", tmp_path, jobs=2) as executor:
        there = design(requirement, shortlist=0, work=Work(executor=executor, on_result=kill))
    assert len(killed) == 2
    assert plain(here.record()) == plain(there.record())


_CLIENT = """
import sys
from topoloom import design, open_executor
from topoloom.core.work import Work
if __name__ == "__main__":
    with open_executor("dask", sys.argv[2], options={"address": sys.argv[3]}) as executor:
        print(design(sys.argv[1], work=Work(executor=executor)).best)
"""


@pytest.mark.exhaustive
def test_a_killed_client_and_a_killed_worker_of_dask_lose_nothing(requirement, tmp_path):
    """kill -9 of the client amid the run, then of a worker: the second client ends with all steps, and repeats nothing."""
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    (tmp_path / "client.py").write_text(_CLIENT)
    tasks = tmp_path / "tasks"
    with started(2) as (address, _, workers):
        client = subprocess.Popen([sys.executable, tmp_path / "client.py", requirement, tasks, address])
        while len(lines(tasks)) < 5:
            time.sleep(0.1)
            assert client.poll() is None
        client.kill()
        client.wait()
        before = {line["digest"] for line in lines(tasks)}
        workers[0].kill()
        with open_executor("dask", tasks, options={"address": address}) as executor:
            there = design(requirement, work=Work(executor=executor))
    digests = [line["digest"] for line in lines(tasks)]
    assert len(digests) == len(set(digests))
    assert len(before) >= 5
    assert plain(design(requirement).record()) == plain(there.record())


def lines(folder):
    """The records of a store, line by line; a last incomplete one does not count."""
    return [
        json.loads(line)
        for path in Path(folder).glob("records/*.jsonl")
        for line in path.read_bytes().split(b"\n")[:-1]
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("nannies", [False, True])
def test_a_local_cluster_whose_workers_are_killed(nannies, ring, tmp_path, monkeypatch):
    """All workers are killed: new ones take over; with their nannies, which start them, it ends with a sentence."""
    import psutil

    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    monkeypatch.setattr("topoloom.studies.executors.dask._LOCAL_WAIT_S", 10.0)

    killed = []

    def kill(_point):
        workers = (
            []
            if killed
            else [process for process in psutil.Process().children() if "Nanny" in " ".join(process.cmdline())]
        )
        inner = [child for process in workers for child in process.children(recursive=True)]
        for process in (*(workers if nannies else ()), *inner):
            with suppress(psutil.Error):
                process.kill()
                killed.append(process)

    work = Work(on_result=kill)
    loads = [round(0.01 * number, 2) for number in range(1, 30)]
    with open_executor("dask", tmp_path, jobs=2) as work.executor:
        if nannies:
            with pytest.raises(
                InputError, match=r"the Dask cluster has had no worker for 10 s .option wait_s.; finished"
            ):
                simulate(ring, loads=loads, work=work)
            assert lines(tmp_path)
        else:  # their nannies start workers again
            same_points(simulate(ring, loads=loads, work=work), simulate(ring, loads=loads))
    assert killed


@pytest.mark.exhaustive
def test_a_dask_worker_without_topoloom_is_said(ring, tmp_path):
    """The workers cannot import what they should run: one sentence, at once."""
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    with started(0) as (address, _, _workers):
        code = "import sys; sys.modules['topoloom'] = None; from distributed.cli.dask_worker import main; main()"
        command = [sys.executable, "-c", code, address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            with (
                pytest.raises(
                    InputError, match=r"a worker of the Dask cluster cannot import topoloom; install topoloom \S+ there"
                ),
                open_executor("dask", tmp_path, options={"address": address, "wait_s": 20}) as executor,
            ):
                simulate(ring, loads=[0.1], work=Work(executor=executor))
        finally:
            worker.kill()


@pytest.mark.exhaustive
@needs_slurm
def test_loads_on_slurm(slurm, ring, tmp_path):  # noqa: F811
    """One job array takes the loads as they come, and is cancelled at the end."""
    options = {"time": "5", "ask_every_s": 1, "workers": 2}
    with open_executor("slurm", tmp_path, options=options) as executor:
        there = simulate(ring, loads=LOADS, fast=True, work=Work(executor=executor))
        saturates = saturation(ring, width=0.2, fast=True, work=Work(executor=executor))
    same_points(simulate(ring, loads=LOADS, fast=True), there)
    assert saturates.offered == saturation(ring, width=0.2, fast=True).offered
    assert len(list((tmp_path / "slurm").glob("*/job.sh"))) == 1
    job = next((tmp_path / "slurm").glob("*/job")).read_text()
    time.sleep(3)
    states = subprocess.run(["squeue", "-h", "-j", job, "-o", "%T"], capture_output=True, text=True, check=False).stdout
    assert not {"RUNNING", "PENDING"} & set(states.split())


def _killed_workers(folder):
    """kill -9 of all Slurm workers of a folder of tasks; how many."""
    import psutil

    killed = 0
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "topoloom.studies.cluster_worker" in words and str(folder) in words:
            with suppress(psutil.Error):
                process.kill()
                killed += 1
    return killed


@pytest.mark.exhaustive
@needs_slurm
def test_a_design_on_slurm_whose_workers_are_killed(slurm, requirement, tmp_path):  # noqa: F811
    """kill -9 of all workers after the third task: they are submitted again, and the design is that of one machine."""
    killed = []

    def kill(_outcome):
        if not killed and len(lines(tmp_path)) >= 3:
            killed.append(_killed_workers(tmp_path))

    options = {"time": "10", "ask_every_s": 1, "workers": 2}
    with open_executor("slurm", tmp_path, options=options) as executor:
        there = design(requirement, work=Work(executor=executor, on_result=kill))
    assert killed[0] > 0
    assert not any(network.missing for network in there.shortlist)
    assert plain(there.record()) == plain(design(requirement).record())
    digests = [line["digest"] for line in lines(tmp_path) if line["state"] == "done"]
    assert len(digests) == len(set(digests))


@pytest.mark.exhaustive
@needs_slurm
def test_a_design_on_slurm_whose_job_is_cancelled(slurm, requirement, tmp_path):  # noqa: F811
    """scancel ends the design with a sentence; the same command again carries on, and repeats nothing."""
    cancelled = []

    def cancel(_outcome):
        if not cancelled and len(lines(tmp_path)) >= 3:
            cancelled.append(max((tmp_path / "slurm").glob("*/job"), key=lambda path: path.stat().st_mtime).read_text())
            subprocess.run(["scancel", cancelled[0]], check=True)

    options = {"time": "10", "ask_every_s": 1, "workers": 2}
    with (
        pytest.raises(InputError, match=r"Slurm job [0-9]+ was cancelled; finished tasks are stored"),
        open_executor("slurm", tmp_path, options=options) as executor,
    ):
        design(requirement, work=Work(executor=executor, on_result=cancel))
    before = {line["digest"] for line in lines(tmp_path) if line["state"] == "done"}
    with open_executor("slurm", tmp_path, options=options) as executor:
        there = design(requirement, work=Work(executor=executor))
    digests = [line["digest"] for line in lines(tmp_path) if line["state"] == "done"]
    assert len(before) >= 3
    assert before < set(digests)
    assert len(digests) == len(set(digests))
    assert plain(there.record()) == plain(design(requirement).record())


_COMPARED = [
    *("compare", "fat-tree:k=4,hosts=16", "hypercube:n=3,hosts=2"),
    *("--floor", "koibuchi-2013", "--repeats", "1", "--json"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["processes", "dask", "slurm"])
def test_compare_is_the_same_on_an_executor(name, request, tmp_path):
    """`topoloom compare --executor`: every step of every network is a task, and a second run only reads them."""
    if name == "slurm":
        request.getfixturevalue("slurm")
    if name == "dask":
        pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    here = run(*_COMPARED).record
    options = ["--executor-option", "time=10", "--executor-option", "ask_every_s=1"] if name == "slurm" else []
    tasks, digests = tmp_path / "tasks", []
    for _ in range(2):
        there = run(*_COMPARED, "--executor", name, "--jobs", "2", *options, "--tasks", tasks)
        assert there.code == 0, there.err
        assert plain(there.record) == plain(here)
        digests.append([line["digest"] for line in lines(tasks)])
    assert digests[0] == digests[1]
    missing = sum(len(network["missing"]) for network in here["networks"])
    assert len(set(digests[0])) == len(digests[0]) >= 2 * len(STEPS) - missing


def test_a_dropped_call_is_not_answered(ring, tmp_path):
    """A cancelled future is taken back; one that is waited for is stopped with its work."""
    with open_executor("processes", tmp_path, jobs=1) as executor:
        work = Work()
        futures = [executor.submit(call(float(number + 1))) for number in range(50)]
        for future in futures:
            future.cancel()
        work.stop()
        with pytest.raises(Stopped):
            awaited(executor.submit(call(99.0)), work)
    assert all(future.cancelled() for future in futures)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "asked",
    [
        {"moves": 3000, "jobs": 3},
        {"moves": 2000, "jobs": 2, "tempering": True},
        {"moves": 2000, "jobs": 2, "objective": "all-to-all"},
        {"moves": 30, "jobs": 2, "objective": "betweenness-max"},
        {"moves": 5000, "jobs": 2, "start": "structured"},
    ],
)
def test_chains_elsewhere_find_the_same_graph(asked, tmp_path):
    """Every kind of search, with as many chains."""
    graph = build("jellyfish:n=40,degree=4,seed=1")
    here = optimize(graph, **asked)
    with open_executor("processes", tmp_path, jobs=2) as executor:
        there = optimize(graph, **asked, work=Work(executor=executor))
    assert plain(here.record()) == plain(there.record())


def test_a_chain_on_processes(tmp_path):
    """One small search, whose best graph is delivered too."""
    graph = build("jellyfish:n=16,degree=3,seed=1")
    delivered = []
    with open_executor("processes", tmp_path, jobs=1) as executor:
        there = optimize(graph, moves=500, jobs=2, work=Work(executor=executor, on_result=delivered.append))
    assert there.topology == optimize(graph, moves=500, jobs=2).topology
    assert delivered
    assert np.array_equal(np.sort(delivered[-1].links, axis=None), np.sort(there.topology.links, axis=None))


@pytest.mark.exhaustive
def test_commands_and_a_killed_command(requirement, tmp_path):
    """`design --executor` after kill -9: the second command repeats no task; the tasks in the cache are removed at its end."""
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = [
        sys.executable,
        "-m",
        "topoloom",
        "design",
        str(requirement),
        "--executor",
        "processes",
        "--jobs",
        "2",
        "--json",
    ]
    first = subprocess.Popen([*words, "-o", "out"], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    cache = tmp_path / "cache" / "topoloom" / "tasks"
    while not (list(cache.glob("*")) and len(lines(next(cache.glob("*")))) > 3):
        time.sleep(0.1)
        assert first.poll() is None
    first.kill()
    first.wait()
    (folder,) = cache.glob("*")
    before = {line["digest"] for line in lines(folder)}
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    second = subprocess.Popen([*words, "-o", "out"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    digests = []
    while second.poll() is None and folder.exists():
        with suppress(OSError):
            digests = [line["digest"] for line in lines(folder)] or digests
        if len(digests) > 20:
            break
        time.sleep(0.05)
    output = second.communicate()[0]
    assert second.returncode == 0
    assert len(before) > 3
    assert len(digests) == len(set(digests))
    assert not folder.exists()
    here = design(requirement).record()
    there = json.loads(output)
    for record in (here, there):
        record.pop("provenance")
    assert plain(json.loads(json.dumps(here))) == plain(there)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["optimize", "petersen", "--tasks", "x"], "--tasks: nothing runs on an executor without --executor; omit it"),
        (
            ["optimize", "petersen", "--moves", "3", "--executor", "dusk"],
            "no executor named 'dusk' (did you mean 'dask'?)",
        ),
        (
            ["simulate", "ring:n=4,hosts=1", "--study", "s", "--executor", "processes", "--tasks", "x"],
            "--tasks: a study has the folder of --study; omit it",
        ),
        (
            ["design", "r.toml", "-o", "o", "--executor-option", "address"],
            "--executor-option 'address': write KEY=VALUE",
        ),
    ],
)
def test_options_that_cannot_be(words, sentence, tmp_path, monkeypatch, capsys):
    """One sentence, in the words of the command line."""
    (tmp_path / "r.toml").write_text(REQUIREMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["topoloom", *words])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert sentence in capsys.readouterr().err


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["dask", "slurm"])
def test_the_explorer_sends_its_long_tasks_there(name, request, tmp_path):
    """Tasks that are asked for while others run, and one that is cancelled."""
    pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")
    if name == "slurm":
        request.getfixturevalue("slurm")
    from topoloom.studies.task import task_of
    from topoloom.web.jobs import Jobs

    options = {"time": "5", "ask_every_s": 1} if name == "slurm" else {}
    searches = [
        task_of("optimize", {"topology": "jellyfish:n=60,degree=4", "moves": 20_000, "seed": seed})
        for seed in range(1, 6)
    ]
    with Jobs(tmp_path, executor=name, jobs=1, options=options) as queue:
        queue.start()
        queue.submit(searches[0])
        until = time.monotonic() + 90
        while queue.find(searches[0].digest).state != "done":
            assert time.monotonic() < until
            time.sleep(0.05)
        for task in searches[1:]:
            queue.submit(task)
        queue.cancel(searches[-1].digest)
        while any(queue.find(task.digest).state != "done" for task in searches[:-1]):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert queue.find(searches[-1].digest).state == "cancelled"


@pytest.mark.exhaustive
def test_long_runs_of_claims_elsewhere(tmp_path):
    """The measurements of a claim are made by a worker, and the claim is computed here from them."""
    papers = pytest.importorskip("topoloom_papers.reproduction", reason="topoloom-papers is not installed")
    chosen = ["besta-2014/iii-d-2/sf"]
    with open_executor("processes", tmp_path, jobs=1) as executor:
        there = papers.reproduce(chosen, full=True, work=Work(executor=executor))
    (task,) = [line["task"] for line in lines(tmp_path)]
    assert task["operation"] == "topoloom_papers.runs_anywhere:runs_anywhere"
    here = papers.reproduce(chosen)
    assert [claim.ours for claim in there.claims] == [claim.ours for claim in here.claims]
    assert there.claims[0].verdict == here.claims[0].verdict

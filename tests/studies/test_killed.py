"""Whatever is killed, and whenever: no record lost or doubled, and in the end what an undisturbed run has."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from test_study import lines_of

from topoloom import InputError, Store, Study, run_study
from topoloom.core.work import Work
from topoloom.studies.record import done
from topoloom.studies.task import task_of

TASKS = 60
SLOW = Study(operation="optimize", task={"topology": "jellyfish:n=40,degree=4,seed=1", "moves": 20_000}, seeds=TASKS)
_TOML = (
    f'operation = "optimize"\nseeds = {TASKS}\ntask.topology = "jellyfish:n=40,degree=4,seed=1"\ntask.moves = 20000\n'
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The result of each task."""
    folder = tmp_path_factory.mktemp("undisturbed") / "s"
    run_study(SLOW, folder, executor="threads")
    return {digest: record.result for digest, record in Store(folder).records().items()}


def _workers_of(folder) -> list[int]:
    """Worker processes of a study."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"topoloom.studies.worker" in words and str(folder).encode() in words:
            found.append(int(path.parent.name))
    return found


@pytest.mark.exhaustive
def test_workers_killed_at_random_moments(undisturbed, tmp_path):
    """kill -9 of one worker after the other: each task has its record once, and it is the right one."""
    folder, draws = tmp_path / "s", random.Random(1)
    over = threading.Event()
    killed = []

    def kill() -> None:
        while not over.wait(draws.uniform(1.5, 3.0)):
            for pid in draws.sample(workers, 1) if (workers := _workers_of(folder)) else ():
                try:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                except ProcessLookupError:
                    pass

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        study = msgspec.convert({**msgspec.to_builtins(SLOW), "run": {"attempts": 50}}, Study)
        found = run_study(study, folder, executor="processes", jobs=2)
    finally:
        over.set()
        thread.join()
    assert killed
    assert (found.done, found.failed) == (TASKS, 0)
    assert {digest: record.result for digest, record in Store(folder).records().items()} == undisturbed
    assert set(Counter(line["digest"] for line in lines_of(folder)).values()) == {1}


@pytest.mark.exhaustive
def test_the_parent_killed_at_random_moments(undisturbed, tmp_path):
    """kill -9 of the command in a loop: what is finished stays, and only what was in flight may be there twice."""
    (tmp_path / "s.toml").write_text(_TOML)
    folder, draws = tmp_path / "out", random.Random(2)
    command = [sys.executable, "-m", "topoloom", "study", "s.toml", "-o", "out", "--jobs", "2"]
    rounds = 3
    for _ in range(rounds):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draws.uniform(1.5, 4.0))
        process.kill()
        process.wait()
    last = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert last.returncode == 0, last.stderr
    assert {digest: record.result for digest, record in Store(folder).records().items()} == undisturbed
    doubled = sum(count - 1 for count in Counter(line["digest"] for line in lines_of(folder)).values())
    assert doubled <= 2 * rounds


@pytest.mark.exhaustive
def test_a_worker_that_always_dies_gives_a_failed_record(tmp_path, monkeypatch):
    """After so many attempts as the study allows; the other tasks are done."""
    plugin = tmp_path / "plugin"
    (plugin / "deadly-1.0.dist-info").mkdir(parents=True)
    (plugin / "deadly-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (plugin / "deadly-1.0.dist-info" / "entry_points.txt").write_text("[topoloom.operations]\ndeadly = deadly\n")
    (plugin / "deadly.py").write_text(
        "import os, signal\n"
        "from topoloom.operations.operation import Operation, operation\n"
        "@operation\n"
        "class Deadly(Operation, frozen=True, kw_only=True):\n"
        "    group = 'deadly'\n"
        "    number: int = 0\n"
        "    def run(self, context):\n"
        "        if self.number == 3:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return {'number': self.number}\n"
    )
    (tmp_path / "s.toml").write_text('operation = "deadly"\naxes.number = [0, 1, 2, 3, 4, 5]\n')
    command = [sys.executable, "-m", "topoloom", "study", "s.toml", "-o", "out", "--json"]
    paths = os.pathsep.join([str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["done"], found["failed"]) == (5, 1)
    assert found["failures"][0]["number"] == 3
    assert "signal 9, 2 times" in found["failures"][0]["error"]


def test_workers_that_cannot_even_begin_end_the_run(tmp_path, monkeypatch):
    """A Python that is broken: a sentence, not workers for ever."""
    broken = tmp_path / "broken"
    (broken / "topoloom").mkdir(parents=True)
    monkeypatch.setattr("topoloom.studies.worker_process.worker_environment", lambda _more: {"PYTHONHOME": str(broken)})
    with pytest.raises(InputError, match="before they started a task"):
        run_study(SLOW, tmp_path / "s", executor="processes", jobs=1)


@pytest.mark.exhaustive
def test_tasks_that_need_more_than_half_of_the_memory_run_one_by_one(tmp_path, monkeypatch):
    """None begins before the one before has ended; of the memory that the process can get, which a container may limit."""
    monkeypatch.setattr("topoloom.studies.executors.processes.free_bytes", lambda: 10**9)
    study = msgspec.convert({**msgspec.to_builtins(SLOW), "seeds": 6, "run": {"node": {"memory_gb": 0.6}}}, Study)
    most = []
    work = Work(on_result=lambda _record: most.append(len(_workers_of(tmp_path / "s"))))
    assert run_study(study, tmp_path / "s", executor="processes", jobs=4, work=work).done == 6
    assert max(most) == 1


@pytest.mark.exhaustive
def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path):
    """A limit on the size of files stands for the disk: what was written before is whole, and the next run goes on."""
    (tmp_path / "s.toml").write_text('operation = "nothing"\naxes.number = {from = 1, to = 400, step = 1}\n')
    command = f"ulimit -f 40; exec {sys.executable} -m topoloom study s.toml -o out --jobs 1"
    ran = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=_ignore_sigxfsz
    )
    assert ran.returncode == 2, ran.stderr
    assert "cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr
    before = lines_of(tmp_path / "out")
    assert 0 < len(before) < 400
    found = run_study(
        Study(operation="nothing", axes={"number": list(range(1, 401))}), tmp_path / "out", executor="threads"
    )
    assert found.done == 400
    assert max(Counter(line["digest"] for line in lines_of(tmp_path / "out")).values()) == 1


def _ignore_sigxfsz() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_torn_line_is_passed_over(tmp_path):
    """Half a line at the end, in the middle, of zeros: its task is not done, and all others are."""
    store = Store(tmp_path / "s", create=True)
    tasks = [task_of("nothing", {"number": number}) for number in range(3)]
    with store.writer() as shard:
        for task in tasks:
            shard.write(done(task, {}, {}, 0.1))
    (path,) = (tmp_path / "s" / "records").glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:30] + b"\n" + b"\0" * 100 + b"\n" + lines[2][:-20])
    assert set(Store(tmp_path / "s").records()) == {tasks[0].digest}
    found = run_study(Study(operation="nothing", axes={"number": [0, 1, 2]}), tmp_path / "s", executor="threads")
    assert found.done == 3


def test_the_store_of_a_newer_version_is_refused(tmp_path):
    """With what this one reads."""
    Store(tmp_path / "s", create=True)
    (tmp_path / "s" / "store.json").write_text('{"schema": "topoloom/store/99"}')
    with pytest.raises(InputError, match="this topoloom reads topoloom/store/1"):
        Store(tmp_path / "s")


def test_a_store_of_version_1_is_read():
    """What the first release with studies wrote."""
    found = Store(Path(__file__).parent / "stores" / "version-1").records()
    (record,) = found.values()
    assert (record.state, record.row["diameter"], record.task.operation) == ("done", 2, "hops")
    assert record.content()["schema"] == "topoloom/hops/2"
    assert record.digest == record.task.digest

"""On a real Dask cluster: the same records, none lost or doubled when a worker is killed, and a sentence where none answers."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager

import pytest
from test_study import lines_of

from topoloom import InputError, Store, Study, run_study
from topoloom.core.work import Work

pytest.importorskip("distributed", reason="Dask is not installed (pip install 'topoloom[cluster]')")

SLOW = Study(operation="optimize", task={"topology": "jellyfish:n=60,degree=4,seed=1", "moves": 4000}, seeds=40)


@contextmanager
def started(count):
    """A scheduler and worker processes on loopback: its address, the scheduler, and the workers."""
    dask = [sys.executable, "-m"]
    command = [*dask, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    address = ""
    while not address:
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", scheduler.stderr.readline())
        address = found[1] if found else ""
    threading.Thread(target=scheduler.stderr.read, daemon=True).start()
    command = [*dask, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(count)]
    yield address, scheduler, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def cluster():
    """The address of a cluster of three workers, and the workers."""
    with started(3) as (address, _, workers):
        yield address, workers


@pytest.mark.exhaustive
def test_a_killed_worker_loses_and_doubles_nothing(cluster, tmp_path):
    """One of three workers is killed amid the run: every task has its record once, and it is what it is without Dask."""
    address, workers = cluster
    study = SLOW
    alone = run_study(study, tmp_path / "alone", executor="threads")

    def kill(_record):
        if workers[0].poll() is None:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].wait()

    found = run_study(
        study, tmp_path / "dask", executor="dask", options={"address": address}, work=Work(on_result=kill)
    )
    assert workers[0].returncode == -signal.SIGKILL
    assert (found.done, found.failed) == (40, 0)
    assert found.rows() == alone.rows()
    one, other = (Store(tmp_path / name).records() for name in ("alone", "dask"))
    assert {digest: record.result for digest, record in one.items()} == {d: r.result for d, r in other.items()}
    assert set(Counter(line["digest"] for line in lines_of(tmp_path / "dask")).values()) == {1}


@pytest.mark.exhaustive
def test_a_killed_scheduler_is_said_and_the_rest_is_done_elsewhere(tmp_path):
    """kill -9 of the scheduler: a sentence; what came back is kept, and none is done twice."""
    with started(2) as (address, scheduler, _):

        def kill(_record):
            scheduler.kill()
            scheduler.wait()

        with pytest.raises(InputError, match="the connection to the Dask cluster is lost; finished tasks are stored"):
            run_study(SLOW, tmp_path / "s", executor="dask", options={"address": address}, work=Work(on_result=kill))
    kept = lines_of(tmp_path / "s")
    assert 0 < len(kept) < 40
    assert run_study(SLOW, tmp_path / "s", executor="threads").done == 40
    assert set(Counter(line["digest"] for line in lines_of(tmp_path / "s")).values()) == {1}


@pytest.mark.exhaustive
def test_failures_come_back_as_records(cluster, tmp_path):
    """A task that its operation refuses is a failed record, as everywhere."""
    study = Study(operation="hops", axes={"topology": ["petersen", "slimfly:q=6"]})
    found = run_study(study, tmp_path / "s", executor="dask", options={"address": cluster[0]})
    assert (found.done, found.failed) == (1, 1)
    assert "q=6" in found.failures[0]["error"]


@pytest.mark.exhaustive
def test_an_adaptive_cluster_of_our_own(tmp_path):
    """No worker at the beginning, as many as are wanted later, none left behind."""
    study = Study(operation="nothing", axes={"number": list(range(200))})
    found = run_study(study, tmp_path / "s", executor="dask", options={"adaptive": [0, 2]})
    assert found.done == 200


@pytest.mark.exhaustive
def test_a_stopped_run_returns_and_goes_on(cluster, tmp_path):
    """What waits is taken back; the next run does the rest."""
    work = Work(on_result=lambda _record: work.stop())
    study = Study(operation="optimize", task=SLOW.task | {"moves": 20_000}, seeds=30)
    first = run_study(study, tmp_path / "s", executor="dask", options={"address": cluster[0]}, work=work)
    assert 0 < first.done < 30
    assert run_study(study, tmp_path / "s", executor="threads").done == 30


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("further", "words"),
    [({}, "jobqueue: sbatch: error: no partition here"), ({"adaptive": [0, 2]}, "the batch system refuses their jobs")],
)
def test_a_batch_system_that_refuses_is_said(further, words, tmp_path, monkeypatch):
    """A refused job ends the run with what sbatch printed, instead of waiting for its workers for ever."""
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed (pip install 'topoloom[cluster]')")
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("#!/bin/sh\necho 'sbatch: error: no partition here' >&2\nexit 1\n")
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    options = {"jobqueue": {"cores": 1, "memory": "1GB"}, **further}
    study = Study(operation="nothing", axes={"number": [1]})
    with pytest.raises(InputError, match=words):
        run_study(study, tmp_path / "s", executor="dask", options=options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"address": "tcp://127.0.0.1:9"}, "no Dask cluster answers at tcp://127.0.0.1:9"),
        ({"adress": "x"}, "adress"),
        ({"adaptive": [3]}, "adaptive"),
    ],
)
def test_what_cannot_be_is_one_sentence(options, words, tmp_path, monkeypatch):
    """The place and the remedy, soon."""
    monkeypatch.setattr("topoloom.studies.executors.dask._ANSWER_S", 1.0)
    with pytest.raises(InputError, match=words):
        run_study(Study(operation="nothing", axes={"number": [1]}), tmp_path / "s", executor="dask", options=options)

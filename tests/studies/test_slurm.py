"""On a real Slurm of one node: the same records; requeued, out of time, killed or cancelled, none is lost and none doubled."""

import os
import shutil
import socket
import subprocess
import time
from collections import Counter

import pytest
from test_replications import STUDY as REPLICATED
from test_study import lines_of

from topoloom import InputError, Store, Study, run_study
from topoloom.core.work import Work
from topoloom.studies.claims import Claims
from topoloom.studies.task import task_of

_DAEMONS = ("slurmctld", "slurmd", "sbatch")
needs_slurm = pytest.mark.skipif(
    os.geteuid() != 0 or not all(map(shutil.which, _DAEMONS)),
    reason="needs root and Slurm (Debian: slurmctld, slurmd, slurm-client), started in a scratch folder",
)
_CONF = """
ClusterName=scratch
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={port_of_node}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
OverTimeLimit=0
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE State=UP
"""
#: Forty searches of some tenths of a second.
SLOW = Study(operation="optimize", task={"topology": "jellyfish:n=60,degree=4,seed=1", "moves": 20_000}, seeds=40)
OPTIONS = {"time": "5", "ask_every_s": 1}


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """slurmctld and slurmd of our own; SLURM_CONF names it."""
    folder = tmp_path_factory.mktemp("slurm")
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    host = socket.gethostname().partition(".")[0]
    text = _CONF.format(
        host=host, folder=folder, port=_free_port(), port_of_node=_free_port(), cores=os.cpu_count() or 1
    )
    conf = folder / "slurm.conf"
    conf.write_text(text)
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(conf)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    daemons = [
        subprocess.Popen(["slurmctld", "-D", "-f", str(conf)], **quiet),
        subprocess.Popen(["slurmd", "-D", "-f", str(conf), "-N", "n1"], **quiet),
    ]
    deadline = time.monotonic() + 30
    while "idle" not in subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, check=False).stdout:
        assert time.monotonic() < deadline, (folder / "slurmctld.log").read_text()[-2000:]
        time.sleep(0.2)
    yield folder
    subprocess.run(["scancel", "--user=root"], check=False, **quiet)
    time.sleep(0.5)
    for daemon in reversed(daemons):
        daemon.terminate()
        daemon.wait(20)
    if before is None:
        del os.environ["SLURM_CONF"]
    else:
        os.environ["SLURM_CONF"] = before


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What the slow study gives without Slurm."""
    folder = tmp_path_factory.mktemp("alone") / "s"
    run_study(SLOW, folder, executor="threads")
    return {digest: record.result for digest, record in Store(folder).records().items()}


def _same(folder, alone):
    """Every task has one record, which is the one that it has without Slurm."""
    assert {digest: record.result for digest, record in Store(folder).records().items()} == alone
    assert set(Counter(line["digest"] for line in lines_of(folder)).values()) == {1}


def _job(folder) -> str:
    """The number of the newest job of a study."""
    return max((folder / "slurm").glob("*/job"), key=lambda path: path.stat().st_mtime).read_text()


def _meanwhile(act):
    """A work that does something once, after the third record."""
    told = []

    def heard(record):
        told.append(record)
        if len(told) == 3:
            act()

    return Work(on_result=heard)


@pytest.mark.exhaustive
@needs_slurm
def test_an_array_requeued_amid_the_run(slurm, alone, tmp_path):
    """Two workers share out the tasks; one is requeued, goes on, and nothing is lost or doubled."""
    folder = tmp_path / "s"
    work = _meanwhile(lambda: subprocess.run(["scontrol", "requeue", f"{_job(folder)}_1"], check=True))
    found = run_study(SLOW, folder, executor="slurm", jobs=2, options=OPTIONS, work=work)
    assert (found.done, found.failed) == (40, 0)
    _same(folder, alone)
    assert len(list((folder / "slurm").glob("*/job"))) == 1


@pytest.mark.exhaustive
@needs_slurm
def test_killed_workers_lose_nothing(slurm, alone, tmp_path):
    """kill -9 of the workers that run: another takes over their batches, or what is left is submitted again."""
    folder = tmp_path / "s"
    work = _meanwhile(lambda: subprocess.run(["pkill", "-9", "-f", f"cluster_worker {folder}"], check=True))
    found = run_study(SLOW, folder, executor="slurm", jobs=2, options=OPTIONS, work=work)
    assert found.done == 40
    _same(folder, alone)


@pytest.mark.exhaustive
@needs_slurm
def test_a_cancelled_job_is_said_and_a_second_run_goes_on(slurm, alone, tmp_path):
    """scancel from outside ends the run with a sentence; what is finished stays."""
    folder = tmp_path / "s"
    work = _meanwhile(lambda: subprocess.run(["scancel", _job(folder)], check=True))
    with pytest.raises(InputError, match=r"Slurm job [0-9]+ was cancelled; finished tasks are stored"):
        run_study(SLOW, folder, executor="slurm", jobs=2, options=OPTIONS, work=work)
    kept = len(lines_of(folder))
    assert 3 <= kept < 40
    assert run_study(SLOW, folder, executor="threads").done == 40
    _same(folder, alone)


@pytest.mark.exhaustive
@needs_slurm
def test_a_worker_takes_no_task_that_it_cannot_finish(slurm, tmp_path):
    """With a minute's limit and tasks that take longer nothing is begun: the job ends, and the reason is said."""
    study = Study(operation="nothing", axes={"number": list(range(3))})
    run_study(study, tmp_path / "s", executor="threads")
    # As if each had taken ten minutes.
    for path in (tmp_path / "s" / "records").glob("*.jsonl"):
        path.write_text(path.read_text().replace('"seconds":', '"seconds":6'))
    longer = Study(operation="nothing", axes={"number": list(range(6))})
    with pytest.raises(InputError, match="no task was finished"):
        run_study(longer, tmp_path / "s", executor="slurm", jobs=1, options=OPTIONS | {"time": "1"})


@pytest.mark.exhaustive
@needs_slurm
def test_stopping_cancels_the_job(slurm, tmp_path):
    """Ctrl-C here leaves no job there."""
    folder = tmp_path / "s"
    work = Work(on_result=lambda _record: work.stop())
    found = run_study(SLOW, folder, executor="slurm", jobs=2, options=OPTIONS, work=work)
    assert found.ended == "interrupted"
    assert 0 < found.done < 40
    deadline = time.monotonic() + 20
    while subprocess.run(["squeue", "-h", "-j", _job(folder)], capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.exhaustive
@needs_slurm
def test_detached_and_taken_up(slurm, tmp_path):
    """Submitted and left; a later run waits for the job instead of submitting another."""
    study = Study(operation="nothing", axes={"number": list(range(30))})
    first = run_study(study, tmp_path / "s", executor="slurm", jobs=1, options=OPTIONS | {"detach": True})
    assert first.done < 30
    second = run_study(study, tmp_path / "s", executor="slurm", jobs=1, options=OPTIONS)
    assert second.done == 30
    assert len(list((tmp_path / "s" / "slurm").glob("*/job"))) == 1


@needs_slurm
@pytest.mark.exhaustive
def test_further_seeds_are_submitted_as_further_jobs(slurm, tmp_path):
    """Each round of seeds is a job; the points and their seeds are those of threads."""
    alone = run_study(REPLICATED, tmp_path / "alone", executor="threads")
    found = run_study(REPLICATED, tmp_path / "s", executor="slurm", jobs=2, options=OPTIONS)
    assert (found.table, found.replications) == (alone.table, alone.replications)
    assert len(list((tmp_path / "s" / "slurm").glob("*/job"))) > 1


@needs_slurm
def test_what_slurm_refuses_is_one_sentence(slurm, tmp_path):
    """A partition that there is not."""
    with pytest.raises(InputError, match=r"sbatch refuses: .*partition"):
        run_study(SLOW, tmp_path / "s", executor="slurm", options=OPTIONS | {"partition": "nowhere"})


def test_without_slurm_it_is_said(tmp_path, monkeypatch):
    """What is missing, and where to go."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="needs sbatch, which is not installed here"):
        run_study(SLOW, tmp_path / "s", executor="slurm")


@pytest.mark.parametrize("options", [{"workres": 3}, {"workers": 0}, {"time": 7.5}])
def test_bad_options_are_said(options, tmp_path):
    """By their table."""
    with pytest.raises(InputError, match=r"slurm|str|Invalid --time|sbatch"):
        run_study(SLOW, tmp_path / "s", executor="slurm", options=options)


def test_claims_are_of_one_and_stale_ones_are_taken_over(tmp_path):
    """Two never have the same batch; one that is silent for long loses its claim; one that comes again has its own back."""
    tasks = [[task_of("nothing", {"number": number})] for number in range(4)]
    Claims.write(tmp_path / "c", tasks)
    one, other = Claims(tmp_path / "c", "1"), Claims(tmp_path / "c", "2")
    mine = one.open()
    assert [next(mine), next(mine)] == [0, 1]
    assert list(other.open()) == [2, 3]
    one.done(0)
    old = time.time() - 1000
    os.utime(tmp_path / "c" / "000001.claim", (old, old))
    assert list(Claims(tmp_path / "c", "3").open()) == [1]
    assert list(Claims(tmp_path / "c", "2").open()) == [2, 3]


def _jobs_named(name) -> str:
    asked = ["squeue", "-h", "-n", name, "-o", "%i %T %R"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


@pytest.mark.exhaustive
@needs_slurm
def test_dasks_own_jobs_on_slurm(slurm, alone, tmp_path):
    """dask-jobqueue's SLURMCluster from options: the same records, and no job is left behind."""
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed (pip install 'topoloom[cluster]')")
    folder = tmp_path / "s"
    given = {"queue": "main", "cores": 1, "memory": "400MB", "walltime": "00:05:00", "log_directory": str(tmp_path)}
    found = run_study(SLOW, folder, executor="dask", jobs=2, options={"jobqueue": given | {"interface": "lo"}})
    assert found.done == 40
    _same(folder, alone)
    deadline = time.monotonic() + 120
    while left := _jobs_named("dask-worker"):
        assert time.monotonic() < deadline, left
        time.sleep(0.2)

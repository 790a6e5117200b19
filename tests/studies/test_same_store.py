"""One store, and two who work at it: in containers where process numbers repeat, under other host names, and at once."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from test_study import lines_of

from topoloom import Store
from topoloom.studies.claims import STALE_S, Claims
from topoloom.studies.task import task_of

#: A new PID namespace, whose first process has number 1, with a host name of its own.
_CONTAINER = ["unshare", "--fork", "--pid", "--mount-proc", "--uts", "--kill-child"]


def _containers() -> bool:
    return subprocess.run([*_CONTAINER, "true"], capture_output=True, check=False).returncode == 0


def _in_container(name: str, *words: str) -> list[str]:
    return [*_CONTAINER, "sh", "-c", f'hostname {name}; exec "$@"', "sh", sys.executable, "-P", "-m", *words]


@pytest.mark.exhaustive
@pytest.mark.skipif("not _containers()", reason="no PID namespaces can be made here")
def test_workers_with_the_same_process_number_share_batches_out(tmp_path):
    """Each task has one record, though both workers are process 1 or 2 of their containers."""
    store = Store(tmp_path / "s", create=True)
    tasks = [task_of("nothing", {"number": number}) for number in range(60)]
    Claims.write(tmp_path / "jobs", [[task] for task in tasks])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    words = ("topoloom.studies.cluster_worker", str(store.folder), str(tmp_path / "jobs"), "1")
    workers = [subprocess.Popen(_in_container(name, *words), env=environment) for name in ("one", "two")]
    assert [worker.wait(120) for worker in workers] == [0, 0]
    count = Counter(line["digest"] for line in lines_of(tmp_path / "s"))
    assert set(count) == {task.digest for task in tasks}
    assert set(count.values()) == {1}


@pytest.mark.exhaustive
@pytest.mark.skipif("not _containers()", reason="no PID namespaces can be made here")
def test_a_second_run_in_another_container_is_refused_and_a_killed_one_is_in_nobodys_way(tmp_path):
    """By a lock that the system keeps, not by process numbers."""
    (tmp_path / "s.toml").write_text(
        'operation = "optimize"\ntask.topology = "jellyfish:n=40,degree=4,seed=1"\ntask.moves = 20000000\nseeds = 4\n'
    )
    words = ("topoloom", "study", "s.toml", "-o", "s", "--jobs", "1")
    first = subprocess.Popen(_in_container("one", *words), cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        while not (tmp_path / "s" / "progress.json").exists():
            assert first.poll() is None
            time.sleep(0.05)
        second = subprocess.run(_in_container("two", *words), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert second.returncode == 2
        assert "run of this study is active" in second.stderr
    finally:
        first.kill()  # and with it all of its container
        first.wait()
    (tmp_path / "s.toml").write_text('operation = "nothing"\naxes.number = [1, 2]\n')
    after = subprocess.run(_in_container("two", *words), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert after.returncode == 0, after.stderr


def _jobs(folder: Path) -> Path:
    Claims.write(folder / "jobs", [[task_of("nothing", {"number": 1})]])
    return folder / "jobs"


def _aged(path: Path) -> None:
    long_ago = time.time() - 2 * STALE_S
    os.utime(path, (long_ago, long_ago))


def test_a_claim_that_was_taken_over_is_not_taken_again(tmp_path):
    """Two find the same stale claim; the slower one finds the claim of the quicker one in its place, and leaves it there."""
    folder = _jobs(tmp_path)
    first, quick, slow = (Claims(folder, name) for name in ("first", "quick", "slow"))
    assert first._claim(0)
    claim = folder / "000000.claim"
    _aged(claim)
    seen = slow._stale(claim)
    assert seen is not None
    assert quick._claim(0)
    assert not slow._taken(claim, seen)
    assert not slow._claim(0)
    assert claim.read_text() == "quick"


def test_who_was_taken_for_dead_does_not_give_away_what_another_has(tmp_path):
    """A worker that was suspended for long comes back, and releases what it had."""
    folder = _jobs(tmp_path)
    first, second = Claims(folder, "first"), Claims(folder, "second")
    assert first._claim(0)
    _aged(folder / "000000.claim")
    assert second._claim(0)
    first.release(0)
    assert (folder / "000000.claim").read_text() == "second"

"""The queue as it is kept: who may write it, what is forgotten, and what connections give way."""

import json
import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("uvicorn", reason="the explorer is not installed (pip install 'topoloom[web]')")

from topoloom.core.errors import InputError
from topoloom.studies.task import task_of
from topoloom.web import lease
from topoloom.web.door import Doors
from topoloom.web.jobs import MOST_CANCELLED, Jobs
from topoloom.web.lease import Lease
from topoloom.web.needs import kept_requirement
from topoloom.web.operations import WRITE_DESIGN
from topoloom.web.spaces import Spaces


def _task(number):
    return task_of("resilience", {"topology": f"ring:n={number + 3}", "levels": [0.5] * 500})


def _bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.exhaustive
def test_cancelled_tasks_do_not_pile_up(tmp_path):
    """However many are asked for and cancelled, other ones or the same again, the store stays as small as its newest; what
    waits is there after a restart, and what was cancelled does not come back."""
    with Jobs(tmp_path) as jobs:  # not started: nothing runs
        waiting = jobs.submit(task_of("hops", {"topology": "petersen"}))
        sizes = []
        for rounds in range(3):
            for number in range(4 * MOST_CANCELLED):
                job = jobs.submit(_task(number if rounds else 0))
                assert jobs.cancel(job.digest)
                assert jobs.find(job.digest).state == "cancelled"
            sizes.append(_bytes(tmp_path / "queue"))
        assert len(jobs.all()) <= 2 * MOST_CANCELLED + 1
    assert max(sizes) < 4 * MOST_CANCELLED * 2 * len(json.dumps(_task(0).arguments))
    with Jobs(tmp_path) as again:
        assert [job.digest for job in again.all() if job.state != "cancelled"] == [waiting.digest]


@pytest.mark.exhaustive
def test_what_cancelled_designs_left_goes_with_them(tmp_path, monkeypatch):
    """Their requirements and measurements; those of designs that wait stay."""
    monkeypatch.setattr("topoloom.web.queue._NEW_S", -1.0)
    text = "hosts = {}\n[switch]\nradix = 8\n"
    with Jobs(tmp_path) as jobs:
        for number in range(2, 6 * MOST_CANCELLED):
            arguments = kept_requirement(tmp_path, Spaces([]), {"text": text.format(number)}, write=True)
            (tmp_path / "measured" / arguments["measured"].rpartition("/")[2]).mkdir(parents=True, exist_ok=True)
            job = jobs.submit(task_of(WRITE_DESIGN, arguments))
            if number > 2:
                jobs.cancel(job.digest)
        first = next(job for job in jobs.all() if job.state == "waiting")
    for name in ("needs", "measured"):
        assert len(list((tmp_path / name).iterdir())) <= 2 * MOST_CANCELLED + 2
    assert os.path.exists(first.task.arguments["requirement"])


@pytest.mark.exhaustive
def test_a_crash_amid_rewriting_forgets_nothing(tmp_path):
    """With the old lines and the new ones both there, what waits waits and what was cancelled is cancelled."""
    with Jobs(tmp_path) as jobs:
        for number in range(6):
            jobs.submit(_task(number))
        for number in range(0, 6, 2):
            jobs.cancel(_task(number).digest)
        jobs.submit(_task(0))
        old = {path.name: path.read_bytes() for path in (tmp_path / "queue").iterdir()}
        expected = {job.digest: job.state for job in jobs.all()}
        for _ in range(2 * MOST_CANCELLED):
            jobs.cancel(_task(9).digest) or jobs.submit(_task(9))
        jobs.cancel(_task(9).digest)
    for name, content in old.items():
        (tmp_path / "queue" / name).write_bytes(content)
    with Jobs(tmp_path) as again:
        states = {job.digest: job.state for job in again.all() if job.digest != _task(9).digest}
    assert states == expected


def test_a_lease_is_one_servers(tmp_path):
    """Given back, or of a process that is gone, it is anybody's at once; nothing is left behind."""
    with Lease(tmp_path), pytest.raises(InputError, match=f"process {os.getpid()} of .*--store"):
        Lease(tmp_path)
    with Lease(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
    code = "import os; from pathlib import Path; from topoloom.web.lease import Lease; "
    code += f"Lease(Path({str(tmp_path)!r})); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert [path.name for path in tmp_path.iterdir()] == [lease.NAME]
    with Lease(tmp_path):
        pass


def test_a_lease_of_another_machine_lasts_as_long_as_it_is_touched(tmp_path):
    """Its lock is not seen here, nor whether its process lives: its age tells, by the clock of the file system."""
    path = tmp_path / lease.NAME
    path.write_text('{"kernel": "another", "host": "node7", "pid": 12, "since": "2026-01-01", "mark": "x"}')
    with pytest.raises(InputError, match=r"process 12 of node7.*try again in"):
        Lease(tmp_path)
    old = time.time() - lease.STALE_S - 5
    os.utime(path, (old, old))
    with Lease(tmp_path):
        assert json.loads(path.read_text())["pid"] == os.getpid()


@pytest.mark.exhaustive
def test_of_many_who_take_a_lease_over_one_has_it(tmp_path):
    """Eight processes at once, over the lease of one that is gone."""
    path = tmp_path / lease.NAME
    path.write_text('{"kernel": "another", "host": "node7", "pid": 12, "mark": "x"}')
    os.utime(path, (1e9, 1e9))
    code = (
        "import sys\nfrom pathlib import Path\nfrom topoloom.core.errors import InputError\n"
        "from topoloom.web.lease import Lease\n"
        f"sys.stdin.readline()\ntry:\n    Lease(Path({str(tmp_path)!r}))\n    print('ours', flush=True)\n"
        "except InputError:\n    print('refused', flush=True)\nsys.stdin.readline()\n"
    )
    several = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    for process in several:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.stdout.readline().strip() for process in several]
    for process in several:
        process.communicate("\n")
    assert sorted(said) == ["ours", *["refused"] * 7]


class _Door:
    """A connection, as far as `Doors` knows one."""

    def __init__(self, idle=True):
        self.idle, self.is_shut = idle, False

    def shut(self):
        self.is_shut = True


def test_the_oldest_stranger_gives_way():
    """Never a connection that has shown the token, as long as there is a stranger, or one that waits for nothing."""
    doors = Doors(strangers=3, owners=2)
    owner, *strangers = (_Door() for _ in range(6))
    for door in (owner, *strangers[:2]):
        doors.enter(door)
    assert doors.admit(owner)
    for door in strangers[2:]:
        doors.enter(door)
    assert [door.is_shut for door in (owner, *strangers)] == [False, True, True, False, False, False]
    busy, late = _Door(idle=False), _Door()
    assert doors.admit(busy)
    assert doors.admit(late)
    assert owner.is_shut
    assert not busy.is_shut
    late.idle = False
    assert not doors.admit(_Door())

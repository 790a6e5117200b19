"""The operation `study`: runs the tasks of a study into a store, by an executor, and continues earlier runs."""

import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.files import read_text, write_atomically
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.threads import cores
from topoloom.core.work import Work
from topoloom.studies.conditions import conditions_hold, conditions_text
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import EXECUTORS, StudyRun
from topoloom.studies.record import Record
from topoloom.studies.replications import check_column
from topoloom.studies.results import StudyResults
from topoloom.studies.store import Store
from topoloom.studies.study import Study
from topoloom.studies.task import Task

#: The definition of the study as last run, the progress of a run, and its lock, next to the shards in the store's folder.
DEFINITION, PROGRESS, LOCK = "study.json", "progress.json", "run.lock"
#: Seconds between two updates of `PROGRESS`, and after which it no longer shows that the run continues.
REPORT_EVERY_S, STALE_S = 2.0, 60.0
#: Most characters of a definition.
_MOST_CHARACTERS = 1 << 28


class StudyProgress(msgspec.Struct, frozen=True):
    """The state of a run, which other processes can read.

    Attributes
    ----------
    executor, host : str
    pid : int
    at : float
        Time of the update, in seconds since 1970.
    tasks, finished : int
        Of this run.
    seconds_left : float or None
        Estimated.
    """

    executor: str
    host: str
    pid: int
    at: float
    tasks: int
    finished: int
    seconds_left: float | None


def run_study(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    executor: str | None = None,
    jobs: int | None = None,
    options: dict[str, Any] | None = None,
    only: str | Sequence[str] | None = None,
    retry_failed: bool = False,
    most: int | None = None,
    planned: list[tuple[dict[str, Any], Task]] | None = None,
    work: Work | None = None,
) -> StudyResults:
    """Run the tasks of a study that have no record yet.

    Parameters
    ----------
    study : Study
    folder : path
        The folder of the store, created if it does not exist. Tasks with a record are not run again.
    executor : str, optional
        Replaces the study's executor.
    jobs : int, optional
        Tasks in parallel; replaces the study's number.
    options : dict, optional
        Options of the executor, which replace those of the study. The study's are for its own executor: with another
        `executor` they do not count.
    only : str or sequence of str, optional
        A condition on axes, or several that all must hold: run only these tasks.
    retry_failed : bool
        Run failed tasks again.
    most : int, optional
        Most tasks to run: pilots, spread over the study.
    planned : list of (dict, Task), optional
        The result of `Study.planned`, if it is known already.
    work : Work, optional
        Reports tasks, and delivers each record when it is in the store; when stopped, the result contains what is finished.

    Returns
    -------
    StudyResults
        All results of this study in the store.

    Raises
    ------
    InputError
        An operation does not accept a task's arguments, or no task meets `only` (both are checked before anything runs);
        another run uses the same folder; the store cannot be written.
    """
    check_type(study, Study, "run_study", "read_study(path) makes one")
    check_path(folder, "run_study", "name a folder")
    work = Work() if work is None else work
    chosen = EXECUTORS.find(study.run.executor if executor is None else executor)
    planned = study.planned(work) if planned is None else planned
    tasks_of(planned, only)
    store = Store(folder, create=True)
    with alone_in(store.folder, "study"):
        write_atomically(store.folder / DEFINITION, indented_json(study))
        records = store.records()
        planned = planned if study.replicate is None else study.planned(work, records)
        tasks = [
            task
            for digest, task in tasks_of(planned, only).items()
            if digest not in records or (retry_failed and records[digest].state == "failed")
        ]
        if most is not None:
            tasks = spread(tasks, most)
        estimates = Estimates(records.values())
        parallel = study.run.jobs if jobs is None else jobs
        further = (study.run.options if executor in (None, study.run.executor) else {}) | (options or {})
        while tasks:
            reporter = _Reporter(store, tasks, estimates, executor or study.run.executor, study, jobs, work)
            run = StudyRun(
                tasks=tasks,
                store=store,
                node=study.run.node,
                jobs=parallel,
                options=further,
                limit_s=study.run.limit_s,
                attempts=study.run.attempts,
                estimates=estimates,
                work=work,
                report=reporter,
            )
            work.begin(len(tasks), "tasks")
            try:
                with work.interruptible():
                    chosen(run)
            finally:
                reporter.end()
            if reporter.fault is not None:
                raise reporter.fault
            if study.replicate is None or most is not None or work.stopped:
                break
            # The results decide which seeds follow; without new results, as of a detached job, none do.
            before, records = len(planned), store.records()
            planned = study.planned(work, records)
            tasks = [task for digest, task in tasks_of(planned, only).items() if digest not in records]
            if len(planned) == before:
                break
    return StudyResults.of(study, store, planned, ended=work.ended if work.stopped else "done")


def tasks_of(planned: list[tuple[dict[str, Any], Task]], only: str | Sequence[str] | None) -> dict[str, Task]:
    """The tasks of the points that meet a condition, or of all points, by digest.

    Raises
    ------
    InputError
        No point meets the condition, or it cannot be read.
    """
    tasks = {task.digest: task for labels, task in planned if conditions_hold(only, labels)}
    if not tasks:
        raise InputError(f"`only` {conditions_text(only or '')}: no task of the study meets this condition; loosen it")
    return tasks


def spread(tasks: Sequence[Task], most: int) -> list[Task]:
    """A number of tasks, evenly spread over all."""
    if most >= len(tasks):
        return list(tasks)
    if most <= 1:
        return list(tasks[:most])
    return [tasks[round(number * (len(tasks) - 1) / (most - 1))] for number in range(most)]


class _Reporter:
    """Receives each record: updates the progress, the estimates, and the file that other processes can read."""

    def __init__(
        self,
        store: Store,
        tasks: Sequence[Task],
        estimates: Estimates,
        executor: str,
        study: Study,
        jobs: int | None,
        work: Work,
    ) -> None:
        self._store, self._estimates, self._executor, self._work = store, estimates, executor, work
        self._tasks, self._finished, self._failed = len(tasks), 0, 0
        self._left = {task.digest: task for task in tasks}
        self._side_by_side = cores(jobs or study.run.jobs) if executor in ("processes", "threads") else 1
        self._began = self._written = time.monotonic()
        self._lock = threading.Lock()
        self._replicate = study.replicate
        #: The first result that lacks the column of [replicate]; it ends the work.
        self.fault: InputError | None = None
        self._write()

    def __call__(self, record: Record) -> None:
        if self._replicate is not None and record.state == "done":
            try:
                check_column(self._replicate, record.row)
            except InputError as error:
                self.fault = error
                self._work.stop()
        with self._lock:
            if self._left.pop(record.digest, None) is None:
                return
            self._finished += 1
            self._failed += record.state == "failed"
            self._estimates.learn(record)
            if time.monotonic() - self._written > REPORT_EVERY_S:
                self._write()
        note = f"{self._failed} failed" if self._failed else None
        self._work.advance(1, note)
        self._work.deliver(record)

    def _write(self) -> None:
        self._written = time.monotonic()
        passed, left = self._written - self._began, self._tasks - self._finished
        seconds = passed / self._finished * left if self._finished else None
        now = StudyProgress(
            self._executor, socket.gethostname(), os.getpid(), time.time(), self._tasks, self._finished, seconds
        )
        with suppress(InputError):  # on a full disk, writing the records reports the error
            write_atomically(self._store.folder / PROGRESS, msgspec.json.encode(now) + b"\n")

    def end(self) -> None:
        """Remove the progress file at the end of the run."""
        with suppress(OSError):
            (self._store.folder / PROGRESS).unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path, what: str) -> Iterator[None]:
    """Lock the folder against other runs of a study or command on this machine; without file locks, do nothing.

    Parameters
    ----------
    folder : Path
    what : str
        "study" or "command".

    Raises
    ------
    InputError
        Another run uses the folder.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / LOCK).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress = f"'topoloom study status {folder}' shows its progress" if what == "study" else "wait for its end"
            raise InputError(f"{folder}: another run of this {what} is active; {progress}") from None
        except OSError:
            pass  # a file system without locks
        yield


def read_definition(folder: str | os.PathLike[str]) -> Study:
    """The study in a store's folder.

    Raises
    ------
    InputError
        The folder has no definition, or it is damaged.
    """
    path = Store(folder).folder / DEFINITION
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; run the study's file with this folder again")
    what = "definition of a study (run the study's file with this folder again)"
    return parse_json(read_text(path, _MOST_CHARACTERS), str(path), Study, what)


def open_study(folder: str | os.PathLike[str]) -> StudyResults:
    """The results in the folder of a study so far; nothing is run.

    Parameters
    ----------
    folder : path

    Returns
    -------
    StudyResults

    Raises
    ------
    InputError
        The folder has no study, or it is damaged.
    """
    check_path(folder, "open_study", "name the folder of a study")
    return StudyResults.of(read_definition(folder), Store(folder))

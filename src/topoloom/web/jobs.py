"""The queue of tasks: which wait, run and are done; no finished task is lost when the server is killed."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import EXECUTORS, FEEDABLE, StudyRun
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.store import NOTE, Store
from topoloom.studies.task import Task
from topoloom.studies.task_feed import TaskFeed
from topoloom.web.lease import Lease
from topoloom.web.queue import Note, Queue

State = Literal["waiting", "running", "done", "failed", "cancelled"]

#: Operations that a user waits for: they have their own worker, and a short time limit.
QUICK = ("draw", "elevations", "info", "outage", "requirement", "stand", "trace")
QUICK_LIMIT_S = 120.0
#: Most waiting tasks; more are refused.
MOST_WAITING = 200
#: Cancelled tasks that are remembered; at twice as many, the older ones are removed with their files.
MOST_CANCELLED = 50
#: The executor of short tasks.
_LOCAL = "processes"
_CHECK_EVERY_S, _RETRY_S = 0.2, 5.0


class Job(msgspec.Struct):
    """A task in the queue.

    Attributes
    ----------
    digest : str
    task : Task
    state : "waiting", "running", "done", "failed" or "cancelled"
    at : float
        When it was requested, in seconds since 1970.
    begun : float or None
        When a worker started it.
    seconds : float
        The time that it took.
    expected_s : float or None
        Its estimated time, from similar tasks.
    error : str
        The reason why it failed.
    """

    digest: str
    task: Task
    state: State
    at: float
    begun: float | None = None
    seconds: float = 0.0
    expected_s: float | None = None
    error: str = ""


class Jobs:
    """The queue, its workers and the store of its records.

    Parameters
    ----------
    folder : path
        The folder of the store, which also contains the queue; created if it does not exist.
    executor : str
        The executor of long tasks.
    jobs : int, optional
        Tasks in parallel.
    options : dict, optional
        Options of the executor.
    limit_s : float
        Time limit of a task.
    read_only : bool
        Show the results of another server: nothing is run or written.

    Raises
    ------
    InputError
        There is no such executor; the folder cannot be used, or another server uses it.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        executor: str = _LOCAL,
        jobs: int | None = None,
        options: dict[str, Any] | None = None,
        limit_s: float = 3600.0,
        read_only: bool = False,
    ) -> None:
        EXECUTORS.find(executor)
        self.folder, self.read_only = Path(folder), read_only
        self._store: Store | None = None
        if not read_only or (self.folder / NOTE).is_file():
            self._store = Store(self.folder, create=not read_only)
        self._lease = None if read_only else Lease(self.folder)
        self._queue = Queue(self.folder)
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._estimates = Estimates(self._records().values())
        self._work = Work()
        self.changed: Callable[[Job], None] = lambda _job: None
        self._remember()
        settings = {"jobs": jobs, "options": options or {}, "limit_s": limit_s}
        self._queues = (
            _TaskQueue(self, _LOCAL, {"jobs": 1, "options": {}, "limit_s": QUICK_LIMIT_S}),
            _TaskQueue(self, executor, settings),
        )
        if not read_only:
            self._tidy()
            for job in self._jobs.values():
                if job.state == "waiting":
                    self._queue_of(job.task).add(job.task)

    def _records(self) -> dict[str, Record]:
        """The records of the store; empty where a read-only server finds no store."""
        return {} if self._store is None else self._store.records()

    def _remember(self) -> None:
        """Read the requested tasks: done, cancelled or waiting."""
        records = self._records()
        for note in self._queue.new():
            if note.task is None:
                if note.digest in self._jobs:
                    self._jobs[note.digest].state = "cancelled"
            elif note.digest in records:
                self._jobs[note.digest] = _ended(Job(note.digest, note.task, "done", note.at), records[note.digest])
            else:
                self._jobs[note.digest] = Job(note.digest, note.task, "waiting", note.at)

    def _tidy(self) -> None:
        """Remove cancelled tasks except the newest, and outdated lines of the queue."""
        if self._queue.lines - len(self._jobs) <= 2 * MOST_CANCELLED:
            return
        cancelled = [digest for digest, job in self._jobs.items() if job.state == "cancelled"]
        cancelled.sort(key=lambda digest: self._jobs[digest].at)
        for digest in cancelled[:-MOST_CANCELLED]:
            del self._jobs[digest]
        notes = []
        for job in self._jobs.values():
            notes.append(Note(job.digest, job.at, job.task))
            if job.state == "cancelled":
                notes.append(Note(job.digest, job.at))
        self._queue.rewrite(notes)

    def _queue_of(self, task: Task) -> "_TaskQueue":
        quick = task.operation in QUICK and not task.arguments.get("measure_throughput")
        return self._queues[0 if quick else 1]

    def start(self) -> None:
        """Start working, unless the server is read-only."""
        for tasks in self._queues:
            if not self.read_only:
                tasks.start()

    def close(self) -> None:
        """Stop; running tasks are started again by the next server."""
        self._work.stop()
        for tasks in self._queues:
            tasks.join()
        self._queue.close()
        if self._lease is not None:
            self._lease.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, task: Task) -> Job:
        """Request a task; a task with a record is done already.

        Raises
        ------
        InputError
            Too many tasks wait, the folder cannot be written, or the server is read-only.
        """
        if self.read_only:
            raise InputError("this server shows existing results only, and starts nothing (--read-only)")
        with self._lock:
            job = self._jobs.get(task.digest)
            if job is not None and job.state in ("waiting", "running", "done"):
                return job
            record = self._records().get(task.digest)
            if record is not None and record.state == "done":
                self._jobs[task.digest] = job = _ended(Job(task.digest, task, "done", time.time()), record)
                return job
            if sum(waiting.state == "waiting" for waiting in self._jobs.values()) >= MOST_WAITING:
                raise InputError(f"{MOST_WAITING} tasks are waiting; cancel some, or try again later")
            job = Job(task.digest, task, "waiting", time.time(), expected_s=self._expected(task))
            self._queue.write(Note(task.digest, job.at, task))
            self._jobs[task.digest] = job
            self._queue_of(task).add(task)
            self._tidy()
        self.changed(job)
        return job

    def _expected(self, task: Task) -> float | None:
        return self._estimates.seconds(task) if self._estimates.known else None

    def cancel(self, digest: str) -> bool:
        """Cancel a task; False if there is no such task, or it has ended."""
        with self._lock:
            job = self._jobs.get(digest)
            if self.read_only or job is None or job.state not in ("waiting", "running"):
                return False
            self._queue.write(Note(digest, time.time()))
            job.state = "cancelled"
            self._queue_of(job.task).drop(digest)
            self._tidy()
        self.changed(job)
        return True

    def all(self) -> list[Job]:
        """All jobs, newest first."""
        with self._lock:
            self._update()
            return sorted(self._jobs.values(), key=lambda job: -job.at)

    def find(self, digest: str) -> Job | None:
        """The job with this digest, or None."""
        with self._lock:
            self._update()
            return self._jobs.get(digest)

    def _update(self) -> None:
        """On a read-only server, read what the working server has written since."""
        if not self.read_only:
            return
        with suppress(InputError):  # the working server may be rewriting the queue
            self._remember()
        for digest, record in self._records().items():
            if digest in self._jobs:
                _ended(self._jobs[digest], record)

    def known(self, task: Task) -> Job | None:
        """The job of a task that is done or was requested; nothing is started."""
        record = self.record(task.digest)
        if record is not None:
            return _ended(Job(task.digest, task, "done", time.time()), record)
        return self.find(task.digest)

    def record(self, digest: str) -> Record | None:
        """The record of a task that has ended, or None."""
        with self._lock:
            return self._records().get(digest)

    def begun(self, digest: str) -> None:
        """Note that a worker has started a task."""
        with self._lock:
            job = self._jobs.get(digest)
            if job is None or job.state != "waiting":
                return
            job.state, job.begun = "running", time.time()
        self.changed(job)

    def reported(self, record: Record) -> None:
        """Note that a task has its record."""
        with self._lock:
            job = self._jobs.get(record.digest)
            self._estimates.learn(record)
            if job is None or job.state == "cancelled":
                return
            _ended(job, record)
        self.changed(job)

    @property
    def store(self) -> Store:
        """The store for records."""
        if self._store is None:
            raise InputError(f"{self.folder}: contains no records, and a read-only server creates no store")
        return self._store

    def run_of(self, tasks: Sequence[Task], settings: dict[str, Any], feed: "_TaskQueue | None") -> StudyRun:
        """The run for an executor.

        Parameters
        ----------
        tasks : sequence of Task
        settings : dict
            The keys jobs, options and limit_s.
        feed : _TaskQueue or None
            The source of further tasks.
        """
        return StudyRun(
            tasks=tasks,
            store=self.store,
            node=WorkerNode(),
            attempts=2,
            estimates=self._estimates,
            work=self._work,
            report=self.reported,
            feed=feed,
            **settings,
        )

    def put_back(self, tasks: "_TaskQueue", why: str) -> None:
        """Queue the unfinished tasks of a failed run again, with the reason."""
        with self._lock:
            for job in self._jobs.values():
                if job.state in ("waiting", "running") and self._queue_of(job.task) is tasks:
                    job.state, job.begun, job.error = "waiting", None, why
                    tasks.add(job.task)

    @property
    def stopped(self) -> bool:
        """Whether the queue is closed."""
        return self._work.stopped


class _TaskQueue(TaskFeed):
    """Tasks for one executor, which takes them while it runs, or in batches one after another."""

    def __init__(self, jobs: Jobs, executor: str, settings: dict[str, Any]) -> None:
        super().__init__()
        self._jobs, self._executor, self._settings = jobs, executor, settings
        self._thread = threading.Thread(target=self._go, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        if self._thread.ident is not None:
            self._thread.join(15)

    def begun(self, digest: str) -> None:
        self._jobs.begun(digest)

    def _go(self) -> None:
        run = EXECUTORS.find(self._executor)
        while not self._jobs.stopped:
            # After a fault, such as a full disk or an unavailable scheduler, try the remaining tasks again.
            with self._retried():
                if self._executor in FEEDABLE:
                    run(self._jobs.run_of((), self._settings, self))
                elif tasks := self.more():
                    for task in tasks:
                        self.begun(task.digest)
                    run(self._jobs.run_of(tasks, self._settings, None))
            time.sleep(_CHECK_EVERY_S)

    @contextmanager
    def _retried(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            self._jobs.put_back(self, str(error))
            time.sleep(_RETRY_S)


def _ended(job: Job, record: Record) -> Job:
    job.state, job.seconds, job.error = record.state, record.seconds, record.error
    return job

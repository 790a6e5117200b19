"""The tasks that people ask for: which wait, run and are done; none that is finished is lost when the server is killed."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import EXECUTORS, StudyRun
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.store import NOTE, Store
from topoloom.studies.task import Task
from topoloom.web.lease import Lease
from topoloom.web.queue import Note, Queue

State = Literal["waiting", "running", "done", "failed", "cancelled"]

#: Operations whose answer somebody waits for at the screen: they have a worker of their own, and little time.
QUICK = ("draw", "info", "requirement", "trace")
QUICK_LIMIT_S = 120.0
#: Tasks that wait, at most; more are refused.
MOST_WAITING = 200
#: Cancelled tasks that are remembered: from twice as many on, the older ones are forgotten with all that they left.
MOST_CANCELLED = 50
#: The executor that can be fed while it runs.
_FED = "processes"
_LOOK_S, _AGAIN_S = 0.2, 5.0


class Job(msgspec.Struct):
    """A task in the queue.

    Attributes
    ----------
    digest : str
    task : Task
    state : "waiting", "running", "done", "failed" or "cancelled"
    at : float
        When it was asked for, in seconds since 1970.
    begun : float or None
        When a worker began it.
    seconds : float
        It took.
    expected_s : float or None
        That it takes, about, by those like it.
    error : str
        Why it failed.
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
        Of the store; the queue is kept with its records. Made if it is not there.
    executor : str
        Who runs what takes long.
    jobs : int, optional
        Tasks side by side.
    options : dict, optional
        Of the executor.
    limit_s : float
        Seconds that a task may take.
    read_only : bool
        What others do is looked at: nothing is run, and nothing is written.

    Raises
    ------
    InputError
        No such executor; the folder cannot be used, or another server has it.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        executor: str = _FED,
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
        self._lanes = (
            _Lane(self, _FED, {"jobs": 1, "options": {}, "limit_s": QUICK_LIMIT_S}),
            _Lane(self, executor, settings),
        )
        if not read_only:
            self._tidy()
            for job in self._jobs.values():
                if job.state == "waiting":
                    self._lane(job.task).add(job.task)

    def _records(self) -> dict[str, Record]:
        """The records of the store; none where a server that only looks finds no store."""
        return {} if self._store is None else self._store.records()

    def _remember(self) -> None:
        """What was asked for: done, cancelled, or to be done yet."""
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
        """Forget cancelled tasks but for the newest, and what tasks left in the queue that were asked for again and again."""
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

    def _lane(self, task: Task) -> "_Lane":
        return self._lanes[0 if task.operation in QUICK else 1]

    def start(self) -> None:
        """Begin to work, unless it only looks."""
        for lane in self._lanes:
            if not self.read_only:
                lane.start()

    def close(self) -> None:
        """End: what runs is begun again by the next server."""
        self._work.stop()
        for lane in self._lanes:
            lane.join()
        self._queue.close()
        if self._lease is not None:
            self._lease.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, task: Task) -> Job:
        """A task is wanted; what has a record is done already.

        Raises
        ------
        InputError
            Too many wait; the folder cannot be written; this server only looks.
        """
        if self.read_only:
            raise InputError("this server shows what is done and begins nothing (--read-only)")
        with self._lock:
            job = self._jobs.get(task.digest)
            if job is not None and job.state in ("waiting", "running", "done"):
                return job
            record = self._records().get(task.digest)
            if record is not None and record.state == "done":
                self._jobs[task.digest] = job = _ended(Job(task.digest, task, "done", time.time()), record)
                return job
            if sum(one.state == "waiting" for one in self._jobs.values()) >= MOST_WAITING:
                raise InputError(f"{MOST_WAITING} tasks wait already; cancel some, or ask again later")
            job = Job(task.digest, task, "waiting", time.time(), expected_s=self._expected(task))
            self._queue.write(Note(task.digest, job.at, task))
            self._jobs[task.digest] = job
            self._lane(task).add(task)
            self._tidy()
        self.changed(job)
        return job

    def _expected(self, task: Task) -> float | None:
        return self._estimates.seconds(task) if self._estimates.known else None

    def cancel(self, digest: str) -> bool:
        """A task is not wanted any more; False where there is none, or it is over."""
        with self._lock:
            job = self._jobs.get(digest)
            if self.read_only or job is None or job.state not in ("waiting", "running"):
                return False
            self._queue.write(Note(digest, time.time()))
            job.state = "cancelled"
            self._lane(job.task).drop(digest)
            self._tidy()
        self.changed(job)
        return True

    def all(self) -> list[Job]:
        """Every job, the newest first."""
        with self._lock:
            self._look()
            return sorted(self._jobs.values(), key=lambda job: -job.at)

    def find(self, digest: str) -> Job | None:
        """One job."""
        with self._lock:
            self._look()
            return self._jobs.get(digest)

    def _look(self) -> None:
        """What the server that works has written since, where this one only looks."""
        if not self.read_only:
            return
        with suppress(InputError):  # the one that works may be rewriting the queue
            self._remember()
        for digest, record in self._records().items():
            if digest in self._jobs:
                _ended(self._jobs[digest], record)

    def known(self, task: Task) -> Job | None:
        """The job of a task that is done, or was asked for; nothing is begun."""
        record = self.record(task.digest)
        if record is not None:
            return _ended(Job(task.digest, task, "done", time.time()), record)
        return self.find(task.digest)

    def record(self, digest: str) -> Record | None:
        """The record of a task that is over."""
        with self._lock:
            return self._records().get(digest)

    def begun(self, digest: str) -> None:
        """A worker is at it."""
        with self._lock:
            job = self._jobs.get(digest)
            if job is None or job.state != "waiting":
                return
            job.state, job.begun = "running", time.time()
        self.changed(job)

    def told(self, record: Record) -> None:
        """A task has its record."""
        with self._lock:
            job = self._jobs.get(record.digest)
            self._estimates.learn(record)
            if job is None or job.state == "cancelled":
                return
            _ended(job, record)
        self.changed(job)

    @property
    def store(self) -> Store:
        """Where records go."""
        if self._store is None:
            raise InputError(f"{self.folder}: holds no records, and a server that only looks makes no store")
        return self._store

    def run_of(self, tasks: Sequence[Task], settings: dict[str, Any], feed: "_Lane | None") -> StudyRun:
        """What an executor is given.

        Parameters
        ----------
        tasks : sequence of Task
        settings : dict
            Jobs, options and limit.
        feed : Lane or None
            Where more tasks come from.
        """
        return StudyRun(
            tasks=tasks,
            store=self.store,
            node=WorkerNode(),
            attempts=2,
            estimates=self._estimates,
            work=self._work,
            told=self.told,
            feed=feed,
            **settings,
        )

    def put_back(self, lane: "_Lane", why: str) -> None:
        """What a run that failed has left waits again, and says why."""
        with self._lock:
            for job in self._jobs.values():
                if job.state in ("waiting", "running") and self._lane(job.task) is lane:
                    job.state, job.begun, job.error = "waiting", None, why
                    lane.add(job.task)

    @property
    def stopped(self) -> bool:
        """Whether it is closed."""
        return self._work.stopped


class _Lane:
    """Tasks for one executor, which is fed, or given batches one after the other."""

    def __init__(self, jobs: Jobs, executor: str, settings: dict[str, Any]) -> None:
        self._jobs, self._executor, self._settings = jobs, executor, settings
        self._lock = threading.Lock()
        self._new: list[Task] = []
        self._dropped: set[str] = set()
        self._thread = threading.Thread(target=self._go, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        if self._thread.ident is not None:
            self._thread.join(15)

    def add(self, task: Task) -> None:
        with self._lock:
            self._dropped.discard(task.digest)
            if all(one.digest != task.digest for one in self._new):
                self._new.append(task)

    def drop(self, digest: str) -> None:
        with self._lock:
            self._new = [task for task in self._new if task.digest != digest]
            self._dropped.add(digest)

    def more(self) -> Sequence[Task]:
        with self._lock:
            taken, self._new = self._new, []
            return taken

    def dropped(self) -> Collection[str]:
        with self._lock:
            taken, self._dropped = self._dropped, set()
            return taken

    def begun(self, digest: str) -> None:
        self._jobs.begun(digest)

    def _go(self) -> None:
        run = EXECUTORS.find(self._executor)
        while not self._jobs.stopped:
            # A full disk or a scheduler that is away: what is not done is tried again.
            with self._again():
                if self._executor == _FED:
                    run(self._jobs.run_of((), self._settings, self))
                elif tasks := self.more():
                    for task in tasks:
                        self.begun(task.digest)
                    run(self._jobs.run_of(tasks, self._settings, None))
            time.sleep(_LOOK_S)

    @contextmanager
    def _again(self) -> Iterator[None]:
        try:
            yield
        except InputError as error:
            self._jobs.put_back(self, str(error))
            time.sleep(_AGAIN_S)


def _ended(job: Job, record: Record) -> Job:
    job.state, job.seconds, job.error = record.state, record.seconds, record.error
    return job

"""The executor of calls: parts of one long operation run on an executor of studies, and each finished one is stored."""

import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from topoloom.core.calls import Call, ExecutorError
from topoloom.core.errors import InputError, Stopped, check_path, check_type
from topoloom.core.threads import cores
from topoloom.core.work import Work
from topoloom.studies.call_tasks import answer_of, task_of_call
from topoloom.studies.estimate import Estimates
from topoloom.studies.executor import EXECUTORS, FEEDABLE, StudyRun
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.run import alone_in
from topoloom.studies.store import Store
from topoloom.studies.task_feed import TaskFeed

#: How often a call is started if its worker is lost.
ATTEMPTS = 3
#: Seconds that an executor may take to end its workers.
_END_TIMEOUT_S = 30.0


class StoredCalls(TaskFeed):
    """Carries out calls by an executor of studies; each answer is a record of a store, so that no call runs twice.

    `open_executor` makes one. It is the feed of the executor's run, which goes on in a thread of its own.

    Parameters
    ----------
    name : str
        "processes", "dask", "slurm".
    store : Store
    jobs : int or None
        Calls at the same time; the executor's default when None.
    options : dict
        Options of the executor.
    node : WorkerNode
        Threads and memory of a call.
    """

    def __init__(
        self, name: str, store: Store, jobs: int | None, options: dict[str, Any], node: WorkerNode | None = None
    ) -> None:
        super().__init__()
        self._execute = EXECUTORS.find(name)
        self._store, self._work = store, Work()
        self._lock = threading.Lock()
        self._records = {digest: record for digest, record in store.records().items() if record.state == "done"}
        self._calls: dict[str, list[tuple[Call, Future[Any]]]] = {}
        self._fault: BaseException | None = None
        self._run = StudyRun(
            tasks=(),
            store=store,
            node=WorkerNode() if node is None else node,
            jobs=jobs,
            options=options,
            limit_s=None,
            attempts=ATTEMPTS,
            estimates=Estimates(store.records().values()),
            work=self._work,
            report=self._take,
            feed=self,
        )
        self.width = cores(jobs)
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()

    def submit(self, call: Call) -> "Future[Any]":
        """Take a call; one that an earlier run has carried out is answered from the store.

        Raises
        ------
        InputError
            The executor has ended with an error; or a shared argument cannot be written.
        """
        task = task_of_call(call, self._store.folder)
        digest = task.digest
        future: Future[Any] = Future()
        with self._lock:
            if self._fault is not None:
                raise self._fault
            record = self._records.get(digest)
            if record is None:
                if digest not in self._calls:
                    self.add(task)
                self._calls.setdefault(digest, []).append((call, future))
                future.add_done_callback(lambda done: self._drop(digest) if done.cancelled() else None)
        if record is not None:
            _settle(call, future, record)
        return future

    def workers(self, count: int) -> None:
        """Note how many calls the workers of a cluster run at the same time."""
        self.width = max(1, count)

    def close(self) -> None:
        """End the executor; workers that still run are ended."""
        self._work.stop()
        self._thread.join(_END_TIMEOUT_S)

    def _drop(self, digest: str) -> None:
        with self._lock:
            waiting = [entry for entry in self._calls.pop(digest, []) if not entry[1].cancelled()]
            if waiting:
                self._calls[digest] = waiting
                return
            self.drop(digest)

    def _take(self, record: Record) -> None:
        """Answer the calls of a task that has its record."""
        with self._lock:
            if record.state == "done":
                self._records[record.digest] = self._store.records().get(record.digest, record)
                record = self._records[record.digest]
            waiting = self._calls.pop(record.digest, [])
            self._run.estimates.learn(record)
        for call, future in waiting:
            _settle(call, future, record)

    def _go(self) -> None:
        try:
            self._execute(self._run)
        except BaseException as fault:  # raised again where a call is waited for
            self._end(ExecutorError(str(fault)) if isinstance(fault, InputError) else fault)
        else:
            self._end(Stopped("the executor has ended"))

    def _end(self, fault: BaseException) -> None:
        with self._lock:
            self._fault = fault
            waiting = [entry for entries in self._calls.values() for entry in entries]
            self._calls.clear()
        for _, future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_exception(fault)


def _settle(call: Call, future: "Future[Any]", record: Record) -> None:
    """Give a future the answer in a record, unless it was cancelled."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(answer_of(call, record))
    except Exception as error:  # raised again where the call is waited for
        future.set_exception(error)


def open_executor(
    name: str,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> AbstractContextManager[StoredCalls]:
    """Open an executor for the parts of long operations: ``with open_executor("dask", "tasks") as executor:``.

    Parameters
    ----------
    name : str
        An executor of studies that takes tasks while it runs: processes, dask, slurm.
    folder : path
        The folder of the tasks, created if it does not exist. A part with a record there does not run again; with Slurm all
        workers share the folder.
    jobs : int, optional
        Parts at the same time; the executor's default when omitted.
    options : mapping, optional
        Options of the executor, as in a study's [run.options]: ``{"address": "tcp://head:8786"}``.
    threads : int
        Threads per part.

    Returns
    -------
    context manager of StoredCalls
        For ``Work(executor=...)``.

    Raises
    ------
    InputError
        No such executor, or one that takes no tasks while it runs; an unknown option; another run uses the folder; or the
        cluster does not answer, which the first part reports.

    Examples
    --------
    >>> import tempfile
    >>> from topoloom import optimize
    >>> with open_executor("processes", tempfile.mkdtemp(), jobs=1) as executor:
    ...     optimize("petersen", moves=100, jobs=1, work=Work(executor=executor)).diameter
    2
    """
    check_type(name, str, "open_executor", "name an executor, as in 'dask'")
    check_path(folder, "open_executor", "name a folder")
    EXECUTORS.find(name)
    if name not in FEEDABLE:
        raise InputError(f"the executor {name} takes no tasks while it runs; choose {', '.join(sorted(FEEDABLE))}")
    return _opened(name, Path(folder), jobs, dict(options or {}), WorkerNode(threads=threads))


@contextmanager
def _opened(
    name: str, folder: Path, jobs: int | None, options: dict[str, Any], node: WorkerNode
) -> Iterator[StoredCalls]:
    store = Store(folder, create=True)
    with alone_in(store.folder, "command"):
        store.forget_failed()
        calls = StoredCalls(name, store, jobs, options, node)
        try:
            yield calls
        finally:
            calls.close()

"""Tasks on a Dask cluster: batches go out, records come back; what is lost with a worker goes out again."""

import queue
import secrets
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from topoloom._version import __version__
from topoloom.core.errors import InputError
from topoloom.studies.call_tasks import missing_files, take_contents
from topoloom.studies.executor import StudyRun, batches
from topoloom.studies.job import record_of
from topoloom.studies.record import Record, failed
from topoloom.studies.task import Task

#: Seconds that a batch takes, so long that the scheduler's overhead (some milliseconds) does not matter.
_BATCH_S = 1.0
#: Batches that wait at the scheduler per thread of the cluster, so that no thread is ever idle.
_AHEAD = 2
#: Seconds between two checks whether the work was stopped, where tasks arrive during the run, and for an answer.
_CHECK_EVERY_S, _CHECK_FEED_S, _ANSWER_S = 0.2, 0.02, 10.0
#: What a worker is asked first, in words that any Python understands.
_PROBE = "__import__('importlib.util').util.find_spec('topoloom') is not None"


class BatchAnswer(msgspec.Struct, frozen=True):
    """The answer of a worker to a batch: the records of its tasks, or the files that it lacks."""

    records: list[Record] = []
    missing: list[str] = []


class DaskFeeder:
    """Submits batches to a cluster, and writes the records that it returns.

    Parameters
    ----------
    run : StudyRun
    client : distributed.Client
    cluster : Dask cluster or None
        If it was started here.
    patience_s : float
        Seconds without any worker after which the run ends.
    """

    def __init__(self, run: StudyRun, client: Any, cluster: Any, patience_s: float) -> None:
        self.run, self.client, self.cluster = run, client, cluster
        self.waiting: deque[tuple[list[Task], int]] = deque()
        self.left: deque[Task] = deque(run.tasks)
        self.out: dict[Any, tuple[list[Task], int]] = {}
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.patience_s, self.threads = patience_s, 0
        self.looked, self.worked = -float("inf"), time.monotonic()
        self.probe: Any = None
        self.ready = False

    def go(self) -> None:
        """Run until every task has its record, or the work is stopped."""
        pause = _CHECK_EVERY_S if self.run.feed is None else _CHECK_FEED_S
        try:
            with self.run.store.writer() as shard:
                while self._has_work() and not self.run.work.stopped:
                    self._ask_for_more()
                    self._look()
                    self._hand_out()
                    try:
                        future = self.finished.get(timeout=pause)
                    except queue.Empty:
                        continue
                    for record in self._records(future):
                        shard.write(record)
                        self.run.report(record)
        finally:
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel(list(self.out), force=True)

    def _has_work(self) -> bool:
        return self.run.feed is not None or bool(self.left or self.waiting or self.out)

    def _ask_for_more(self) -> None:
        """Take new tasks from the feed, and take cancelled ones back."""
        if self.run.feed is None:
            return
        self.left += self.run.feed.more()
        unwanted = set(self.run.feed.dropped())
        if unwanted:
            self.left = deque(task for task in self.left if task.digest not in unwanted)
            self.waiting = deque(entry for entry in self.waiting if entry[0][0].digest not in unwanted)
            gone = [future for future, (tasks, _) in self.out.items() if tasks[0].digest in unwanted]
            for future in gone:
                del self.out[future]
            self.client.cancel(gone, force=True)

    def _look(self) -> None:
        """Count the threads of the cluster, from time to time.

        Raises
        ------
        InputError
            The cluster is gone, or has had no worker for too long.
        """
        now = time.monotonic()
        if now - self.looked < _CHECK_EVERY_S:
            return
        self.looked = now
        if self.client.status not in ("running", "connecting", "newly-created"):
            raise _lost()
        try:
            threads = sum(self.client.nthreads().values())
        except OSError:  # no answer within the time limit of a connection
            raise _lost() from None
        if threads != self.threads and self.run.feed is not None:
            self.run.feed.workers(threads)
        self.threads = threads
        if threads or not (self.left or self.waiting or self.out):
            self.worked = now
            return
        self._check_workers()
        if now - self.worked > self.patience_s:
            raise InputError(
                f"the Dask cluster has had no worker for {self.patience_s:g} s (option wait_s); finished tasks are stored,"
                " start workers and run it again to continue"
            )

    def _check_workers(self) -> None:
        """Raise an error if a cluster that was started here has no worker and gets none; elsewhere some may come."""
        if self.cluster is None:
            return
        if any(
            worker.status.name == "created" for worker in list(self.cluster.workers.values())
        ):  # its start has failed
            raise InputError("the Dask cluster cannot start its workers: the batch system refuses their jobs")

    def _hand_out(self) -> None:
        """Submit batches for all threads of the cluster, and some ahead; nothing before a worker can import topoloom."""
        if not (self.waiting or self.left) or not self._probed():
            return
        threads = max(1, self.threads)
        while (self.waiting or self.left) and len(self.out) < _AHEAD * threads:
            if not self.waiting:
                self._fill(threads)
            self._submit(*self.waiting.popleft())

    def _probed(self) -> bool:
        """Whether a worker has answered that it can import topoloom: one that cannot would end without an answer to a task.

        Raises
        ------
        InputError
            It cannot.
        """
        if self.ready:
            return True
        if self.probe is None:
            self.probe = self.client.submit(eval, _PROBE, pure=False)
        if not self.probe.done():
            return False
        try:
            self.ready = bool(self.probe.result(timeout=_ANSWER_S))
        except (CancelledError, TimeoutError):  # its worker is gone: ask another one
            self.probe = None
            return False
        except Exception:  # Python has no package of that name there
            self.ready = False
        if not self.ready:
            raise InputError(
                f"a worker of the Dask cluster cannot import topoloom; install topoloom {__version__} there"
            )
        return True

    def _submit(self, tasks: list[Task], attempts: int, contents: Mapping[str, bytes] | None = None) -> None:
        future = self.client.submit(
            run_batch,
            msgspec.json.encode(tasks),
            self.run.node.threads,
            self.run.limit_s,
            attempts,
            __version__,
            contents,
            pure=False,
            key=f"topoloom-{tasks[0].digest}-{attempts}-{secrets.token_hex(4)}",
        )
        self.out[future] = tasks, attempts
        future.add_done_callback(self.finished.put)
        if self.run.feed is not None:
            self.run.feed.begun(tasks[0].digest)

    def _fill(self, threads: int) -> None:
        """Queue the next batches; of one task each until the time of tasks is known, or if tasks arrive from a feed."""
        estimates = self.run.estimates
        if not estimates.known or self.run.feed is not None:
            self.waiting.append(([self.left.popleft()], 0))
            return
        share = max(1, len(self.left) // (_AHEAD * threads))
        some = [self.left.popleft() for _ in range(min(len(self.left), 1000))]
        self.waiting += [(batch, 0) for batch in batches(some, estimates, _BATCH_S, share)]

    def _records(self, future: Any) -> Iterator[Record]:
        """The records of a batch; if its worker was lost, its tasks are submitted again one by one, up to the limit."""
        if future not in self.out:
            return  # cancelled
        tasks, attempts = self.out.pop(future)
        try:
            if future.status not in ("finished", "error"):
                raise CancelledError
            answer = msgspec.json.decode(future.result(timeout=_ANSWER_S), type=BatchAnswer)
        except msgspec.DecodeError:
            raise InputError(
                "the Dask cluster's workers have another version of topoloom; install this version there"
            ) from None
        except (CancelledError, TimeoutError):
            # The scheduler lost the batch, or its worker before it passed the answer on: not a failure of its tasks.
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel([future], force=True)
            self.waiting.append((tasks, attempts))
            self.looked = -float("inf")
            return
        except InputError as error:
            raise InputError(f"a worker of the Dask cluster cannot run tasks: {error}") from None
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:300]
        else:
            if answer.missing:
                self._submit(tasks, attempts, {path: Path(path).read_bytes() for path in answer.missing})
            yield from answer.records
            return
        self.looked = -float("inf")
        for task in tasks:
            if attempts + 1 >= self.run.attempts:
                yield failed(task, f"its worker was lost {attempts + 1} times ({reason})", attempts=attempts + 1)
            else:
                self.waiting.append(([task], attempts + 1))


def _lost() -> InputError:
    return InputError("the connection to the Dask cluster is lost; finished tasks are stored, run it again to continue")


def run_batch(
    tasks: bytes,
    threads: int,
    limit_s: float | None,
    attempts: int,
    version: str = __version__,
    contents: dict[str, bytes] | None = None,
) -> bytes:
    """Run some tasks in a worker, and return their records.

    Parameters
    ----------
    tasks : bytes
        JSON.
    threads : int
    limit_s : float or None
    attempts : int
        How often they were started before.
    version : str
        The client's version of topoloom.
    contents : dict of str to bytes, optional
        Files of calls that this machine lacks, by path.

    Returns
    -------
    bytes
        A `BatchAnswer` as JSON.

    Raises
    ------
    InputError
        This machine has another version.
    """
    if version != __version__:
        raise InputError(
            f"it has topoloom {__version__}, and this is topoloom {version}; install the same version there"
        )
    take_contents(contents or {})
    decoded = msgspec.json.decode(tasks, type=list[Task])
    missing = missing_files(decoded)
    if missing:
        return msgspec.json.encode(BatchAnswer(missing=missing))
    records = [record_of(task, threads=threads, limit_s=limit_s, attempts=attempts + 1) for task in decoded]
    return msgspec.json.encode(BatchAnswer([record for record in records if record is not None]))

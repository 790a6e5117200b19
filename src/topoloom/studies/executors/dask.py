"""The executor dask: any Dask cluster by its address, a local one, or one that dask-jobqueue starts on a batch system."""

import logging
import queue
import secrets
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from topoloom._version import __version__
from topoloom.core.errors import InputError, check_type
from topoloom.core.settings import setting
from topoloom.core.surroundings import safe_path, safe_variables
from topoloom.core.threads import cores
from topoloom.core.toml_files import TomlTable
from topoloom.studies.call_tasks import missing_files, take_contents
from topoloom.studies.dask_process import started_by_us
from topoloom.studies.executor import EXECUTORS, StudyRun, batches, options_of
from topoloom.studies.job import record_of
from topoloom.studies.record import Record, failed
from topoloom.studies.task import Task

#: Seconds that a batch takes, so long that the scheduler's overhead (some milliseconds) does not matter.
_BATCH_S = 1.0
#: Batches that wait at the scheduler per thread of the cluster, so that no thread is ever idle.
_AHEAD = 2
#: Seconds between two checks whether the work was stopped, where tasks arrive during the run, and for a cluster's first answer.
_CHECK_EVERY_S, _CHECK_FEED_S, _ANSWER_S = 0.2, 0.02, 10.0
#: Seconds without any worker after which a run ends: of a local cluster, and of one at an address.
_LOCAL_WAIT_S, _WAIT_S = 30.0, 300.0
#: Seconds to close a cluster after the user stopped the run.
_STOPPED_S = 0.3


#: What a worker is asked first, in words that any Python understands.
_PROBE = "__import__('importlib.util').util.find_spec('topoloom') is not None"
#: The module that scheduler and workers of a local cluster load first, so that they end with this process.
_PRELOAD = "topoloom.studies.dask_process"


class DaskOptions(TomlTable, frozen=True):
    """The table [run.options] of the executor dask."""

    group: ClassVar[str] = "study [run.options], dask"

    address: Annotated[
        str, setting("the address of a running scheduler: tcp://host:8786; if omitted, a local cluster is started")
    ] = ""
    adaptive: Annotated[
        tuple[Annotated[int, setting("workers", least=0)], Annotated[int, setting("workers", least=1)]] | None,
        setting("least and most workers, instead of a fixed number"),
    ] = None
    jobqueue: Annotated[
        dict[str, Any],
        setting(
            "arguments of dask_jobqueue.SLURMCluster (queue, cores, memory, walltime ...); `jobs` of these jobs are started"
        ),
    ] = msgspec.field(default_factory=dict)
    wait_s: (
        Annotated[
            float,
            setting(
                "seconds without any worker after which the run ends; if omitted, 30 for a local cluster, 300 for one at an"
                " address, and no limit where workers are jobs or come as needed",
                unit="s",
                above=0,
                most=1e9,
            ),
        ]
        | None
    ) = None

    @property
    def patience_s(self) -> float:
        """Seconds without any worker after which the run ends."""
        if self.wait_s is not None:
            return self.wait_s
        if self.jobqueue or self.adaptive is not None:
            return float("inf")
        return _WAIT_S if self.address else _LOCAL_WAIT_S


class BatchAnswer(msgspec.Struct, frozen=True):
    """The answer of a worker to a batch: the records of its tasks, or the files that it lacks."""

    records: list[Record] = []
    missing: list[str] = []


def run_on_dask(run: StudyRun) -> None:
    """Run the tasks on a Dask cluster; a `distributed.Client` in ``options["client"]`` is used directly.

    Raises
    ------
    InputError
        Dask or the cluster is not available; the store cannot be written.
    """
    with _client(run) as (client, cluster, patience_s):
        _Feeder(run, client, cluster, patience_s).go()


class _Feeder:
    """Submits batches to a cluster, and writes the records that it returns."""

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


def _check_client(client: Any, kind: type, options: Mapping[str, Any]) -> None:
    """Refuse a client that cannot run tasks, and options that it would leave without effect."""
    check_type(client, kind, "the option client", "distributed.Client(address) makes one")
    others = sorted(set(options) - {"client"})
    if others:
        raise InputError(f"{DaskOptions.group}: '{others[0]}' has no effect with a client; give one of them")
    if client.asynchronous or client.status != "running":
        state = "is asynchronous" if client.asynchronous else f"is {client.status}"
        raise InputError(f"{DaskOptions.group}: the client {state}; give one that is connected to a cluster")


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


@contextmanager
def _client(run: StudyRun) -> Iterator[tuple[Any, Any, float]]:
    """A client of the cluster that the options name, the cluster if it was started here, and the seconds that it may have no
    worker; the cluster is closed afterwards.

    Raises
    ------
    InputError
        Dask or the cluster is not available.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise InputError("the executor dask needs Dask: pip install 'topoloom[cluster]'") from None
    client_given = run.options.get("client")
    if client_given is not None:
        _check_client(client_given, distributed.Client, run.options)
        yield client_given, None, _WAIT_S
        return
    options = options_of(run, DaskOptions)
    # Logs about closing clusters and lost workers are not useful: the records show what became of tasks.
    for name in ("asyncio", "distributed", "tornado.application", *logging.root.manager.loggerDict):
        if name.startswith(("distributed", "tornado")):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    settings = {"distributed.scheduler.allowed-failures": 0, "distributed.comm.timeouts.connect": f"{_ANSWER_S}s"}
    # Set for the whole life of the cluster, because an adaptive cluster starts workers at any time.
    with dask.config.set(settings), safe_path(), started_by_us():
        cluster = None if options.address else _cluster(run, options)
        try:
            connect: Any = distributed.Client
            client: Any = connect(options.address or cluster, timeout=_ANSWER_S)
        except (OSError, TimeoutError, ValueError) as error:
            if cluster is not None:
                cluster.close()
            raise InputError(f"no Dask cluster answers at {options.address or 'its own address'}: {error}") from None
        try:
            yield client, cluster, options.patience_s
        finally:
            patience = _STOPPED_S if run.work.stopped else _ANSWER_S
            if run.work.stopped:
                _kill(cluster)
            with suppress(Exception):  # a cluster that is gone cannot be closed
                client.close(timeout=patience)
            if cluster is not None:
                with suppress(Exception):
                    cluster.close(timeout=patience)


def _kill(cluster: Any) -> None:
    """Kill the processes of a local cluster at once: their results are no longer needed."""
    import psutil  # which Dask needs

    own = [*getattr(cluster, "workers", {}).values(), getattr(cluster, "scheduler", None)]
    started: list[Any] = [node.process for node in own if getattr(node, "process", None) is not None]
    with suppress(Exception):  # some may have ended already
        nannies = [psutil.Process(process.pid) for process in started]
        children = [child for nanny in nannies for child in nanny.children(recursive=True)]
        for process in (*nannies, *children):  # nannies first, because they report workers that end
            with suppress(psutil.Error):
                process.kill()


def _cluster(run: StudyRun, options: DaskOptions) -> Any:
    """A new cluster: worker processes on this machine, or jobs of a batch system."""
    most = cores(run.jobs) if run.feed is not None else min(cores(run.jobs), max(1, len(run.tasks)))
    cluster: Any = None
    if options.jobqueue:
        try:
            import dask_jobqueue
        except ImportError:
            raise InputError("jobqueue needs dask-jobqueue: pip install 'topoloom[cluster]'") from None
        try:
            arguments: dict[str, Any] = {"processes": 1, "job_script_prologue": list(run.node.setup)} | options.jobqueue
            exports = [f"export {name}={value}" for name, value in safe_variables().items()]
            arguments["job_script_prologue"] = [*exports, *arguments["job_script_prologue"]]
            jobs: Any = dask_jobqueue
            cluster = jobs.SLURMCluster(**arguments)
            for _ in range(0 if options.adaptive else run.jobs or 1):
                cluster.worker_spec.update(cluster.new_worker_spec())
            cluster.sync(_started, cluster)
        except (TypeError, ValueError, OSError, RuntimeError) as error:
            if cluster is not None:
                with suppress(Exception):
                    cluster.close(timeout=_STOPPED_S)
            # A refused job is a RuntimeError with all that sbatch printed.
            reason = _last_line(error) if isinstance(error, RuntimeError) else str(error)
            raise InputError(f"{DaskOptions.group}: jobqueue: {reason}") from None
    else:
        # Start workers by a command, not by forking: then any script may call this function.
        from distributed.deploy import subprocess

        start: Any = subprocess.SubprocessCluster
        workers = {"nthreads": 1, "memory_limit": 0, "preload_nanny": [_PRELOAD]}
        try:
            cluster = start(
                n_workers=0 if options.adaptive else most,
                threads_per_worker=1,
                worker_kwargs=workers,
                scheduler_kwargs={"preload": [_PRELOAD]},
                dashboard_address=":0",
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise InputError(f"a local Dask cluster cannot be started: {_last_line(error)}") from None
    if options.adaptive is not None:
        least, top = options.adaptive
        cluster.adapt(minimum=least, maximum=max(least, top))
    return cluster


async def _started(cluster: Any) -> None:
    """Submit the jobs of a cluster and wait for the answers; unlike `scale`, this raises the error of a refused job."""
    await cluster


def _last_line(error: BaseException) -> str:
    """The last line of an error's text: of a failed command, what it said last."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


EXECUTORS.add("dask", run_on_dask)

"""The executor dask: any Dask cluster by its address, a local one, or one that dask-jobqueue starts on a batch system."""

import logging
import queue
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError, check_type
from topoloom.core.settings import setting
from topoloom.core.surroundings import safe_path, safe_variables
from topoloom.core.threads import cores
from topoloom.core.toml_files import TomlTable
from topoloom.studies.dask_process import started_by_us
from topoloom.studies.executor import EXECUTORS, StudyRun, batches, options_of
from topoloom.studies.job import record_of
from topoloom.studies.record import Record, failed
from topoloom.studies.task import Task

#: Seconds that a batch takes, so long that the scheduler's overhead (some milliseconds) does not matter.
_BATCH_S = 1.0
#: Batches that wait at the scheduler per thread of the cluster, so that no thread is ever idle.
_AHEAD = 2
#: Seconds between two checks whether the work was stopped, and for a cluster's first answer.
_CHECK_EVERY_S, _ANSWER_S = 0.2, 10.0
#: Seconds to close a cluster after the user stopped the run.
_STOPPED_S = 0.3


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


def run_on_dask(run: StudyRun) -> None:
    """Run the tasks on a Dask cluster; a `distributed.Client` in ``options["client"]`` is used directly.

    Raises
    ------
    InputError
        Dask or the cluster is not available; the store cannot be written.
    """
    with _client(run) as (client, cluster):
        _Feeder(run, client, cluster).go()


class _Feeder:
    """Submits batches to a cluster, and writes the records that it returns."""

    def __init__(self, run: StudyRun, client: Any, cluster: Any) -> None:
        self.run, self.client, self.cluster = run, client, cluster
        self.waiting: deque[tuple[list[Task], int]] = deque()
        self.left: deque[Task] = deque(run.tasks)
        self.out: dict[Any, tuple[list[Task], int]] = {}
        self.finished: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def go(self) -> None:
        """Run until every task has its record, or the work is stopped."""
        try:
            with self.run.store.writer() as shard:
                while (self.left or self.waiting or self.out) and not self.run.work.stopped:
                    self._hand_out()
                    try:
                        future = self.finished.get(timeout=_CHECK_EVERY_S)
                    except queue.Empty:
                        self._check()
                        continue
                    for record in self._records(future):
                        shard.write(record)
                        self.run.report(record)
        finally:
            with suppress(Exception):  # the cluster may be gone
                self.client.cancel(list(self.out), force=True)

    def _check(self) -> None:
        if self.client.status not in ("running", "connecting", "newly-created"):
            raise _lost()

    def _check_workers(self) -> None:
        """Raise an error if a cluster that was started here has no worker and gets none; elsewhere some may come."""
        if self.cluster is None:
            return
        if any(
            worker.status.name == "created" for worker in list(self.cluster.workers.values())
        ):  # its start has failed
            raise InputError("the Dask cluster cannot start its workers: the batch system refuses their jobs")

    def _hand_out(self) -> None:
        """Submit batches for all threads of the cluster, and some ahead."""
        try:
            threads = sum(self.client.nthreads().values())
        except OSError:  # no answer within the time limit of a connection
            raise _lost() from None
        if not threads:
            self._check_workers()
            threads = 1
        while (self.waiting or self.left) and len(self.out) < _AHEAD * threads:
            if not self.waiting:
                self._fill(threads)
            tasks, attempts = self.waiting.popleft()
            future = self.client.submit(
                run_batch,
                msgspec.json.encode(tasks),
                self.run.node.threads,
                self.run.limit_s,
                attempts,
                pure=False,
                key=f"topoloom-{tasks[0].digest}-{attempts}",
            )
            self.out[future] = tasks, attempts
            future.add_done_callback(self.finished.put)

    def _fill(self, threads: int) -> None:
        """Queue the next batches; of one task each until the time of tasks is known."""
        estimates = self.run.estimates
        if not estimates.known:
            self.waiting.append(([self.left.popleft()], 0))
            return
        share = max(1, len(self.left) // (_AHEAD * threads))
        some = [self.left.popleft() for _ in range(min(len(self.left), 1000))]
        self.waiting += [(batch, 0) for batch in batches(some, estimates, _BATCH_S, share)]

    def _records(self, future: Any) -> Iterator[Record]:
        """The records of a batch; if its worker was lost, its tasks are submitted again one by one, up to the limit."""
        tasks, attempts = self.out.pop(future)
        try:
            yield from msgspec.json.decode(future.result(), type=list[Record])
            return
        except msgspec.DecodeError:
            raise InputError(
                "the Dask cluster's workers have another version of topoloom; install this version there"
            ) from None
        except CancelledError:
            # The scheduler lost the batch, or is gone: not a failure of its tasks.
            self.waiting.append((tasks, attempts))
            self._check()
            return
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:300]
        self._check()
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


def run_batch(tasks: bytes, threads: int, limit_s: float | None, attempts: int) -> bytes:
    """Run some tasks in a worker, and return their records.

    Parameters
    ----------
    tasks : bytes
        JSON.
    threads : int
    limit_s : float or None
    attempts : int
        How often they were started before.

    Returns
    -------
    bytes
        The records as JSON.
    """
    decoded = msgspec.json.decode(tasks, type=list[Task])
    records = [record_of(task, threads=threads, limit_s=limit_s, attempts=attempts + 1) for task in decoded]
    return msgspec.json.encode([record for record in records if record is not None])


@contextmanager
def _client(run: StudyRun) -> Iterator[tuple[Any, Any]]:
    """A client of the cluster that the options name, and the cluster if it was started here; that is closed afterwards.

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
        yield client_given, None
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
            yield client, cluster
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
    most = min(cores(run.jobs), max(1, len(run.tasks)))
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

"""The executor dask: any Dask cluster by its address, a local one, or one that dask-jobqueue starts on a batch system."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.errors import InputError, check_type
from topoloom.core.settings import setting
from topoloom.core.surroundings import safe_path, safe_variables
from topoloom.core.threads import cores
from topoloom.core.toml_files import TomlTable
from topoloom.studies.dask_feeder import DaskFeeder
from topoloom.studies.dask_process import started_by_us
from topoloom.studies.executor import EXECUTORS, StudyRun, options_of

#: Seconds for a cluster's first answer.
_ANSWER_S = 10.0
#: Seconds without any worker after which a run ends: of a local cluster, and of one at an address.
_LOCAL_WAIT_S, _WAIT_S = 30.0, 300.0
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


def run_on_dask(run: StudyRun) -> None:
    """Run the tasks on a Dask cluster; a `distributed.Client` in ``options["client"]`` is used directly.

    Raises
    ------
    InputError
        Dask or the cluster is not available; the store cannot be written.
    """
    with _client(run) as (client, cluster, patience_s):
        DaskFeeder(run, client, cluster, patience_s).go()


def _check_client(client: Any, kind: type, options: Mapping[str, Any]) -> None:
    """Refuse a client that cannot run tasks, and options that it would leave without effect."""
    check_type(client, kind, "the option client", "distributed.Client(address) makes one")
    others = sorted(set(options) - {"client"})
    if others:
        raise InputError(f"{DaskOptions.group}: '{others[0]}' has no effect with a client; give one of them")
    if client.asynchronous or client.status != "running":
        state = "is asynchronous" if client.asynchronous else f"is {client.status}"
        raise InputError(f"{DaskOptions.group}: the client {state}; give one that is connected to a cluster")


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

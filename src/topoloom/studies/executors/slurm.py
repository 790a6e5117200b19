"""The executor slurm: an array of a few long jobs whose workers share the tasks; the scheduler is rarely queried."""

import re
import secrets
import shlex
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting, shown
from topoloom.core.surroundings import python
from topoloom.core.toml_files import TomlTable
from topoloom.studies.claims import BEAT_S, Claims
from topoloom.studies.environment import worker_environment
from topoloom.studies.executor import EXECUTORS, Feed, StudyRun, batches, options_of
from topoloom.studies.task import Task

#: Seconds that a batch takes: so long that claims cost little, so short that little is lost with it.
_BATCH_S = 30.0
#: Seconds between two checks of the store, and between two checks whether the work was stopped.
_CHECK_EVERY_S, _PAUSE_S = 1.0, 0.1
#: A value that needs no quotes in a line of a Slurm script.
_WORD = re.compile(r"[\w.,:@+/-]*")
#: States of finished jobs in squeue.
_OVER = {
    "COMPLETED",
    "FAILED",
    "TIMEOUT",
    "CANCELLED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "BOOT_FAIL",
    "DEADLINE",
    "PREEMPTED",
}


class SlurmOptions(TomlTable, frozen=True):
    """The table [run.options] of the executor slurm."""

    group: ClassVar[str] = "study [run.options], slurm"

    partition: Annotated[str, setting("the partition for the jobs; the cluster's default when omitted")] = ""
    account: Annotated[str, setting("the account that jobs are charged to")] = ""
    qos: Annotated[str, setting("the quality of service of the jobs")] = ""
    time: Annotated[str, setting("time limit of a worker, in Slurm's format: minutes, 2:00:00, 1-12:00:00")] = "1:00:00"
    workers: Annotated[
        int, setting("workers, each with one task at a time; `jobs` takes precedence", least=1, most=10_000)
    ] = 4
    sbatch: Annotated[tuple[str, ...], setting("further options of sbatch: --constraint=icelake")] = ()
    detach: Annotated[bool, setting("submit and return; a later run collects the results")] = False
    ask_every_s: Annotated[
        float, setting("seconds between two queries to the scheduler", unit="s", least=1, most=3600)
    ] = 60.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("partition", "account", "qos", "time"):
            value = getattr(self, name)
            if not _WORD.fullmatch(value):
                raise InputError(f"{name}: {shown(value)} is not a single word; give a name, as Slurm lists it")
        for option in self.sbatch:
            if not option.startswith("-") or not option.isprintable():
                raise InputError(
                    f"sbatch: {shown(option)} is not an option; give one per text, as in '--constraint=icelake'"
                )


def run_on_slurm(run: StudyRun) -> None:
    """Run the tasks in Slurm jobs, and submit again until each has its record.

    Raises
    ------
    InputError
        Slurm is not available or refuses the job; the job was cancelled, or ended without any finished task.
    """
    _Submissions(run, options_of(run, SlurmOptions)).go()


class _Submissions:
    """The jobs of one run."""

    def __init__(self, run: StudyRun, options: SlurmOptions) -> None:
        self.run, self.options = run, options
        self.folder = run.store.folder / "slurm"
        self.left: dict[str, Task] = {task.digest: task for task in run.tasks}
        self.asked = 0.0

    def go(self) -> None:
        """Run until every task has its record, or the work is stopped."""
        if self.run.feed is not None:
            self._serve(self.run.feed)
            return
        running = self._earlier()
        while self.left and not self.run.work.stopped:
            before = len(self.left)
            submission, job = running or self._submit()
            # The job of an earlier run, or of an earlier round of this one, may have none of these tasks.
            own, running = running is None, None
            if self.options.detach:
                self.run.work.advance(0, f"runs as Slurm job {job}")
                return
            state = self._wait(submission, job)
            if not self.left or self.run.work.stopped:
                break
            self._check_end(submission, job, state, finished=not own or len(self.left) < before)

    def _serve(self, feed: Feed) -> None:
        """Keep a job whose workers take tasks as they arrive, until the work is stopped; then the job is cancelled."""
        if self.options.detach:
            raise InputError(f"{SlurmOptions.group}: detach: a command waits for its tasks; omit it")
        running: tuple[Path, str] | None = None
        before, touched, looked = 0, 0.0, 0.0
        try:
            while not self.run.work.stopped:
                new = list(feed.more())
                self.left |= {task.digest: task for task in new}
                for digest in feed.dropped():
                    self.left.pop(digest, None)
                if running is None and self.left:
                    running, before, touched = self._submit(), len(self.left), time.monotonic()
                    feed.workers(self._workers(running[0]))
                elif running is not None and new:
                    Claims.add(running[0], [[task] for task in new])
                    before += len(new)
                for task in new:
                    feed.begun(task.digest)
                if running is not None and time.monotonic() - touched > BEAT_S:
                    Claims.grows(running[0], True)
                    touched = time.monotonic()
                if running is not None and time.monotonic() - looked > _CHECK_EVERY_S:
                    self._read()
                    states = self._ended(*running)
                    looked = time.monotonic()
                    if states is not None:
                        self._check_end(*running, states, finished=len(self.left) < before)
                        running = None
                time.sleep(_PAUSE_S)
        finally:
            if running is not None:
                Claims.grows(running[0], False)
                with suppress(InputError):  # Slurm may be gone; the workers end by themselves
                    _call(["scancel", running[1]])

    def _check_end(self, submission: Path, job: str, states: set[str], *, finished: bool) -> None:
        """Raise an error if a job has ended so that another one would end in the same way."""
        if "CANCELLED" in states:
            raise InputError(f"Slurm job {job} was cancelled; finished tasks are stored, run it again to continue")
        if self.left and not finished:
            raise InputError(
                f"Slurm job {job} ended ({', '.join(sorted(states)) or 'gone'}) and no task was finished: its logs are in"
                f" {submission / 'logs'}; perhaps `time` is shorter than a task, or [run.node] setup does not find topoloom"
            )

    def _submit(self) -> tuple[Path, str]:
        """Write batches, and submit the workers for them; returns the submission's folder, and the job's number."""
        tasks = list(self.left.values())
        fed = self.run.feed is not None
        workers = self.run.jobs or self.options.workers
        workers = workers if fed else min(workers, len(tasks))
        share = 1 if fed else max(1, len(tasks) // (4 * workers))
        submission = self.folder / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
        Claims.write(submission, batches(tasks, self.run.estimates, _BATCH_S, share))
        Claims.grows(submission, fed)
        (submission / "logs").mkdir()
        script = submission / "job.sh"
        script.write_text(self._script(submission, workers))
        # An option of sbatch, because a path in the script's comments would need quotes, and must not end its line.
        logs = str(submission.resolve() / "logs").replace("%", "%%") + "/%A_%a.txt"
        answer = _call(["sbatch", "--parsable", f"--output={logs}", str(script.resolve())])
        job = answer.partition(";")[0]
        (submission / "job").write_text(job)
        self.asked = time.monotonic()
        return submission, job

    def _script(self, submission: Path, workers: int) -> str:
        """The script for sbatch."""
        run, options, node = self.run, self.options, self.run.node
        memory = node.memory_gb
        if memory is None and run.estimates.known:
            memory = 1.5 * max(run.estimates.memory_mb(task) for task in self.left.values()) / 1000
        wanted = {
            "job-name": "topoloom",
            "array": f"0-{workers - 1}",
            "open-mode": "append",
            "requeue": None,
            "signal": "B:TERM@30",
            "time": options.time,
            "cpus-per-task": node.threads,
            "mem": None if memory is None else f"{max(100, round(memory * 1000))}M",
            "partition": options.partition,
            "account": options.account,
            "qos": options.qos,
        }
        lines = [
            f"#SBATCH --{name}" + ("" if value is None else f"={value}")
            for name, value in wanted.items()
            if value not in ("",) and not (name == "mem" and value is None)
        ]
        limit = "" if run.limit_s is None else f" {run.limit_s:g}"
        store = run.store.folder.resolve()
        command = python("-m", "topoloom.studies.cluster_worker", str(store), str(submission.resolve()))
        return "\n".join(
            [
                "#!/bin/sh",
                *lines,
                *(f"#SBATCH {option}" for option in options.sbatch),
                *(
                    f"export {name}={shlex.quote(value)}"
                    for name, value in worker_environment(node.environment).items()
                ),
                *node.setup,
                # exec replaces the shell, so that Slurm's signals reach the worker.
                f"exec {shlex.join(command)} {node.threads}{limit}",
                "",
            ]
        )

    def _wait(self, submission: Path, job: str) -> set[str]:
        """Wait until all tasks have records or the job is over; returns the states of the job's tasks then."""
        while True:
            self._read()
            if not self.left:
                return set()
            if self.run.work.stopped:
                _call(["scancel", job])
                self._read()
                return set()
            states = self._ended(submission, job)
            if states is not None:
                self._read()
                return states
            until = time.monotonic() + _CHECK_EVERY_S
            while not self.run.work.stopped and time.monotonic() < until:
                time.sleep(_PAUSE_S)

    def _ended(self, submission: Path, job: str) -> set[str] | None:
        """The states of a job's tasks if all are over, else None; Slurm is rarely asked."""
        if time.monotonic() - self.asked >= self.options.ask_every_s:
            self.asked = time.monotonic()
            states = _states(job)
            if set(states.values()) <= _OVER:
                return set(states.values())
            # A worker that was requeued or lost no longer works on its batches.
            for place, state in states.items():
                if state != "RUNNING":
                    Claims.release_of(submission, f"{job}-{place}")
        elif len(list(submission.glob("ended-*"))) >= self._workers(submission):
            return {"COMPLETED"}
        return None

    def _read(self) -> None:
        """Report the records that are new in the store."""
        for digest, record in self.run.store.records().items():
            if self.left.pop(digest, None) is not None:
                self.run.report(record)

    def _workers(self, submission: Path) -> int:
        match = re.search(r"--array=0-([0-9]+)", (submission / "job.sh").read_text())
        return 1 + int(match[1]) if match else 1

    def _earlier(self) -> tuple[Path, str] | None:
        """A submission of an earlier run whose job still waits or runs, with its number."""
        for path in sorted(self.folder.glob("*/job"), reverse=True):
            job = path.read_text().strip()
            if job.isdecimal() and not set(_states(job).values()) <= _OVER:
                return path.parent, job
        return None


def _states(job: str) -> dict[str, str]:
    """The state of each task of a job array, by its number; empty where Slurm no longer knows the job."""
    try:
        answer = _call(["squeue", "-h", "-j", job, "-t", "all", "-o", "%K %T"])
    except InputError:
        return {}
    return {place: state for place, _, state in (line.partition(" ") for line in answer.splitlines())}


def _call(command: list[str]) -> str:
    """The output of a Slurm command.

    Raises
    ------
    InputError
        Slurm is not available, or refuses the command.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except FileNotFoundError:
        raise InputError(
            f"the executor slurm needs {command[0]}, which is not installed here; run it on a cluster's login node"
        ) from None
    except subprocess.TimeoutExpired:
        raise InputError(f"{command[0]} does not answer; finished tasks are stored, run it again to continue") from None
    if done.returncode:
        reason = " ".join((done.stderr or done.stdout).split())[:500]
        raise InputError(f"{command[0]} refuses: {reason}")
    return done.stdout.strip()


EXECUTORS.add("slurm", run_on_slurm)

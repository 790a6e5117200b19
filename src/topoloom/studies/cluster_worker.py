"""A worker on a cluster: takes batches of a submission until there are none that it can finish in time.

Command in a Slurm job: ``python -m topoloom.studies.cluster_worker STORE SUBMISSION THREADS [SECONDS]``.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.locks import kernel
from topoloom.core.work import Work
from topoloom.studies.claims import STALE_S, Claims
from topoloom.studies.estimate import Estimates
from topoloom.studies.job import record_of
from topoloom.studies.store import Store

#: A task is started if this multiple of its estimate, plus these seconds, are left.
_SAFETY, _SPARE_S = 1.5, 5.0
#: Seconds that the scheduler may take to report the end of the job.
_PATIENCE_S = 20.0
#: Seconds between two checks for released batches, and for how long a worker without work checks.
_CHECK_EVERY_S, _LINGER_S = 1.0, STALE_S * 1.25
#: Seconds that other workers wait for the first worker's first record, so that kernels are compiled only once.
_WARMING_S = 120.0


def serve_batches(folder: str, submission: str, threads: int, limit_s: float | None = None) -> int:
    """Take batches of a submission, and run their tasks.

    Parameters
    ----------
    folder : str
        The folder of the store.
    submission : str
        The folder of the batches.
    threads : int
        Threads per task.
    limit_s : float or None
        Time limit of a task, in seconds.

    Returns
    -------
    int
        The exit code.
    """
    work = Work()
    signal.signal(signal.SIGTERM, lambda _number, _frame: work.stop())
    store = Store(folder)
    place = _whole("SLURM_ARRAY_TASK_ID", 0)
    job = os.environ.get("SLURM_ARRAY_JOB_ID")
    # Process numbers alone are not unique: containers and other machines have the same ones.
    owner = f"{kernel()}-{os.getpid()}-{secrets.token_hex(4)}" if job is None else f"{job}-{place}"
    end = _end()
    _let_the_first_go(store, place, work)
    claims = Claims(Path(submission), owner)
    workers = _whole("SLURM_ARRAY_TASK_COUNT", 1)
    estimates = Estimates(store.records().values())
    begin = place * len(claims.batches) // max(1, workers)
    waiting = time.monotonic()
    with store.writer() as shard:

        def run(number: int) -> bool:
            """Run a batch; False where it was stopped, or a task of it would not end in time."""
            records = store.records()
            for task in claims.batches[number]:
                if task.digest in records:
                    continue
                if work.stopped or estimates.seconds(task) * _SAFETY + _SPARE_S > end - time.time():
                    return False
                with _logged(Path(submission) / "logs" / f"task-{task.digest}.txt"):
                    record = record_of(task, threads=threads, limit_s=limit_s, work=work)
                if record is None:
                    return False
                shard.write(record)
                estimates.learn(record)
            return True

        def has_work() -> bool:
            """Whether there is, or may come, a batch for this worker."""
            growing = claims.growing
            claims.read()
            return growing or not (claims.all_done or time.monotonic() - waiting > _LINGER_S)

        over = False
        while not (over or work.stopped) and has_work():
            for number in claims.open(begin):
                with claims.touched(number):
                    whole = run(number)
                if whole:
                    claims.done(number)
                    waiting = time.monotonic()
                else:
                    # Other workers may have more time: release the batch.
                    claims.release(number)
                    over = True
                    break
            else:
                # Batches of a lost or requeued worker may be released: check again.
                time.sleep(_CHECK_EVERY_S)
    (Path(submission) / f"ended-{place}").touch()
    return 0


def _whole(variable: str, default: int) -> int:
    """A whole number from an environment variable of the scheduler."""
    text = os.environ.get(variable, "").strip() or str(default)
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise InputError(f"{variable}={text[:40]}: Slurm gives a whole number; unset it outside of a job array")
    return int(text)


def _let_the_first_go(store: Store, place: int, work: Work) -> None:
    """Wait until the first worker has compiled the kernels that all need: until there is a record."""
    until = time.monotonic() + _WARMING_S
    while place and not work.stopped and time.monotonic() < until and not store.records():
        time.sleep(0.5)


def _end() -> float:
    """The end of the job's time, in seconds since 1970; infinite where it is not known."""
    given = os.environ.get("SLURM_JOB_END_TIME", "")
    if given.isdecimal():
        return float(given)
    job = os.environ.get("SLURM_JOB_ID")
    if job is None:
        return float("inf")
    try:
        answer = subprocess.run(
            ["squeue", "-h", "-j", job, "-o", "%e"], capture_output=True, text=True, timeout=_PATIENCE_S, check=True
        )
        return datetime.fromisoformat(answer.stdout.strip()).timestamp()
    except (OSError, subprocess.SubprocessError, ValueError):
        return float("inf")


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """Redirect output to a separate file while the context is open; an empty file is removed."""
    sys.stdout.flush()
    sys.stderr.flush()
    original = [os.dup(1), os.dup(2)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError:
        log = os.dup(2)
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(original[0], 1)
        os.dup2(original[1], 2)
        for descriptor in (*original, log):
            os.close(descriptor)
        with suppress(OSError):
            if path.stat().st_size == 0:
                path.unlink()


def main() -> int:
    """Read the command line, and run the worker."""
    folder, submission, threads, *limit = sys.argv[1:]
    try:
        return serve_batches(folder, submission, int(threads), float(limit[0]) if limit else None)
    except InputError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())

"""A task run for a store: its record, whatever happens to it."""

import time
from contextlib import suppress
from pathlib import Path

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.operations.context import RunContext
from topoloom.studies.record import Record, done, failed
from topoloom.studies.task import Task, run_task


def record_of(
    task: Task, *, threads: int = 1, limit_s: float | None = None, attempts: int = 1, work: Work | None = None
) -> Record | None:
    """Run a task; what became of it, or None where the work was stopped before.

    Parameters
    ----------
    task : Task
    threads : int
    limit_s : float, optional
        Seconds that it may take; then it counts as failed.
    attempts : int
        How many times it was begun, this one counted.
    work : Work, optional
        Stopped from outside.

    Returns
    -------
    Record or None
    """
    work = Work() if work is None else work
    inner = work.step() if limit_s is None else work.share(limit_s)
    began = time.perf_counter()
    _forget_memory()
    try:
        result, row = run_task(task, RunContext(threads, work=inner))
    except (Stopped, KeyboardInterrupt):
        if work.stopped or limit_s is None:
            return None
        return failed(task, f"it took more than {limit_s:g} s", time.perf_counter() - began, attempts=attempts)
    except InputError as error:
        return failed(task, str(error), time.perf_counter() - began, attempts=attempts)
    except MemoryError:
        return failed(task, "it needs more memory than there is", time.perf_counter() - began, attempts=attempts)
    except Exception as error:  # a defect, ours or a plug-in's: the study goes on, and its record says what it was
        told = f"defect: {type(error).__name__}: {error}"
        return failed(task, told[:2000], time.perf_counter() - began, attempts=attempts)
    return done(task, result, row, time.perf_counter() - began, attempts=attempts)


def _forget_memory() -> None:
    """Have the system forget the most memory that this process has had, so that a task's record tells its own."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")

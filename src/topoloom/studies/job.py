"""Running a task for a store: returns its record, whatever happens."""

import time
from contextlib import suppress
from pathlib import Path

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.operations.context import RunContext
from topoloom.studies.call_tasks import is_call, run_call
from topoloom.studies.record import Record, done, failed
from topoloom.studies.task import Task, run_task


def record_of(
    task: Task, *, threads: int = 1, limit_s: float | None = None, attempts: int = 1, work: Work | None = None
) -> Record | None:
    """Run a task; returns its record, or None where the work was stopped first.

    Parameters
    ----------
    task : Task
    threads : int
    limit_s : float, optional
        Time limit in seconds, after which the task has failed.
    attempts : int
        How many times it was started, including now.
    work : Work, optional
        Can stop the task.

    Returns
    -------
    Record or None
    """
    work = Work() if work is None else work
    inner = work.step() if limit_s is None else work.share(limit_s)
    began = time.perf_counter()
    _forget_memory()
    try:
        context = RunContext(threads, work=inner)
        result, row = (run_call(task, context), {}) if is_call(task) else run_task(task, context)
    except (Stopped, KeyboardInterrupt):
        if work.stopped or limit_s is None:
            return None
        return failed(task, f"it took more than {limit_s:g} s", time.perf_counter() - began, attempts=attempts)
    except InputError as error:
        return failed(task, str(error), time.perf_counter() - began, attempts=attempts)
    except MemoryError:
        return failed(task, "it needs more memory than is available", time.perf_counter() - began, attempts=attempts)
    except Exception as error:  # a defect of topoloom or of a plug-in: the study continues, and the record names it
        reason = f"defect: {type(error).__name__}: {error}"
        return failed(task, reason[:2000], time.perf_counter() - began, attempts=attempts)
    return done(task, result, row, time.perf_counter() - began, attempts=attempts)


def _forget_memory() -> None:
    """Reset the memory peak that the system records for this process, so that a task's record has its own peak."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")

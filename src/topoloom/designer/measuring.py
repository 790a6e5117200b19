"""Candidates measured in parallel: in processes that are reused from one batch to the next, or by the work's executor."""

import hashlib
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from types import TracebackType
from typing import Self

import msgspec

from topoloom.core.calls import Call, Shared, anywhere, as_completed_ahead, results_of
from topoloom.core.errors import Stopped
from topoloom.core.surroundings import safe_path
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.measure import measure
from topoloom.designer.outcomes import Outcome
from topoloom.designer.requirement import Requirement

#: Seconds that a killed process may take to end.
_END_TIMEOUT_S = 60.0
#: Candidates for at most `_FEW_HOSTS` are measured in this process first, for `_ALONE_S` seconds of processor time: to start
#: processes takes as long.
_ALONE_S, _FEW_HOSTS = 1.0, 4096


class Measuring:
    """Measures the candidates of a requirement, `jobs` at a time; a ``with`` block, at whose end its processes are ended.

    Parameters
    ----------
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    jobs : int
        Number of processes; with 1, and for few hosts in the first second of work, candidates are measured in this process.
    work : Work
        When it is stopped, the measuring ends. Its executor, if it has one, measures in place of processes of this machine.
    """

    def __init__(self, requirement: Requirement, parts: Parts, jobs: int, work: Work) -> None:
        self._requirement, self._parts, self._jobs, self._work = requirement, parts, jobs, work
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is None:
            return
        # The pool cannot end a running task, and its results are no longer needed.
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join(_END_TIMEOUT_S)

    def outcomes(self, specs: Iterable[str]) -> Iterator[Outcome]:
        """Yield candidates as they are finished, until the work is stopped; specs are read only as they are needed.

        Returns
        -------
        iterator of Candidate or Dropped
        """
        if self._work.executor is not None:
            calls = (self._call(spec) for spec in specs)
            yield from (outcome for _, outcome in results_of(self._work.executor, calls, self._work))
            return
        specs, alone_until = iter(specs), time.process_time() + _ALONE_S
        few = self._pool is None and self._requirement.hosts <= _FEW_HOSTS
        while self._jobs == 1 or (few and time.process_time() < alone_until):
            spec = None if self._work.stopped else next(specs, None)
            if spec is None:
                return
            with suppress(Stopped):
                yield measure(spec, self._requirement, self._parts, self._work.flag)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._jobs, get_context("spawn"), initializer=_end_with_parent)
        pool = self._pool

        def submit(spec: str) -> Future[Outcome]:
            with safe_path(), _without_signals():
                return pool.submit(measure, spec, self._requirement, self._parts)

        for _, outcome in as_completed_ahead(submit, specs, lambda: self._jobs, self._work):
            yield outcome

    def _call(self, spec: str) -> Call:
        shared = {"requirement": shared_struct(self._requirement), "parts": shared_struct(self._parts)}
        return Call(measured_anywhere, spec, {"spec": spec}, shared)


@anywhere
def measured_anywhere(*, spec: str, requirement: Requirement, parts: Parts, work: Work, jobs: int | None) -> Outcome:
    """Measure one candidate on any machine.

    Parameters
    ----------
    spec, requirement, parts
        As in `measure`.
    work : Work
        Can stop the measuring.
    jobs : int or None
        A candidate is measured in one thread, whatever this is.

    Returns
    -------
    Candidate or Dropped

    Raises
    ------
    Stopped
        `work` was stopped.
    """
    return measure(spec, requirement, parts, work.flag)


def shared_struct(value: msgspec.Struct) -> Shared:
    """A Struct as a shared argument of calls."""
    return Shared(hashlib.sha256(msgspec.json.encode(msgspec.to_builtins(value), order="sorted")).hexdigest(), value)


def _end_with_parent() -> None:
    """In a worker: end when the parent process ends, so that no worker stays behind and holds its output open."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait_for([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Processes started inside never receive Ctrl-C or `kill`, which may reach the whole group; only this process acts on them.

    Children inherit the blocked signals, so none fails while it is still starting; this process receives them afterwards.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

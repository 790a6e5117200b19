"""Candidates measured side by side, in processes that are kept from one batch to the next."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from types import TracebackType
from typing import Self

from topoloom.core.errors import Stopped
from topoloom.core.surroundings import safe_path
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.measure import Outcome, measure
from topoloom.designer.requirement import Requirement

#: Seconds between two looks at whether the work shall end.
_LOOK_EVERY_S = 0.2
#: How long a process that was killed may take to be gone.
_LAST_WORDS_S = 60.0


class Measuring:
    """Measures the candidates of a need, `jobs` at a time; used in a ``with`` block, at whose end its processes are gone.

    Parameters
    ----------
    requirement : Need
    parts : Parts
        The need's catalogue.
    jobs : int
        Processes; with one everything is measured here.
    work : Work
        Ends the measuring when it is stopped.
    """

    def __init__(self, requirement: Requirement, parts: Parts, jobs: int, work: Work) -> None:
        self._requirement, self._parts, self._jobs, self._work = requirement, parts, jobs, work
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is None:
            return
        # The pool offers no way to end a task that runs, and nobody waits for it.
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join(_LAST_WORDS_S)

    def outcomes(self, specs: Iterable[str]) -> Iterator[Outcome]:
        """Candidates as they are finished, until the work is stopped; each spec is taken when there is room for it.

        Returns
        -------
        iterator of Candidate or Dropped
        """
        if self._jobs == 1:
            for spec in specs:
                if self._work.stopped:
                    return
                with suppress(Stopped):
                    yield measure(spec, self._requirement, self._parts, self._work.flag)
            return
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._jobs, get_context("spawn"), initializer=_end_with_parent)
        pursued = iter(specs)
        # Two in hand for each process keep it busy, and leave the rest to what is found meanwhile.
        waiting = self._submitted(self._pool, islice(pursued, 2 * self._jobs))
        while waiting and not self._work.stopped:
            done, waiting = wait(waiting, timeout=_LOOK_EVERY_S, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            waiting |= self._submitted(self._pool, islice(pursued, len(done)))

    def _submitted(self, pool: ProcessPoolExecutor, specs: Iterable[str]) -> set[Future[Outcome]]:
        with safe_path(), _without_signals():
            return {pool.submit(measure, spec, self._requirement, self._parts) for spec in specs}


def _end_with_parent() -> None:
    """In a worker: end when the parent does, however it does, instead of living on and holding its output open."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            wait_for([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _without_signals() -> Iterator[None]:
    """Processes started here never see Ctrl-C and `kill`, which may reach the whole group; only this one acts on them.

    They inherit that both are held back, so not even one that is still starting up complains; here both come afterwards.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

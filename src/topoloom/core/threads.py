"""Blocks of work on all cores: kernels release the GIL, so threads are enough."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from topoloom.core.errors import InputError
from topoloom.core.work import Work

Result = TypeVar("Result")


def cores(jobs: int | None) -> int:
    """The number of threads to use: `jobs`, or all cores that this process may use.

    Raises
    ------
    InputError
        `jobs` is below 1.
    """
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs < 1:
        raise InputError(f"jobs={jobs}: at least one thread is needed (omit it for all cores)")
    return jobs


def over_cores(
    task: Callable[[Iterator[int]], Result],
    blocks: int,
    jobs: int | None,
    work: Work | None = None,
    *,
    counted: bool = True,
) -> list[Result]:
    """Run `task` in up to `jobs` threads; each takes block numbers 0 .. blocks - 1 from one shared iterator.

    Parameters
    ----------
    task : callable (iterator of int)
        Processes the blocks of one thread.
    blocks : int
    jobs : int or None
        Threads; None: every core. One thread runs in place.
    work : Work, optional
        Counts the finished blocks; once it is stopped, no further block starts. The caller checks afterwards whether it was
        stopped. Ctrl-C stops it, so that running blocks that check it end soon.
    counted : bool
        False: `task` reports the progress to `work` itself.

    Returns
    -------
    list
        The return value of each call of `task`.

    Notes
    -----
    A thread that finishes early takes the next block, so uneven blocks balance. When a thread fails, or on Ctrl-C, the
    others stop after their current block.
    """
    threads = min(cores(jobs), blocks)
    stop = False
    numbers = iter(range(blocks))

    def shared() -> Iterator[int]:
        # One generator per thread (generators are not thread-safe) over one range iterator (whose `next` is).
        while not stop and not (work is not None and work.stopped):
            try:
                number = next(numbers)
            except StopIteration:
                return
            yield number
            if work is not None and counted:
                work.advance()

    if threads <= 1:
        return [task(shared())]

    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(task, shared()) for _ in range(threads)]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            # Other threads may be in a long block, which only `work` can end.
            if work is not None:
                work.stop()
            raise
        finally:
            stop = True

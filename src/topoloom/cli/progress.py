"""Progress of work: a bar with the remaining time for work of more than two seconds, and the way to stop all work."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from topoloom.core.work import StageProgress, Work, time_words

#: Work that ends sooner shows no bar.
_PATIENCE_SECONDS = 2.0
_EVERY_SECONDS = 0.2

#: The work that is running in this process, which belongs to the command. A signal stops it and sets `asked`.
_running: list[Work] = []
asked = threading.Event()


def stop_all() -> bool:
    """Ask all running work to end, and return whether there is any."""
    for work in _running:
        work.stop()
    return bool(_running)


def at_work() -> bool:
    """Whether any work is running."""
    return bool(_running)


@contextmanager
def working(
    title: str, *, seconds: float | None = None, on_result: Callable[[Any], None] | None = None
) -> Iterator[Work]:
    """A `Work` for one operation, shown as `title` on a terminal's stderr, and stopped by Ctrl-C and `kill`.

    Parameters
    ----------
    title : str
        Name of the work on the screen: "simulating".
    seconds : float, optional
        The deadline.
    on_result : callable, optional
        Passed to `Work`.

    Yields
    ------
    Work
        For the operation's `work` parameter.
    """
    work = Work(seconds=seconds, on_result=on_result)
    over = threading.Event()
    shower = threading.Thread(target=_show, args=(title, work, over), daemon=True) if sys.stderr.isatty() else None
    _running.append(work)
    if asked.is_set():  # a command starts several, one after the other
        work.stop()
    try:
        if shower is not None:
            shower.start()
        yield work
    finally:
        _running.remove(work)
        over.set()
        if shower is not None:
            shower.join()


def _show(title: str, work: Work, over: threading.Event) -> None:
    """Draw the bar from two seconds on, until the work is over."""
    if over.wait(_PATIENCE_SECONDS):
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars
    except ImportError:
        return  # a small installation for a management node shows no bar

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[status]}"))
    began = time.monotonic() - _PATIENCE_SECONDS
    with Bars(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5) as bars:
        bar = bars.add_task(title, total=None, status="")
        while not over.wait(_EVERY_SECONDS):
            progress = work.progress
            status = words(progress, time.monotonic() - began)
            bars.update(bar, total=progress.total, completed=progress.done, status=status)


def words(progress: StageProgress, seconds: float) -> str:
    """The progress as text, this many seconds after the work began: ``3 of 5 loads, 12 s, about 8 s to go``.

    Examples
    --------
    >>> words(StageProgress(3, 5, "loads", "", 12.0, 8.0), 13.0)
    '3 of 5 loads, 13 s, about 8 s to go'
    >>> words(StageProgress(0, None, "", "", 2.0, None), 2.0)
    '2 s'
    """
    parts = []
    if progress.what:
        done = f"{progress.done:,.0f}" if progress.total is None else f"{progress.done:,.0f} of {progress.total:,.0f}"
        parts.append(f"{done} {progress.what}")
    parts.append(time_words(seconds))
    if progress.eta_s is not None:
        parts.append(f"about {time_words(progress.eta_s)} to go")
    if progress.note:
        parts.append(progress.note)
    return ", ".join(parts)

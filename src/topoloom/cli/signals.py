"""Ctrl-C, `kill` and a closed terminal: the same to every command. Work ends with what it has; without any, the command ends.

Python runs a signal's handler between two steps of its own, so never while the main thread is inside a compiled kernel. The
system's own handler writes a byte into a pipe at once, and a thread that waits for it sets the flag that kernels read.
"""

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress

from topoloom.cli.progress import asked, at_work, stop_all

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: The exit code after any of them.
INTERRUPTED = 130
#: Work that has not ended so long after it was asked to is left where it is; what is finished is on disk.
_GRACE_SECONDS = 1.2
#: How long results may take, from the signal on, that are written after their work has ended. Who sends SIGTERM waits, and
#: kills what does not end; a person at a terminal can press Ctrl-C again.
_DELIVERY_SECONDS = {signal.SIGTERM: 1.7, signal.SIGINT: 60.0, signal.SIGHUP: 60.0}
_LOOK_SECONDS = 0.05

_hurry, _meant, _leaving = threading.Event(), threading.Event(), threading.Event()


def interrupted() -> bool:
    """Whether a signal has asked this process to end before it was done."""
    return asked.is_set() and not _meant.is_set()


def hurried() -> bool:
    """Whether whoever asked waits (SIGTERM): what can be made again later, such as pictures, is left for then."""
    return _hurry.is_set()


def ends_by_signals() -> None:
    """Signals are how this command ends (`serve`): they are no interruption, and its code is 0.

    Its library knows SIGINT and SIGTERM; a closed terminal is to it as `kill` is.
    """
    _meant.set()
    if isinstance(signal.getsignal(signal.SIGHUP), _Interrupts):
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def listen() -> None:
    """From now on signals stop work; does nothing outside the main thread, which alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        return
    for event in (asked, _hurry, _meant, _leaving):
        event.clear()
    # A finalizer in which an interrupt turns up only tells that it did.
    sys.unraisablehook = lambda fault: None if interrupted() else sys.__unraisablehook__(fault)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    interrupts = _Interrupts()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupts)


def leave() -> None:
    """From now on the command has nothing more to do than to end: a further signal ends it at once, and silently."""
    _leaving.set()


class _Interrupts:
    """The handler: the first signal leaves it to the work to end; without work, and from the second on, it interrupts."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self, _number: int, _frame: object) -> None:
        if _leaving.is_set():
            os._exit(INTERRUPTED)
        asked.set()
        running = stop_all()
        first, self._asked = not self._asked, True
        if not (first and running):
            raise KeyboardInterrupt


def _watch(reading: int) -> None:
    """Stop all work as soon as a signal has come; and the process, if it is still at it after the time of grace."""
    while True:
        numbers = [number for number in os.read(reading, 16) if number in _SIGNALS]
        if numbers:
            asked.set()
            if signal.SIGTERM in numbers:
                _hurry.set()
            seconds = min(_DELIVERY_SECONDS[number] for number in numbers)  # type: ignore[index]
            # What had no work has nothing to deliver.
            threading.Thread(target=_end, args=(seconds, stop_all()), daemon=True).start()


def _end(seconds: float, working: bool) -> None:
    """End the process when its time is over, unless it ends before."""
    began = time.monotonic()
    if _meant.is_set():
        seconds, working = _DELIVERY_SECONDS[signal.SIGTERM], True
    while (passed := time.monotonic() - began) < seconds:
        if passed > _GRACE_SECONDS and (at_work() or not working):
            break
        time.sleep(_LOOK_SECONDS)
    # What is printed already; nobody may be reading it.
    flush = threading.Thread(target=sys.stdout.flush, daemon=True)
    flush.start()
    flush.join(_LOOK_SECONDS)
    if not _meant.is_set() and select.select([], [2], [], 0)[1]:
        with suppress(OSError):
            os.write(2, b"error: interrupted\n")
    os._exit(0 if _meant.is_set() else INTERRUPTED)

"""Ctrl-C, `kill` and a closed terminal have the same effect in every command: running work ends and its finished part is
delivered; if no work is running, the command ends.

Python runs a signal's handler between two bytecode steps, so never while the main thread is inside a compiled kernel. The
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
#: Work that has not ended this long after it was asked to is abandoned; its finished part is on disk.
_GRACE_SECONDS = 1.2
#: How long after the signal results may still be written, once their work has ended. The sender of SIGTERM waits, and then
#: kills the process; a person at a terminal can press Ctrl-C again.
_DELIVERY_SECONDS = {signal.SIGTERM: 1.7, signal.SIGINT: 60.0, signal.SIGHUP: 60.0}
_LOOK_SECONDS = 0.05

_hurry, _meant, _leaving = threading.Event(), threading.Event(), threading.Event()


def interrupted() -> bool:
    """Whether a signal has asked this process to end before it was done."""
    return asked.is_set() and not _meant.is_set()


def hurried() -> bool:
    """Whether the sender of the signal waits (SIGTERM), so that files that can be made later, such as pictures, are skipped."""
    return _hurry.is_set()


def ends_by_signals() -> None:
    """Declare that signals are the normal end of this command (`serve`): its exit code is then 0.

    The server's library handles SIGINT and SIGTERM; a closed terminal (SIGHUP) is passed to it as SIGTERM.
    """
    _meant.set()
    if isinstance(signal.getsignal(signal.SIGHUP), _Interrupts):
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def listen() -> None:
    """Let signals stop work from now on. Does nothing outside the main thread: only the main thread gets signals."""
    if threading.current_thread() is not threading.main_thread():
        return
    for event in (asked, _hurry, _meant, _leaving):
        event.clear()
    # An interrupt inside a finalizer is only printed by Python; the signal is handled here already.
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
    """Declare that the command only has to end: a further signal ends it at once, and silently."""
    _leaving.set()


class _Interrupts:
    """The signal handler: the first signal lets running work end; without work, and from the second on, it interrupts."""

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
    """Stop all work as soon as a signal comes, and the process if it still runs after the grace period."""
    while True:
        numbers = [number for number in os.read(reading, 16) if number in _SIGNALS]
        if numbers:
            asked.set()
            if signal.SIGTERM in numbers:
                _hurry.set()
            seconds = min(_DELIVERY_SECONDS[number] for number in numbers)  # type: ignore[index]
            # Without running work there is nothing to deliver.
            threading.Thread(target=_end, args=(seconds, stop_all()), daemon=True).start()


def _end(seconds: float, working: bool) -> None:
    """End the process after its remaining time, unless it ends earlier."""
    began = time.monotonic()
    if _meant.is_set():
        seconds, working = _DELIVERY_SECONDS[signal.SIGTERM], True
    while (passed := time.monotonic() - began) < seconds:
        if passed > _GRACE_SECONDS and (at_work() or not working):
            break
        time.sleep(_LOOK_SECONDS)
    # Flush what is printed already, in a thread: nobody may be reading it.
    flush = threading.Thread(target=sys.stdout.flush, daemon=True)
    flush.start()
    flush.join(_LOOK_SECONDS)
    if not _meant.is_set() and select.select([], [2], [], 0)[1]:
        with suppress(OSError):
            os.write(2, b"error: interrupted\n")
    os._exit(0 if _meant.is_set() else INTERRUPTED)

"""Ctrl-C and `kill`: the same to every command. Work under way ends with what it has; without any, the command ends.

Python runs a signal's handler between two steps of its own, so never while the main thread is inside a compiled kernel. The
system's own handler writes a byte into a pipe at once, and a thread that waits for it sets the flag that kernels read.
"""

import os
import signal
import sys
import threading

from topoloom.cli.progress import stop_all

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: What has not ended so long after it was asked to is left where it is.
_GRACE_SECONDS = 10.0


_came = threading.Event()


def interrupted() -> bool:
    """Whether a signal has asked this process to end."""
    return _came.is_set()


def listen() -> None:
    """From now on signals stop work; does nothing outside the main thread, which alone gets signals."""
    if threading.current_thread() is not threading.main_thread():
        return
    _came.clear()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    interrupts = _Interrupts()
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupts)


class _Interrupts:
    """The handler: the first signal leaves it to the work to end; without work, and from the second on, it interrupts."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self, _number: int, _frame: object) -> None:
        _came.set()
        under_way = stop_all()
        first, self._asked = not self._asked, True
        if not (first and under_way):
            raise KeyboardInterrupt


def _watch(reading: int) -> None:
    """Stop all work as soon as a signal has come; and the process, if it is still here after the time of grace."""
    while True:
        numbers = os.read(reading, 16)
        if not any(number in _SIGNALS for number in numbers):
            continue
        _came.set()
        stop_all()
        timer = threading.Timer(_GRACE_SECONDS, _end)
        timer.daemon = True
        timer.start()


def _end() -> None:
    sys.stderr.write("error: interrupted\n")
    sys.stderr.flush()
    os._exit(130)

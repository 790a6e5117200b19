"""One line on the screen for work under way: how many loads (or samples) are done, and the time to go."""

import sys
import threading
import time
from collections.abc import Sequence

import click

_EVERY_SECONDS = 1.0


class Countdown:
    """Draws the line on stderr, once a second, where that is a terminal; else nothing.

    Parameters
    ----------
    title : str
    loads : sequence of float
        What is to be done. The time to go takes a load to be as much work as its flits. Empty: nobody knows how many
        loads there will be.
    what : str
        What they are called.
    """

    def __init__(self, title: str, loads: Sequence[float], what: str = "loads") -> None:
        self._title, self._loads, self._done, self._what = title, list(loads), list[float](), what
        self._started = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True) if sys.stderr.isatty() else None

    def __enter__(self) -> "Countdown":
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            click.echo("\r\033[K", err=True, nl=False)

    def done(self, load: float) -> None:
        """One load is finished."""
        self._done.append(load)

    def line(self, seconds: float) -> str:
        """What is drawn so many seconds after the beginning."""
        if not self._loads:
            return f"{self._title}: {len(self._done)} {self._what} so far, {_time(seconds)}"
        text = f"{self._title}: {len(self._done)} of {len(self._loads)} {self._what}, {_time(seconds)}"
        if not self._done:
            return text
        left = max(0.0, sum(self._loads) - sum(self._done))
        return f"{text}, about {_time(seconds * left / sum(self._done))} to go"

    def _tick(self) -> None:
        while not self._over.wait(_EVERY_SECONDS):
            click.echo(f"\r\033[K{self.line(time.monotonic() - self._started)}", err=True, nl=False)


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60} min"

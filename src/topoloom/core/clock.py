"""The clock of budgets: it stands still while this process compiles kernels, which it does once on a machine.

A budget counts work. With the wall's clock, the first run on a machine would omit steps for which every later run has time.
"""

import threading
import time


class WorkClock:
    """Seconds of work: those of the wall's clock in which nothing is compiled.

    Attributes
    ----------
    monotonic : callable () -> float
        The wall's clock, in seconds; tests replace it.

    Examples
    --------
    >>> clock = WorkClock()
    >>> before = clock.seconds
    >>> clock.stop()
    >>> clock.stop()  # a part of a kernel, within it
    >>> clock.go_on()
    >>> stopped = clock.seconds
    >>> clock.seconds == stopped
    True
    >>> clock.go_on()
    >>> before <= stopped <= clock.seconds
    True
    """

    def __init__(self) -> None:
        self.monotonic = time.monotonic
        self._lock = threading.Lock()
        # Stops without a matching `go_on`, the moment of the first of them, and the seconds of those that are over.
        self._depth, self._since, self._stopped = 0, 0.0, 0.0

    def stop(self) -> None:
        """Something begins to be compiled."""
        with self._lock:
            if self._depth == 0:
                self._since = self.monotonic()
            self._depth += 1

    def go_on(self) -> None:
        """What stopped the clock last is over."""
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._stopped += self.monotonic() - self._since

    @property
    def seconds(self) -> float:
        """Since some moment."""
        with self._lock:
            return (self._since if self._depth else self.monotonic()) - self._stopped


#: The clock of this process.
WORKING = WorkClock()

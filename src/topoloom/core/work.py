"""Work: how far a long operation is, until when it may go on, and whether it is asked to stop."""

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from topoloom.core.clock import WORKING
from topoloom.core.errors import InputError, Stopped

if TYPE_CHECKING:
    pass

#: How a result came to its end: by itself, at its deadline, or because somebody asked.
Ended = Literal["done", "deadline", "interrupted"]

#: Seconds between two calls of `on_progress`, the last of a stage excepted.
_EVERY_SECONDS = 0.1
#: Seconds until a deadline is looked at again that has moved while kernels were compiled, at least.
_LOOK_AGAIN_SECONDS = 0.1


class StageProgress(msgspec.Struct, frozen=True):
    """How far a stage of some work is.

    Attributes
    ----------
    done : float
        Of `total`, in units of `what`.
    total : float or None
        None: nobody knows.
    what : str
        What is counted: "loads", "samples", "candidates".
    note : str
        The best so far, in words; empty if there is nothing to say.
    seconds : float
        Since the stage began.
    eta_s : float or None
        Seconds to go, if the rest takes as long as what is done; None: nobody knows.
    """

    done: float
    total: float | None
    what: str
    note: str
    seconds: float
    eta_s: float | None


class Work:
    """What a long operation is given: it tells its progress, and asks whether to go on.

    Parameters
    ----------
    seconds : float, optional
        The operation ends so many seconds from now with what it has; never when omitted, or infinite.
    on_progress : callable (Progress), optional
        Told how far it is, at most ten times a second, from any thread.
    on_result : callable (object), optional
        Told of each part of the result as soon as it is finished (a `Point`, an `AppRun`, the best graph so far), one after
        the other, from the thread that made it.

    Attributes
    ----------
    flag : uint8[1]
        Not 0 as soon as the work shall end; kernels that take longer than a second read it.

    Raises
    ------
    InputError
        `seconds` is not above 0.

    Examples
    --------
    >>> from topoloom import build, hops
    >>> work = Work(on_progress=lambda progress: None)
    >>> hops(build("petersen"), work=work).diameter, work.ended
    (2, 'done')
    """

    def __init__(
        self,
        *,
        seconds: float | None = None,
        on_progress: Callable[[StageProgress], None] | None = None,
        on_result: Callable[[Any], None] | None = None,
    ) -> None:
        if seconds is not None and not seconds > 0:
            raise InputError(f"seconds={seconds:g}: give a number of seconds above 0, or leave it out")
        import numpy

        self.flag: numpy.ndarray = numpy.zeros(1, numpy.uint8)
        self._until = None if seconds is None else self._now() + seconds
        self._asked = False
        self._on_progress, self._on_result = on_progress, on_result
        self._lock = threading.RLock()
        self._shares: weakref.WeakSet[Work] = weakref.WeakSet()
        self._done, self._total, self._what, self._note = 0.0, None, "", ""  # type: float, float | None, str, str
        self._began = self._told = time.monotonic()
        if seconds is not None:
            self._wait(seconds)

    def stop(self) -> None:
        """Ask the work to end soon; what is finished stays. Any thread may, and a signal's handler."""
        self._asked = True
        self.flag[0] = 1
        self._end_shares()

    @property
    def stopped(self) -> bool:
        """Whether the work shall end: somebody asked, or the time is over."""
        if self._until is not None and self._now() >= self._until:
            self.flag[0] = 1
        return bool(self.flag[0])

    @property
    def seconds_left(self) -> float:
        """Until the deadline; infinite without one."""
        return float("inf") if self._until is None else max(0.0, self._until - self._now())

    @property
    def ended(self) -> Ended:
        """What a result says of its end if it ends now."""
        if not self.stopped:
            return "done"
        return "interrupted" if self._asked else "deadline"

    def check(self) -> None:
        """Go on, or raise `Stopped`: for operations that have nothing to show before their end."""
        if self.stopped:
            raise Stopped(
                "interrupted before there was a result"
                if self._asked
                else "the time was over before there was a result"
            )

    def begin(self, total: float | None, what: str) -> None:
        """A stage begins: `total` of `what` are to be done; None: nobody knows how many."""
        with self._lock:
            self._done, self._total, self._what, self._note = 0.0, total, what, ""
            self._began = time.monotonic()
            self._tell(at_once=True)

    def advance(self, done: float = 1.0, note: str | None = None) -> None:
        """So much more is done; `note`: the best so far, in words."""
        with self._lock:
            self._done += done
            self._note = self._note if note is None else note
            self._tell(at_once=self._total is not None and self._done >= self._total)

    def reach(self, done: float, note: str | None = None) -> None:
        """So much is done in all."""
        self.advance(done - self._done, note)

    def deliver(self, result: Any) -> None:
        """A part of the result is finished."""
        if self._on_result is not None:
            with self._lock:
                self._on_result(result)

    @property
    def progress(self) -> StageProgress:
        """How far the stage is."""
        with self._lock:
            seconds = time.monotonic() - self._began
            known = self._total is not None and self._done > 0
            left = max(0.0, (self._total or 0.0) - self._done)
            eta = seconds * left / self._done if known else None
            return StageProgress(self._done, self._total, self._what, self._note, seconds, eta)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Ctrl-C inside asks the work to end instead of raising; for operations that return what they have."""
        try:
            yield
        except KeyboardInterrupt:
            self.stop()

    def step(self) -> "Work":
        """A work for an operation inside this one's stage: it ends with this one, and tells nothing."""
        return _Step(self)

    def share(self, seconds: float) -> "Work":
        """A work for an operation inside this one's stage that has so many seconds, and ends with this one at the latest."""
        return _Share(self, seconds)

    def budget(self, seconds: float) -> "Work":
        """As `share`, but seconds in which this process compiles kernels do not count, nor in the shares of it."""
        return _Budget(self, seconds)

    def _now(self) -> float:
        """The clock of the deadline."""
        return time.monotonic()

    def _wait(self, seconds: float) -> None:
        """Set the flag after so many seconds. Kernels read nothing else."""
        # No thread can wait for longer than 292 years.
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._expire)
        timer.daemon = True
        timer.start()

    def _expire(self) -> None:
        if self.stopped:
            self._end_shares()
        else:  # the deadline's clock is behind that of the thread that waited
            self._wait(max(self.seconds_left, _LOOK_AGAIN_SECONDS))

    def _end_shares(self) -> None:
        for share in list(self._shares):
            share.flag[0] = 1
            share._end_shares()

    def _tell(self, *, at_once: bool) -> None:
        now = time.monotonic()
        if self._on_progress is not None and (at_once or now - self._told >= _EVERY_SECONDS):
            self._told = now
            self._on_progress(self.progress)


class _Step(Work):
    """A work that ends with the one that it is a step of, which alone tells how far it is."""

    def __init__(self, whole: Work) -> None:
        super().__init__()
        self._whole, self.flag = whole, whole.flag

    def stop(self) -> None:
        self._whole.stop()

    @property
    def stopped(self) -> bool:
        return self._whole.stopped

    @property
    def seconds_left(self) -> float:
        return self._whole.seconds_left

    @property
    def ended(self) -> Ended:
        return self._whole.ended

    def check(self) -> None:
        self._whole.check()


class _Share(Work):
    """A work with a deadline of its own, which ends with the one that it is a share of."""

    def __init__(self, whole: Work, seconds: float) -> None:
        self._whole = whole  # first: the thread that ends it may look at it at once
        super().__init__(seconds=max(min(seconds, whole.seconds_left), 1e-9))
        whole._shares.add(self)

    def stop(self) -> None:
        super().stop()
        self._whole.stop()

    @property
    def stopped(self) -> bool:
        return self._whole.stopped or super().stopped

    @property
    def ended(self) -> Ended:
        return self._whole.ended if self._whole.stopped else super().ended

    def check(self) -> None:
        self._whole.check()
        super().check()


class _Budget(_Share):
    """A share whose clock stands still while kernels are compiled."""

    def share(self, seconds: float) -> Work:
        return _Budget(self, seconds)

    def _now(self) -> float:
        return WORKING.seconds


def time_words(seconds: float) -> str:
    """A time in the unit that people use for it: ``90 s``, ``12 min``, ``3 h 5 min``."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60} min"

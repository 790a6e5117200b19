"""Work: the progress, the deadline and the stop of a long operation."""

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
    from topoloom.core.calls import CallExecutor

#: How an operation ended: by itself, at its deadline, or because a user stopped it.
Ended = Literal["done", "deadline", "interrupted"]

#: Seconds between two calls of `on_progress`, except the last one of a stage.
_EVERY_SECONDS = 0.1
#: Seconds until a deadline is looked at again that has moved while kernels were compiled, at least.
_LOOK_AGAIN_SECONDS = 0.1


class StageProgress(msgspec.Struct, frozen=True):
    """The progress of one stage of an operation.

    Attributes
    ----------
    done : float
        Finished part of `total`, in units of `what`.
    total : float or None
        None: unknown.
    what : str
        The counted items: "loads", "samples", "candidates".
    note : str
        The best so far, in words; may be empty.
    seconds : float
        Seconds since the stage began.
    eta_s : float or None
        Estimated seconds to the end of the stage, at the speed so far; None: unknown.
    """

    done: float
    total: float | None
    what: str
    note: str
    seconds: float
    eta_s: float | None


class Work:
    """An argument of long operations: they report their progress to it, and ask it whether to continue.

    Parameters
    ----------
    seconds : float, optional
        The operation ends this many seconds from now with its result so far; no deadline when omitted or infinite.
    on_progress : callable (Progress), optional
        Receives the progress, at most ten times per second, from any thread.
    on_result : callable (object), optional
        Receives each part of the result as soon as it is finished (a `Point`, an `AppRun`, the best graph so far), one at a
        time, from the thread that computed it.
    executor : CallExecutor, optional
        Carries out the parts of the operation, as `executor(...)` opens it; this machine when omitted. No result depends on it.

    Attributes
    ----------
    flag : uint8[1]
        Not 0 as soon as the work must end; kernels that take longer than a second read it.

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
        executor: "CallExecutor | None" = None,
    ) -> None:
        if seconds is not None and not seconds > 0:
            raise InputError(f"seconds={seconds:g}: give a number of seconds above 0, or omit it")
        import numpy

        self.flag: numpy.ndarray = numpy.zeros(1, numpy.uint8)
        self._until = None if seconds is None else self._now() + seconds
        self._asked = False
        self._on_progress, self._on_result = on_progress, on_result
        self.executor = executor
        self._lock = threading.RLock()
        self._shares: weakref.WeakSet[Work] = weakref.WeakSet()
        self._done, self._total, self._what, self._note = 0.0, None, "", ""  # type: float, float | None, str, str
        self._began = self._told = time.monotonic()
        if seconds is not None:
            self._wait(seconds)

    def stop(self) -> None:
        """Ask the work to end soon; finished parts are kept. Any thread may call it, also a signal handler."""
        self._asked = True
        self.flag[0] = 1
        self._end_shares()

    @property
    def stopped(self) -> bool:
        """Whether the work must end: it was stopped, or the time is over."""
        if self._until is not None and self._now() >= self._until:
            self.flag[0] = 1
        return bool(self.flag[0])

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; infinite without one."""
        return float("inf") if self._until is None else max(0.0, self._until - self._now())

    @property
    def ended(self) -> Ended:
        """How a result that ends now has ended."""
        if not self.stopped:
            return "done"
        return "interrupted" if self._asked else "deadline"

    def check(self) -> None:
        """Raise `Stopped` if the work must end: for operations without partial results."""
        if self.stopped:
            raise Stopped(
                "interrupted before there was a result"
                if self._asked
                else "the time was over before there was a result"
            )

    def begin(self, total: float | None, what: str) -> None:
        """Begin a stage of `total` items, which `what` names; None: the number is unknown."""
        with self._lock:
            self._done, self._total, self._what, self._note = 0.0, total, what, ""
            self._began = time.monotonic()
            self._tell(at_once=True)

    def advance(self, done: float = 1.0, note: str | None = None) -> None:
        """Add to the finished part of the stage; `note`: the best so far, in words."""
        with self._lock:
            self._done += done
            self._note = self._note if note is None else note
            self._tell(at_once=self._total is not None and self._done >= self._total)

    def reach(self, done: float, note: str | None = None) -> None:
        """Set the finished part of the stage."""
        self.advance(done - self._done, note)

    def deliver(self, result: Any) -> None:
        """Pass on a finished part of the result."""
        if self._on_result is not None:
            with self._lock:
                self._on_result(result)

    @property
    def progress(self) -> StageProgress:
        """The progress of the current stage."""
        with self._lock:
            seconds = time.monotonic() - self._began
            estimable = self._total is not None and self._done > 0
            left = max(0.0, (self._total or 0.0) - self._done)
            eta = seconds * left / self._done if estimable else None
            return StageProgress(self._done, self._total, self._what, self._note, seconds, eta)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """A context in which Ctrl-C stops the work instead of raising, for operations with partial results."""
        try:
            yield
        except KeyboardInterrupt:
            self.stop()

    def step(self) -> "Work":
        """A work for an operation within a stage of this one: it ends with this one, and reports no progress."""
        return _Step(self)

    def share(self, seconds: float) -> "Work":
        """A work for an operation within a stage of this one, with `seconds` seconds; it ends with this one at the latest."""
        return _Share(self, seconds)

    def budget(self, seconds: float) -> "Work":
        """As `share`, but seconds in which this process compiles kernels do not count, nor in the shares of it."""
        return _Budget(self, seconds)

    def _now(self) -> float:
        """The clock of the deadline."""
        return time.monotonic()

    def _wait(self, seconds: float) -> None:
        """Set the flag after `seconds` seconds, because kernels only read the flag; the waiting thread ends with the work."""
        # No thread can wait for longer than 292 years.
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), _expire, [weakref.ref(self)])
        timer.daemon = True
        timer.start()
        weakref.finalize(self, timer.cancel).atexit = False

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


def _expire(work: "weakref.ref[Work]") -> None:
    """End a work whose time is over, if there still is one."""
    waiting = work()
    if waiting is not None:
        waiting._expire()


class _Step(Work):
    """A step of a work: it ends with the work, and reports no progress."""

    def __init__(self, whole: Work) -> None:
        super().__init__(executor=whole.executor)
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
    """A share of a work: it has an earlier deadline, and ends with the work."""

    def __init__(self, whole: Work, seconds: float) -> None:
        self._whole = whole  # first: the thread that ends it may look at it at once
        super().__init__(seconds=max(min(seconds, whole.seconds_left), 1e-9), executor=whole.executor)
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
    """A time in words: ``90 s``, ``12 min``, ``3 h 5 min``."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60} min"

"""RunContext: threads, deadline, progress, cancellation and notes of a run. No result depends on it."""

from collections.abc import Callable
from typing import Any

from topoloom.core.work import StageProgress, Work


class RunContext:
    """Threads, deadline, progress, cancellation and notes of a run of an operation.

    The seed is not part of it: it determines the result, so it is a field of the operation and part of a task's digest.

    Parameters
    ----------
    jobs : int, optional
        Threads; one per core if None. No number depends on it.
    seconds : float, optional
        The deadline: the operation ends after this time and returns the finished part.
    on_progress : callable (StageProgress), optional
        Called at most ten times per second.
    on_result : callable (object), optional
        Called with each part of the result as soon as it is complete.
    on_note : callable (str), optional
        Called with each remark that a person should read while the operation runs.
    work : Work, optional
        Used instead of `seconds`, `on_progress` and `on_result`.

    Attributes
    ----------
    jobs : int or None
    work : Work
        Deadline, progress and cancellation, for the functions of the library.
    """

    def __init__(
        self,
        jobs: int | None = None,
        *,
        seconds: float | None = None,
        on_progress: Callable[[StageProgress], None] | None = None,
        on_result: Callable[[Any], None] | None = None,
        on_note: Callable[[str], None] | None = None,
        work: Work | None = None,
    ) -> None:
        self.jobs = jobs
        self._work = work
        self._asked: dict[str, Any] = {"seconds": seconds, "on_progress": on_progress, "on_result": on_result}
        self._on_note = on_note

    @property
    def work(self) -> Work:
        """Deadline, progress and cancellation; the deadline counts from the first use."""
        if self._work is None:
            self._work = self._begin()
        return self._work

    def cancel(self) -> None:
        """Ask the operation to end soon; its finished part is kept."""
        self.work.stop()

    def note(self, text: str) -> None:
        """Pass a remark to `on_note`, if there is one."""
        if self._on_note is not None:
            self._on_note(text)

    def _begin(self) -> Work:
        return Work(**self._asked)

"""Calls: parts of a long operation that any process can carry out, and the executor that carries them out.

An operation divides its work into calls of functions whose arguments decide the result: a candidate, a step, a load, a chain.
A `Work` without an executor runs them on this machine; with one (`Work(executor=...)`) they run where the executor sends them,
and the result is the same. Higher layers have the executors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from topoloom.core.errors import InputError, Stopped

if TYPE_CHECKING:
    from topoloom.core.work import Work

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
R = TypeVar("R")

#: Seconds between two checks whether the work was stopped.
_CHECK_EVERY_S = 0.2
#: Calls that are submitted per call that runs, so that no worker waits; later ones are made late: results may exclude them.
_AHEAD = 2
_MARK = "__carried_out_anywhere__"


class ExecutorError(InputError):
    """An executor cannot carry out calls: its cluster does not answer, or workers are lost again and again."""


def anywhere(function: F) -> F:
    """Decorator: an executor may call this function, a function of a module, on any machine.

    It takes keyword arguments: those of `Call.arguments` and `Call.shared`, and ``work`` and ``jobs`` of the machine. Its type
    hints say how arguments and the return value are read back; msgspec writes them.
    """
    setattr(function, _MARK, True)
    return function


def carried_out_anywhere(function: Any) -> bool:
    """Whether a function has the mark of `anywhere`; executors call no other."""
    return bool(getattr(function, _MARK, False))


@dataclass(frozen=True, eq=False)
class Shared:
    """A large argument that several calls share, and that is stored once.

    Attributes
    ----------
    key : str
        Digest of all that decides the value.
    value : object
        Any value that pickle can write.
    """

    key: str
    value: Any


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a function with the mark of `anywhere`.

    Attributes
    ----------
    function : callable
    about : str
        What it computes, for messages.
    arguments : mapping of str to object
        Small arguments, of types that msgspec writes.
    shared : mapping of str to Shared
    seconds : float or None
        Its time limit, without the compilation of kernels: it raises `Stopped` then. The result does not depend on it.
    """

    function: Callable[..., Any]
    about: str
    arguments: Mapping[str, Any]
    shared: Mapping[str, Shared] = field(default_factory=dict)
    seconds: float | None = None


class CallExecutor(Protocol):
    """Carries out calls, on this machine or on others.

    Attributes
    ----------
    width : int
        How many calls run at the same time.
    """

    @property
    def width(self) -> int: ...

    def submit(self, call: Call) -> "Future[Any]":
        """Take a call; its future gets the return value, `InputError` as the function raised it, or `Stopped`."""


def awaited(future: "Future[Any]", work: "Work") -> Any:
    """The return value of a call that an executor has taken.

    Raises
    ------
    InputError
        The function raised it; as `ExecutorError`, the executor cannot carry out the call.
    Stopped
        `work` was stopped, or the time limit of the call was reached.
    """
    while not wait([future], timeout=_CHECK_EVERY_S).done:
        if work.stopped:
            future.cancel()
            raise Stopped("stopped before the call was carried out")
    return future.result()


def results_of(executor: CallExecutor, calls: Iterable[Call], work: "Work") -> Iterator[tuple[Call, Any]]:
    """Yield calls with their return values as they are carried out, until the work is stopped.

    Parameters
    ----------
    executor : CallExecutor
    calls : iterable of Call
        Read only as they are needed.
    work : Work

    Yields
    ------
    (Call, object)

    Raises
    ------
    InputError, Stopped
        As `awaited`, for the first call that fails.
    """
    yield from as_completed_ahead(executor.submit, calls, lambda: executor.width, work)


def as_completed_ahead(
    submit: Callable[[T], "Future[R]"], items: Iterable[T], width: Callable[[], int], work: "Work"
) -> Iterator[tuple[T, R]]:
    """Yield items with the results of their futures, as these are ready, until the work is stopped.

    Parameters
    ----------
    submit : callable (item) -> Future
    items : iterable
        Read only as they are needed.
    width : callable () -> int
        How many futures run at the same time.
    work : Work

    Yields
    ------
    (item, result)
    """
    pursued = iter(items)
    waiting: dict[Future[R], T] = {}

    def fill() -> None:
        for item in islice(pursued, max(0, _AHEAD * width() - len(waiting))):
            waiting[submit(item)] = item

    try:
        fill()
        while waiting and not work.stopped:
            done = wait(waiting, timeout=_CHECK_EVERY_S, return_when=FIRST_COMPLETED).done
            for future in done:
                yield waiting.pop(future), future.result()
            fill()
    finally:
        for future in waiting:
            future.cancel()

"""Executors: the interface for running the tasks of a study."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

import msgspec

from topoloom.core.errors import InputError, hint
from topoloom.core.register import Register
from topoloom.core.settings import fits, shown, value_of
from topoloom.core.toml_files import TomlTable
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.task import Task

S = TypeVar("S", bound=TomlTable)


class Feed(Protocol):
    """A source of further tasks during a run, for executors that support it (`FEEDABLE`)."""

    def more(self) -> Sequence[Task]:
        """The tasks that were added since the last call."""

    def dropped(self) -> Collection[str]:
        """Digests of the tasks that were cancelled since the last call: they end without a record."""

    def begun(self, digest: str) -> None:
        """Report that a worker has started a task, or that a cluster has it."""

    def workers(self, count: int) -> None:
        """Report how many tasks the workers run at the same time, whenever it changes."""


@dataclass
class StudyRun:
    """One run of a study, as an executor receives it.

    Attributes
    ----------
    tasks : sequence of Task
        The tasks to run, in this order; each once.
    store : Store
        Where records are written.
    node : WorkerNode
        The resources of a task.
    jobs : int or None
        Tasks in parallel; None: the executor's default.
    options : dict
        Further options of the executor, as texts where they come from the command line; `options_of` reads them.
    limit_s : float or None
    attempts : int
        How often a task is started if its worker is lost.
    estimates : Estimates
        Estimated times of tasks, updated by every reported record.
    work : Work
        Whether to continue.
    report : callable (Record)
        Called for each task whose record is in the store, from any thread.
    feed : Feed, optional
        A source of further tasks; with it, the run ends only when the work is stopped.
    """

    tasks: Sequence[Task]
    store: Store
    node: WorkerNode
    jobs: int | None
    options: dict[str, Any]
    limit_s: float | None
    attempts: int
    estimates: Estimates
    work: Work
    report: Callable[[Record], None] = field(default=lambda _record: None)
    feed: Feed | None = None


class Executor(Protocol):
    """Runs tasks: when this returns, each has its record in the store, unless the work was stopped.

    A failed task has a record too. When the work is stopped, finished tasks are in the store.
    """

    def __call__(self, run: StudyRun) -> None: ...


class NoOptions(TomlTable, frozen=True):
    """The table [run.options] of an executor that has no options."""

    group: ClassVar[str] = "study [run.options]"


def options_of(run: StudyRun, kind: type[S]) -> S:
    """The options of a run as the settings of its executor.

    A text is read by the type of its option, so that ``--option time=10`` and ``--option account=007`` are texts and
    ``--option workers=4`` is a number; a number in a file stands for its text where the option is one.

    Parameters
    ----------
    run : StudyRun
    kind : type of TomlTable
        The executor's options.

    Returns
    -------
    TomlTable
        A `kind`.

    Raises
    ------
    InputError
        An option is unknown, of another type, or out of its range.
    """
    types = {field.encode_name: field.type for field in msgspec.inspect.type_info(kind).fields}  # type: ignore[attr-defined]
    options = {}
    for name, value in run.options.items():
        if name not in types:
            remedy = hint(name, types) if types else "this executor has no options"
            raise InputError(f"{kind.group}: no option {shown(name)} ({remedy})")
        if isinstance(value, str):
            value = value_of(types[name], value, f"{kind.group}: {name}")
        elif type(value) in (int, float) and not fits(types[name], value) and fits(types[name], str(value)):
            value = str(value)
        options[name] = value
    try:
        return msgspec.convert(options, kind, strict=False)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        raise InputError(str(cause if isinstance(cause, InputError) else f"{kind.group}: {error}")) from None


EXECUTORS: Register[Executor] = Register("executor", package="topoloom.studies.executors", group="topoloom.executors")

#: The executors that take tasks while they run (`StudyRun.feed`).
FEEDABLE = frozenset({"processes", "dask", "slurm"})


def batches(tasks: Sequence[Task], estimates: Estimates, seconds: float, most: int = 1000) -> list[list[Task]]:
    """Divide tasks, in their order, into batches that take about `seconds` each.

    Parameters
    ----------
    tasks : sequence of Task
    estimates : Estimates
    seconds : float
    most : int
        Most tasks in one batch.

    Returns
    -------
    list of list of Task
    """
    divided: list[list[Task]] = []
    filled = 0.0
    for task in tasks:
        takes = estimates.seconds(task)
        if not divided or filled + takes > seconds or len(divided[-1]) >= most:
            divided.append([])
            filled = 0.0
        divided[-1].append(task)
        filled += takes
    return divided

"""Executors: the interface for running the tasks of a study."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from topoloom.core.register import Register
from topoloom.core.work import Work
from topoloom.studies.estimate import Estimates
from topoloom.studies.node import WorkerNode
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.task import Task


class Feed(Protocol):
    """A source of further tasks during a run, for executors that support it (`processes`)."""

    def more(self) -> Sequence[Task]:
        """The tasks that were added since the last call."""

    def dropped(self) -> Collection[str]:
        """Digests of the tasks that were cancelled since the last call: they end without a record."""

    def begun(self, digest: str) -> None:
        """Report that a worker has started a task."""


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
        Further options of the executor.
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


EXECUTORS: Register[Executor] = Register("executor", room="topoloom.studies.executors", group="topoloom.executors")


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

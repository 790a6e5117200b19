"""Executors: who runs the tasks of a study, and what each is given."""

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
    """Where tasks come from while a run goes on, for executors that can be fed (`processes`)."""

    def more(self) -> Sequence[Task]:
        """Tasks that have come since it was last asked."""

    def dropped(self) -> Collection[str]:
        """Digests of tasks that nobody wants any more, since it was last asked: they end without a record."""

    def begun(self, digest: str) -> None:
        """A worker begins a task."""


@dataclass
class StudyRun:
    """One run of a study: what an executor is given, and whom it tells.

    Attributes
    ----------
    tasks : sequence of Task
        Those that are to be run, the first first; each once.
    store : Store
        Where records go.
    node : WorkerNode
        What a task needs.
    jobs : int or None
        Tasks side by side; None: as the executor likes.
    options : dict
        What else the executor is told.
    limit_s : float or None
    attempts : int
        How often a task is begun whose worker is lost.
    estimates : Estimates
        What tasks take; they learn from every record that is told.
    work : Work
        Asked whether to go on.
    told : callable (Record)
        Called for each task that has its record in the store, from any thread.
    feed : Feed, optional
        More tasks; with it the run ends only when the work is stopped.
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
    told: Callable[[Record], None] = field(default=lambda _record: None)
    feed: Feed | None = None


class Executor(Protocol):
    """Runs tasks: each has its record in the store when this returns, unless the work was stopped.

    A task that fails has a record, too. What is finished when the work is stopped is in the store.
    """

    def __call__(self, run: StudyRun) -> None: ...


EXECUTORS: Register[Executor] = Register("executor", package="topoloom.studies.executors", group="topoloom.executors")


def batches(tasks: Sequence[Task], estimates: Estimates, seconds: float, most: int = 1000) -> list[list[Task]]:
    """Tasks in batches that take about so many seconds each, in their order.

    Parameters
    ----------
    tasks : sequence of Task
    estimates : Estimates
    seconds : float
    most : int
        Tasks in one batch.

    Returns
    -------
    list of list of Task
    """
    found: list[list[Task]] = []
    filled = 0.0
    for task in tasks:
        takes = estimates.seconds(task)
        if not found or filled + takes > seconds or len(found[-1]) >= most:
            found.append([])
            filled = 0.0
        found[-1].append(task)
        filled += takes
    return found

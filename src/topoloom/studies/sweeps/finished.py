"""The finished tasks of a sweep: their results in order, as objects."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from topoloom.core.errors import InputError
from topoloom.operations.operation import Operation
from topoloom.studies.record import Record
from topoloom.studies.store import Store
from topoloom.studies.study import Study
from topoloom.studies.task import Task


class FinishedPoint(NamedTuple):
    """A finished point of a study.

    Attributes
    ----------
    labels : dict
        The labels of all axes.
    task : Task
    record : Record
    """

    labels: dict[str, Any]
    task: Task
    record: Record


def study_of(operations: Sequence[Operation], axis: str) -> Study:
    """A study of operations that differ in one argument; relative paths start from the working directory.

    Parameters
    ----------
    operations : sequence of Operation
        Operations of one kind.
    axis : str
        The argument in which they differ.
    """
    first = operations[0]
    return Study(
        operation=first.group,
        task={name: value for name, value in first.given().items() if name != axis},
        axes={axis: list(dict.fromkeys(getattr(operation, axis) for operation in operations))},
        base=str(Path.cwd()),
    )


def finished_points(study: Study, folder: str | os.PathLike[str]) -> Iterator[FinishedPoint]:
    """The finished points of a study, in its order.

    Parameters
    ----------
    study : Study
    folder : path
        The folder of `run_study`.

    Raises
    ------
    InputError
        The folder contains no study.
    """
    records = Store(folder).records()
    for labels, task in study.planned():
        record = records.get(task.digest)
        if record is not None and record.state == "done":
            yield FinishedPoint(labels, task, record)


def refuse_failed(study: Study, folder: str | os.PathLike[str]) -> None:
    """Raise an error with the reason of the first failed task, if there is one.

    Raises
    ------
    InputError
        A task failed.
    """
    records = Store(folder).records()
    failed = [
        record
        for record in (records.get(task.digest) for task in study.tasks())
        if record is not None and record.state == "failed"
    ]
    if failed:
        raise InputError(
            f"{len(failed)} of {len(study.tasks())} tasks failed, the first because: {failed[0].error};"
            f" 'topoloom study status {os.fspath(folder)}' shows all reasons"
        )

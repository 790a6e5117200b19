"""What a store has of a sweep: the results of tasks in their order, as objects."""

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


class KeptPoint(NamedTuple):
    """A point of a study, and what came of it.

    Attributes
    ----------
    labels : dict
        What each axis is called there.
    task : Task
    record : Record
    """

    labels: dict[str, Any]
    task: Task
    record: Record


def study_of(operations: Sequence[Operation], axis: str) -> Study:
    """Operations that differ in one argument as a study; paths start from the working directory.

    Parameters
    ----------
    operations : sequence of Operation
        Of one kind.
    axis : str
        The argument.
    """
    first = operations[0]
    return Study(
        operation=first.group,
        task={name: value for name, value in first.given().items() if name != axis},
        axes={axis: list(dict.fromkeys(getattr(one, axis) for one in operations))},
        base=str(Path.cwd()),
    )


def kept(study: Study, folder: str | os.PathLike[str]) -> Iterator[KeptPoint]:
    """The points of a study that are done, in its order.

    Parameters
    ----------
    study : Study
    folder : path
        Where `run_study` ran it.

    Raises
    ------
    InputError
        The folder holds no study.
    """
    records = Store(folder).records()
    for labels, task in study.planned():
        record = records.get(task.digest)
        if record is not None and record.state == "done":
            yield KeptPoint(labels, task, record)


def refuse_failed(study: Study, folder: str | os.PathLike[str]) -> None:
    """Say why the first task failed, if one did.

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
            f"{len(failed)} of {len(study.tasks())} tasks failed, the first so: {failed[0].error};"
            f" 'topoloom study status {os.fspath(folder)}' has all reasons"
        )

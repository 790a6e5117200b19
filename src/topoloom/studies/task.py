"""Task: one run of an operation, as json_value data; the unit of every study, worker and web request."""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError, check_type
from topoloom.core.folders import files_in, settle
from topoloom.model.network_folders import CABLES, DESIGN, PLAN, TOPOLOGY
from topoloom.model.results import Result, json_value
from topoloom.operations.context import RunContext
from topoloom.operations.field import fields_of
from topoloom.operations.operation import Operation, operation_of, studied
from topoloom.simulation.workloads.named import files_behind, named_files, with_files

#: A folder that has one of these is a network's, or a plan's.
_FOLDERS = (TOPOLOGY, CABLES, DESIGN, PLAN)
#: An item of an argument that is a list.
_ITEM = re.compile(r"(\w+)\[(\d+)\]")
#: Operations whose arguments once gave another result, so that no store answers with that one. 2: without an engine, the
#: installed tables, else those of the fitting engine. 3: the seed is that of the tables, too, where no `routing_seed` is given.
_REVISIONS = {"simulate": 2, "app": 3, "collective": 2}


class TaskFile(msgspec.Struct, frozen=True):
    """A file or folder that an argument names.

    Attributes
    ----------
    path : str
        Absolute.
    sha256 : str
        Of what lies there; the task of another content is another task.
    """

    path: str
    sha256: str


class Task(msgspec.Struct, frozen=True):
    """One run of an operation: a json_value record that any worker can carry out.

    Attributes
    ----------
    operation : str
    arguments : dict
        As the user wrote them, without those that have their default.
    files : dict of str to TaskFile
        What arguments name, by the name of the argument; of a list by name and number: ``networks[0]``.
    """

    operation: str
    arguments: dict[str, Any] = {}
    files: dict[str, TaskFile] = {}

    @property
    def digest(self) -> str:
        """24 hexadecimal digits of all that decides the result; paths count by what lies there, not by their names."""
        content = dict(self.arguments)
        for name, file in self.files.items():
            _put(content, name, f"sha256:{file.sha256}")
        decides = [self.operation, content, *([_REVISIONS[self.operation]] if self.operation in _REVISIONS else [])]
        return hashlib.sha256(msgspec.json.encode(decides, order="sorted")).hexdigest()[:24]


def task_of(operation: str, arguments: Mapping[str, Any], base: str | Path = ".") -> Task:
    """A task, checked.

    Parameters
    ----------
    operation : str
        "simulate", "hops" ...
    arguments : mapping
        By the names of the command's options, ``_`` for ``-``.
    base : path
        The folder that relative paths start from.

    Returns
    -------
    Task

    Raises
    ------
    InputError
        No such operation or argument, a value out of its range, a folder that is half written.

    Examples
    --------
    >>> task_of("hops", {"topology": "petersen", "seed": 1})
    Task(operation='hops', arguments={'topology': 'petersen'}, files={})
    >>> task_of("hops", {"topolgy": "petersen"})
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: hops has no argument 'topolgy' (did you mean topology?)
    """
    check_type(operation, str, "task_of", "name an operation")
    kind = studied(operation)
    asked = operation_of(kind, arguments)
    asked.repeatable()
    given = asked.given()
    files = {}
    for field in fields_of(kind):
        name, value = field.name, given.get(field.name)
        if field.names == "file":
            listed = enumerate(value) if isinstance(value, list) else ()
            for key, one in [(f"{name}[{number}]", one) for number, one in listed] or [(name, value)]:
                file = _file_of(one, Path(base))
                if file is not None:
                    files[key] = file
        elif field.names == "workload":
            for key, place in named_files(str(value or "")).items():
                path = os.path.realpath(Path(base) / place)
                files[f"{name}.{key}"] = TaskFile(path, _workload_digest(path))
    return Task(kind.group, given, files)


def run_task(task: Task, context: RunContext | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Carry a task out: the record of its result, and its row.

    Parameters
    ----------
    task : Task
    context : RunContext, optional
        One thread, no deadline if omitted.

    Returns
    -------
    (dict, dict)
        The record of the result, without timings; and the numbers that a table of a study shows of it.

    Raises
    ------
    InputError
        What the operation refuses; a file that has changed since the task was made.
    Stopped
        It was cancelled, or its deadline is over.
    """
    check_type(task, Task, "run_task", "task_of(operation, arguments) makes one")
    context = RunContext(1) if context is None else context
    asked: Operation = operation_of(studied(task.operation), task.arguments)
    changes: dict[str, Any] = {}
    placed: dict[str, dict[str, str]] = {}
    for name, file in task.files.items():
        argument, within, key = name.partition(".")
        if (_workload_digest(file.path) if within else content_digest(Path(file.path))) != file.sha256:
            raise InputError(f"{file.path}: has changed since the study was planned; start the study again")
        if within:
            placed.setdefault(argument, {})[key] = file.path
        else:
            _put(changes, name, file.path, task.arguments)
    changes |= {name: with_files(task.arguments[name], files) for name, files in placed.items()}
    if changes:
        asked = msgspec.structs.replace(asked, **changes)
    result = asked.repeatable().run(context)
    context.work.check()
    row = json_value(asked.row(result))
    record = result.record() if isinstance(result, Result) else json_value(result)
    return without_timings(record), row


def _put(content: dict[str, Any], name: str, value: Any, arguments: Mapping[str, Any] | None = None) -> None:
    """Set an argument, or an item of one: ``networks[1]``; what is not set yet is as in `arguments`."""
    item = _ITEM.fullmatch(name)
    if item is None:
        content[name] = value
        return
    items = list(content[item[1]] if item[1] in content else (arguments or {})[item[1]])
    items[int(item[2])] = value
    content[item[1]] = items


def without_timings(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what differs from run to run; where it was measured in seconds stands beside it in the store."""
    provenance = record.get("provenance")
    if isinstance(provenance, dict) and provenance.get("timings"):
        return record | {"provenance": provenance | {"timings": {}}}
    return record


def _file_of(value: Any, base: Path) -> TaskFile | None:
    """The file or folder that an argument names; None for a spec, a preset, a number."""
    if not isinstance(value, str) or not value or "\0" in value or len(value) > 4096:
        return None
    path = base / value
    try:
        named = path.is_file() and ("/" in value or path.suffix != "")
        known = path.is_dir() and any((path / name).exists() for name in _FOLDERS)
    except OSError:
        return None
    if not (named or known):
        return None
    absolute = os.path.realpath(path)
    return TaskFile(absolute, content_digest(Path(absolute)))


def _workload_digest(path: str) -> str:
    """SHA-256 of the files that a workload reads where it names a path, and of their names.

    Raises
    ------
    InputError
        They cannot be read, or there are none.
    """
    try:
        files = files_behind(Path(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if not files:
        raise InputError(f"{path}: there is no such file, and there are no traces of that name")
    return hashlib.sha256("\n".join(f"{one.name} {content_digest(one)}" for one in files).encode()).hexdigest()


def content_digest(path: Path) -> str:
    """SHA-256 of a file, or of the names and contents of all files of a folder.

    Raises
    ------
    InputError
        It cannot be read, or is half written.
    """
    try:
        if path.is_dir():
            settle(path)
            lines = [
                f"{file.relative_to(path)} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file in files_in(path)
            ]
            return hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None

"""Tasks: a task is one run of an operation, as plain data; the unit of every study, worker and web request."""

import hashlib
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError, check_type
from topoloom.core.folders import files_in, settle
from topoloom.model.directed import DirectedNetworkError
from topoloom.model.network_folders import CABLES, DESIGN, PLAN, TOPOLOGY
from topoloom.model.results import Result, json_value
from topoloom.operations.context import RunContext
from topoloom.operations.directed import refused_by
from topoloom.operations.field import fields_of
from topoloom.operations.operation import Operation, operation_of, studied
from topoloom.simulation.workloads.named import files_behind, named_files, with_files

#: A folder with one of these files is that of a network or of a plan.
_FOLDERS = (TOPOLOGY, CABLES, DESIGN, PLAN)
_LONGEST_PATH = 4096
#: Bytes and files of a folder with one file per device; larger folders that hold no network are none.
_LARGEST_DISCOVERY, _MOST_FILES = 1 << 30, 200_000
#: The key of an item of an argument that is a list.
_ITEM = re.compile(r"(\w+)\[(\d+)\]")
#: Operations whose arguments once gave another result; the revision prevents a store from answering with that result.
#: 2: without an engine, the installed tables are used, else those of the fitting engine. 3: in addition, the seed is also that
#: of the tables, where no `routing_seed` is given.
_REVISIONS = {"simulate": 2, "app": 3, "collective": 2}


class TaskFile(msgspec.Struct, frozen=True):
    """A file or folder that an argument names.

    Attributes
    ----------
    path : str
        Absolute; or the whole argument, where that has several: ``compute=/a/monday.net``, ``/a/0.net,/a/1.net``.
    sha256 : str
        Digest of the content; other content is another task.
    """

    path: str
    sha256: str


class Task(msgspec.Struct, frozen=True):
    """One run of an operation: plain data that any worker can carry out.

    Attributes
    ----------
    operation : str
    arguments : dict
        As the user gave them, without those at their default.
    files : dict of str to TaskFile
        The files that arguments name, by the name of the argument; for a list, by name and number: ``networks[0]``.
    seconds : float or UNSET
        The time limit of a call (`studies.call_tasks`); it does not decide the result.
    """

    operation: str
    arguments: dict[str, Any] = {}
    files: dict[str, TaskFile] = {}
    seconds: float | msgspec.UnsetType = msgspec.UNSET

    @property
    def digest(self) -> str:
        """24 hexadecimal digits over all that decides the result; files count by content, not by path."""
        content = dict(self.arguments)
        for name, file in self.files.items():
            _put(content, name, f"sha256:{file.sha256}")
        decides = [self.operation, content, *([_REVISIONS[self.operation]] if self.operation in _REVISIONS else [])]
        return hashlib.sha256(msgspec.json.encode(decides, order="sorted")).hexdigest()[:24]


def task_of(operation: str, arguments: Mapping[str, Any], base: str | Path = ".") -> Task:
    """Create a task, and check it.

    Parameters
    ----------
    operation : str
        "simulate", "hops" ...
    arguments : mapping
        By the names of the command's options, with ``_`` for ``-``.
    base : path
        The folder that relative paths start from.

    Returns
    -------
    Task

    Raises
    ------
    InputError
        No such operation or argument, a value out of range, or an incompletely written folder.

    Examples
    --------
    >>> task_of("hops", {"topology": "petersen", "seed": 1})
    Task(operation='hops', arguments={'topology': 'petersen'}, files={}, seconds=UNSET)
    >>> task_of("hops", {"topolgy": "petersen"})
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: hops has no argument 'topolgy' (did you mean topology?)
    """
    check_type(operation, str, "task_of", "name an operation")
    kind = studied(operation)
    requested = operation_of(kind, arguments)
    requested.repeatable()
    given = requested.given()
    files = {}
    for field in fields_of(kind):
        name, value = field.name, given.get(field.name)
        if field.names == "file":
            listed = enumerate(value) if isinstance(value, list) else ()
            for key, item in [(f"{name}[{number}]", item) for number, item in listed] or [(name, value)]:
                file = _file_of(item, Path(base))
                if file is not None:
                    files[key] = file
        elif field.names == "workload":
            for key, place in named_files(str(value or "")).items():
                path = os.path.realpath(Path(base) / place)
                files[f"{name}.{key}"] = TaskFile(path, _workload_digest(path))
    return Task(kind.group, given, files)


def run_task(task: Task, context: RunContext | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a task; returns the record of its result, and its row for tables.

    Parameters
    ----------
    task : Task
    context : RunContext, optional
        If omitted, one thread and no time limit.

    Returns
    -------
    (dict, dict)
        The record of the result, without timings; and the numbers for a table of a study.

    Raises
    ------
    InputError
        The operation refuses the arguments, or a file has changed since the task was created.
    Stopped
        The task was cancelled, or its time limit was reached.
    """
    check_type(task, Task, "run_task", "task_of(operation, arguments) makes one")
    context = RunContext(1) if context is None else context
    requested: Operation = operation_of(studied(task.operation), task.arguments)
    changes: dict[str, Any] = {}
    placed: dict[str, dict[str, str]] = {}
    for name, file in task.files.items():
        argument, within, key = name.partition(".")
        if (_workload_digest(file.path) if within else _digest_of(file.path)) != file.sha256:
            raise InputError(f"{file.path}: has changed since the study was planned; start the study again")
        if within:
            placed.setdefault(argument, {})[key] = file.path
        else:
            _put(changes, name, file.path, task.arguments)
    changes |= {name: with_files(task.arguments[name], files) for name, files in placed.items()}
    if changes:
        requested = msgspec.structs.replace(requested, **changes)
    try:
        result = requested.repeatable().run(context)
    except DirectedNetworkError as refused:
        raise refused_by(refused, task.operation) from None
    context.work.check()
    row = json_value(requested.row(result))
    record = result.record() if isinstance(result, Result) else json_value(result)
    return without_timings(record), row


def _put(content: dict[str, Any], name: str, value: Any, arguments: Mapping[str, Any] | None = None) -> None:
    """Set an argument, or an item of a list: ``networks[1]``; other items come from `arguments`."""
    item = _ITEM.fullmatch(name)
    if item is None:
        content[name] = value
        return
    items = list(content[item[1]] if item[1] in content else (arguments or {})[item[1]])
    items[int(item[2])] = value
    content[item[1]] = items


def without_timings(record: dict[str, Any]) -> dict[str, Any]:
    """A record without timings, which differ from run to run; the store has the measured seconds separately."""
    provenance = record.get("provenance")
    if isinstance(provenance, dict) and provenance.get("timings"):
        return record | {"provenance": provenance | {"timings": {}}}
    return record


def _file_of(value: Any, base: Path) -> TaskFile | None:
    """The files and folders that an argument names; None for a spec, a preset or a number."""
    if not isinstance(value, str) or not value or "\0" in value:
        return None
    absolute = _absolute(value, base)
    if absolute is None and "/" in value:
        # One file per plane with commas between, or NETWORK=FILE.
        key, sign, rest = value.partition("=")
        several = [_absolute(text, base) for text in value.split(",")] if "," in value else [_absolute(rest, base)]
        if None in several or not (sign or len(several) > 1):
            return None
        absolute = ",".join(filter(None, several)) if len(several) > 1 else f"{key}={several[0]}"
    return None if absolute is None else TaskFile(absolute, _digest_of(absolute))


def _absolute(value: str, base: Path) -> str | None:
    """The path of the file or folder that a text names; None if it names none."""
    if len(value) > _LONGEST_PATH:
        return None
    path = base / value
    try:
        named_file = path.is_file() and ("/" in value or path.suffix != "")
        network = path.is_dir() and any((path / name).exists() for name in _FOLDERS)
        known_folder = network or ("/" in value and path.is_dir() and _is_discovery(path))
    except OSError:
        return None
    return os.path.realpath(path) if named_file or known_folder else None


def _is_discovery(path: Path) -> bool:
    """Whether a folder can be one of files of one device each: it is not larger than these are."""
    size = number = 0
    for folder, _, files in os.walk(path):
        size += sum(os.path.getsize(os.path.join(folder, name)) for name in files)
        number += 1 + len(files)
        if size > _LARGEST_DISCOVERY or number > _MOST_FILES:
            return False
    return True


def _digest_of(text: str) -> str:
    """The digest of a file or a folder, or of all in a text that names several."""
    if os.path.exists(text):
        return content_digest(Path(text))
    key, sign, rest = text.partition("=")
    parts = [rest] if sign and os.path.exists(rest) else text.split(",")
    lines = [key if sign else "", *(content_digest(Path(part)) for part in parts)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _workload_digest(path: str) -> str:
    """SHA-256 of the files that a workload's path refers to, and of their names.

    Raises
    ------
    InputError
        The files cannot be read, or do not exist.
    """
    try:
        files = files_behind(Path(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if not files:
        raise InputError(f"{path}: there is no such file, and no trace has this name")
    return hashlib.sha256("\n".join(f"{file.name} {content_digest(file)}" for file in files).encode()).hexdigest()


#: Digests of files by path, with the size, the time and the node of each when it was read; and the most of them.
_digests: dict[str, tuple[tuple[int, int, int], str]] = {}
_MOST_DIGESTS = 20_000
#: A file that changed within this time before it was read may change again without another time: it is read each time.
_SETTLED_NS = 2_000_000_000


def _file_digest(path: Path) -> str:
    """SHA-256 of a file, which is read again only if it has changed."""
    before = path.stat()
    state = before.st_size, before.st_mtime_ns, before.st_ino
    stored = _digests.get(str(path))
    if stored is not None and stored[0] == state:
        return stored[1]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if time.time_ns() - before.st_mtime_ns > _SETTLED_NS:
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        _digests[str(path)] = state, digest
    return digest


def content_digest(path: Path) -> str:
    """SHA-256 of a file, or of the names and contents of all files of a folder.

    Raises
    ------
    InputError
        The file or folder cannot be read, or is incompletely written.
    """
    try:
        if path.is_dir():
            settle(path)
            lines = [f"{file.relative_to(path)} {_file_digest(file)}" for file in files_in(path)]
            return hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return _file_digest(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None

"""A task as the command and the Python code that give the same record."""

import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from topoloom.core.settings import texts_of, written
from topoloom.operations.field import Field, fields_of
from topoloom.operations.operation import OPERATIONS, section
from topoloom.studies.task import Task
from topoloom.web.jobs import Job
from topoloom.web.needs import DESIGNS
from topoloom.web.operations import WRITE_DESIGN

#: The commands that give the results of operations of the explorer.
_COMMANDS = {"grow": "expand", "download": "export", "machine-report": "report"}


def as_command(task: Task) -> str:
    """The command that prints the record of a task; empty for operations of the explorer only.

    Examples
    --------
    >>> from topoloom.studies.task import task_of
    >>> as_command(task_of("simulate", {"topology": "petersen:hosts=2", "loads": 0.3, "set": {"vcs": 6}}))
    'topoloom simulate petersen:hosts=2 --set vcs=6 --loads 0.3 --json'
    """
    writes = task.operation == WRITE_DESIGN
    task = _plain(task)
    kind = OPERATIONS.find(_COMMANDS.get(task.operation, task.operation))
    if not section(kind) and OPERATIONS.origin(kind.group) == "here":
        return ""
    arguments = dict(task.arguments)
    fields = {field.name: field for field in fields_of(kind)}
    first = [name for name, field in fields.items() if field.positional] or [next(iter(fields))]
    words = ["topoloom", kind.group, *(word for name in first for word in _words(arguments.pop(name, ())))]
    if kind.group == "design":
        arguments.pop("measured", None)
        change = flat_keys(arguments.pop("change", {}))
        arguments |= {"change": change} if change else {}
        # A task has a shortlist only where it asks for one; what writes a folder does as the file says.
        arguments |= {} if writes or "shortlist" in change else {"shortlist": arguments.get("shortlist", 0)}
        words += ["-o", "design"]
    for name, value in arguments.items():
        words += _option(fields[name], value)
    if task.operation == "download":
        return shlex.join([*words, "-o", str(task.arguments["kind"]).partition(":")[0]])
    return shlex.join([*words, "--json"])


def _plain(task: Task) -> Task:
    """A task of the design that is written, without the place where the explorer writes it."""
    if task.operation != WRITE_DESIGN:
        return task
    return Task("design", {name: value for name, value in task.arguments.items() if name != "folder"}, task.files)


def flat_keys(table: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """A table in which the keys of inner tables are written as ``table.key``.

    >>> flat_keys({"hosts": 64, "switch": {"radix": 12}})
    {'hosts': 64, 'switch.radix': 12}
    """
    keys: dict[str, Any] = {}
    for key, value in table.items():
        keys |= flat_keys(value, f"{within}{key}.") if isinstance(value, dict) else {f"{within}{key}": value}
    return keys


def _words(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else [str(value)]


def _option(field: Field, value: Any) -> list[str]:
    option = field.option
    if value is None:
        return []
    if isinstance(value, bool):
        return [option] if value else [option.replace("--", "--no-", 1)]
    if isinstance(value, dict):
        return [word for text in texts_of(value) for word in (option, text)]
    if isinstance(value, (list, tuple)) and field.reads is None:
        return [word for item in value for word in (option, written(item))]
    return [option, written(value)]


def as_python(task: Task) -> str:
    """The Python code that gives the same record.

    Examples
    --------
    >>> from topoloom.studies.task import task_of
    >>> print(as_python(task_of("hops", {"topology": "petersen"})))
    from topoloom import run_task, task_of
    record, row = run_task(task_of('hops', {'topology': 'petersen'}))
    """
    task = _plain(task)
    return f"from topoloom import run_task, task_of\nrecord, row = run_task(task_of({task.operation!r}, {task.arguments!r}))"


def job_view(job: Job) -> dict[str, Any]:
    """A job as the data of a page."""
    return {
        "digest": job.digest,
        "operation": job.task.operation,
        "arguments": job.task.arguments,
        "state": job.state,
        "at": job.at,
        "begun": job.begun,
        "now": time.time(),
        "seconds": job.seconds,
        "expected_s": job.expected_s,
        "error": job.error,
        "folder": f"{DESIGNS}/{Path(folder).name}" if (folder := job.task.arguments.get("folder")) else "",
        "command": as_command(job.task),
        "python": as_python(job.task),
    }

"""A task as people say it: the command line and the Python that give the same record."""

import shlex
from typing import Any

from topoloom.core.settings import texts_of, written
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS, section
from topoloom.studies.task import Task


def as_command(task: Task) -> str:
    """The command that prints the record of a task; empty for what only the explorer asks.

    Examples
    --------
    >>> from topoloom.studies.task import task_of
    >>> as_command(task_of("simulate", {"topology": "petersen:hosts=2", "loads": 0.3, "set": {"vcs": 6}}))
    'topoloom simulate petersen:hosts=2 --set vcs=6 --loads 0.3 --json'
    """
    kind = OPERATIONS.find({"grow": "expand"}.get(task.verb, task.verb))
    if not section(kind) and OPERATIONS.origin(kind.group) == "here":
        return ""
    arguments = dict(task.arguments)
    fields = {field.name: field for field in fields_of(kind)}
    first = [name for name, field in fields.items() if field.positional] or [next(iter(fields))]
    words = ["topoloom", kind.group, *(str(arguments.pop(name)) for name in first if name in arguments)]
    if kind.group == "design":
        change = arguments.pop("change", {})
        arguments.pop("measured", None)
        words += ["-o", "design", "--finalists", str(change.get("finalists", 0))]
    for name, value in arguments.items():
        words += _option(fields[name].option, value)
    return shlex.join([*words, "--json"])


def _option(option: str, value: Any) -> list[str]:
    if value is True:
        return [option]
    if value is False:
        return []
    if isinstance(value, dict):
        return [word for text in texts_of(value) for word in (option, text)]
    if isinstance(value, (list, tuple)):
        return [option, ",".join(written(one) for one in value)]
    return [option, written(value)]


def as_python(task: Task) -> str:
    """The Python that gives the same record.

    Examples
    --------
    >>> from topoloom.studies.task import task_of
    >>> print(as_python(task_of("hops", {"topology": "petersen"})))
    from topoloom import run_task, task_of
    record, row = run_task(task_of('hops', {'topology': 'petersen'}))
    """
    return f"from topoloom import run_task, task_of\nrecord, row = run_task(task_of({task.verb!r}, {task.arguments!r}))"

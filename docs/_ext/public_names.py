"""What one thing is called on the command line, in Python and in records; all but `VERBS` is read from the program."""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_type_hints

import click

from topoloom.operations.operation import OPERATIONS, section

#: The names in Python that do what a command does, of the commands that have no operation.
_OTHERS = {
    "new": ("new_requirement", "new_study"),
    "serve": ("serve",),
    "study": ("run_study", "open_study", "study_status", "run_task"),
    "reproduce": ("topoloom_papers.reproduce",),
}
VERBS = {**{name: kind.functions for name, kind in OPERATIONS.items() if section(kind) and kind.functions}, **_OTHERS}
#: Parameters that say how an operation runs, not what it does; they are the same everywhere.
_EVERYWHERE = {"work", "jobs"}


@dataclass(frozen=True)
class Named:
    """A row of the table.

    Attributes
    ----------
    command, name : str
        On the command line, and in Python: `topoloom.NAME`, or the whole name where it is of another package.
    first : bool
        Whether it is the first row of its command.
    record_name, anchor : str
        The record's schema, and its heading on the page of records; empty where there is none.
    shared : tuple of (str, str)
        Options of the command that are parameters of the function, too, each with the function's default.
    alone : tuple of (str, str)
        The function's other parameters that have defaults.
    """

    command: str
    name: str
    first: bool
    record_name: str
    anchor: str
    shared: tuple[tuple[str, str], ...]
    alone: tuple[tuple[str, str], ...]


def names() -> Iterator[Named]:
    """Every command with its operations, in the order of the help."""
    from topoloom.cli.main import cli

    context = click.Context(cli, info_name="topoloom")
    for command in cli.list_commands(context):
        found = cli.get_command(context, command)
        options = {} if found is None else options_of(found)
        for name in VERBS[command]:
            operation = public(name)
            record_name = result_type_of(operation)
            parameters = parameters_of(operation)
            shared = tuple((options[key], value) for key, value in parameters.items() if key in options)
            alone = tuple((key, value) for key, value in parameters.items() if key not in options)
            anchor = re.sub(r"[^\w\- ]", "", record_name)
            yield Named(command, name, name == VERBS[command][0], record_name, anchor, shared, alone)


def public(name: str) -> Any:
    """What a public name stands for: a name of topoloom, or a whole name of the package of the papers."""
    package, _, name = name.rpartition(".")
    return getattr(import_module(package or "topoloom"), name)


def options_of(command: click.Command) -> dict[str, str]:
    """The options of a command by the name of their parameter, each as a user writes it."""
    return {
        one.name: max((word for word in one.opts if word.startswith("--")), key=len, default=one.opts[0])
        for one in command.params
        if isinstance(one, click.Option) and one.name is not None
    }


def parameters_of(operation: Any) -> dict[str, str]:
    """The parameters of a function that have a default, by name; none for what is no function."""
    if not inspect.isfunction(operation):
        return {}
    return {
        name: _shown(one.default)
        for name, one in inspect.signature(operation).parameters.items()
        if one.default is not one.empty and name not in _EVERYWHERE
    }


def result_types(packages: Sequence[str] = ("topoloom", "topoloom_papers")) -> list[Any]:
    """Every result result that is public in a package or that a public function returns, by the name of its schema."""
    from topoloom.model.results import Result, schema_id

    names = [f"{package}.{name}" for package in packages for name in import_module(package).__all__]
    values = [public(name) for name in names]
    found = {one for one in (*values, *map(_result_of, values)) if inspect.isclass(one) and issubclass(one, Result)}
    return sorted(found, key=schema_id)


def result_type_of(operation: Any) -> str:
    """The schema of the record that a function returns, or nothing."""
    from topoloom.model.results import Result, schema_id

    kind = _result_of(operation)
    return schema_id(kind) if inspect.isclass(kind) and issubclass(kind, Result) else ""


def _result_of(operation: Any) -> Any:
    return get_type_hints(operation).get("return") if inspect.isfunction(operation) else None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 else f"{type(value).__name__}(...)"

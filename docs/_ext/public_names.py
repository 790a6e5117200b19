"""The names of each operation on the command line, in Python and in records, read from the program except `_OTHERS`."""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_type_hints

import click

from topoloom.operations.operation import OPERATIONS, section

#: The Python names for commands without an operation.
_OTHERS = {
    "new": ("new_requirement", "new_study"),
    "serve": ("serve",),
    "study": ("run_study", "open_study", "study_status", "run_task"),
    "manual": ("topoloom.cli.man_pages.manual_files",),
    "reproduce": ("topoloom_papers.reproduce",),
}
FUNCTIONS = {
    **{name: kind.functions for name, kind in OPERATIONS.items() if section(kind) and kind.functions},
    **_OTHERS,
}
#: Parameters that control how an operation runs, not what it computes; they are the same everywhere.
_EVERYWHERE = {"work", "jobs"}


@dataclass(frozen=True)
class Named:
    """One row of the table.

    Attributes
    ----------
    command, name : str
        The name on the command line, and in Python: `topoloom.NAME`, or the full name for another package.
    first : bool
        Whether this is the first row of its command.
    record_name, anchor : str
        The record's schema, and its heading on the page of records; empty if it has no record.
    shared : tuple of (str, str)
        Options of the command that are also parameters of the function, each with the function's default.
    alone : tuple of (str, str)
        The other parameters of the function that have defaults.
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
        click_command = cli.get_command(context, command)
        options = {} if click_command is None else options_of(click_command)
        for name in FUNCTIONS[command]:
            operation = public(name)
            record_name = result_type_of(operation)
            parameters = parameters_of(operation)
            shared = tuple((options[key], value) for key, value in parameters.items() if key in options)
            alone = tuple((key, value) for key, value in parameters.items() if key not in options)
            anchor = re.sub(r"[^\w\- ]", "", record_name)
            yield Named(command, name, name == FUNCTIONS[command][0], record_name, anchor, shared, alone)


def public(name: str) -> Any:
    """The object with a public name: a name of topoloom, or a full name of another module."""
    package, _, name = name.rpartition(".")
    return getattr(import_module(package or "topoloom"), name)


def options_of(command: click.Command) -> dict[str, str]:
    """The options of a command, as a user writes them, by the names of their parameters."""
    return {
        option.name: max((word for word in option.opts if word.startswith("--")), key=len, default=option.opts[0])
        for option in command.params
        if isinstance(option, click.Option) and option.name is not None
    }


def parameters_of(operation: Any) -> dict[str, str]:
    """The parameters of a function that have a default, by name; empty for other objects."""
    if not inspect.isfunction(operation):
        return {}
    return {
        name: _shown(parameter.default)
        for name, parameter in inspect.signature(operation).parameters.items()
        if parameter.default is not parameter.empty and name not in _EVERYWHERE
    }


def result_types(packages: Sequence[str] = ("topoloom", "topoloom_papers")) -> list[Any]:
    """Every result type that is public in a package or returned by a public function, sorted by its schema."""
    from topoloom.model.results import Result, schema_id

    names = [f"{package}.{name}" for package in packages for name in import_module(package).__all__]
    values = [public(name) for name in names]
    kinds = {kind for kind in (*values, *map(_result_of, values)) if inspect.isclass(kind) and issubclass(kind, Result)}
    return sorted(kinds, key=schema_id)


def result_type_of(operation: Any) -> str:
    """The schema of the record that a function returns; empty if it returns none."""
    from topoloom.model.results import Result, schema_id

    kind = _result_of(operation)
    return schema_id(kind) if inspect.isclass(kind) and issubclass(kind, Result) else ""


def _result_of(operation: Any) -> Any:
    return get_type_hints(operation).get("return") if inspect.isfunction(operation) else None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 30 else f"{type(value).__name__}(...)"

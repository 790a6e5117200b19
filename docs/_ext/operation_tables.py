"""Tables of operations and commands, generated from their declarations: name, option, meaning, range, unit, default."""

import inspect
from collections.abc import Iterator
from typing import Any

import click

from topoloom.cli.declared import DeclaredCommand
from topoloom.cli.main import cli
from topoloom.core.settings import Settings, written
from topoloom.operations.field import Field, fields_of
from topoloom.operations.operation import OPERATIONS, Operation

#: Heading of every table.
_HEAD = ["| name | option | meaning | accepts | unit | default |", "|---|---|---|---|---|---|"]


def lines() -> Iterator[str]:
    """The lines of the page: every operation by name, then the commands without an operation."""
    commands = dict(_commands())
    for name, kind in OPERATIONS.items():
        command = commands.pop(name) if name in commands and commands[name].groups[0] is kind else None
        where = "No command is generated from it." if command is None else f"The command is `topoloom {name}`."
        studied = "A study can run it." if kind.studied else "A study cannot run it, because it writes files or lists."
        yield from [f"## {name}", "", _about(kind), "", f"{where} {studied}", ""]
        yield from _table(kind, "The operation has no arguments.", command is not None)
        if command is not None:
            yield from _rest([group for group in command.groups if not issubclass(group, Operation)])
    for name, command in commands.items():
        first, *others = command.groups
        yield from [f"## topoloom {name}", "", _about(first), ""]
        yield from _table(first, "It has no arguments.", True)
        yield from _rest(others)


def _commands() -> Iterator[tuple[str, DeclaredCommand]]:
    """Every declared command by its name, including those of groups: "study run"."""
    context = click.Context(cli, info_name="topoloom")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if isinstance(command, DeclaredCommand):
            yield name, command
        elif isinstance(command, click.Group):
            for inner, subcommand in command.commands.items():
                if isinstance(subcommand, DeclaredCommand):
                    yield f"{name} {inner}", subcommand


def _about(kind: type[Settings]) -> str:
    return inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _table(kind: type[Settings], none: str, command: bool) -> list[str]:
    rows = [_row(field, command) for field in fields_of(kind)]
    return [*_HEAD, *rows, ""] if rows else [none, ""]


def _rest(groups: list[type[Settings]]) -> list[str]:
    rows = [_row(field, True) for group in groups for field in fields_of(group)]
    return ["Only on the command line:", "", *_HEAD, *rows, ""] if rows else []


def _row(field: Field, command: bool) -> str:
    options = ", ".join(f"`{option}`" for option in field.options) if command else ""
    cells = (f"`{field.name}`", options, field.description, field.accepts, field.unit, _default(field))
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _default(field: Field) -> str:
    value: Any = field.default
    if field.required:
        return "required"
    return "" if value is None or field.table or value in ((), "") else f"`{written(value)}`"

"""Tables of operations and of commands, made from their declarations: name, option, meaning, range, unit, default."""

import inspect
from collections.abc import Iterator
from typing import Any

import click

from topoloom.cli.declared import DeclaredCommand
from topoloom.cli.main import cli
from topoloom.core.settings import Settings, written
from topoloom.operations.field import Field, fields_of
from topoloom.operations.operation import OPERATIONS, Operation

#: In front of the columns of a table.
_HEAD = ["| name | option | what it is | accepts | unit | default |", "|---|---|---|---|---|---|"]


def lines() -> Iterator[str]:
    """The page: every operation by name, then the commands that have none."""
    commands = dict(_commands())
    for name, kind in OPERATIONS.items():
        command = commands.pop(name) if name in commands and commands[name].groups[0] is kind else None
        where = "There is no command that is made of it." if command is None else f"The command is `topoloom {name}`."
        studied = "A study can run it." if kind.studied else "A study does not run it: it writes files or lists."
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
    """Every declared command by its name, those within groups, too: "study run"."""
    context = click.Context(cli, info_name="topoloom")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if isinstance(command, DeclaredCommand):
            yield name, command
        elif isinstance(command, click.Group):
            for inner, one in command.commands.items():
                if isinstance(one, DeclaredCommand):
                    yield f"{name} {inner}", one


def _about(kind: type[Settings]) -> str:
    return inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _table(kind: type[Settings], none: str, command: bool) -> list[str]:
    rows = [_row(field, command) for field in fields_of(kind)]
    return [*_HEAD, *rows, ""] if rows else [none, ""]


def _rest(groups: list[type[Settings]]) -> list[str]:
    rows = [_row(field, True) for group in groups for field in fields_of(group)]
    return ["On the command line alone:", "", *_HEAD, *rows, ""] if rows else []


def _row(field: Field, command: bool) -> str:
    option = ", ".join(f"`{one}`" for one in field.options) if command else ""
    cells = (f"`{field.name}`", option, field.description, field.accepts, field.unit, _default(field))
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _default(field: Field) -> str:
    value: Any = field.default
    if field.required:
        return "required"
    return "" if value is None or field.table or value in ((), "") else f"`{written(value)}`"

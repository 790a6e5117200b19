"""The page of operations: every field of every declaration stands there, as the program has it."""

import re
import sys

import pytest
from doc_blocks import ROOT

from topoloom.cli.declared import DeclaredCommand
from topoloom.core.settings import written
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS, Operation


@pytest.fixture(scope="module")
def tables():
    """The module that makes the page."""
    sys.path.insert(0, str(ROOT / "docs" / "_ext"))
    try:
        import operation_tables
    finally:
        sys.path.pop(0)
    return operation_tables


def _sections(lines):
    """By heading: the rows of its tables, each as its cells."""
    sections, rows = {}, []
    for line in lines:
        if line.startswith("## "):
            rows = sections[line[3:]] = []
        elif line.startswith("| `"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return sections


def _checked(rows, fields):
    by_name = {row[0].strip("`"): row for row in rows}
    for field in fields:
        _, _, description, accepts, unit, default = by_name[field.name]
        assert description.replace("\\|", "|") == field.description
        assert accepts == field.accepts
        assert unit == field.unit
        if field.required:
            assert default == "required"
        elif isinstance(field.default, bool | int | float):
            assert default == f"`{written(field.default)}`"


def test_every_field_of_every_operation_is_in_the_page(tables):
    """Name, meaning, range, unit and default, those of operations without a command, too."""
    sections = _sections(tables.lines())
    assert len(OPERATIONS) > 30
    for name, kind in OPERATIONS.items():
        _checked(sections[name], fields_of(kind))


def test_every_option_of_every_declared_command_is_in_the_page(tables):
    """Also of what only the command line has, and of the commands within groups."""
    sections, commands = _sections(tables.lines()), dict(tables._commands())
    assert {"study run", "study plot", "serve", "expand"} <= set(commands)
    for name, command in commands.items():
        assert isinstance(command, DeclaredCommand)
        rows = sections[name if issubclass(command.groups[0], Operation) else f"topoloom {name}"]
        _checked(rows, [field for group in command.groups for field in fields_of(group)])
        spelled = {word for row in rows for word in re.findall(r"`(-[\w-]+)`", row[1])}
        assert {word for one in command.params for word in one.opts if word.startswith("-")} <= spelled


def test_the_page_is_made_when_the_site_is():
    """By a directive; nothing of it is written by hand."""
    assert "```{operations}\n```" in (ROOT / "docs" / "reference" / "operations.md").read_text()
    assert "reference/operations" in (ROOT / "docs" / "index.md").read_text()

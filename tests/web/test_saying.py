"""The command that a page prints for a task: as it is typed, it makes the same operation."""

import shlex

import click
import pytest

from topoloom.cli.declared import _values
from topoloom.cli.main import cli
from topoloom.operations.operation import OPERATIONS, operation_of
from topoloom.studies.task import task_of
from topoloom.web.saying import as_command


def _typed(line):
    """The operation that a command line makes; nothing is run."""
    _, name, *words = shlex.split(line)
    command = cli.get_command(click.Context(cli), name)
    with command.make_context(name, words) as context:
        return command.groups[0](**_values(command.groups[0], context.params))


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("expand", {"topology": "petersen", "to": 12, "host_cables": False, "parts": "ethernet-2026"}),
        ("expand", {"topology": "petersen", "into": "ring:n=12", "host_cables": True, "rate_gbps": 56.0}),
        ("design", {"requirement": "nothing.toml", "shortlist": 2, "change": {"hosts": 64, "switch.radix": 12}}),
        ("compare", {"networks": ["petersen", "ring:n=4"], "reference": "petersen", "spares": False}),
        ("cuts", {"topology": "petersen", "exact": True}),
    ],
)
def test_the_command_makes_the_same_operation(operation, arguments):
    """Lists, tables, and switches that are on or off."""
    kind = OPERATIONS[operation]
    wanted = operation_of(kind, arguments)
    assert _typed(as_command(task_of(operation, arguments))) == wanted


def test_a_design_in_a_task_has_no_finalists_unless_it_asks_for_some():
    """The command says so; tables of the change are keys with points."""
    asked = {"requirement": "nothing.toml", "change": {"switch": {"radix": 12}}}
    line = as_command(task_of("design", asked))
    assert line == "topoloom design nothing.toml -o design --change switch.radix=12 --shortlist 0 --json"

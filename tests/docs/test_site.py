"""The site: its table of names is that of the program."""

import inspect
import runpy

import click
import pytest
from doc_blocks import ROOT

import topoloom
from topoloom.cli.main import cli

NAMES = runpy.run_path(str(ROOT / "docs" / "_ext" / "public_names.py"))
CONTEXT = click.Context(cli, info_name="topoloom")
COMMANDS = cli.list_commands(CONTEXT)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_verb_in_python(command):
    """The table of names has at least one public name a command."""
    assert NAMES["VERBS"][command]
    assert set(NAMES["VERBS"][command]) <= set(topoloom.__all__)


def test_the_table_has_no_command_that_is_gone():
    """Commands and rows of the table are the same."""
    assert {row.command for row in NAMES["names"]()} == set(NAMES["VERBS"]) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_and_the_parameter_of_that_name_have_one_default(command):
    """What is left out on the command line is what is left out in Python: of numbers, words and flags."""
    verb = getattr(topoloom, NAMES["VERBS"][command][0])
    parameters = inspect.signature(verb).parameters if inspect.isfunction(verb) else {}
    found = cli.get_command(CONTEXT, command)
    assert found is not None
    for option in found.params:
        told = option.get_default(click.Context(found)) if option.name in parameters else None
        meant = parameters[option.name].default if option.name in parameters else None
        if isinstance(told, int | float | str) and isinstance(meant, int | float | str):
            assert told == meant, option.name

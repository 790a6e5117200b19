"""The example in each command's help."""

import shlex

import click
import pytest

from in_process import own_commands
from topoloom.cli.examples import EXAMPLES
from topoloom.cli.main import cli

CONTEXT = click.Context(cli, info_name="topoloom")


@pytest.mark.parametrize("name", cli.list_commands(CONTEXT))
def test_every_help_text_has_an_example_that_the_command_takes(name):
    """The last words of a command's help are an example, whose arguments and options are all there."""
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    text = command.get_help(click.Context(command, info_name=name, parent=CONTEXT))
    (line,) = [line.strip() for line in text.splitlines() if line.strip().startswith("Example: ")]
    example, topoloom, typed, *words = shlex.split(line)
    assert (example, topoloom, typed) == ("Example:", "topoloom", name)
    context = command.make_context(name, words, parent=CONTEXT)
    if isinstance(command, click.Group):
        inner, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = found.make_context(inner, rest, parent=context)
    assert not context.args


def test_no_example_is_of_a_command_that_is_gone():
    """Commands and examples are the same."""
    assert set(EXAMPLES) == set(own_commands())

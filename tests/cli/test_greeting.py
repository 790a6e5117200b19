"""`topoloom` without a command greets: one screen with three ways in, whose commands work as they are printed."""

import os
import shlex

import click
import pytest

from in_process import run
from topoloom import __version__
from topoloom.cli.greeting import WAYS
from topoloom.cli.main import cli
from topoloom.cli.register import COMMANDS

_CONTEXT = click.Context(cli, info_name="topoloom")
#: What asks questions on a terminal asks none here.
_ASKS = "new"


def test_the_greeting_fits_on_a_screen():
    """Version, three ways, every command by its group, the documentation; exit code 0, nothing on standard error."""
    done = run()
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert __version__ in lines[0]
    assert len(lines) <= 30
    assert all(len(line) <= 80 or os.sep in line for line in lines)
    for who, what, examples in WAYS:
        assert f"{who}: {what}" in lines
        assert all(f"  {example}" in lines for example in examples)
    words = {word for line in lines for word in line.split()}
    assert [name for name in COMMANDS if name not in words] == []
    assert any(line.startswith("Documentation: ") for line in lines)


def test_help_is_as_full_as_it_was():
    """`topoloom --help` has a line per command."""
    done = run("--help")
    assert done.code == 0
    assert "Size, degree, diameter" in done.out


@pytest.mark.parametrize("example", [example for _, _, examples in WAYS for example in examples])
def test_an_example_is_a_command_with_its_options(example):
    """As in the help texts."""
    typed, name, *words = shlex.split(example)
    assert typed == "topoloom"
    command = cli.get_command(_CONTEXT, name)
    context = command.make_context(name, words, parent=_CONTEXT)
    if isinstance(command, click.Group):
        inner, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = found.make_context(inner, rest, parent=context)
    assert not context.args


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_the_examples_work_as_printed(way, tmp_path, monkeypatch):
    """In an empty folder, one after the other; a design without its full assessment, which takes minutes."""
    monkeypatch.chdir(tmp_path)
    for example in way[2]:
        _, *words = shlex.split(example)
        words += ["--yes"] if words[0] == _ASKS else ["--shortlist", "0"] if words[0] == "design" else []
        done = run(*words)
        assert done.code == (3 if words[0] == "verify" else 0), (example, done.err)  # faults are found

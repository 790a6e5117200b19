"""Man pages of the commands, and completions for the shells, made from the same declarations as the help.

The pages use the macros of man(7): a text is escaped so that no line of it is read as a macro, and every ``-`` is the ASCII
character, which can be copied from the page.
"""

import re
from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from topoloom._version import __version__
from topoloom.cli.register import COMMANDS

__all__ = ["SHELLS", "manual_files"]

#: The environment variable by which shells ask for completions.
COMPLETION = "_TOPOLOOM_COMPLETE"
#: The file of each shell's completion, below a prefix such as /usr/local.
SHELLS = {
    "bash": "share/bash-completion/completions/topoloom",
    "zsh": "share/zsh/site-functions/_topoloom",
    "fish": "share/fish/vendor_completions.d/topoloom.fish",
}
_EXIT = (
    ("0", "Done; of a check, that nothing is wrong."),
    ("1", "A bug in topoloom."),
    ("2", "Wrong input; one line on standard error says which."),
    ("3", "Of verify, verify-tables, watch and repair: something is wrong, or work remains."),
    ("130", "A signal ended the command."),
)


def manual_files(cli: click.Group) -> dict[str, str]:
    """Every man page and completion, by its path below a prefix.

    Parameters
    ----------
    cli : click.Group
        The command line.

    Returns
    -------
    dict of str to str
    """
    context = click.Context(cli, info_name="topoloom", max_content_width=100)
    files = {f"share/man/man1/{name}.1": page for name, page in _pages(cli, context)}
    for shell, path in SHELLS.items():
        kind = get_completion_class(shell)
        assert kind is not None  # noqa: S101  # click has these three
        files[path] = _source(kind(cli, {}, "topoloom", COMPLETION))
    return files


def _source(completion: "click.shell_completion.ShellComplete") -> str:
    """The script of a shell, without the test of the shell's version on this machine."""
    return completion.source_template % completion.source_vars() + "\n"


def _pages(cli: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    names = cli.list_commands(context)
    lines = _head("topoloom", "design, cable, route and operate networks of supercomputers and data centres")
    lines += [".SH SYNOPSIS", r".B topoloom", r"\fICOMMAND\fR [\fIOPTION\fR]... [\fIARGUMENT\fR]..."]
    lines += [".SH DESCRIPTION", *_paragraphs(cli.help or ""), ".SH COMMANDS"]
    for name in names:
        lines += [".TP", rf"\fBtopoloom\-{_text(name)}\fR(1)", _text(COMMANDS[name].help)]
    yield "topoloom", _finished(lines)
    for name in names:
        command = cli.get_command(context, name)
        if command is not None:
            yield f"topoloom-{name}", _page(command, name, context)


def _page(command: click.Command, name: str, above: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=above, max_content_width=100)
    lines = [*_head(f"topoloom-{name}", COMMANDS[name].help), ".SH SYNOPSIS", rf".B topoloom {_text(name)}"]
    lines += [
        _text(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    lines += _options(command, context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            part = command.get_command(context, inner)
            if part is not None:
                inner_context = click.Context(part, info_name=inner, parent=context)
                pieces = " ".join(part.collect_usage_pieces(inner_context))
                lines += [f".SH {_text(f'topoloom {name} {inner}').upper()}", _text(f"{name} {inner} {pieces}"), ".PP"]
                lines += [*_paragraphs(part.help or ""), *_options(part, inner_context, ".SS")]
    return _finished(lines, related=True)


def _head(name: str, summary: str) -> list[str]:
    title = f'.TH "{_text(name).upper()}" 1 "" "topoloom {_text(__version__)}" "topoloom"'
    return [title, ".SH NAME", rf"{_text(name)} \- {_text(summary)}"]


def _options(command: click.Command, context: click.Context, section: str = ".SH") -> list[str]:
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    lines = [f"{section} OPTIONS"] if records else []
    # Arguments have no text.
    for names, text in filter(lambda record: record[1], records):
        lines += [".TP", rf"\fB{_text(names)}\fR", _text(" ".join(text.split()))]
    return lines


def _finished(lines: list[str], related: bool = False) -> str:
    lines = [*lines, ".SH EXIT STATUS"]
    for code, text in _EXIT:
        lines += [".TP", rf"\fB{code}\fR", _text(text)]
    if related:
        lines += [".SH SEE ALSO", r"\fBtopoloom\fR(1)"]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a help text; blocks that click does not rewrap (after a line with \\b) keep their lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        unwrapped = block.startswith("\b")
        body = block.removeprefix("\b").strip("\n")
        lines.append(".PP")
        if unwrapped:
            lines += [".nf", *map(_text, body.split("\n")), ".fi"]
        else:
            lines.append(_text(" ".join(body.split())))
    return lines


def _text(text: str) -> str:
    """A text without meaning for man: backslashes and hyphens are escaped, and no line begins with a macro's sign."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped

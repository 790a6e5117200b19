"""Texts, tables and records on the terminal, for every command."""

import io
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from topoloom.model.results import Result


#: Whether the command has --quiet.
_quiet = False


@contextmanager
def quieted() -> Iterator[list[int]]:
    """A context in which only warnings and errors are printed, as with ``--quiet``.

    Yields
    ------
    list of int
        Takes the exit code: what was printed on standard output is shown at the end if it is not 0.
    """
    global _quiet  # noqa: PLW0603
    log, before = logging.getLogger("topoloom"), logging.getLogger("topoloom").level
    code = [0]
    _quiet = True
    log.setLevel(logging.ERROR)
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield code
    finally:
        _quiet = False
        log.setLevel(before)
    if code[0]:
        click.echo(printed.getvalue(), nl=False)


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text. Control characters in names, such as terminal escapes, are shown and not sent.

    With ``--quiet`` standard error gets only texts that begin with ``warning`` or ``error``.

    Parameters
    ----------
    text : object
        Converted by `str`.
    err : bool
        Whether it goes to standard error.
    nl : bool
        Whether a line end follows.
    """
    if err and _quiet and not str(text).startswith(("warning", "error")):
        return
    click.echo(visible(str(text)), err=err, nl=nl)


def visible(text: str) -> str:
    """A text in which control characters, except line ends and tabs, are written as ``\\x1b``.

    Examples
    --------
    >>> visible("rack\x1b[31m 7")
    'rack\\\\x1b[31m 7'
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else ascii(c)[1:-1] for c in text)


def print_record(result: "Result | Mapping[str, Any]") -> None:
    """Print a result's record, as `record()` returns it, as one JSON document."""
    import msgspec

    value = result if isinstance(result, Mapping) else result.record()
    # Names from the system may hold bytes that are not Unicode; JSON has only Unicode.
    click.echo(msgspec.json.format(msgspec.json.encode(_whole(value)), indent=2).decode())


def one_record(results: "Sequence[Result]") -> None:
    """Print the record of the only result; raise `InputError` if there are several."""
    from topoloom.core.errors import InputError

    if len(results) > 1:
        raise InputError(f"--json prints the record of one network, and {len(results)} are named; name one TOPOLOGY")
    print_record(results[0])


def print_line(entry: object) -> None:
    """Print an entry of a result, such as a claim of a reproduction, as one line of JSON."""
    import msgspec

    click.echo(msgspec.json.encode(_whole(msgspec.to_builtins(entry))).decode())


def _whole(value: Any) -> Any:
    """JSON types with every text in Unicode; bytes of file names that are not Unicode are written as ``\\udcff``."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value


def print_facts(title: str | None, rows: Sequence[tuple[str, str]]) -> None:
    """Print the title, if any, and one line per (label, value); values are aligned and never cut."""
    width = max((len(what) for what, _ in rows), default=0)
    if title:
        say(title)
    for what, value in rows:
        say(f"{what.replace('_', ' '):{width}}  {value}")


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows; the first has the headings, and each column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def plain(value: Any) -> str:
    """A value as readable text: at most six digits after the point, yes and no, "infinite"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "infinite"
        return f"{value:.3g}" if 0 < abs(value) < 1e-3 else f"{value:.6f}".rstrip("0").rstrip(".")
    return str(value)

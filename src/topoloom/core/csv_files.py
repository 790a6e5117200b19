"""Writing and reading CSV: cells that no spreadsheet takes for formulas, and errors with the line."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from topoloom.core.errors import at
from topoloom.core.former_keys import FORMER_KEYS

_SPECIAL = re.compile(r'[",;\r\n]|^\s|\s$')
#: A spreadsheet takes a cell that begins so for a formula (the wide characters too, in Japanese input); a leading "'" makes it
#: text.
_FORMULA = re.compile(r"'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])")
_IN_QUOTES = re.compile(r'"[^"]*"')
_HEADER = re.compile(r'(?:[^"\n]|"[^"]*")*')


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV: the names of the columns, then the rows.

    Parameters
    ----------
    columns : sequence of str
        The header.
    rows : iterable of sequences
        One cell per column: texts (see `guarded`), numbers (written as Python prints them; not as texts, because a text like
        "-1" is guarded) and None (an empty cell).

    Returns
    -------
    str
        The file's content; every line ends in a newline.

    Raises
    ------
    ValueError
        A row does not have one cell per column.

    Examples
    --------
    >>> print(csv_text(("name", "hosts"), [("=cmd", 4), ("a,b", None)]), end="")
    name,hosts
    '=cmd,4
    "a,b",
    """
    lines = [",".join(map(guarded, columns))]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row of {len(row)} cells in a table of {len(columns)} columns")
        lines.append(",".join(_shown(value) for value in row))
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    return "" if value is None else guarded(value) if isinstance(value, str) else str(value)


def csv_table(columns: Mapping[str, Sequence[str]]) -> str:
    """A table as CSV from columns whose cells are ready (`texts`, `numbers`): the fastest way for long tables."""
    rows = map(",".join, zip(*columns.values(), strict=True))
    return "\n".join([",".join(map(guarded, columns)), *rows]) + "\n"


def quoted(text: str) -> str:
    """One cell, in quotes where RFC 4180 needs them."""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def guarded(text: str) -> str:
    """One cell, safe for spreadsheets: a text that looks like a formula gets a leading "'"; see `unguarded`.

    >>> guarded("=cmd|'/c calc'!A1"), guarded("-3+cmd"), guarded("3-4")
    ("'=cmd|'/c calc'!A1", "'-3+cmd", '3-4')
    """
    return quoted(f"'{text}" if _FORMULA.match(text) else text)


def unguarded(text: str) -> str:
    """The text that `guarded` was given, from a cell without its quotes."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def texts(values: Iterable[str], *, guard: bool = True) -> list[str]:
    """The cells of a column of texts; each distinct text is quoted once."""
    cell = guarded if guard else quoted
    done: dict[str, str] = {}
    return [done[text] if text in done else done.setdefault(text, cell(text)) for text in values]


def numbers(values: np.ndarray, digits: int = 3) -> list[str]:
    """A column of numbers: integers unchanged, others rounded and without trailing zeros; NaN is an empty cell."""
    whole = values.dtype.kind in "iub"
    # Numbers repeat too; shared texts save memory.
    different, place = np.unique(values if whole else np.round(values, digits), return_inverse=True)
    shown = list(map(str, different.tolist())) if whole else [_decimal(value, digits) for value in different.tolist()]
    return [shown[i] for i in place.ravel().tolist()]


def _decimal(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def separator(text: str) -> str:
    """The separator of a CSV text, by its first line: ``,``, or ``;`` as spreadsheets write in many countries."""
    # Separators and line ends in quotes do not count.
    header = _IN_QUOTES.sub("", _HEADER.match(text)[0])  # type: ignore[index]  # it matches the empty text
    return ";" if header.count(";") > header.count(",") else ","


def csv_rows(text: str, source: str, delimiter: str = "") -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV text: the last line of each, and its cells, still guarded (`unguarded` removes the guard).

    Empty rows are omitted. Columns of the header from earlier versions get their current names.

    Parameters
    ----------
    text : str
        From a file opened with ``newline=""``; `separator` finds its separator.
    source : str
        The file's name, for messages.
    delimiter : str
        What separates cells; `separator` finds it when omitted.

    Yields
    ------
    (int, list of str)

    Raises
    ------
    InputError
        The text is not CSV, such as a quote without an end: ``file:line: reason``.
    """
    # StringIO would take four bytes per character.
    lines = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    rows = csv.reader(lines, strict=True, delimiter=delimiter or separator(text))
    first = True
    try:
        for cells in rows:
            if "".join(cells).strip():
                yield rows.line_num, [FORMER_KEYS.get(cell, cell) for cell in cells] if first else cells
                first = False
    except csv.Error as error:
        raise at(source, rows.line_num, f"is not CSV: {error}") from None

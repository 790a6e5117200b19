"""Reading the lists in a plan's folder: rows with their line numbers, and cells with numbers."""

import math
from pathlib import Path

from topoloom.core.csv_files import csv_rows, unguarded
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.text_parts import decimal_in

#: Larger files are not plans.
_MOST_CHARACTERS = 1 << 30
_DIGITS = 8

Row = dict[str, str]


def rows_of(path: Path, needed: tuple[str, ...]) -> list[tuple[int, Row]]:
    """The rows of a CSV file, each with the number of its last line.

    Raises
    ------
    InputError
        The file does not exist, lacks a column of `needed`, or has a row with too few or too many cells.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file; 'topoloom expand -o' writes a plan's folder")
    lines = csv_rows(read_text(path, _MOST_CHARACTERS), str(path))
    _, header = next(lines, (1, []))
    missing = [name for name in needed if name not in header]
    if missing:
        raise at(str(path), 1, f"column{'s' * (len(missing) > 1)} {', '.join(missing)} missing")
    rows = []
    for line, cells in lines:
        if len(cells) != len(header):
            raise at(str(path), line, "a row needs as many cells as the header has")
        rows.append((line, dict(zip(header, map(unguarded, cells), strict=True))))
    return rows


def number_in(text: str, source: str, line: int, what: str = "number of a switch, or of switches") -> int:
    """The whole number in a cell.

    Parameters
    ----------
    text : str
        The cell.
    source, line : str, int
        Place of the cell, for messages.
    what : str
        The expected content, for messages.

    Returns
    -------
    int

    Raises
    ------
    InputError
        The cell holds no number, or one with more digits than a plan has.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS:
        raise at(source, line, f"{text[:20]!a} is not a {what}")
    return int(text)


def metres_in(text: str, source: str, line: int) -> float:
    """The number in a cell of metres or dollars; NaN if it is empty.

    Parameters
    ----------
    text : str
        The cell.
    source, line : str, int
        Place of the cell, for messages.

    Returns
    -------
    float

    Raises
    ------
    InputError
        The cell holds something else.
    """
    value = decimal_in(text) if text else math.nan
    if value is None:
        raise at(source, line, f"{text[:20]!a} is not a number")
    return value

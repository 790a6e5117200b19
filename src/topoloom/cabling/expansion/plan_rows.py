"""The lists of a plan as they lie in its folder: rows with their lines, and the cells that hold numbers."""

import math
from pathlib import Path

from topoloom.core.csv_files import csv_rows, unguarded
from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.text_parts import decimal_in

#: Larger files are no plan.
_LONGEST = 1 << 30
_DIGITS = 8

Row = dict[str, str]


def rows_of(path: Path, needed: tuple[str, ...]) -> list[tuple[int, Row]]:
    """The rows of a CSV file with the lines that they end on.

    Raises
    ------
    InputError
        There is no such file, a column of `needed` is missing, or a row has too few or too many cells.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file; 'topoloom expand -o' writes a plan's folder")
    lines = csv_rows(read_text(path, _LONGEST), str(path))
    _, header = next(lines, (1, []))
    missing = [name for name in needed if name not in header]
    if missing:
        raise at(str(path), 1, f"column{'s' * (len(missing) > 1)} {', '.join(missing)} missing")
    rows = []
    for line, cells in lines:
        if len(cells) != len(header):
            raise at(str(path), line, "as many cells as the header has are needed")
        rows.append((line, dict(zip(header, map(unguarded, cells), strict=True))))
    return rows


def number_in(text: str, source: str, line: int, what: str = "number of a switch, or of switches") -> int:
    """The whole number in a cell.

    Parameters
    ----------
    text : str
        The cell.
    source, line : str, int
        Where it stands, for messages.
    what : str
        What it should be, for messages.

    Returns
    -------
    int

    Raises
    ------
    InputError
        It holds none, or one of more digits than a plan has.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > _DIGITS:
        raise at(source, line, f"{text[:20]!a} is no {what}")
    return int(text)


def metres_in(text: str, source: str, line: int) -> float:
    """The number in a cell of metres or dollars; NaN where it is empty.

    Parameters
    ----------
    text : str
        The cell.
    source, line : str, int
        Where it stands, for messages.

    Returns
    -------
    float

    Raises
    ------
    InputError
        It holds something else.
    """
    value = decimal_in(text) if text else math.nan
    if value is None:
        raise at(source, line, f"{text[:20]!a} is no number")
    return value

"""The sections of an ibdiagnet file (``ibdiagnet2.db_csv``): ``START_X``, a line of column names, rows, ``END_X``.

Sections and columns vary with the version of ibdiagnet and its options, so all are looked up by name. A value that is not
known is ``N/A``.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topoloom.core.errors import InputError, at
from topoloom.core.text_parts import whole_in
from topoloom.fabric._lines import lines_of

_MOST_COLUMNS = 2000
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,16}")


@dataclass(frozen=True)
class Row:
    """A row of a section.

    Attributes
    ----------
    source : str
    section : str
    line : int
    cells : dict of str to str
        By column name in lower case; unknown values are absent.
    """

    source: str
    section: str
    line: int
    cells: dict[str, str]

    def text(self, *names: str) -> str:
        """The first nonempty value among these columns; case does not matter."""
        return next((value for name in names if (value := self.cells.get(name.lower()))), "")

    def number(self, *names: str, needed: bool = False) -> int | None:
        """The first nonempty value as a number, which may be in hexadecimal (0x..)."""
        value = self.text(*names)
        if not value:
            if needed:
                raise self.wrong(f"needs {names[0]}")
            return None
        number = (
            int(value, 16) if _HEX.fullmatch(value) and value[:2] in ("0x", "0X") else whole_in(value, (1 << 64) - 1)
        )
        if number is None:
            raise self.wrong(f"{names[0]} is {value[:40]!a}, which is not a number")
        return number

    def guid(self, *names: str, needed: bool = True) -> int | None:
        """The first nonempty value as a GUID, in hexadecimal with or without 0x."""
        value = self.text(*names)
        if not value:
            if needed:
                raise self.wrong(f"needs {names[0]}")
            return None
        if not _HEX.fullmatch(value):
            raise self.wrong(f"{names[0]} is {value[:40]!a}, which is not a GUID")
        return int(value, 16)

    def wrong(self, reason: str) -> InputError:
        """The error for this row."""
        return at(self.source, self.line, f"section {self.section}: {reason}")


def sections(text: str, source: str, wanted: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of the wanted sections that exist in the file.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.
    wanted : sequence of str
        Names of sections, without ``START_``.

    Returns
    -------
    dict of str to list of Row

    Raises
    ------
    InputError
        A section does not end or begins within another, or a row has more cells than columns.
    """
    rows_of: dict[str, list[Row]] = {}
    section, columns, begun = "", None, 0
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if stripped.startswith("START_"):
            if section:
                raise at(source, number, f"{stripped[:60]} begins within section {section[:60]} of line {begun}")
            section, columns, begun = stripped.removeprefix("START_"), None, number
            if section in wanted:
                rows_of.setdefault(section, [])
        elif stripped.startswith("END_"):
            if stripped.removeprefix("END_") != section:
                raise at(source, number, f"{stripped[:60]} ends a section that did not begin")
            section = ""
        elif section in wanted and stripped and not stripped.startswith("#"):
            cells = _cells(line, source, number)
            if columns is None:
                if len(cells) > _MOST_COLUMNS:
                    raise at(source, number, f"section {section}: {len(cells)} columns")
                columns = [cell.lower() for cell in cells]
            elif len(cells) > len(columns):
                raise at(source, number, f"section {section}: {len(cells)} cells in a table of {len(columns)} columns")
            else:
                rows_of[section].append(
                    Row(source, section, number, {k: v for k, v in zip(columns, cells, strict=False) if v != "N/A"})
                )
    if section:
        raise at(source, None, f"section {section[:60]} of line {begun} does not end; the file was cut off")
    return rows_of


def _cells(line: str, source: str, number: int) -> list[str]:
    try:
        cells: Iterator[list[str]] = csv.reader([line], strict=False, skipinitialspace=True)
        return [cell.strip() for cell in next(cells, [])]
    except csv.Error as error:
        raise at(source, number, f"is not CSV: {error}") from None

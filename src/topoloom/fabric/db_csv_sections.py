"""The sections of an ibdiagnet file (``ibdiagnet2.db_csv``): ``START_X``, a line of column names, rows, ``END_X``.

Which sections and columns there are differs by version and by what ibdiagnet was asked, so all are found by name. A value that
is not known is ``N/A``.
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
        By the names of columns in small letters; what is not known is not there.
    """

    source: str
    section: str
    line: int
    cells: dict[str, str]

    def text(self, *names: str) -> str:
        """The first of these columns that says something; capitals do not matter."""
        return next((said for name in names if (said := self.cells.get(name.lower()))), "")

    def number(self, *names: str, needed: bool = False) -> int | None:
        """The same as a number, which may be written in hex (0x..)."""
        said = self.text(*names)
        if not said:
            if needed:
                raise self.wrong(f"needs {names[0]}")
            return None
        number = int(said, 16) if _HEX.fullmatch(said) and said[:2] in ("0x", "0X") else whole_in(said, (1 << 64) - 1)
        if number is None:
            raise self.wrong(f"{names[0]} is {said[:40]!a}, no number")
        return number

    def guid(self, *names: str, needed: bool = True) -> int | None:
        """The same as a GUID, in hex with or without 0x."""
        said = self.text(*names)
        if not said:
            if needed:
                raise self.wrong(f"needs {names[0]}")
            return None
        if not _HEX.fullmatch(said):
            raise self.wrong(f"{names[0]} is {said[:40]!a}, no GUID")
        return int(said, 16)

    def wrong(self, reason: str) -> InputError:
        """The error for this row."""
        return at(self.source, self.line, f"section {self.section}: {reason}")


def sections(text: str, source: str, wanted: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of the wanted sections that the file has.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.
    wanted : sequence of str
        Names of sections, without START_.

    Returns
    -------
    dict of str to list of Row

    Raises
    ------
    InputError
        A section that does not end, or begins within another; a row with more cells than columns.
    """
    found: dict[str, list[Row]] = {}
    inside, columns, begun = "", None, 0
    for number, line in lines_of(text, source):
        stripped = line.strip()
        if stripped.startswith("START_"):
            if inside:
                raise at(source, number, f"{stripped[:60]} begins within section {inside[:60]} of line {begun}")
            inside, columns, begun = stripped.removeprefix("START_"), None, number
            if inside in wanted:
                found.setdefault(inside, [])
        elif stripped.startswith("END_"):
            if stripped.removeprefix("END_") != inside:
                raise at(source, number, f"{stripped[:60]} ends no section that began")
            inside = ""
        elif inside in wanted and stripped and not stripped.startswith("#"):
            cells = _cells(line, source, number)
            if columns is None:
                if len(cells) > _MOST_COLUMNS:
                    raise at(source, number, f"section {inside}: {len(cells)} columns")
                columns = [cell.lower() for cell in cells]
            elif len(cells) > len(columns):
                raise at(source, number, f"section {inside}: {len(cells)} cells in a table of {len(columns)} columns")
            else:
                found[inside].append(
                    Row(source, inside, number, {k: v for k, v in zip(columns, cells, strict=False) if v != "N/A"})
                )
    if inside:
        raise at(source, None, f"section {inside[:60]} of line {begun} does not end; the file was cut off")
    return found


def _cells(line: str, source: str, number: int) -> list[str]:
    try:
        cells: Iterator[list[str]] = csv.reader([line], strict=False, skipinitialspace=True)
        return [cell.strip() for cell in next(cells, [])]
    except csv.Error as error:
        raise at(source, number, f"is not CSV: {error}") from None

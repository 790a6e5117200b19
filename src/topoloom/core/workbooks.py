"""Workbooks of spreadsheets (.xlsx) by openpyxl: reading rows of texts, and writing tables."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from topoloom.core.errors import InputError, at

#: The first bytes of a workbook, which is a zip archive.
WORKBOOK = b"PK\x03\x04"
#: A workbook of a million cables unpacks to less.
_MOST_BYTES = 1 << 30
#: Characters that no cell may have.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: The widest column, in characters.
_WIDEST = 40
_MOST_SHRUNK = 200
_FREE_BYTES = 64 << 20


def workbook_rows(data: bytes, source: str) -> Iterator[tuple[str, list[tuple[int, list[str]]]]]:
    """The rows of each sheet of a workbook: the number of each row that is not empty, and its cells as texts.

    Cells of formulas have the value that was saved last.

    Parameters
    ----------
    data : bytes
    source : str
        The file's name, for messages.

    Yields
    ------
    (str, list of (int, list of str))
        The title of a sheet, and its rows.

    Raises
    ------
    InputError
        The file is no workbook, or is damaged; openpyxl is not installed.
    """
    openpyxl = _openpyxl(f"{source}: ")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _MOST_BYTES or size > max(_FREE_BYTES, len(data) * _MOST_SHRUNK):
            raise at(source, None, f"unpacks to {size >> 20:,} MiB; no list of cables needs that much")
        with warnings.catch_warnings():
            # Of styles and validations that it does not keep.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                rows = enumerate(sheet.iter_rows(values_only=True), 1)
                texts = [(line, [_text(cell) for cell in row]) for line, row in rows]
                yield sheet.title, [(line, cells) for line, cells in texts if any(cells)]
    except InputError:
        raise
    except Exception as error:  # openpyxl raises errors of many kinds for damaged files
        raise at(source, None, f"is no workbook that can be read: {type(error).__name__}") from None


def _text(cell: object) -> str:
    """A cell as text; whole numbers have no decimal point."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def workbook_bytes(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook of tables, whose first rows are heads; texts are never formulas, and equal tables give equal files.

    Parameters
    ----------
    sheets : mapping of str to rows
        The rows of each sheet by its title: texts and numbers; None and the empty text are empty cells.

    Returns
    -------
    bytes

    Raises
    ------
    InputError
        openpyxl is not installed.
    """
    library = _openpyxl()
    # Rows are written one by one: the cells of a large machine's cables would take minutes and much memory otherwise.
    book = library.Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for column, width in enumerate(_widths(rows), 1):
            sheet.column_dimensions[library.utils.get_column_letter(column)].width = min(_WIDEST, width + 2)
        for row in rows:
            sheet.append([_written(sheet, library, value) for value in row])
    out = io.BytesIO()
    book.save(out)
    return without_times(out.getvalue())


def _widths(rows: Sequence[Sequence[object]]) -> list[int]:
    """The most characters of each column."""
    return [max(len(str(cell or "")) for cell in cells) for cells in zip_longest(*rows)]


def _written(sheet: Any, library: Any, value: object) -> object:
    """A value for a row of openpyxl; a text that looks like a formula or an error is a cell of text."""
    if value == "":
        return None
    if not isinstance(value, str):
        return value
    text = CONTROL.sub(" ", value)
    if not text.startswith(("=", "#")):
        return text
    cell = library.cell.WriteOnlyCell(sheet)
    fill_cell(cell, text)
    return cell


def _openpyxl(place: str = "") -> Any:
    """The library; an error of one sentence where it is not installed."""
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"{place}workbooks need openpyxl: pip install 'topoloom[spreadsheet]'") from None
    return openpyxl


def fill_cell(cell: Any, value: object) -> None:
    """Write a value to a cell of openpyxl; a text is always text, even if it looks like a formula."""
    cell.value = CONTROL.sub(" ", value) if isinstance(value, str) else value
    if isinstance(value, str):
        cell.data_type = "s"


def without_times(book: bytes) -> bytes:
    """The workbook without the time of writing, so that equal contents give equal files."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as read, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name in read.namelist():
            content = read.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:\w+[^>]*>)[^<]*", rb"\g<1>2000-01-01T00:00:00Z", content)
            written.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()

"""Workbooks of spreadsheets (.xlsx): reading rows of texts by openpyxl, and writing tables."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from xml.sax.saxutils import escape, quoteattr

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


def workbook_bytes(sheets: Mapping[str, Iterable[Sequence[object]]]) -> bytes:
    """A workbook of tables, whose first rows are heads; texts are never formulas, and equal tables give equal files.

    Written without openpyxl, which takes minutes for the cables of a large machine.

    Parameters
    ----------
    sheets : mapping of str to rows
        The rows of each sheet by its title: texts and numbers; None and the empty text are empty cells.

    Returns
    -------
    bytes
    """
    numbered = list(enumerate(sheets.items(), 1))
    listed = "".join(f'<sheet name={quoteattr(title)} sheetId="{n}" r:id="r{n}"/>' for n, (title, _) in numbered)
    related = "".join(_relation(f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n, _ in numbered)
    types = "".join(_part(f"/xl/worksheets/sheet{n}.xml", "worksheet") for n, _ in numbered)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/>{_part("/xl/workbook.xml", "sheet.main")}{types}</Types>',
        "_rels/.rels": _relations(_relation("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(related),
        **{f"xl/worksheets/sheet{n}.xml": _worksheet(rows) for n, (_, rows) in numbered},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), _XML + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


#: The namespaces of workbooks (ECMA-376).
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FROZEN = (
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    "</sheetView></sheetViews>"
)


def _part(name: str, kind: str) -> str:
    spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return f'<Override PartName="{name}" ContentType="{spreadsheet}.{kind}+xml"/>'


def _relation(key: str, kind: str, target: str) -> str:
    return f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'


def _relations(some: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{some}</Relationships>'


def _worksheet(rows: Iterable[Sequence[object]]) -> str:
    """A sheet; texts are in its cells, so that none is a formula."""
    seen: dict[object, str] = {}
    widths: list[int] = []
    lines = []
    for line, row in enumerate(rows, 1):
        widths += [0] * (len(row) - len(widths))
        cells = []
        for column, value in enumerate(row):
            if value is None or value == "":
                continue
            if isinstance(value, str) and value not in seen:
                seen[value] = f't="inlineStr"><is><t xml:space="preserve">{escape(CONTROL.sub(" ", value))}</t></is>'
            content = f" {seen[value]}" if isinstance(value, str) else f"><v>{value}</v>"
            cells.append(f'<c r="{_letters(column)}{line}"{content}</c>')
            widths[column] = max(widths[column], len(str(value)))
        lines.append(f'<row r="{line}">{"".join(cells)}</row>')
    columns = "".join(
        f'<col min="{n}" max="{n}" width="{min(_WIDEST, width + 2)}" customWidth="1"/>'
        for n, width in enumerate(widths, 1)
    )
    columns = f"<cols>{columns}</cols>" if columns else ""
    return f'<worksheet xmlns="{_MAIN}">{_FROZEN}{columns}<sheetData>{"".join(lines)}</sheetData></worksheet>'


@cache
def _letters(column: int) -> str:
    """The letters of a column, from 0: A, B, .., Z, AA."""
    before, last = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


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

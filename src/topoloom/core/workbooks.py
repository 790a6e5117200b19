"""Reading workbooks of spreadsheets (.xlsx) as rows of texts, by openpyxl."""

import io
import warnings
import zipfile
from collections.abc import Iterator

from topoloom.core.errors import InputError, at

#: The first bytes of a workbook, which is a zip archive.
WORKBOOK = b"PK\x03\x04"
#: A workbook of a million cables unpacks to less.
_MOST_BYTES = 1 << 30
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
    try:
        import openpyxl
    except ImportError:
        raise InputError(f"{source}: workbooks need openpyxl: pip install 'topoloom[spreadsheet]'") from None
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

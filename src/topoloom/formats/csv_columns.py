"""CSV from columns of text, and cells that a spreadsheet shows instead of computing them."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

_SPECIAL = re.compile(r'[",;\r\n]|^\s|\s$')
#: A spreadsheet computes what begins so; "'" before it makes it text.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def csv_table(columns: Mapping[str, Sequence[str]]) -> str:
    """A table as CSV: the header, then the rows; every column is as long as the others, its cells are quoted already."""
    rows = map(",".join, zip(*columns.values(), strict=True))
    return "\n".join([",".join(map(quoted, columns)), *rows]) + "\n"


def quoted(text: str) -> str:
    """One cell: in quotes where it must be (RFC 4180)."""
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def guarded(text: str) -> str:
    """One cell for people with spreadsheets: what looks like a formula gets a "'" before it; see `unguarded`."""
    return quoted(f"'{text}" if _FORMULA.match(text) else text)


def unguarded(text: str) -> str:
    """The text that `guarded` was given, from a cell without its quotes."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text


def texts(values: Iterable[str], *, guard: bool = True) -> list[str]:
    """A column of texts, which repeat: each is quoted once."""
    cell = guarded if guard else quoted
    done: dict[str, str] = {}
    return [done[text] if text in done else done.setdefault(text, cell(text)) for text in values]


def numbers(values: np.ndarray, digits: int = 3) -> list[str]:
    """A column of numbers: integers as they are, others rounded and without trailing zeros; NaN is an empty cell."""
    whole = values.dtype.kind in "iub"
    # Numbers repeat too, and a text that is shared takes no memory.
    different, place = np.unique(values if whole else np.round(values, digits), return_inverse=True)
    shown = list(map(str, different.tolist())) if whole else [_decimal(value, digits) for value in different.tolist()]
    return [shown[i] for i in place.ravel().tolist()]


def _decimal(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}".rstrip("0").rstrip(".")

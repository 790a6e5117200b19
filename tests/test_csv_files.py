"""CSV: what is written is read back, and no spreadsheet computes a cell."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoloom import InputError
from topoloom.core.csv_files import csv_rows, csv_table, csv_text, guarded, numbers, texts, unguarded

FORMULAS = ("=1+1", "+cmd", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1+1", "＝1", "'=1", "''@x")


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_compute_is_text(text):
    """A cell that begins like a formula has an apostrophe before it, and comes back as it was."""
    (cell,) = next(csv.reader(io.StringIO(guarded(text), newline="")))
    assert cell == f"'{text}"
    assert unguarded(cell) == text


@pytest.mark.parametrize("text", ["3.5", "a-b", "A01-U03", "", "inf", "x=1", "'quoted'"])
def test_what_computes_nothing_stays(text):
    """Texts with such characters inside stand as they are."""
    assert unguarded(next(csv.reader([guarded(text)]), [""])[0] if text else "") == text
    assert not guarded(text).startswith("''")
    assert guarded(text).strip('"') == text


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=2)))
def test_rows_come_back(rows):
    """Any text, with line ends, quotes and separators in it, is the same after writing and reading."""
    read = csv_rows(csv_text(("first column", "second"), rows), "x.csv")
    kept = [[unguarded(cell) for cell in cells] for _, cells in read][1:]
    assert kept == [row for row in rows if "".join(map(_as_it_stands, row)).strip()]


def _as_it_stands(text):
    """The cell of a text in a file, without its quotes."""
    return next(csv.reader(io.StringIO(guarded(text), newline="")), [""])[0]


def test_cells_of_other_types():
    """Numbers are printed so that they are read back as they were; None is an empty cell."""
    text = csv_text(("a", "b", "c", "d"), [(0.1 + 0.2, None, -1, np.float64(1e-300)), (True, "", np.int64(4), "-1")])
    assert text == "a,b,c,d\n0.30000000000000004,,-1,1e-300\nTrue,,4,'-1\n"


def test_rows_must_fit():
    """A row with a cell too many or too few is the programmer's mistake."""
    with pytest.raises(ValueError, match="a row of 1 cells in a table of 2 columns"):
        csv_text(("a", "b"), [("x",)])


def test_columns_that_are_ready():
    """A table from columns is the same as one from rows."""
    columns = {"name": texts(["=a", "b;c"]), "length_m": numbers(np.array([1.5, np.nan]))}
    assert csv_table(columns) == csv_text(("name", "length_m"), [("=a", 1.5), ("b;c", None)])


def test_semicolons_and_lines():
    """The separator is that of the header; what stands in quotes does not count; the line is where the row ends."""
    text = '"a;;b";"c\nd"\n\n1;2\n ; \n"x\ny";"3"\n'
    assert list(csv_rows(text, "x.csv")) == [(2, ["a;;b", "c\nd"]), (4, ["1", "2"]), (7, ["x\ny", "3"])]


def test_a_quote_without_end():
    """What is no CSV is one sentence with the line."""
    with pytest.raises(InputError, match=r"^x\.csv:2: is not CSV: unexpected end of data"):
        list(csv_rows('a,b\n"1,2\n', "x.csv"))

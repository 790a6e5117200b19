"""The page of a study: summary, curves, the best value at each point, failures and the table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.core.amounts import amount
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.pages.templating import rendered
from topoloom.core.settings import written
from topoloom.figures.absent import svg_or_sentence
from topoloom.figures.panels import panels
from topoloom.figures.style import svg_text
from topoloom.report.curve_data import curve_data
from topoloom.report.page import curves_part, figure, page, table
from topoloom.report.scripting import CURVES
from topoloom.studies.export import rows_csv, table_csv
from topoloom.studies.replications import replication_rows
from topoloom.studies.results import StudyResults
from topoloom.studies.series import curves_of
from topoloom.studies.winners import winners_of

#: Most rows of the table on the page; the CSV file has all.
_MOST_ROWS = 1000
#: Most measures of the table on the page: the first ones whose values differ.
_MOST_COLUMNS = 14


def write_study(results: StudyResults, folder: Path) -> None:
    """Write ``study.csv`` and ``study.html`` into the folder of a study; with replications, ``replications.csv`` too.

    Raises
    ------
    InputError
        A file cannot be written.
    """
    write_atomically(folder / "study.csv", table_csv(results))
    write_atomically(folder / "study.html", study_page(results))
    if results.replications:
        write_atomically(folder / "replications.csv", rows_csv(replication_rows(results.replications)))


def study_page(results: StudyResults) -> str:
    """The page as one self-contained HTML text."""
    curves, why_not = _curves(results)
    drawn = ""
    if curves:
        drawing = figure(
            svg_or_sentence(lambda: svg_text(panels(curves))),
            "Means over seeds, with 95 % confidence intervals where there are several seeds.",
        )
        drawn = curves_part(drawing)
    about = (
        f"topoloom {__version__}, operation {results.operation}: {results.done:,} of {results.tasks:,} tasks done,"
        f" {results.failed:,} failed; {amount(results.seconds / 3600, 3)} hours of computing time"
    )
    winners, least = _winners(results)
    body = rendered(
        "study.html",
        title=results.title or f"A study of {results.operation}",
        about=about,
        drawn=drawn,
        why_not=why_not,
        winners=winners,
        least=least,
        replications=_listed(replication_rows(results.replications[:_MOST_ROWS])),
        failures=_failures(results),
        rows=_table(results),
        more=max(0, len(results.table) - _MOST_ROWS),
    )
    return page(results.title or results.operation, [body], curve_data(curves), CURVES)


def _curves(results: StudyResults) -> tuple[Any, str]:
    """The curves, or a sentence that says why there are none."""
    try:
        return curves_of(results), ""
    except InputError as error:
        return [], str(error)


def _winners(results: StudyResults) -> tuple[Markup, str]:
    """The value of the first axis of words with the least measure, at each point of the other axes; else nothing."""
    words = [name for name in results.axes if all(isinstance(row[name], str) for row in results.table)]
    competing = [name for name in words if len({row[name] for row in results.table}) > 1]
    if not competing:
        return Markup(""), ""
    try:
        rows = winners_of(results, competing[0])
    except InputError:
        return Markup(""), ""
    if len(rows) > 200 or not any("second" in row for row in rows):
        return Markup(""), ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    least = next(name for name in names if name in results.measures)
    return table(
        names, [[_cell(row.get(name)) for name in names] for row in rows], text=_texts(rows, names)
    ), least.replace("_", " ")


def _failures(results: StudyResults) -> Markup:
    if not results.failures:
        return Markup("")
    names = [*results.axes, "error"]
    rows = results.failures[:_MOST_ROWS]
    return table(names, [[_cell(row.get(name)) for name in names] for row in rows], text=_texts(rows, names))


def _listed(rows: Sequence[dict[str, Any]]) -> Markup:
    """A table with all columns of its rows; nothing without rows."""
    names = list(rows[0]) if rows else []
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    return table(names, cells, text=_texts(rows, names)) if rows else Markup("")


def _table(results: StudyResults) -> Markup:
    rows = results.rows()[:_MOST_ROWS]
    differ = [name for name in results.measures if len({row.get(name) for row in rows}) > 1]
    names = [*results.axes, *(differ or list(results.measures))[:_MOST_COLUMNS]]
    return table(names, [[_cell(row.get(name)) for name in names] for row in rows], text=_texts(rows, names))


def _texts(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> frozenset[int]:
    """The indices of the columns that hold words."""
    return frozenset(at for at, name in enumerate(names) if any(isinstance(row.get(name), str) for row in rows))


def _cell(value: Any) -> str:
    return "" if value is None else amount(value, 5) if isinstance(value, float) else written(value)

"""What the page of a design works with, as one JSON value: candidates, columns, families with their looks, floor, files."""

from collections.abc import Sequence
from typing import Any

from topoloom.designer.design import Design
from topoloom.figures.interval_curves import IntervalCurves
from topoloom.figures.marks import looks
from topoloom.report.columns import COLUMNS
from topoloom.report.curve_data import curve_data, look_of
from topoloom.report.design_tables import WORDS, why_dropped
from topoloom.report.scripting import short_number
from topoloom.report.side_by_side import SideBySide

_WORDS = ("spec", "family", "rank", "pareto", "dropped", "map", "reason")


def families_of(design: Design) -> list[str]:
    """All families, those ranked first, by their best candidate."""
    return list(dict.fromkeys([one.family for one in design.ranked] + [one.family for one in design.dropped]))


def design_data(
    design: Design,
    floor: dict[str, Any] | None = None,
    finalists: SideBySide | None = None,
    curves: Sequence[IntervalCurves] = (),
) -> dict[str, Any]:
    """The data of a design's page.

    Parameters
    ----------
    design : Design
    floor : dict, optional
        The winner's, as `floor_data` has it.
    finalists : SideBySide, optional
    curves : sequence of IntervalCurves

    Returns
    -------
    dict
        JSON values. Of the measures those that no candidate has are left out; numbers have nine digits that count.
    """
    rows = design.rows()
    reasons = [None] * len(design.ranked) + [why_dropped(one, design.need) or None for one in design.dropped]
    columns = [column for column in COLUMNS if any(row[column.key] is not None for row in rows)]
    cells = [
        [row[word] for word in _WORDS[:-1]] + [reason] + [short_number(row[column.key]) for column in columns]
        for row, reason in zip(rows, reasons, strict=True)
    ]
    return {
        "title": design.need.title,
        "fields": [*_WORDS, *(column.key for column in columns)],
        "rows": cells,
        "columns": [column._asdict() for column in columns],
        "families": {family: look_of(look) for family, look in looks(families_of(design)).items()},
        "limits": {limit: WORDS.get(limit, limit) for limit in design.dropped_by},
        "floor": floor,
        "finalists": None if finalists is None else finalists.plain(),
        **curve_data(curves),
    }

"""Designs side by side: groups of rows, one value per design, with its interval and how it was got; the best of a row marked.

The same structure, as JSON, is what ``report/scripts/side_by_side.js`` draws.
"""

import math
from typing import Any

import msgspec
from markupsafe import Markup

from topoloom.core.pages.templating import rendered


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a design: a number or words, the ends of its interval, and how it was got."""

    value: float | str
    low: float | None = None
    high: float | None = None
    how: str = ""


class MeasureRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A measure of all designs: a value for each column, None where it is not known.

    `better` is ``low``, ``high`` or ``""``: which end is the better one, if any. `decimals` are written of each number; as
    many as it takes, if omitted. `how` is how all of them were got, where that is the same; else each value says it.
    """

    label: str
    values: tuple[Value | None, ...]
    unit: str = ""
    better: str = ""
    decimals: int | None = None
    how: str = ""


class RowGroup(msgspec.Struct, frozen=True):
    """Rows that belong together."""

    title: str
    rows: tuple[MeasureRow, ...]


class SideBySide(msgspec.Struct, frozen=True):
    """Designs side by side: the columns' names, and the groups of rows."""

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]

    def plain(self) -> Any:
        """The structure as JSON values, as a page's data has it."""
        return msgspec.json.decode(msgspec.json.encode(self))


def side_by_side(designs: SideBySide) -> Markup:
    """The table as HTML, which needs no script.

    Beside each number that is not the first column's stands how much more or less it is than that.

    Raises
    ------
    ValueError
        A row has not as many values as there are columns.
    """
    groups = [
        {"title": group.title, "rows": [_row(row, len(designs.columns)) for row in group.rows]}
        for group in designs.groups
    ]
    return rendered("side_by_side.html", columns=designs.columns, groups=groups)


def _row(row: MeasureRow, columns: int) -> dict[str, Any]:
    if len(row.values) != columns:
        raise ValueError(f"row '{row.label}' has {len(row.values)} values for {columns} columns")
    best = _best(row)
    first = _number(row.values[0]) if row.values else None
    cells = []
    for at, one in enumerate(row.values):
        number = _number(one)
        beside = ""
        if at and first and number is not None and number != first:
            beside = f"{100 * (number / first - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
        cells.append(
            {
                "text": "\N{EN DASH}" if one is None else _written(one.value, row.decimals),
                "interval": _interval(one, row.decimals),
                "beside": beside,
                "how": "" if one is None else one.how,
                "best": number is not None and number == best,
            }
        )
    return {"label": row.label, "unit": row.unit, "how": row.how, "cells": cells}


def _number(one: Value | None) -> float | None:
    return float(one.value) if one is not None and not isinstance(one.value, str) and math.isfinite(one.value) else None


def _best(row: MeasureRow) -> float | None:
    """The best number; None where there is no better end, or where all are as good."""
    numbers = {number for one in row.values if (number := _number(one)) is not None}
    if row.better not in ("low", "high") or len(numbers) < 2:
        return None
    return min(numbers) if row.better == "low" else max(numbers)


def _written(value: float | str, decimals: int | None) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.6g}" if decimals is None else f"{value:,.{decimals}f}"


def _interval(one: Value | None, decimals: int | None) -> str:
    if one is None or one.low is None or one.high is None:
        return ""
    return f"{_written(one.low, decimals)} to {_written(one.high, decimals)}"

"""Designs side by side: groups of rows, one value per design, with interval and method; the best of each row is marked.

The script ``report/scripts/side_by_side.js`` draws the same structure from JSON.
"""

import math
from itertools import zip_longest
from typing import Any

import msgspec
from markupsafe import Markup

from topoloom.core.amounts import amount
from topoloom.core.pages.templating import rendered


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of a design: a number or words, the ends of its interval, and its method."""

    value: float | str
    low: float | None = None
    high: float | None = None
    how: str = ""


class MeasureRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A measure of all designs: one value per column, None where it is not known.

    `better` is ``low``, ``high`` or ``""``: the better end, if any. `decimals` is the number of decimals shown; None shows as
    many as are needed. `how` is the method, where all values share it; otherwise each value has its own.
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
    """Designs side by side: the titles of the columns, the groups of rows, and the specs of the columns in small print."""

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    specs: tuple[str, ...] = ()

    def plain(self) -> Any:
        """The structure as JSON values, for a page's data."""
        return msgspec.json.decode(msgspec.json.encode(self))


def side_by_side(designs: SideBySide) -> Markup:
    """The table as HTML, which needs no script.

    Each number after the first column is followed by its relative difference from the first.

    Raises
    ------
    ValueError
        A row has more or fewer values than there are columns.
    """
    groups = [
        {"title": group.title, "rows": [_row(row, len(designs.columns)) for row in group.rows]}
        for group in designs.groups
    ]
    return rendered(
        "side_by_side.html",
        columns=zip_longest(designs.columns, designs.specs, fillvalue=""),
        count=len(designs.columns),
        groups=groups,
    )


def _row(row: MeasureRow, columns: int) -> dict[str, Any]:
    if len(row.values) != columns:
        raise ValueError(f"row '{row.label}' has {len(row.values)} values for {columns} columns")
    best = _best(row)
    first = _number(row.values[0]) if row.values else None
    cells = []
    for at, value in enumerate(row.values):
        number = _number(value)
        difference = ""
        if at and first and number is not None and number != first:
            difference = f"{100 * (number / first - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
        cells.append(
            {
                "text": "\N{EN DASH}" if value is None else _written(value.value, row.decimals),
                "interval": _interval(value, row.decimals),
                "difference": difference,
                "how": "" if value is None else value.how,
                "best": number is not None and number == best,
            }
        )
    return {"label": row.label, "unit": row.unit, "how": row.how, "cells": cells}


def _number(value: Value | None) -> float | None:
    return (
        float(value.value)
        if value is not None and not isinstance(value.value, str) and math.isfinite(value.value)
        else None
    )


def _best(row: MeasureRow) -> float | None:
    """The best number of a row; None where neither end is better, or where all numbers are equal."""
    numbers = {number for value in row.values if (number := _number(value)) is not None}
    if row.better not in ("low", "high") or len(numbers) < 2:
        return None
    return min(numbers) if row.better == "low" else max(numbers)


def _written(value: float | str, decimals: int | None) -> str:
    if isinstance(value, str):
        return value
    return amount(value, 6) if decimals is None else f"{value:,.{decimals}f}"


def _interval(value: Value | None, decimals: int | None) -> str:
    if value is None or value.low is None or value.high is None:
        return ""
    return f"{_written(value.low, decimals)} to {_written(value.high, decimals)}"

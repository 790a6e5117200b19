"""The series that are drawn of a study: means with intervals over an axis, and a map over two."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from topoloom.core.errors import InputError, hint
from topoloom.figures.heat_map import HeatMap
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.studies.columns import (
    DRAWS,
    Row,
    StudyTable,
    different_values,
    existing_column,
    follows,
    mean_of,
    measure_of,
    rows_meeting,
)
from topoloom.studies.comparison import is_number, says_only_how_long
from topoloom.studies.labels import label_of

#: Latencies that span more than this factor are drawn on a logarithmic axis.
_SPAN = 8


def curves_of(
    results: StudyTable,
    x: str | None = None,
    y: str | None = None,
    by: Sequence[str] | None = None,
    each: str | None = None,
    where: str | Sequence[str] | None = None,
    log: str = "",
) -> list[IntervalCurves]:
    """Curves of a measure over an axis: one picture per value of `each`, one curve per value of `by`.

    Seeds and draws are averaged: a point is their mean, with its 95 % confidence interval (Student's t).

    Parameters
    ----------
    results : StudyTable
    x : str, optional
        An axis or a measure; the first axis with numeric values that vary when omitted.
    y : str, optional
        A measure; the usual one of the operation when omitted, or the first numeric one that varies.
    by : texts, optional
        Axes with one curve per combination of values; when omitted, every axis that varies, except x, `each`, seeds and draws,
        and without those that change together with them.
    each : str, optional
        An axis.
    where : str or sequence of str, optional
        A condition on axes.
    log : str
        "x", "y" or "xy": the logarithmic axes.

    Returns
    -------
    list of IntervalCurves

    Raises
    ------
    InputError
        No such axis or measure, nothing to draw, or an axis with several values that is neither drawn nor averaged.
    """
    rows = rows_meeting(results, where)
    x = _axis(results, rows, x) if x is None or x in results.axes else existing_column(results, x)
    y = measure_of(results, rows) if y is None else existing_column(results, y)
    if set(log) - {"x", "y"}:
        raise InputError(f"log '{log}': give x, y or xy")
    varied = [name for name in results.axes if name not in (x, each) and len(different_values(rows, name)) > 1]
    if each is not None and each not in results.axes:
        raise InputError(f"the study has no axis '{each}' ({hint(each, results.axes)})")
    if by is None:
        above = [name for name in (x, each) if name is not None and name in results.axes]
        by = []
        for name in varied:
            if name not in DRAWS and not follows(rows, name, [*above, *by]):
                by.append(name)
    for name in by:
        if name not in results.axes:
            raise InputError(f"the study has no axis '{name}' ({hint(name, results.axes)})")
    # Axes that change together with a named one need no curves of their own.
    named = [name for name in (x, *by, *([each] if each else [])) if name in results.axes]
    left = [name for name in varied if name not in by and name not in DRAWS and not follows(rows, name, named)]
    if left:
        raise InputError(
            f"the axis '{left[0]}' has {len(different_values(rows, left[0]))} values and is not averaged: add it to by or"
            f' each, or keep one with where="{left[0]} == ..."'
        )
    names = different_values(rows, x)
    numbers = all(isinstance(name, (int, float)) and not isinstance(name, bool) for name in names)
    places = {name: float(name) if numbers else float(place) for place, name in enumerate(names, 1)}
    panels = [None] if each is None else different_values(rows, each)
    pictures = []
    for panel in panels:
        panel_rows = [row for row in rows if each is None or row[each] == panel]
        series = []
        for key in dict.fromkeys(tuple(row[name] for name in by) for row in panel_rows):
            group = [row for row in panel_rows if tuple(row[name] for name in by) == key]
            points = [_point(places[value], y, [row for row in group if row[x] == value]) for value in names]
            drawn = tuple(sorted((point for point in points if point is not None), key=lambda point: point.x))
            if drawn:
                series.append(IntervalSeries(", ".join(map(str, key)) or results.operation, drawn))
        pictures.append(
            IntervalCurves(
                title=results.title if each is None else f"{each}: {panel}",
                x=label_of(x),
                y=label_of(y),
                series=tuple(series),
                integer=numbers and all(isinstance(name, int) for name in names) and "x" not in log,
                log_x="x" in log,
                log_y="y" in log or _decades(rows, y),
                x_names=() if numbers else tuple(map(str, names)),
            )
        )
    return pictures


def heat_of(
    results: StudyTable,
    x: str | None = None,
    y: str | None = None,
    value: str | None = None,
    where: str | Sequence[str] | None = None,
) -> HeatMap:
    """A measure over two axes, averaged over the others.

    Parameters
    ----------
    results : StudyTable
    x, y : str, optional
        Axes; the first two with several values when omitted.
    value : str, optional
        A measure.
    where : str or sequence of str, optional
        A condition on axes.

    Raises
    ------
    InputError
        As in `curves_of`.
    """
    rows = rows_meeting(results, where)
    varied = [name for name in results.axes if len(different_values(rows, name)) > 1 and name not in DRAWS]
    free = [name for name in varied if name not in (x, y)]
    x = x or (free.pop(0) if free else None)
    y = y or (free.pop(0) if free else None)
    if x is None or y is None:
        raise InputError("a map needs two axes with several values; name them as x and y")
    for name in (x, y):
        if name not in results.axes:
            raise InputError(f"the study has no axis '{name}' ({hint(name, results.axes)})")
    left = [name for name in varied if name not in (x, y) and not follows(rows, name, [x, y])]
    if left:
        raise InputError(f"the axis '{left[0]}' has several values; keep one with where=\"{left[0]} == ...\"")
    value = measure_of(results, rows) if value is None else existing_column(results, value)
    across, up = different_values(rows, x), different_values(rows, y)
    cells = [
        [mean_of([row[value] for row in rows if row[x] == column and row[y] == line]) for column in across]
        for line in up
    ]
    return HeatMap(
        results.title,
        label_of(x),
        label_of(y),
        label_of(value),
        tuple(map(str, across)),
        tuple(map(str, up)),
        tuple(map(tuple, cells)),
    )


def _decades(rows: Sequence[Row], y: str) -> bool:
    """Whether latencies span so much that the low ones would be indistinguishable on a linear axis."""
    values = [row[y] for row in rows if is_number(row.get(y)) and row[y] > 0]
    return y.startswith("latency") and bool(values) and max(values) > _SPAN * min(values)


def _axis(results: StudyTable, rows: Sequence[Row], x: str | None) -> str:
    if x is not None:
        return x
    varied = [name for name in results.axes if len(different_values(rows, name)) > 1 and name not in DRAWS]
    numbers = [name for name in varied if all(isinstance(row[name], (int, float)) for row in rows)]
    if not (numbers or varied or results.axes):
        raise InputError("the study has no axes, so there is nothing to draw")
    return (numbers or varied or list(results.axes))[0]


def _point(x: float, y: str, rows: Sequence[Row]) -> IntervalPoint | None:
    """The mean at x, with its interval where there are several values; for a saturated network, an open mark."""
    numbers = [float(row[y]) for row in rows if is_number(row.get(y))]
    if not numbers:
        return None
    mean = fmean(numbers)
    if says_only_how_long(y, rows):
        return IntervalPoint(x, mean, note="saturated: latency grows with the length of the simulation")
    if len(numbers) < 2:
        return IntervalPoint(x, mean)
    from scipy.special import stdtrit

    half = float(stdtrit(len(numbers) - 1, 0.975)) * stdev(numbers) / math.sqrt(len(numbers))
    return IntervalPoint(x, mean, mean - half, mean + half)

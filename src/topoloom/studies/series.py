"""The series that are drawn of a study: means with intervals over an axis, a map over two, and the winners per point."""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Protocol

from topoloom.core.errors import InputError, hint
from topoloom.figures.heat_map import HeatMap
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.studies.comparison import holm, is_number, paired_difference, says_only_how_long
from topoloom.studies.conditions import conditions_hold, conditions_text
from topoloom.studies.labels import label_of

#: Measures that are drawn by default, per operation; of other operations, the first number that differs.
_DEFAULT_MEASURES = (
    "latency_mean",
    "saturation",
    "uniform_throughput",
    "cost_per_host_usd",
    "total_usd",
    "seconds",
    "threshold",
    "aspl",
    "links",
    "mean_length_m",
    "max_hops",
    "diameter",
)
#: Latencies that span more than this factor are drawn on a logarithmic axis.
_SPAN = 8
#: Names of axes that are random draws, which are averaged over by default.
_DRAWS = ("seed", "draw")
#: Competitors differ if the corrected p-value is at most this.
_LEVEL = 0.05

Row = Mapping[str, Any]


class StudyTable(Protocol):
    """A study's results for drawing: the names of its axes and measures, and one row per point with both."""

    @property
    def title(self) -> str: ...
    @property
    def operation(self) -> str: ...
    @property
    def axes(self) -> tuple[str, ...]: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def table(self) -> tuple[dict[str, Any], ...]: ...
    def rows(self) -> list[dict[str, Any]]:
        """The table: one row per finished point."""
        ...


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
    rows = _rows(results, where)
    x = _axis(results, rows, x) if x is None or x in results.axes else _existing(results, x)
    y = _measure(results, rows) if y is None else _existing(results, y)
    if set(log) - {"x", "y"}:
        raise InputError(f"log '{log}': give x, y or xy")
    varied = [name for name in results.axes if name not in (x, each) and len(_different(rows, name)) > 1]
    if each is not None and each not in results.axes:
        raise InputError(f"the study has no axis '{each}' ({hint(each, results.axes)})")
    if by is None:
        above = [name for name in (x, each) if name is not None and name in results.axes]
        by = []
        for name in varied:
            if name not in _DRAWS and not _follows(rows, name, [*above, *by]):
                by.append(name)
    for name in by:
        if name not in results.axes:
            raise InputError(f"the study has no axis '{name}' ({hint(name, results.axes)})")
    # Axes that change together with a named one need no curves of their own.
    named = [name for name in (x, *by, *([each] if each else [])) if name in results.axes]
    left = [name for name in varied if name not in by and name not in _DRAWS and not _follows(rows, name, named)]
    if left:
        raise InputError(
            f"the axis '{left[0]}' has {len(_different(rows, left[0]))} values and is not averaged: add it to by or"
            f' each, or keep one with where="{left[0]} == ..."'
        )
    names = _different(rows, x)
    numbers = all(isinstance(name, (int, float)) and not isinstance(name, bool) for name in names)
    places = {name: float(name) if numbers else float(place) for place, name in enumerate(names, 1)}
    panels = [None] if each is None else _different(rows, each)
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
    rows = _rows(results, where)
    varied = [name for name in results.axes if len(_different(rows, name)) > 1 and name not in _DRAWS]
    free = [name for name in varied if name not in (x, y)]
    x = x or (free.pop(0) if free else None)
    y = y or (free.pop(0) if free else None)
    if x is None or y is None:
        raise InputError("a map needs two axes with several values; name them as x and y")
    for name in (x, y):
        if name not in results.axes:
            raise InputError(f"the study has no axis '{name}' ({hint(name, results.axes)})")
    left = [name for name in varied if name not in (x, y) and not _follows(rows, name, [x, y])]
    if left:
        raise InputError(f"the axis '{left[0]}' has several values; keep one with where=\"{left[0]} == ...\"")
    value = _measure(results, rows) if value is None else _existing(results, value)
    across, up = _different(rows, x), _different(rows, y)
    cells = [
        [_mean([row[value] for row in rows if row[x] == column and row[y] == line]) for column in across] for line in up
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


def winners_of(
    results: StudyTable,
    of: str,
    measure: str | None = None,
    *,
    most: bool = False,
    where: str | Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """The value of an axis with the least (or the most) of a measure, at each point of the other axes; means over draws.

    A point has a winner if it differs from every other competitor at 5 %, after Holm's correction for all pairs of competitors
    at all points. Competitors are compared by their differences over common draws; with one draw, by the intervals of the
    values (``latency_ci95`` of ``latency_mean``); without these, as exact values. Latencies of saturated networks do not
    compete.

    Parameters
    ----------
    results : StudyTable
    of : str
        The axis whose values compete: "topology".
    measure : str, optional
    most : bool
        Whether the most wins, instead of the least.
    where : str or sequence of str, optional
        A condition on axes.

    Returns
    -------
    list of dict
        One row per point: its axes, ``winner`` (None: a tie, or nobody competes), the best value, ``tied`` (the best and those
        that do not differ from it), ``second``, by what share the best is ahead of it (``ahead_by``), the difference of the two
        (``difference``, from ``difference_low`` to ``difference_high`` at 95 %, None if exact), its corrected ``p``, and
        ``saturated``, the competitors that are.

    Raises
    ------
    InputError
        No such axis or measure.
    """
    rows = _rows(results, where)
    if of not in results.axes:
        raise InputError(f"the study has no axis '{of}' ({hint(of, results.axes)})")
    measure = _measure(results, rows) if measure is None else _existing(results, measure)
    others = [name for name in results.axes if name != of and name not in _DRAWS and not _follows(rows, name, [of])]
    groups: dict[tuple[Any, ...], dict[Any, list[Row]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in others), {}).setdefault(row[of], []).append(row)
    points = [_Contest(key, of_point, measure, most) for key, of_point in groups.items()]
    every = [(point, pair) for point in points for pair in point.differences]
    corrected = holm([point.differences[pair].p for point, pair in every])
    for (point, pair), p in zip(every, corrected, strict=True):
        point.p[pair] = p
    return [
        dict(zip(others, point.key, strict=True)) | point.row() for point in points if point.ranked or point.saturated
    ]


class _Contest:
    """The competitors at one point, the best first, and the differences of all pairs of them."""

    def __init__(self, key: tuple[Any, ...], rows: Mapping[Any, Sequence[Row]], measure: str, most: bool) -> None:
        self.key, self.measure = key, measure
        self.saturated = [name for name in rows if says_only_how_long(measure, rows[name])]
        means = {name: _mean([row[measure] for row in of]) for name, of in rows.items() if name not in self.saturated}
        self.means = {name: mean for name, mean in means.items() if mean is not None}
        self.ranked = sorted(self.means, key=lambda name: -self.means[name] if most else self.means[name])
        draws = {name: _by_draw(rows[name], measure) for name in self.ranked}
        error = measure.removesuffix("_mean") + "_ci95"
        halves = {name: rows[name][0].get(error) for name in self.ranked}
        self.differences = {
            (first, second): compared
            for place, first in enumerate(self.ranked)
            for second in self.ranked[place + 1 :]
            if (
                compared := paired_difference(
                    draws[first], draws[second], (_half(halves[first]), _half(halves[second]))
                )
            )
        }
        self.p: dict[tuple[Any, Any], float] = {}

    def row(self) -> dict[str, Any]:
        """The row of the table of winners; without a common draw, competitors do not differ."""
        if not self.ranked:
            return {"winner": None, self.measure: None, "saturated": ", ".join(map(str, self.saturated))}
        best, *rest = self.ranked
        tied = [best, *(name for name in rest if self.p.get((best, name), 1.0) > _LEVEL)]
        row = {"winner": best if len(tied) == 1 else None, self.measure: self.means[best]}
        row |= {"tied": ", ".join(map(str, tied))} if len(tied) > 1 else {}
        if rest:
            second, after = rest[0], self.means[rest[0]]
            row |= {"second": second, "ahead_by": abs(after - self.means[best]) / abs(after) if after else None}
            compared = self.differences.get((best, second))
            if compared is not None and compared.half_width is not None:
                low, high = compared.mean - compared.half_width, compared.mean + compared.half_width
                row |= {"difference": compared.mean, "difference_low": low, "difference_high": high}
                row["p"] = self.p[best, second]
        return row | ({"saturated": ", ".join(map(str, self.saturated))} if self.saturated else {})


def _by_draw(rows: Sequence[Row], measure: str) -> dict[Hashable, float]:
    """The values by the draws they come from."""
    return {tuple(row.get(name) for name in _DRAWS): float(row[measure]) for row in rows if is_number(row.get(measure))}


def _half(value: Any) -> float | None:
    return float(value) if is_number(value) else None


def _decades(rows: Sequence[Row], y: str) -> bool:
    """Whether latencies span so much that the low ones would be indistinguishable on a linear axis."""
    values = [row[y] for row in rows if is_number(row.get(y)) and row[y] > 0]
    return y.startswith("latency") and bool(values) and max(values) > _SPAN * min(values)


def _rows(results: StudyTable, where: str | Sequence[str] | None) -> list[Row]:
    """The rows to draw.

    Raises
    ------
    InputError
        There are none.
    """
    rows: list[Row] = [
        row for row in results.rows() if conditions_hold(where, {name: row[name] for name in results.axes})
    ]
    if not rows:
        unmet = f"no finished task meets {conditions_text(where or '')}"
        problem = unmet if results.table else "no task of the study is done"
        raise InputError(f"{problem}, so there is nothing to draw")
    return rows


def _existing(results: StudyTable, name: str) -> str:
    """The name of a column, if it exists; otherwise an error with the choices."""
    names = [*results.axes, *results.measures]
    if name not in names:
        raise InputError(f"the study has no column '{name}' ({hint(name, names)})")
    return name


def _axis(results: StudyTable, rows: Sequence[Row], x: str | None) -> str:
    if x is not None:
        return x
    varied = [name for name in results.axes if len(_different(rows, name)) > 1 and name not in _DRAWS]
    numbers = [name for name in varied if all(isinstance(row[name], (int, float)) for row in rows)]
    if not (numbers or varied or results.axes):
        raise InputError("the study has no axes, so there is nothing to draw")
    return (numbers or varied or list(results.axes))[0]


def _measure(results: StudyTable, rows: Sequence[Row]) -> str:
    numbers = [name for name in results.measures if any(is_number(row.get(name)) for row in rows)]
    if not numbers:
        raise InputError("no measure of the study is a number, so there is nothing to draw")
    differ = [name for name in numbers if len({row.get(name) for row in rows}) > 1]
    return next((name for name in _DEFAULT_MEASURES if name in numbers), (differ or numbers)[0])


def _different(rows: Sequence[Row], name: str) -> list[Any]:
    values = list(dict.fromkeys(row[name] for row in rows))
    return sorted(values) if all(is_number(each) for each in values) else values


def _follows(rows: Sequence[Row], name: str, named: Sequence[str]) -> bool:
    """Whether an axis has one value at each point of the named axes, because it changes together with them."""
    seen: dict[tuple[Any, ...], Any] = {}
    return all(seen.setdefault(tuple(row[axis] for axis in named), row[name]) == row[name] for row in rows)


def _mean(values: Sequence[Any]) -> float | None:
    numbers = [float(value) for value in values if is_number(value)]
    return fmean(numbers) if numbers else None


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

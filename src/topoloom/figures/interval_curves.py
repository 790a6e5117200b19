"""Curves with intervals: y against x, a band from low to high around each curve, and one mark per point."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from topoloom.figures.log_axis import log_axis
from topoloom.figures.marks import looks, marker
from topoloom.figures.print_formats import current_format
from topoloom.figures.style import Axes, svg_of


class IntervalPoint(msgspec.Struct, frozen=True, array_like=True):
    """A point, with the ends of its interval if it has one; a `note` explains an open mark, whose y is not a measured value."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str | None = None


class IntervalSeries(msgspec.Struct, frozen=True):
    """A curve: its name and its points, by increasing x; straight between them, or along `line`, then `rest`, dashed."""

    name: str
    points: tuple[IntervalPoint, ...]
    line: tuple[tuple[float, float], ...] = ()
    rest: tuple[tuple[float, float], ...] = ()


class IntervalCurves(msgspec.Struct, frozen=True):
    """The data of a picture of curves; `x` and `y` are the labels of the axes, with units.

    `integer`: x is a count. `whole_y`: y is labelled at whole numbers only, from 0, as for a diameter. `log_x` and `log_y`:
    the axis is logarithmic. `x_names`: the labels at x = 1, 2, ... `criterion`: a level of y for comparison.
    """

    title: str
    x: str
    y: str
    series: tuple[IntervalSeries, ...]
    integer: bool = False
    whole_y: bool = False
    log_y: bool = False
    criterion: float | None = None
    log_x: bool = False
    x_names: tuple[str, ...] = ()


def draw_interval_curves(
    axes: "Axes", curves: IntervalCurves, *, names: Sequence[str] | None = None, legend: bool = True
) -> None:
    """Draw the curves with their bands and marks; the legend is below.

    Parameters
    ----------
    axes : Axes
    curves : IntervalCurves
    names : sequence of str, optional
        Names of all series that need distinct looks, in this and other pictures; by default those of this one.
    legend : bool
    """
    from matplotlib.ticker import MaxNLocator

    look_of = looks([series.name for series in curves.series] if names is None else names)
    for series in curves.series:
        look = look_of[series.name]
        sure = [point for point in series.points if point.note is None]
        x, y = [point.x for point in sure], [point.y for point in sure]
        low, high = _ends(sure)
        if (low != y or high != y) and current_format() is None:
            axes.fill_between(x, low, high, color=look.colour, alpha=0.18, linewidth=0)
        elif low != y or high != y:  # bands of several curves merge in grey print
            sides = [[b - a for a, b in zip(low, y, strict=True)], [b - a for a, b in zip(y, high, strict=True)]]
            axes.errorbar(x, y, sides, fmt="none", ecolor=look.colour, capsize=2, elinewidth=0.9)
        axes.plot(*_axes(series.line or tuple(zip(x, y, strict=True))), color=look.colour, linewidth=1.5)
        if series.rest:
            axes.plot(*_axes(series.rest), color=look.colour, linewidth=1.2, linestyle="--")
        style: dict[str, Any] = {"linestyle": "", "marker": marker(look.mark), "markersize": 6, "color": look.colour}
        axes.plot(x, y, label=series.name, markeredgecolor="white", markeredgewidth=0.5, **style)
        noted = [(point.x, point.y) for point in series.points if point.note is not None]
        if noted:
            axes.plot(*_axes(noted), markerfacecolor="white", **style)
    if curves.criterion is not None:
        axes.axhline(curves.criterion, color="#555b66", linewidth=1, linestyle="--")
    if curves.log_y:
        log_axis(axes, "y")
    if curves.log_x:
        log_axis(axes, "x", 2 if _doubling(curves) else 10)
    if curves.x_names:
        axes.set_xticks(range(1, len(curves.x_names) + 1), curves.x_names, rotation=20, ha="right")
    if curves.integer:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if curves.whole_y:
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(0, None)
    axes.set_xlabel(curves.x)
    axes.set_ylabel(curves.y)
    axes.set_title(curves.title, fontsize=10, loc="left")
    if legend:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, frameon=False, ncol=3)


def _doubling(curves: IntervalCurves) -> bool:
    """Whether all x are powers of two."""
    return all(point.x > 0 and math.log2(point.x).is_integer() for series in curves.series for point in series.points)


def interval_curves_svg(curves: IntervalCurves) -> str:
    """The figure of `draw_interval_curves` as SVG text."""
    return svg_of(lambda axes: draw_interval_curves(axes, curves))


def _axes(line: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in line], [y for _, y in line]


def _ends(points: Sequence[IntervalPoint]) -> tuple[list[float], list[float]]:
    low = [point.y if point.low is None else point.low for point in points]
    return low, [point.y if point.high is None else point.high for point in points]

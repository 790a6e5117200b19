"""Curves with intervals, as data for a page's scripts, and the curves of several operations."""

from collections.abc import Sequence
from typing import Any

from topoloom.failures.survival import Survival
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.figures.load_curves import load_curve_names, load_line, split_at_saturation, upper_end
from topoloom.figures.marks import MARKS, Look, looks, svg_path
from topoloom.figures.survival import curve_names, title_of
from topoloom.report.scripting import short_number
from topoloom.simulation.flits.load_curve import LoadCurve


def look_of(look: Look) -> list[str]:
    """A look as data for scripts: the colour, and the name of the mark."""
    return [look.colour, look.mark]


def curve_data(curves: Sequence[IntervalCurves]) -> dict[str, Any]:
    """Curves as data for scripts, each series with its look; and the outlines of all marks."""
    return {
        "marks": {mark: svg_path(mark) for mark in MARKS},
        "curves": [
            {
                "title": curve.title,
                "x": curve.x,
                "y": curve.y,
                "integer": curve.integer,
                "whole_y": curve.whole_y,
                "log_x": curve.log_x,
                "log_y": curve.log_y,
                "x_names": list(curve.x_names),
                "criterion": curve.criterion,
                "series": [
                    {
                        "name": series.name,
                        "look": look_of(look),
                        "points": [
                            [*(short_number(value) for value in (at.x, at.y, at.low, at.high)), at.note]
                            for at in series.points
                        ],
                        "line": _pairs(series.line),
                        "rest": _pairs(series.rest),
                    }
                    for series, look in zip(curve.series, looks([s.name for s in curve.series]).values(), strict=True)
                ],
            }
            for curve in curves
        ],
    }


def _pairs(line: Sequence[tuple[float, float]]) -> list[list[float | int | None]]:
    return [[short_number(x, 5), short_number(y, 5)] for x, y in line]


def load_intervals(curves: Sequence[LoadCurve]) -> IntervalCurves:
    """Latency against accepted load, with confidence intervals; saturated points are placed at the upper edge."""
    top, log = upper_end(curves)
    series = []
    for curve, name in zip(curves, load_curve_names(curves), strict=True):
        well, over = split_at_saturation(curve)
        points = [
            IntervalPoint(p.accepted, p.latency_mean, p.latency_mean - p.latency_ci95, p.latency_mean + p.latency_ci95)
            for p in well
        ]
        points += [
            IntervalPoint(p.accepted, top, note=f"saturated: offered {p.offered:g}, latency without limit")
            for p in over
        ]
        line, rest = load_line(curve, top)
        series.append(IntervalSeries(name, tuple(points), tuple(line), tuple(rest)))
    axes = "accepted load [flits per host and cycle]", "mean latency [cycles]"
    return IntervalCurves("Latency against accepted load", *axes, tuple(series), log_y=log)


def survival_intervals(curves: Sequence[Survival]) -> IntervalCurves:
    """The probability of survival against the share that failed, with confidence intervals."""
    series = tuple(
        IntervalSeries(
            name,
            (
                IntervalPoint(0.0, 1.0, 1.0, 1.0),
                *(IntervalPoint(100 * level.share, level.probability, level.low, level.high) for level in curve.levels),
            ),
        )
        for curve, name in zip(curves, curve_names(curves), strict=True)
    )
    fail = " / ".join(sorted({curve.fail for curve in curves}))
    title = title_of(curves) or "Survival"
    criteria = {curve.criterion for curve in curves}
    axes = f"{fail} that have failed [%]", "probability of survival"
    return IntervalCurves(title, *axes, series, criterion=criteria.pop() if len(criteria) == 1 else None)

"""Curves with intervals as the scripts of a page take them, and what curves of the operations are made of."""

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
    """A look as scripts take it: its colour, and the name of its mark."""
    return [look.colour, look.mark]


def curve_data(curves: Sequence[IntervalCurves]) -> dict[str, Any]:
    """Curves as scripts draw them, each series with its look; and the outlines of all marks."""
    return {
        "marks": {mark: svg_path(mark) for mark in MARKS},
        "curves": [
            {
                "title": one.title,
                "x": one.x,
                "y": one.y,
                "integer": one.integer,
                "whole_y": one.whole_y,
                "log_x": one.log_x,
                "log_y": one.log_y,
                "x_names": list(one.x_names),
                "criterion": one.criterion,
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
                    for series, look in zip(one.series, looks([s.name for s in one.series]).values(), strict=True)
                ],
            }
            for one in curves
        ],
    }


def _pairs(line: Sequence[tuple[float, float]]) -> list[list[float | int | None]]:
    return [[short_number(x, 5), short_number(y, 5)] for x, y in line]


def load_intervals(curves: Sequence[LoadCurve]) -> IntervalCurves:
    """Latency against accepted load, with confidence intervals; points above saturation stand on the upper edge."""
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
    axes = "accepted load [flits a host and cycle]", "mean latency [cycles]"
    return IntervalCurves("Latency against accepted load", *axes, tuple(series), log_y=log)


def survival_intervals(curves: Sequence[Survival]) -> IntervalCurves:
    """The probability to survive against the share that failed, with confidence intervals."""
    series = tuple(
        IntervalSeries(
            name,
            (
                IntervalPoint(0.0, 1.0, 1.0, 1.0),
                *(IntervalPoint(100 * one.share, one.probability, one.low, one.high) for one in curve.levels),
            ),
        )
        for curve, name in zip(curves, curve_names(curves), strict=True)
    )
    fail = " / ".join(sorted({curve.fail for curve in curves}))
    title = title_of(curves) or "Survival"
    criteria = {curve.criterion for curve in curves}
    axes = f"{fail} that have failed [%]", "probability to survive"
    return IntervalCurves(title, *axes, series, criterion=criteria.pop() if len(criteria) == 1 else None)

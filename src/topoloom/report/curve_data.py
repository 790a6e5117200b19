"""Curves with intervals, as data for a page's scripts, and the curves of several operations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from topoloom.core.errors import InputError
from topoloom.failures.degradation import Degradations
from topoloom.failures.survival import Survival
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.figures.load_curves import load_curve_names, load_line, split_at_saturation, upper_end
from topoloom.figures.marks import MARKS, Look, looks, svg_path
from topoloom.figures.survival import curve_names, title_of
from topoloom.report.scripting import short_number
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.simulation.flits.router_config import RouterConfig


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


@dataclass(frozen=True)
class LoadUnits:
    """The units of load curves.

    Attributes
    ----------
    ns : bool
        Latency in ns; else in cycles.
    gbps : bool
        Load in Gb/s per host; else in flits per host and cycle.
    rate_gbps : float
        The rate of a host, for routers whose cycle has no stated duration: a cycle is the time of one flit.
    flit_bytes : float
        The size of a flit, for routers that do not state it.

    Raises
    ------
    InputError
        A rate or a size that is not positive.
    """

    ns: bool = False
    gbps: bool = False
    rate_gbps: float = 400.0
    flit_bytes: float = 64.0

    def __post_init__(self) -> None:
        for name in ("rate_gbps", "flit_bytes"):
            if not 0 < getattr(self, name) < 1e9:
                raise InputError(f"{name}={getattr(self, name):g}: give a positive number, as 400")

    def cycle_ns(self, router: RouterConfig) -> float:
        """The duration of a cycle, ns.

        Examples
        --------
        >>> LoadUnits(rate_gbps=400, flit_bytes=64).cycle_ns(RouterConfig())
        1.28
        """
        return router.cycle_ns or self.flit_bits(router) / self.rate_gbps

    def flit_bits(self, router: RouterConfig) -> float:
        """The size of a flit, bits."""
        return router.flit_bits or 8 * self.flit_bytes

    def of(self, curve: LoadCurve) -> LoadCurve:
        """The curve with its latencies and accepted loads in these units."""
        cycle = self.cycle_ns(curve.router)
        time, load = cycle if self.ns else 1.0, self.flit_bits(curve.router) / cycle if self.gbps else 1.0
        points = tuple(
            replace(
                point,
                accepted=point.accepted * load,
                latency_mean=point.latency_mean * time,
                latency_ci95=point.latency_ci95 * time,
            )
            for point in curve.points
        )
        zero_load = None if curve.zero_load is None else curve.zero_load * time
        return replace(curve, points=points, zero_load=zero_load)


def load_intervals(curves: Sequence[LoadCurve], units: LoadUnits | None = None) -> IntervalCurves:
    """Latency against accepted load, with confidence intervals; saturated points are placed at the upper edge."""
    units = LoadUnits() if units is None else units
    curves = [units.of(curve) for curve in curves] if units.ns or units.gbps else curves
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
    load = "Gb/s per host" if units.gbps else "flits per host and cycle"
    axes = f"accepted load [{load}]", f"mean latency [{'ns' if units.ns else 'cycles'}]"
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


def length_intervals(curves: Sequence[Survival]) -> list[IntervalCurves]:
    """The mean diameter or ASPL against the share that failed, up to its worst value; one set of axes per metric.

    Curves whose lengths were not measured have none.
    """
    drawn = []
    for metric, label in (("aspl", "mean hops"), ("diameter", "diameter [hops]")):
        measured = [curve for curve in curves if curve.metric == metric and any(level.mean for level in curve.levels)]
        series = tuple(
            IntervalSeries(
                name,
                tuple(
                    ([] if curve.whole is None else [IntervalPoint(0.0, curve.whole)])
                    + [IntervalPoint(100 * at.share, at.mean, at.mean, at.worst) for at in curve.levels if at.mean]
                ),
            )
            for curve, name in zip(measured, curve_names(measured) if measured else (), strict=True)
        )
        if series:
            fail = " / ".join(sorted({curve.fail for curve in measured}))
            title = "Length of paths while the network is connected: mean, and the worst sample"
            drawn.append(IntervalCurves(title, f"{fail} that have failed [%]", label, series))
    return drawn


def degradation_intervals(curves: Sequence[Degradations]) -> IntervalCurves:
    """The bounds on throughput against the share that failed: the mean over samples, from the least on."""
    several = len({(curve.name, curve.fail, curve.order) for curve in curves}) > 1
    series = []
    for curve in curves:
        for bound, words in (("uniform", "uniform traffic"), ("tub", "worst traffic")):
            points = [
                IntervalPoint(100 * level.share, value, getattr(level, f"{bound}_least"), value)
                for level in curve.levels
                if (value := getattr(level, bound)) is not None
            ]
            name = f"{curve.fail}, {curve.order}: {words}" if several else words
            if points:
                series.append(IntervalSeries(name, (IntervalPoint(0.0, 1.0), *points)))
    fail = " / ".join(sorted({curve.fail for curve in curves}))
    title = "Bound on throughput that is left: mean, and the least sample"
    return IntervalCurves(title, f"{fail} that have failed [%]", "share of the whole network's", tuple(series))

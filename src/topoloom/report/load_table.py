"""The points of load curves as a table in HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from topoloom.figures.load_curves import load_curve_names
from topoloom.report.page import table
from topoloom.simulation.flits.load_curve import LoadCurve


def load_table(curves: Sequence[LoadCurve]) -> Markup:
    """The points of the curves as a table in HTML."""
    head = [
        "network",
        "offered",
        "accepted",
        "accepted, worst host",
        "mean latency",
        "99 % latency",
        "hops",
        "saturated",
    ]
    rows = [
        [
            name,
            f"{point.offered:g}",
            f"{point.accepted:.4f}",
            f"{point.accepted_min:.4f}",
            f"{point.latency_mean:.2f} +- {point.latency_ci95:.2f}",
            f"{point.latency_p99:,}",
            f"{point.hops_mean:.3f}",
            "yes" if point.saturated else "no",
        ]
        for curve, name in zip(curves, load_curve_names(curves), strict=True)
        for point in curve.points
    ]
    return table(head, rows, text=frozenset({0}))

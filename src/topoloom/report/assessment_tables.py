"""Networks that were fully assessed, for a page: side by side, as curves, and a sentence each."""

from collections.abc import Sequence

from markupsafe import Markup

from topoloom.core.pages.templating import rendered
from topoloom.designer.assessment.assessment import Assessment, figure_keys
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.steps.load import LOADS
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.report.side_by_side import MeasureRow, RowGroup, SideBySide, Value

_BETTER = {"less": "low", "more": "high", "": ""}


def networks_side_by_side(networks: Sequence[Assessment]) -> SideBySide:
    """Every figure of every network; where a routing-free bound is known, it stands in a row of its own under the figure."""
    groups: dict[str, list[MeasureRow]] = {}
    for key in figure_keys(tuple(networks)):
        figures = [one.figure(key) for one in networks]
        first = next(one for one in figures if one is not None)
        rows = groups.setdefault(first.group, [])
        told = {one.how for one in figures if one is not None and one.value is not None}
        same = next(iter(told)) if len(told) == 1 else ""
        values = tuple(_value(one, "" if same else one.how) if one is not None else None for one in figures)
        rows.append(MeasureRow(first.label, values, first.unit, _BETTER[first.better], how=same))
        if any(one is not None and one.bound is not None for one in figures):
            bounds = tuple(None if one is None or one.bound is None else Value(one.bound) for one in figures)
            rows.append(MeasureRow("at most", bounds, first.unit))
    titles = tuple(one.name for one in networks)
    return SideBySide(titles, tuple(RowGroup(title, tuple(rows)) for title, rows in groups.items()))


def _value(figure: Figure, how: str) -> Value | None:
    if figure.value is None:
        return Value("none", how=figure.how)
    if figure.key == "deadlock_free":
        return Value("yes" if figure.value else "no", how=how)
    return Value(figure.value, figure.low, figure.high, how)


def assessment_curves(networks: Sequence[Assessment]) -> list[IntervalCurves]:
    """Latency by load, and the bandwidth left by links lost; of what was worked out."""
    found = (_latency(networks), _left(networks))
    return [one for one in found if one.series]


def _latency(networks: Sequence[Assessment]) -> IntervalCurves:
    series = []
    for one in networks:
        points = []
        for load in LOADS:
            figure, arrives = one.figure(f"latency_{load * 100:.0f}_cycles"), one.value(f"accepted_{load * 100:.0f}")
            if figure is None or figure.value is None or arrives is None:
                continue
            note = None if figure.low is not None else "saturated: it grows the longer one measures"
            points.append(IntervalPoint(arrives, figure.value, figure.low, figure.high, note))
        if points:
            series.append(IntervalSeries(one.name, tuple(sorted(points, key=lambda point: point.x))))
    return IntervalCurves(
        "Latency against accepted load, uniform traffic",
        "accepted [flits a host and cycle]",
        "mean latency [cycles]",
        tuple(series),
        log_y=True,
    )


def _left(networks: Sequence[Assessment]) -> IntervalCurves:
    series = []
    for one in networks:
        figures = [one.figure(f"left_after_{share}") for share in (1, 5, 10)]
        points = [
            IntervalPoint(float(share), figure.value, figure.low, figure.value)
            for share, figure in zip((1, 5, 10), figures, strict=True)
            if figure is not None and figure.value is not None
        ]
        if points:
            series.append(IntervalSeries(one.name, (IntervalPoint(0.0, 1.0), *points)))
    return IntervalCurves(
        "Bandwidth left after links are lost at random", "links lost [%]", "left, of the whole network's", tuple(series)
    )


def sentences(networks: Sequence[Assessment], folder: str, reference: str | None = None) -> Markup:
    """Why each stands where it stands, what is missing of it, and its folder.

    Parameters
    ----------
    networks : sequence of Assessment
        The best first.
    folder : str
        In which the networks' folders lie, beside the page.
    reference : str, optional
        The name of the one that is marked as such.

    Returns
    -------
    Markup
    """
    return rendered("sentences.html", networks=networks, folder=folder, reference=reference)

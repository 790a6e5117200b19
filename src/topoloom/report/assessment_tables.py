"""Networks that were fully assessed, on a page: their reasons, a table side by side, and curves."""

from collections.abc import Sequence

from markupsafe import Markup

from topoloom.core.pages.templating import rendered
from topoloom.designer.assessment.assessment import Assessment, figure_keys
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.steps.load import LOADS
from topoloom.figures.interval_curves import IntervalCurves, IntervalPoint, IntervalSeries
from topoloom.report.side_by_side import MeasureRow, RowGroup, SideBySide, Value

#: Groups whose figures depend on the tables.
_BY_TABLES = ("Tables", "Throughput", "Load, flit by flit", "Collectives")
_BETTER = {"less": "low", "more": "high", "": ""}


def networks_side_by_side(networks: Sequence[Assessment]) -> SideBySide:
    """Every figure of every network; a known bound of a figure has its own row below it, which says its direction."""
    groups: dict[str, list[MeasureRow]] = {}
    for key in figure_keys(tuple(networks)):
        figures = [network.figure(key) for network in networks]
        first = next(entry for entry in figures if entry is not None)
        rows = groups.setdefault(first.group, [])
        methods = {entry.how for entry in figures if entry is not None and entry.value is not None}
        common_method = next(iter(methods)) if len(methods) == 1 else ""
        values = tuple(
            _value(entry, "" if common_method else entry.how) if entry is not None else None for entry in figures
        )
        rows.append(MeasureRow(first.label, values, first.unit, _BETTER[first.better], how=common_method))
        if any(entry is not None and entry.bound is not None for entry in figures):
            bounds = tuple(None if entry is None or entry.bound is None else Value(entry.bound) for entry in figures)
            rows.append(
                MeasureRow(f"bound ({'at least' if first.better == 'less' else 'at most'})", bounds, first.unit)
            )
    engines = tuple(Value(network.provenance.engine) if network.provenance.engine else None for network in networks)
    for title in _BY_TABLES:
        if title in groups:
            groups[title].insert(0, MeasureRow("engine of the tables", engines))
    titles = tuple(network.name for network in networks)
    specs = tuple(network.spec if network.spec not in (None, network.name) else "" for network in networks)
    return SideBySide(titles, tuple(RowGroup(title, tuple(rows)) for title, rows in groups.items()), specs)


def _value(figure: Figure, how: str) -> Value | None:
    if figure.value is None:
        return Value("none", how=figure.how)
    if figure.key == "deadlock_free":
        return Value("yes" if figure.value else "no", how=how)
    return Value(figure.value, figure.low, figure.high, how)


def assessment_curves(networks: Sequence[Assessment]) -> list[IntervalCurves]:
    """The curves that have points: latency by load, and bandwidth by links lost."""
    return [curves for curves in (_latency(networks), _left(networks)) if curves.series]


def _latency(networks: Sequence[Assessment]) -> IntervalCurves:
    series = []
    for network in networks:
        points = []
        for load in LOADS:
            figure, arrives = (
                network.figure(f"latency_{load * 100:.0f}_cycles"),
                network.value(f"accepted_{load * 100:.0f}"),
            )
            if figure is None or figure.value is None or arrives is None:
                continue
            note = None if figure.low is not None else "saturated: latency grows with the length of the simulation"
            points.append(IntervalPoint(arrives, figure.value, figure.low, figure.high, note))
        if points:
            series.append(IntervalSeries(network.name, tuple(sorted(points, key=lambda point: point.x))))
    return IntervalCurves(
        "Latency against accepted load, uniform traffic",
        "accepted [flits per host and cycle]",
        "mean latency [cycles]",
        tuple(series),
        log_y=True,
    )


def _left(networks: Sequence[Assessment]) -> IntervalCurves:
    series = []
    for network in networks:
        figures = [network.figure(f"left_after_{share}") for share in (1, 5, 10)]
        points = [
            IntervalPoint(float(share), figure.value, figure.low, figure.value)
            for share, figure in zip((1, 5, 10), figures, strict=True)
            if figure is not None and figure.value is not None
        ]
        if points:
            series.append(IntervalSeries(network.name, (IntervalPoint(0.0, 1.0), *points)))
    return IntervalCurves(
        "Bandwidth left after random links are lost",
        "links lost [%]",
        "share of the undamaged network's",
        tuple(series),
    )


def sentences(networks: Sequence[Assessment], folder: str, reference: str | None = None) -> Markup:
    """For each network: the reason for its rank, what is missing, and a link to its folder.

    Parameters
    ----------
    networks : sequence of Assessment
        Best first.
    folder : str
        The folder next to the page in which the networks' folders are.
    reference : str, optional
        The name of the reference network, which is marked.

    Returns
    -------
    Markup
    """
    return rendered("sentences.html", networks=networks, folder=folder, reference=reference)

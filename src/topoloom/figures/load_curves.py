"""Load curves on one pair of axes: latency against the load that arrives."""

from collections.abc import Sequence
from typing import Any, Protocol

from topoloom.core.errors import InputError
from topoloom.figures.knee import knee
from topoloom.figures.marks import Look, looks, marker
from topoloom.figures.style import Axes, Figure, frame, sheet, style


class LoadPoint(Protocol):
    """A point of a load curve, as `simulation.flits.point.Point` is."""

    @property
    def offered(self) -> float: ...

    @property
    def accepted(self) -> float: ...

    @property
    def latency_mean(self) -> float: ...

    @property
    def latency_ci95(self) -> float: ...

    @property
    def saturated(self) -> bool: ...


class DrawnCurve(Protocol):
    """What is drawn, as `simulation.flits.load_curve.LoadCurve` is."""

    @property
    def points(self) -> Sequence[LoadPoint]: ...

    @property
    def zero_load(self) -> float | None: ...

    @property
    def routers(self) -> str: ...

    def identity(self) -> dict[str, Any]: ...


#: The latency axis ends so far above the greatest latency that has a limit; it is logarithmic from such a ratio on.
_ROOM, _LOGARITHMIC = 1.3, 8.0


def draw_load_curves(axes: "Axes", curves: "Sequence[DrawnCurve]") -> None:
    """Latency against accepted load of one network or of several.

    Filled marks are means with their 95 % confidence interval. Above saturation latency has no limit, so that only the
    accepted load counts: such points are open marks on the upper edge, joined by a dotted line. A curve begins at load 0
    with `zero_load` where that was measured. Between marks it is drawn as queues behave (`knee`), dashed from the last mark
    to the load where latency leaves the picture: nothing was measured there.

    Raises
    ------
    InputError
        No curve.
    """
    if not curves:
        raise InputError("no load curve to draw; give one or more")
    top = _scale(axes, curves)
    every = looks([str(number) for number in range(len(curves))]).values()
    for curve, name, look in zip(curves, load_curve_names(curves), every, strict=True):
        _draw(axes, curve, name, top, look)
    axes.set_xlabel("accepted load [flits a host and cycle]")
    axes.set_ylabel("mean latency [cycles]")
    axes.set_title(_title(curves), fontsize=10, loc="left", pad=12)
    _legend(axes, any(point.saturated for curve in curves for point in curve.points))


def load_curves(curves: "Sequence[DrawnCurve]") -> "Figure":
    """The figure of `draw_load_curves`.

    Raises
    ------
    InputError
        No curve.
    """
    with style():
        figure = sheet(8.6, 4.8)
        axes = figure.add_subplot()
        frame(axes)
        draw_load_curves(axes, curves)
    return figure


def upper_end(curves: "Sequence[DrawnCurve]") -> tuple[float, bool]:
    """Where the axis of latencies ends, and whether it is logarithmic."""
    low, high = _latencies(curves)
    return high * _ROOM or 1.0, low > 0 and high / low > _LOGARITHMIC


def _latencies(curves: "Sequence[DrawnCurve]") -> tuple[float, float]:
    """The least and the greatest latency that has a limit."""
    limited = [point.latency_mean for curve in curves for point in curve.points if not point.saturated]
    limited += [curve.zero_load for curve in curves if curve.zero_load is not None]
    every = limited or [point.latency_mean for curve in curves for point in curve.points] or [1.0]
    return min(every), max(every)


def _scale(axes: "Axes", curves: "Sequence[DrawnCurve]") -> float:
    """Set the axes' limits, and return the upper end of the latencies."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, _ = _latencies(curves)
    top, logarithmic = upper_end(curves)
    axes.set_xlim(0, max([1.02 * point.accepted for curve in curves for point in curve.points], default=1.0) or 1.0)
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
        axes.set_ylim(low / _ROOM, top)
        return top
    axes.set_ylim(0, top)
    return top


def _draw(axes: "Axes", curve: "DrawnCurve", name: str, top: float, look: Look) -> None:
    well, over = split_at_saturation(curve)
    x, y = [point.accepted for point in well], [point.latency_mean for point in well]
    line, rest = load_line(curve, top)
    if line:
        axes.plot(*zip(*line, strict=True), color=look.colour, linewidth=1.5)
    if rest:
        axes.plot(*zip(*rest, strict=True), color=look.colour, linewidth=1.2, linestyle="--")
    axes.errorbar(
        x, y, [point.latency_ci95 for point in well], fmt="none", ecolor=look.colour, capsize=2, elinewidth=0.9
    )
    axes.plot(x, y, linestyle="", marker=marker(look.mark), color=look.colour, markersize=6.5, label=name)
    if over:
        axes.plot(
            [point.accepted for point in over],
            [top] * len(over),
            linestyle=":",
            linewidth=1.0,
            color=look.colour,
            marker=marker(look.mark),
            markerfacecolor="white",
            markeredgecolor=look.colour,
            markersize=7,
            clip_on=False,
            zorder=5,
        )


def split_at_saturation(curve: "DrawnCurve") -> tuple[list[LoadPoint], list[LoadPoint]]:
    """The points below saturation and those above, by offered load."""
    points = sorted(curve.points, key=lambda point: point.offered)
    return [point for point in points if not point.saturated], [point for point in points if point.saturated]


def load_line(curve: "DrawnCurve", top: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The line through the points below saturation, from load 0 where that is known; and the knee, up to `top`."""
    well, over = split_at_saturation(curve)
    points = [(point.accepted, point.latency_mean) for point in well]
    if curve.zero_load is not None:
        points = [(0.0, curve.zero_load), *points]
    return knee(points, max((point.accepted for point in over), default=None), top)


def load_curve_names(curves: "Sequence[DrawnCurve]") -> list[str]:
    """What tells each curve from the others; of several, only what differs."""
    told = [_in_words(curve) for curve in curves]
    differ = [key for key in told[0] if len({one[key] for one in told}) > 1] or ["topology"]
    return [", ".join(one[key] for key in differ) for one in told]


def _title(curves: "Sequence[DrawnCurve]") -> str:
    """What all curves share."""
    told = []
    for key, words in (
        ("topology", "{}"),
        ("engine", "engine {}"),
        ("traffic", "{} traffic"),
        ("preset", "routers of {}"),
    ):
        values = {_in_words(curve)[key] for curve in curves}
        if len(values) == 1 and not (key == "topology" and len(curves) == 1):
            told.append(words.format(values.pop()))
    return ", ".join(told)


def _in_words(curve: "DrawnCurve") -> dict[str, str]:
    """What a curve is of, in words; the preset with what was changed of it."""
    return {key: str(value) for key, value in (curve.identity() | {"preset": curve.routers}).items()}


def _legend(axes: "Axes", saturated: bool) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if saturated:
        mark = Line2D([], [], color="#555b66", linestyle=":", marker="o", markerfacecolor="white", linewidth=1.1)
        handles, labels = [*handles, mark], [*labels, "saturated: latency without limit"]
    axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, frameon=False, ncol=2)

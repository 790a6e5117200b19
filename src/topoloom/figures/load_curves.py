"""Load curves on one pair of axes: latency against accepted load."""

from collections.abc import Sequence
from typing import Any, Protocol

from topoloom.core.errors import InputError
from topoloom.figures.knee import knee
from topoloom.figures.log_axis import log_axis
from topoloom.figures.marks import Look, looks, marker
from topoloom.figures.style import Axes, Figure, frame, sheet, style


class LoadPoint(Protocol):
    """The attributes of a point that are drawn, like `simulation.flits.point.Point`."""

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
    """The attributes of a curve that are drawn, like `simulation.flits.load_curve.LoadCurve`."""

    @property
    def points(self) -> Sequence[LoadPoint]: ...

    @property
    def zero_load(self) -> float | None: ...

    @property
    def routers(self) -> str: ...

    def identity(self) -> dict[str, Any]: ...


#: Ratio of the upper end of the latency axis to the greatest finite latency; ratio from which the axis is logarithmic.
_ROOM, _LOGARITHMIC = 1.3, 8.0


def draw_load_curves(axes: "Axes", curves: "Sequence[DrawnCurve]") -> None:
    """Latency against accepted load of one network or of several.

    Filled marks are means with their 95 % confidence interval. Above saturation latency has no limit and only the accepted
    load is meaningful: such points are open marks at the upper edge, connected by a dotted line. A curve starts at load 0 with
    `zero_load` if that was measured. Between marks it has the shape of queues (`knee`); it is dashed from the last mark to the
    load where it leaves the picture, because nothing was measured there.

    Raises
    ------
    InputError
        `curves` is empty.
    """
    if not curves:
        raise InputError("no load curve to draw; give one or more")
    top = _scale(axes, curves)
    every = looks([str(number) for number in range(len(curves))]).values()
    for curve, name, look in zip(curves, load_curve_names(curves), every, strict=True):
        _draw(axes, curve, name, top, look)
    axes.set_xlabel("accepted load [flits per host and cycle]")
    axes.set_ylabel("mean latency [cycles]")
    axes.set_title(_title(curves), fontsize=10, loc="left", pad=12)
    _legend(axes, any(point.saturated for curve in curves for point in curve.points))


def load_curves(curves: "Sequence[DrawnCurve]") -> "Figure":
    """The figure of `draw_load_curves`.

    Raises
    ------
    InputError
        `curves` is empty.
    """
    with style():
        figure = sheet(8.6, 4.8)
        axes = figure.add_subplot()
        frame(axes)
        draw_load_curves(axes, curves)
    return figure


def upper_end(curves: "Sequence[DrawnCurve]") -> tuple[float, bool]:
    """The upper end of the latency axis, and whether the axis is logarithmic."""
    low, high = _latencies(curves)
    return high * _ROOM or 1.0, low > 0 and high / low > _LOGARITHMIC


def _latencies(curves: "Sequence[DrawnCurve]") -> tuple[float, float]:
    """The least and the greatest finite latency."""
    limited = [point.latency_mean for curve in curves for point in curve.points if not point.saturated]
    limited += [curve.zero_load for curve in curves if curve.zero_load is not None]
    every = limited or [point.latency_mean for curve in curves for point in curve.points] or [1.0]
    return min(every), max(every)


def _scale(axes: "Axes", curves: "Sequence[DrawnCurve]") -> float:
    """Set the limits of the axes; returns the upper end of the latencies."""
    low, _ = _latencies(curves)
    top, logarithmic = upper_end(curves)
    axes.set_xlim(0, max([1.02 * point.accepted for curve in curves for point in curve.points], default=1.0) or 1.0)
    if logarithmic:
        log_axis(axes, "y")
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
    """The points below saturation and those above it, by offered load."""
    points = sorted(curve.points, key=lambda point: point.offered)
    return [point for point in points if not point.saturated], [point for point in points if point.saturated]


def load_line(curve: "DrawnCurve", top: float) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The line through the points below saturation, from load 0 if that was measured; and its continuation up to `top`."""
    well, over = split_at_saturation(curve)
    points = [(point.accepted, point.latency_mean) for point in well]
    if curve.zero_load is not None:
        points = [(0.0, curve.zero_load), *points]
    return knee(points, max((point.accepted for point in over), default=None), top)


def load_curve_names(curves: "Sequence[DrawnCurve]") -> list[str]:
    """A name for each curve: of several, only the attributes that differ."""
    attributes = [_in_words(curve) for curve in curves]
    differ = [key for key in attributes[0] if len({curve_words[key] for curve_words in attributes}) > 1] or ["topology"]
    return [", ".join(curve_words[key] for key in differ) for curve_words in attributes]


def _title(curves: "Sequence[DrawnCurve]") -> str:
    """The attributes that all curves share."""
    shared = []
    for key, words in (
        ("topology", "{}"),
        ("engine", "engine {}"),
        ("traffic", "{} traffic"),
        ("preset", "routers of {}"),
    ):
        values = {_in_words(curve)[key] for curve in curves}
        if len(values) == 1 and not (key == "topology" and len(curves) == 1):
            shared.append(words.format(values.pop()))
    return ", ".join(shared)


def _in_words(curve: "DrawnCurve") -> dict[str, str]:
    """The attributes of a curve as texts; the preset with its changed settings."""
    return {key: str(value) for key, value in (curve.identity() | {"preset": curve.routers}).items()}


def _legend(axes: "Axes", saturated: bool) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if saturated:
        mark = Line2D([], [], color="#555b66", linestyle=":", marker="o", markerfacecolor="white", linewidth=1.1)
        handles, labels = [*handles, mark], [*labels, "saturated: latency without limit"]
    axes.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=8, frameon=False, ncol=2)

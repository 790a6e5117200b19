"""The report's figures, as SVG text drawn by matplotlib (the extra `plots`)."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any, Literal

from topoloom.designer.measure import Candidate
from topoloom.report.svg import style, svg_text
from topoloom.reproduction.curves import Curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Distinct in hue and lightness, and for the common kinds of colour blindness when shapes are added.
COLOURS = ("#2563a8", "#d1661b", "#2f8f4e", "#b02a4c", "#6a4fb3", "#8a6d1f", "#159a9c", "#555b66")
SHAPES = "osD^vPX*"


def available() -> bool:
    """Whether matplotlib can be imported."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def scatter(
    candidates: Sequence[Candidate],
    pareto: frozenset[str],
    x: Callable[[Candidate], float],
    y: Callable[[Candidate], float],
    labels: tuple[str, str],
    named: Sequence[tuple[int, Candidate]],
) -> str:
    """Candidates in a plane, a colour and shape a family, the Pareto front ringed, `named` ones with their rank."""

    def draw(axes: "Axes") -> None:
        looks = _looks(candidates)
        for family, (colour, shape) in looks.items():
            points = [c for c in candidates if c.family == family]
            axes.scatter(
                [x(c) for c in points], [y(c) for c in points], s=34, c=colour, marker=shape, label=family, alpha=0.85
            )
        front = [c for c in candidates if c.spec in pareto]
        axes.scatter(
            [x(c) for c in front],
            [y(c) for c in front],
            s=120,
            facecolors="none",
            edgecolors="#222222",
            linewidths=1.1,
            label="Pareto front",
        )
        _scale(axes, "x", [x(c) for c in candidates])
        _scale(axes, "y", [y(c) for c in candidates])
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        _name_points(axes, [(x(c), y(c), str(rank)) for rank, c in named], [(x(c), y(c)) for c in candidates])
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)

    return _svg(draw, 8.6, 4.6)


def hop_histograms(candidates: Sequence[Candidate]) -> str:
    """The share of ordered pairs of switches at each distance, a group of bars a distance."""

    def draw(axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        width = 0.8 / len(candidates)
        for index, (candidate, colour) in enumerate(zip(candidates, cycle(COLOURS), strict=False)):
            counts = candidate.hop_histogram[1:]
            total = sum(counts) or 1
            places = [hop + 1 + (index - (len(candidates) - 1) / 2) * width for hop in range(len(counts))]
            axes.bar(places, [100 * count / total for count in counts], width, color=colour, label=candidate.name)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("distance [switch hops]")
        axes.set_ylabel("pairs of switches [%]")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=8, frameon=False, ncol=2)

    return _svg(draw, 8.6, 4.2)


def curves(figure: Curves) -> str:
    """A paper's figure, redrawn from our points; a curve, its variants and its bounds share a colour.

    Variants differ by their lines, or by their marks where points are not joined.
    """

    def draw(axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        groups = list(dict.fromkeys(series.name.split()[0] for series in figure.series))
        drawn: Counter[tuple[str, bool]] = Counter()
        for series in figure.series:
            group = series.name.split()[0]
            look, variant = groups.index(group), drawn[group, series.bound]
            shape = SHAPES[(look if figure.joined else look + variant) % len(SHAPES)]
            x, y = zip(*series.points, strict=True)
            axes.plot(
                x,
                y,
                color=COLOURS[look % len(COLOURS)],
                marker="" if series.bound else shape,
                linestyle=("-", "--", ":")[variant % 3] if figure.joined else "",
                markersize=5,
                linewidth=0.8 if series.bound else 1.5,
                label=series.name,
            )
            drawn[group, series.bound] += 1
        if figure.x_names:
            axes.set_xticks(range(1, len(figure.x_names) + 1), figure.x_names)
        elif figure.log_x:
            axes.set_xscale("log", base=2)
            ticks = sorted({x for series in figure.series for x, _ in series.points})
            axes.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks])
            axes.minorticks_off()
        elif all(x == int(x) for series in figure.series for x, _ in series.points):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(figure.title, fontsize=10)
        axes.set_xlabel(figure.x)
        axes.set_ylabel(figure.y)
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)

    return _svg(draw, 8.6, 4.6)


def _looks(candidates: Sequence[Candidate]) -> dict[str, tuple[str, str]]:
    """A colour and a shape for every family: eight colours first, then other shapes."""
    families = sorted({c.family for c in candidates})
    size = len(COLOURS)
    return {f: (COLOURS[i % size], SHAPES[(i // size + i) % len(SHAPES)]) for i, f in enumerate(families)}


def _scale(axes: "Axes", which: Literal["x", "y"], values: Sequence[float]) -> None:
    """Logarithmic where the values span more than a factor of eight, with plain numbers on the ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if which == "x" else axes.yaxis
    low = min((v for v in values if v > 0), default=1.0)
    if max(values, default=1.0) / low > 8 and all(v > 0 for v in values):
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))


#: Where a name may stand beside its point, in printer's points: on circles around it, the nearest first, below first.
_AROUND = [
    (r * cos(radians(turn)), r * sin(radians(turn))) for r in (20, 32, 46, 62, 80, 100) for turn in range(-90, 270, 15)
]


def _name_points(
    axes: "Axes", points: Sequence[tuple[float, float, str]], markers: Sequence[tuple[float, float]]
) -> None:
    """Ranks beside points, moved around them until none lies on another, nor on any marker."""
    figure = axes.figure
    figure.canvas.draw()
    taken: list[Any] = []
    spots = axes.transData.transform(markers)
    for x, y, name in points:
        for right, up in _AROUND:
            text = axes.annotate(
                name,
                (x, y),
                xytext=(right, up),
                textcoords="offset points",
                fontsize=9,
                fontweight="bold",
                ha="center",
                va="center",
                arrowprops={"arrowstyle": "-", "color": "#555555", "linewidth": 0.7, "shrinkB": 4},
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "#999999", "linewidth": 0.5},
            )
            box = text.get_window_extent().padded(4)
            inside = axes.get_window_extent()
            fits = inside.y0 < box.y0 and box.y1 < inside.y1 and inside.x0 < box.x0 and box.x1 < inside.x1
            free = not any(box.overlaps(other) for other in taken) and not any(box.contains(*spot) for spot in spots)
            if fits and free:
                taken.append(box)
                break
            text.remove()


def _svg(draw: "Callable[[Axes], None]", width: float, height: float) -> str:
    """A figure of one pair of axes, as SVG text."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        draw(axes)
        return svg_text(figure)

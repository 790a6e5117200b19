"""A paper's figure as data: named series of points over one axis, or a graph after each step of its construction."""

import csv
import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topoloom.figures.style import COLOURS, SHAPES, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topoloom.model.topology import Topology


@dataclass(frozen=True)
class Series:
    """One curve: its name and its points (x, y); a `bound` is drawn thinner and without markers."""

    name: str
    points: tuple[tuple[float, float], ...]
    bound: bool = False


@dataclass(frozen=True)
class Curves:
    """A figure with curves: `name` is its file name, `x` and `y` label the axes, `joined` connects points by lines.

    `x_names` label the ticks at x = 1, 2, ... If all y values are integers, so are the ticks: no diameter is 2.4.
    """

    name: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    joined: bool = True
    log_x: bool = False
    x_names: tuple[str, ...] = ()

    def csv(self) -> str:
        """The points as CSV: series, x, y."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("series", "x", "y"))
        writer.writerows((series.name, f"{x:.6g}", f"{y:.6g}") for series in self.series for x, y in series.points)
        return text.getvalue()


@dataclass(frozen=True)
class Steps:
    """A figure of topologies side by side, each with its title; `name` is its file name."""

    name: str
    panels: "tuple[tuple[str, Topology], ...]"

    def csv(self) -> str:
        """The links as CSV: panel, u, v."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("panel", "u", "v"))
        writer.writerows((title, u, v) for title, topology in self.panels for u, v in topology.links.tolist())
        return text.getvalue()


def draw_curves(axes: "Axes", figure: Curves) -> None:
    """Draw a paper's figure from our points; a curve, its variants and its bounds share a colour.

    Variants differ by their line style, or by their markers if points are not joined.
    """
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
            linestyle=("-", "--", ":", "-.")[variant % 4] if figure.joined else "",
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
    if all(y == int(y) for series in figure.series for _, y in series.points):
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(figure.title, fontsize=10)
    axes.set_xlabel(figure.x)
    axes.set_ylabel(figure.y)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8, frameon=False)


def curves_svg(figure: Curves) -> str:
    """The figure of `draw_curves` as SVG text."""
    return svg_of(lambda axes: draw_curves(axes, figure))

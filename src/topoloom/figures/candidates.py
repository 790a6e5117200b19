"""Plots of a design's candidates: one measure against another, and the distances between switches."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any, Literal

from topoloom.core.amounts import amount
from topoloom.figures.log_axis import log_axis
from topoloom.figures.marks import looks, marker
from topoloom.figures.style import COLOURS, Axes

if TYPE_CHECKING:
    from topoloom.designer.outcomes import Candidate


#: Most families in a column of the legend, so that it is not cut off at the bottom.
_LEGEND_ROWS = 21


def draw_candidates(
    axes: "Axes",
    candidates: "Sequence[Candidate]",
    pareto: frozenset[str],
    x: "Callable[[Candidate], float]",
    y: "Callable[[Candidate], float]",
    labels: tuple[str, str],
    named: "Sequence[tuple[int, Candidate]]",
    families: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> None:
    """Candidates in a plane, with a colour and shape per family, rings on the Pareto front, and ranks of the `named` ones.

    Parameters
    ----------
    axes : Axes
        The axes to draw on.
    candidates : sequence of Candidate
        One mark each.
    pareto : frozenset of str
        The specs of those with a ring.
    x, y : callable (Candidate) to float
        The values for the axes.
    labels : (str, str)
        Labels of the x and the y axis, with units.
    named : sequence of (int, Candidate)
        The candidates whose rank is shown.
    families : sequence of str, optional
        All families of the design, whose order decides their looks; if omitted, those of the candidates.
    titles : mapping of str to str, optional
        The families' names for the legend.
    """
    drawn = families if families is not None else [c.family for c in candidates]
    present = {c.family for c in candidates}
    chosen = {family: look for family, look in looks(drawn).items() if family in present}
    for family, look in chosen.items():
        points = [c for c in candidates if c.family == family]
        axes.scatter(
            [x(c) for c in points],
            [y(c) for c in points],
            s=38,
            c=look.colour,
            marker=marker(look.mark),
            label=(titles or {}).get(family, family),
            alpha=0.9,
            linewidths=0.4,
            edgecolors="white",
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
    axes.legend(
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        fontsize=8,
        frameon=False,
        ncol=-(-(len(chosen) + 1) // _LEGEND_ROWS),
        columnspacing=1.0,
    )
    _name_points(axes, [(x(c), y(c), str(rank)) for rank, c in named], [(x(c), y(c)) for c in candidates])


def draw_hop_shares(axes: "Axes", candidates: "Sequence[Candidate]") -> None:
    """The share of ordered pairs of switches at each distance, one group of bars per distance."""
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


def _scale(axes: "Axes", which: Literal["x", "y"], values: Sequence[float]) -> None:
    """Use a logarithmic scale where the values span more than a factor of eight, with plain numbers on the ticks."""
    from matplotlib.ticker import FuncFormatter

    low = min((v for v in values if v > 0), default=1.0)
    if max(values, default=1.0) / low > 8 and all(v > 0 for v in values):
        log_axis(axes, which)
        return
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: amount(value, 6)))


#: Offsets of a label from its point, in typographic points: on circles around it, nearest first, starting below.
_AROUND = [
    (r * cos(radians(turn)), r * sin(radians(turn))) for r in (20, 32, 46, 62, 80, 100) for turn in range(-90, 270, 15)
]


def _name_points(
    axes: "Axes", points: Sequence[tuple[float, float, str]], markers: Sequence[tuple[float, float]]
) -> None:
    """Draw ranks next to points, moved around them until none overlaps another or a marker; call it after all drawing."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    figure.draw_without_rendering()
    # Fix the layout: labels lie inside the axes, and computing the layout again takes as long as drawing.
    figure.set_layout_engine("none")
    taken: list[Any] = []
    spots = axes.transData.transform(markers)
    inside, pixels = axes.get_window_extent(), figure.dpi / 72
    style: dict[str, Any] = {"fontsize": 9, "fontweight": "bold", "ha": "center", "va": "center"}

    def fits_at(box: Any) -> bool:
        inside_axes = inside.y0 < box.y0 and box.y1 < inside.y1 and inside.x0 < box.x0 and box.x1 < inside.x1
        return (
            inside_axes
            and not any(box.overlaps(other) for other in taken)
            and not any(box.contains(*spot) for spot in spots)
        )

    for x, y, name in points:
        probe = axes.annotate(name, (x, y), xytext=(0, 0), textcoords="offset points", **style)
        # Measure the text alone, slightly smaller than the final label: with its arrow this takes a hundred times as long.
        alone = probe.get_window_extent().padded(3)
        probe.remove()
        for right, up in _AROUND:
            if not fits_at(alone.translated(right * pixels, up * pixels)):
                continue
            text = axes.annotate(
                name,
                (x, y),
                xytext=(right, up),
                textcoords="offset points",
                arrowprops={"arrowstyle": "-", "color": "#555555", "linewidth": 0.7, "shrinkB": 4},
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "#999999", "linewidth": 0.5},
                **style,
            )
            box = text.get_window_extent().padded(4)
            if fits_at(box):
                taken.append(box)
                break
            text.remove()

"""Horizontal bars of named numbers, some with a bound, and of ratios; and sorted loads of channels."""

from collections.abc import Sequence

import numpy as np

from topoloom.figures.log_axis import log_axis
from topoloom.figures.style import COLOURS, Axes


def draw_bars(
    axes: "Axes",
    bars: Sequence[tuple[str, float]],
    unit: str,
    title: str,
    bounds: Sequence[float | None] = (),
    form: str = "{:.4g}",
) -> None:
    """One bar per number, the first on top, with its value at the end.

    Parameters
    ----------
    axes : Axes
    bars : sequence of (str, float)
    unit : str
        The unit of the numbers, for the axis.
    title : str
    bounds : sequence of float or None, optional
        Upper bounds, drawn as lines across the bars.
    form : str
        The format of the values.
    """
    places = range(len(bars), 0, -1)
    axes.barh(list(places), [value for _, value in bars], color=COLOURS[0], height=0.6)
    for place, (_, value) in zip(places, bars, strict=True):
        axes.annotate(form.format(value), (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    drawn = [(place, bound) for place, bound in zip(places, bounds, strict=False) if bound is not None]
    if drawn:
        at, ends = [bound for _, bound in drawn], [place for place, _ in drawn]
        low, high = [place - 0.38 for place in ends], [place + 0.38 for place in ends]
        axes.vlines(at, low, high, color=COLOURS[1], linewidth=2, label="bound for any routing")
        axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.16), fontsize=8, frameon=False)
    axes.set_yticks(list(places), [name for name, _ in bars])
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.15)
    axes.set_xlim(left=0)
    if not any(value for _, value in bars):
        axes.set_xlim(0, 1)  # all values are 0: no fractions on the axis
        axes.set_xticks([0, 1])
    axes.set_xlabel(unit)
    axes.set_title(title, fontsize=10, loc="left")


def draw_ratios(
    axes: "Axes", ratios: Sequence[tuple[str, float, int]], unit: str, title: str, words: tuple[str, str, str]
) -> None:
    """One bar per ratio on a logarithmic axis, from 1 to the left or to the right, the first on top.

    Parameters
    ----------
    axes : Axes
    ratios : sequence of (str, float, int)
        Name, ratio above 0, and 1, 0 or -1 for the colour.
    unit, title : str
    words : tuple of str
        What the colours of 1, 0 and -1 mean, for the legend.
    """
    from matplotlib.patches import Patch

    places = range(len(ratios), 0, -1)
    colours = {1: COLOURS[0], 0: "0.75", -1: COLOURS[1]}
    for place, (_, ratio, sign) in zip(places, ratios, strict=True):
        axes.barh(place, ratio - 1.0, left=1.0, color=colours[sign], height=0.6)
        side = "left" if ratio >= 1.0 else "right"
        offset = (4 if ratio >= 1.0 else -4, 0)
        axes.annotate(
            f"{ratio:.2f}", (ratio, place), offset, textcoords="offset points", va="center", ha=side, fontsize=8
        )
    log_axis(axes, "x")
    axes.axvline(1.0, color="0.3", linewidth=1)
    low, high = min([0.5, *(ratio for _, ratio, _ in ratios)]), max([2.0, *(ratio for _, ratio, _ in ratios)])
    axes.set_xlim(low / 2, high * 2)
    axes.set_yticks(list(places), [name for name, _, _ in ratios])
    axes.grid(visible=False, axis="y")
    axes.legend(
        handles=[Patch(color=colours[sign], label=word) for sign, word in zip((1, 0, -1), words, strict=True)],
        loc="upper right",
        bbox_to_anchor=(1.0, 1.09),
        ncols=3,
        fontsize=8,
        frameon=False,
    )
    axes.set_xlabel(unit)
    axes.set_title(title, fontsize=10, loc="left")


def draw_sorted_loads(axes: "Axes", loads: np.ndarray, unit: str, title: str) -> None:
    """Loads in decreasing order, over the share of all channels; equal loads give a horizontal line.

    Parameters
    ----------
    axes : Axes
    loads : number[k]
    unit : str
        The unit of the loads.
    title : str
    """
    ordered = np.sort(loads)[::-1]
    share = (np.arange(ordered.size) + 0.5) / max(1, ordered.size) * 100
    axes.plot(share, ordered, color=COLOURS[0], linewidth=1.8, label="sorted")
    if ordered.size:
        axes.axhline(float(ordered.mean()), color=COLOURS[1], linewidth=1.2, linestyle="--", label="mean")
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, 100)
    axes.set_xlabel("channels, highest load first [%]")
    axes.set_ylabel(unit)
    axes.set_title(title, fontsize=10, loc="left")
    axes.legend(loc="upper right", fontsize=8, frameon=False)

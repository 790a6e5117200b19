"""Fitting a figure to the width of a column: one type size, the legend below, and series that differ without colour."""

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from topoloom.figures.print_formats import PrintFormat
from topoloom.figures.style import COLOURS

#: Patterns of lines and of bars, in the order of the colours.
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.2, 1.2)),
    (0, (5, 1.4, 1.2, 1.4)),
    (0, (9, 2)),
    (0, (5, 1, 1, 1, 1, 1)),
    (0, (2.6, 1)),
    (0, (1, 2.4)),
)
_HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "||||", "++++")
_NO_LINE = ("None", "", " ")
#: How much thinner lines and smaller marks are than on a screen.
_LINE, _MARK = 0.75, 0.85


def fit(figure: Figure, form: PrintFormat) -> None:
    """Fit a drawn figure to its format, in place.

    A figure of one panel loses its title, which its caption in the paper says. Legends become one, below, in as many columns as
    fit. Lines of different colours get different dashes, unless dashes have a meaning in this figure, whose series then differ
    by their marks; bars of different colours get different hatches.
    """
    panels = [axes for axes in figure.axes if axes.get_visible() and axes.get_label() != "<colorbar>"]
    for axes in panels:
        _distinguish_lines(axes)
        _distinguish_bars(axes)
    entries = _taken_legends(figure, panels)
    if len(panels) == 1:
        for side in ("left", "center", "right"):
            panels[0].set_title("", loc=side)
    figure.suptitle("")
    _make_thin(figure)
    for axes in figure.axes:
        axes.tick_params(labelsize=form.size_pt, width=0.6, length=2.5, pad=2)
        axes.xaxis.labelpad = axes.yaxis.labelpad = 2
        for spine in axes.spines.values():
            spine.set_linewidth(0.6)
    for text in figure.findobj(Text):
        text.set_fontsize(form.size_pt)
    figure.set_layout_engine("constrained", w_pad=0.02, h_pad=0.02)
    if entries:
        _place_legend(figure, entries, form)


def _distinguish_lines(axes: Axes) -> None:
    lines = [line for line in axes.get_lines() if _colour(line) in COLOURS and line.get_linestyle() not in _NO_LINE]
    order = list(dict.fromkeys(map(_colour, lines)))
    if any(line.get_linestyle() != "-" for line in lines):
        return
    for line in lines:
        line.set_linestyle(_DASHES[order.index(_colour(line)) % len(_DASHES)])


def _distinguish_bars(axes: Axes) -> None:
    bars = [bar for container in axes.containers if isinstance(container, BarContainer) for bar in container.patches]
    legend = axes.get_legend()
    samples = [] if legend is None else [item for item in legend.legend_handles if isinstance(item, Patch)]
    order = list(dict.fromkeys(to_hex(bar.get_facecolor()) for bar in bars))
    for bar in [*bars, *samples] if len(order) > 1 else []:
        if to_hex(bar.get_facecolor()) in order:
            bar.set_hatch(_HATCHES[order.index(to_hex(bar.get_facecolor())) % len(_HATCHES)])
            bar.set_edgecolor("white")
            if hasattr(bar, "set_hatchcolor"):  # since matplotlib 3.11
                bar.set_hatchcolor("white")
            bar.set_linewidth(0)


def _taken_legends(figure: Figure, panels: Iterable[Axes]) -> list[tuple[Any, str]]:
    """Remove all legends; returns their entries, each label once. A mark gets the line of its series, where it has one."""
    first: dict[str, Line2D] = {}
    for line in [line for axes in panels for line in axes.get_lines()]:
        if line.get_linestyle() not in _NO_LINE:
            first.setdefault(_colour(line), line)
    entries: dict[str, Any] = {}
    owned = [legend for axes in panels if (legend := axes.get_legend()) is not None]
    for legend in [*owned, *figure.legends]:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            if isinstance(handle, Line2D) and handle.get_linestyle() in _NO_LINE and _colour(handle) in first:
                drawn, mark = first[_colour(handle)], handle
                handle = Line2D([], [])
                handle.update_from(drawn)
                handle.set(marker=mark.get_marker(), markersize=mark.get_markersize())
                handle.set(
                    mfc=mark.get_markerfacecolor(), mec=mark.get_markeredgecolor(), mew=mark.get_markeredgewidth()
                )
            entries.setdefault(text.get_text(), handle)
        legend.remove()
    return [(handle, label) for label, handle in entries.items()]


def _make_thin(figure: Figure) -> None:
    for line in figure.findobj(Line2D):
        line.set_linewidth(line.get_linewidth() * _LINE)
        line.set_markersize(line.get_markersize() * _MARK)
        line.set_markeredgewidth(line.get_markeredgewidth() * _LINE)
    for dots in figure.findobj(PathCollection):
        dots.set_sizes(dots.get_sizes() * _MARK**2)


def _place_legend(figure: Figure, entries: list[tuple[Any, str]], form: PrintFormat) -> None:
    """The legend below the panels in as many columns as fit; the figure grows by its height."""
    handles, labels = zip(*entries, strict=True)
    for handle in handles:
        if isinstance(handle, Line2D):
            handle.set_markersize(handle.get_markersize() * _MARK)
            handle.set_linewidth(handle.get_linewidth() * _LINE)
    for columns in range(min(len(labels), 6), 0, -1):
        legend = figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncol=columns,
            fontsize=form.size_pt,
            frameon=False,
            handlelength=2.6,
            columnspacing=1.0,
            handletextpad=0.4,
            borderpad=0.1,
            labelspacing=0.25,
        )
        figure.draw_without_rendering()
        box = legend.get_window_extent()
        if box.width <= form.width_in * figure.dpi or columns == 1:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + box.height / figure.dpi)


def _colour(line: Line2D) -> str:
    """The colour of a line in the letters of `COLOURS`, where it is one of these."""
    name = to_hex(line.get_color())
    return next((colour for colour in COLOURS if colour.lower() == name), name)

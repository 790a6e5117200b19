"""Small multiples: several pictures of curves side by side, with common axes and one legend."""

import math
from collections.abc import Sequence
from typing import Any

from topoloom.figures.interval_curves import IntervalCurves, draw_interval_curves
from topoloom.figures.print_formats import current_format
from topoloom.figures.style import Figure, frame, sheet, style

_MOST_ACROSS = 3
#: In a column of print.
_MOST_ACROSS_COLUMN = 2


def panels(curves: Sequence[IntervalCurves], title: str = "") -> "Figure":
    """A figure with one panel per picture, in rows of at most three (two in a column of print); the common legend is below."""
    form = current_format()
    across = min(_MOST_ACROSS if form is None or not form.column else _MOST_ACROSS_COLUMN, len(curves))
    rows = math.ceil(len(curves) / across)
    names = list(dict.fromkeys(series.name for picture in curves for series in picture.series))
    # Each name has the same look in every panel, even in those where it has no points.
    with style():
        legend = math.ceil(len(names) / 3) * 0.22 + 0.3
        figure = sheet(8.6 if across == 1 else 3.6 * across + 0.6, (4.2 if across == 1 else 3.2) * rows + legend)
        grid = figure.subplots(rows, across, squeeze=False, sharex=True, sharey=True)
        for place, axes in enumerate(grid.flat):
            if place >= len(curves):
                axes.set_visible(False)
                continue
            frame(axes)
            draw_interval_curves(axes, curves[place], names=names, legend=False)
            if place % across:
                axes.set_ylabel("")
            if place + across < len(curves):
                axes.set_xlabel("")
            else:
                axes.tick_params(labelbottom=True)
        handles: dict[str, Any] = {}
        for axes in grid.flat:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        if len(names) > 1:
            figure.legend(
                list(handles.values()), list(handles), loc="outside lower center", ncol=3, fontsize=8, frameon=False
            )
        if title and len(curves) > 1:
            figure.suptitle(title, fontsize=10, x=0.01, ha="left")
    return figure

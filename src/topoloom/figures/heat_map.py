"""A map of numbers over two axes: the colour and the number of each cell."""

from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Maps with more cells show colours only.
_MOST_NUMBERS = 400


class HeatMap(msgspec.Struct, frozen=True):
    """A picture: the axes' labels and names, and the cells, a row for each of `up`; None where nothing is known."""

    title: str
    x: str
    y: str
    value: str
    across: tuple[str, ...]
    up: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]


def draw_heat_map(axes: "Axes", found: HeatMap) -> None:
    """The cells, x to the right and y upwards, darker for more, each with its number where there is room."""
    values = np.array([[np.nan if one is None else one for one in row] for row in found.cells], float)
    drawn = axes.pcolormesh(values, cmap="cividis_r", edgecolors="white", linewidth=0.5)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(len(found.across)) + 0.5, found.across, rotation=0 if _short(found.across) else 30)
    axes.set_yticks(np.arange(len(found.up)) + 0.5, found.up)
    axes.set_xlabel(found.x)
    axes.set_ylabel(found.y)
    axes.set_title(found.title, fontsize=10, loc="left", wrap=True)
    bar = axes.figure.colorbar(drawn, ax=axes)
    bar.set_label(found.value)
    if values.size > _MOST_NUMBERS or not np.isfinite(values).any():
        return
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            if np.isfinite(value):
                colour = "white" if value > middle else "#1c2733"
                axes.text(column + 0.5, row + 0.5, f"{value:.4g}", ha="center", va="center", fontsize=7, color=colour)


def _short(names: tuple[str, ...]) -> bool:
    return sum(map(len, names)) < 60

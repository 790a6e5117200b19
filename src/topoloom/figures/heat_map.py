"""A map of numbers over two axes: colour and number of each cell."""

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from topoloom.core.amounts import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most cells with numbers; larger maps show colours only.
_MOST_NUMBERS = 400


class HeatMap(msgspec.Struct, frozen=True):
    """The data of a map: labels and values of the axes, and the cells, one row per value of `up`; None: not known."""

    title: str
    x: str
    y: str
    value: str
    across: tuple[str, ...]
    up: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]


def draw_heat_map(axes: "Axes", heat: HeatMap) -> None:
    """The cells, x to the right and y upwards, darker for larger values, each with its number if there is room."""
    values = np.array([[np.nan if cell is None else cell for cell in row] for row in heat.cells], float)
    drawn = axes.pcolormesh(values, cmap="cividis_r", edgecolors="white", linewidth=0.5)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(len(heat.across)) + 0.5, heat.across, rotation=0 if _short(heat.across) else 30)
    axes.set_yticks(np.arange(len(heat.up)) + 0.5, heat.up)
    axes.set_xlabel(heat.x)
    axes.set_ylabel(heat.y)
    axes.set_title(heat.title, fontsize=10, loc="left", wrap=True)
    bar = axes.figure.colorbar(drawn, ax=axes)
    bar.set_label(heat.value)
    if values.size > _MOST_NUMBERS or not np.isfinite(values).any():
        return
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            if np.isfinite(value):
                colour = "white" if value > middle else "#1c2733"
                axes.text(column + 0.5, row + 0.5, amount(value), ha="center", va="center", fontsize=7, color=colour)


def _short(names: tuple[str, ...]) -> bool:
    return sum(map(len, names)) < 60

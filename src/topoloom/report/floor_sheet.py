"""A floor to scale, as the template of an expansion's pictures takes it: positions and sizes as texts."""

from typing import Any

import numpy as np

from topoloom.placement.layout.layout import Layout

_MARGIN = 46
#: Width of the legend above a floor.
_LEAST_WIDTH = 540

#: Most free slots that are drawn; with more, all are omitted to limit the file's size.
_MOST_FREE = 5_000


class Sheet:
    """A floor to scale on a sheet, y upwards: the positions of its slots, and the frame around them."""

    def __init__(self, layout: Layout) -> None:
        floor, slots = layout.floor, layout.slots
        self._layout, size_m = layout, np.array([floor.width_m, floor.depth_m])
        low_m = slots.place_m.min(axis=0) - size_m / 2
        self.wide_m, self.deep_m = (slots.place_m.max(axis=0) + size_m / 2 - low_m).tolist()
        self._scale = min(860 / self.wide_m, 620 / self.deep_m, 110.0)
        #: Width and height of a slot as drawn.
        self.cell = size_m * self._scale
        corners = (slots.place_m - low_m - size_m / 2) * self._scale
        corners[:, 1] = self.deep_m * self._scale - corners[:, 1] - self.cell[1]
        #: The upper left corner of each slot, float64[slots, 2].
        self.corner = corners + _MARGIN

    @property
    def middle(self) -> np.ndarray:
        """The middle of the floor as drawn, float64[2]."""
        return np.asarray(_MARGIN + np.array([self.wide_m, self.deep_m]) * self._scale / 2)

    @property
    def surroundings(self) -> dict[str, Any]:
        """The sheet's width and height, and the floor's two sides with their lengths in metres."""
        width, height = self.wide_m * self._scale, self.deep_m * self._scale
        below, left = _MARGIN + height + 14, _MARGIN - 12
        sides = {
            "path": f"M{_MARGIN} {below}h{width:.1f}M{left} {_MARGIN}v{height:.1f}",
            "middle_x": f"{_MARGIN + width / 2:.1f}",
            "below": f"{below + 18:.1f}",
            "wide": f"{self.wide_m:.1f}",
            "left": str(left - 8),
            "middle_y": f"{_MARGIN + height / 2:.1f}",
            "deep": f"{self.deep_m:.1f}",
        }
        return {
            "width": f"{max(width + 2 * _MARGIN, _LEAST_WIDTH):.0f}",
            "height": f"{height + 2 * _MARGIN + 16:.0f}",
            "sides": sides,
        }

    def box(self, slot: int, fill: str, hint: str, *, dashed: bool = False) -> dict[str, Any]:
        """A slot as the template draws it.

        Parameters
        ----------
        slot : int
            Its number.
        fill : str
            Its colour.
        hint : str
            The tooltip that a browser shows; any text.
        dashed : bool
            Whether its outline is dashed.

        Returns
        -------
        dict
            The given values, with its corner, width and height.
        """
        x, y = (self.corner[slot] + 1).tolist()
        width, height = (self.cell - 2).tolist()
        places = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
        return {**places, "fill": fill, "hint": hint, "dashed": dashed}

    def free(self) -> list[dict[str, Any]]:
        """The slots without a rack; empty if there are more than `_MOST_FREE`."""
        slots = self._layout.slots
        free = np.setdiff1d(np.arange(len(slots)), self._layout.used).tolist()
        if len(free) > _MOST_FREE:
            return []
        return [self.box(slot, "#ffffff", f"free slot {slots.names[slot]}", dashed=True) for slot in free]

    def name(self, slot: int, second: str, ink: str) -> list[dict[str, Any]]:
        """The name of a slot in its middle, and a second line if it fits.

        Parameters
        ----------
        slot : int
            Its number.
        second : str
            The second line.
        ink : str
            The colour of the text.

        Returns
        -------
        list of dict
            The lines; empty where they would be too small to read.
        """
        lines = [self._layout.slots.names[slot], second]
        cell_x, cell_y = self.cell.tolist()
        x, y = (self.corner[slot] + self.cell / 2).tolist()
        large = min(cell_x / 3.4, cell_y / 3) >= 12
        size = min(13.0, cell_x / (0.7 * max(map(len, lines[: 1 + large]))), cell_y / 1.6)
        return _lines(lines[: 1 + large], x, y, size, ink)


def _lines(lines: list[str], x: float, y: float, size: float, ink: str) -> list[dict[str, Any]]:
    """One or two lines of text around a point; empty where they would be too small to read."""
    if size < 6:
        return []
    above = y + size * (0.35 if len(lines) == 1 else -0.15)
    return [
        {
            "x": f"{x:.1f}",
            "y": f"{above + number * size * 1.1:.1f}",
            "size": f"{size * (1 - 0.15 * number):.1f}",
            "ink": ink,
            "weight": 600 - 200 * number,
            "text": line,
        }
        for number, line in enumerate(lines)
    ]

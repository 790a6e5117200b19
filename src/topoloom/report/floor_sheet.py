"""A floor to scale as SVG text, for the pages of a plan that show it once a step."""

from html import escape

import numpy as np

from topoloom.layout.layout import Layout

_MARGIN = 46

#: A hall of more free slots than these would only fill the file.
_MOST_FREE = 5_000


class Sheet:
    """A floor to scale on a sheet of SVG, y upwards: where its slots are drawn, and what surrounds them."""

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

    def begin(self, title: str) -> str:
        """The head of the picture."""
        width, height = self.wide_m * self._scale + 2 * _MARGIN, self.deep_m * self._scale + 2 * _MARGIN + 16
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
            f' font-family="sans-serif" role="img"><title>{escape(title)}</title>'
        )

    def box(self, slot: int, fill: str, hint: str, edge: str = 'stroke="#8793a3" stroke-width="0.8"') -> str:
        """A slot.

        Parameters
        ----------
        slot : int
            The place.
        fill : str
            Its colour.
        hint : str
            What a browser shows when the mouse is on it; any text.
        edge : str
            SVG attributes of its outline.

        Returns
        -------
        str
            A ``<rect>`` element.
        """
        x, y = (self.corner[slot] + 1).tolist()
        width, height = (self.cell - 2).tolist()
        return (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" {edge}>'
            f"<title>{escape(hint)}</title></rect>"
        )

    def free(self) -> list[str]:
        """The slots without a cabinet; none of them in a hall of very many."""
        slots = self._layout.slots
        free = np.setdiff1d(np.arange(len(slots)), self._layout.used).tolist()
        if len(free) > _MOST_FREE:
            return []
        dashes = 'stroke="#8793a3" stroke-width="0.8" stroke-dasharray="3 3"'
        return [self.box(slot, "#ffffff", f"free slot {slots.names[slot]}", dashes) for slot in free]

    def name(self, slot: int, second: str, ink: str) -> list[str]:
        """The name of a slot in its middle, and a second line where there is room.

        Parameters
        ----------
        slot : int
            The place.
        second : str
            The second line.
        ink : str
            The colour of the text.

        Returns
        -------
        list of str
            ``<text>`` elements.
        """
        lines = [escape(self._layout.slots.names[slot]), second]
        cell_x, cell_y = self.cell.tolist()
        x, y = (self.corner[slot] + self.cell / 2).tolist()
        large = min(cell_x / 3.4, cell_y / 3) >= 12
        size = min(13.0, cell_x / (0.7 * max(map(len, lines[: 1 + large]))), cell_y / 1.6)
        return _lines(lines[: 1 + large], x, y, size, ink)

    def end(self) -> str:
        """The floor's sides with their lengths, and the end of the picture."""
        return _sides(self.wide_m, self.deep_m, self._scale) + "\n</svg>"


def _lines(lines: list[str], x: float, y: float, size: float, ink: str) -> list[str]:
    """One or two lines of text around a point; nothing where they would be too small to read."""
    if size < 6:
        return []
    above = y + size * (0.35 if len(lines) == 1 else -0.15)
    return [
        f'<text x="{x:.1f}" y="{above + number * size * 1.1:.1f}" font-size="{size * (1 - 0.15 * number):.1f}" fill="{ink}"'
        f' text-anchor="middle" font-weight="{600 - 200 * number}">{line}</text>'
        for number, line in enumerate(lines)
    ]


def _sides(wide_m: float, deep_m: float, scale: float) -> str:
    """The floor's two sides with their lengths in metres."""
    width, height = wide_m * scale, deep_m * scale
    below, left = _MARGIN + height + 14, _MARGIN - 12
    return (
        f'<g stroke="#444" fill="#444" font-size="12"><path fill="none" d="M{_MARGIN} {below}h{width:.1f}'
        f'M{left} {_MARGIN}v{height:.1f}"/>'
        f'<text stroke="none" x="{_MARGIN + width / 2:.1f}" y="{below + 18:.1f}" text-anchor="middle">{wide_m:.1f} m</text>'
        f'<text stroke="none" x="{left - 8}" y="{_MARGIN + height / 2:.1f}" text-anchor="middle"'
        f' transform="rotate(-90 {left - 8} {_MARGIN + height / 2:.1f})">{deep_m:.1f} m</text></g>'
    )

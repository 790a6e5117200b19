"""A layout's floor plan, as SVG text or as a PNG picture."""

from collections.abc import Sequence

import numpy as np

from topoloom.core.pages.svg import with_hints
from topoloom.cost.facility import RackPower
from topoloom.figures.absent import svg_or_sentence
from topoloom.figures.floor_plan import floor_plan
from topoloom.figures.floor_view import rack_hints
from topoloom.figures.style import Figure, png_bytes, svg_text
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.tray_load import tray_load


def floorplan(
    layout: Layout,
    medium: np.ndarray | None = None,
    power: RackPower | None = None,
    *,
    held: Sequence[str] | None = None,
    others: np.ndarray | None = None,
) -> "Figure":
    """One sheet with the racks and bundles to scale, the lengths of the cables, and the load of the trays.

    Parameters
    ----------
    layout : Layout
    medium : array of str, shape (links,), optional
        The medium of each link's cable (``copper``, ``optical``), which gives the colour of its bundle and of its bar by
        length. Without it, cables inside racks and between racks have one colour each.
    power : RackPower, optional
        The maximum power of each rack (`rack_power`), which gives its colour. Without it, or where all are equal, the number of
        cables that leave it.
    held : sequence of str, optional
        The content of each rack, abbreviated, where the layout does not have all of it.
    others : int64[...], optional
        The slots of racks that stand on the floor and are not the layout's.

    Returns
    -------
    Figure
        Not written to a file.

    Raises
    ------
    InputError
        `medium` has another shape.
    """
    watts = None if power is None else power.max_w
    return floor_plan(layout, medium, tray_load(layout), watts, held=held, others=others)


def floorplan_svg(
    layout: Layout,
    medium: np.ndarray | None = None,
    power: RackPower | None = None,
    *,
    held: Sequence[str] | None = None,
    others: np.ndarray | None = None,
) -> str:
    """The sheet as SVG text, with a tooltip on each rack.

    Parameters
    ----------
    layout : Layout
    medium : array of str, shape (links,), optional
        The medium of each link's cable.
    power : RackPower, optional
        The maximum power of each rack.
    held : sequence of str, optional
        As in `floorplan`; so are `others`.
    others : int64[...], optional

    Returns
    -------
    str
        An ``<svg>`` element.
    """
    words = None if power is None else power.words
    hints = {f"rack-{number}": hint for number, hint in enumerate(rack_hints(layout, words, held))}
    return svg_or_sentence(
        lambda: with_hints(svg_text(floorplan(layout, medium, power, held=held, others=others)), hints)
    )


def floorplan_png(layout: Layout, medium: np.ndarray | None = None, power: RackPower | None = None) -> bytes:
    """The sheet as a PNG picture, 1,950 pixels wide.

    Parameters
    ----------
    layout : Layout
    medium : array of str, shape (links,), optional
        The medium of each link's cable.
    power : RackPower, optional
        The maximum power of each rack.

    Returns
    -------
    bytes
    """
    return png_bytes(floorplan(layout, medium, power))

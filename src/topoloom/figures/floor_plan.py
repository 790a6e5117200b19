"""The floor plan: one sheet with the racks and bundles to scale, the lengths of the cables, and the load of the trays."""

from collections.abc import Mapping, Sequence

import numpy as np

from topoloom.core.errors import InputError
from topoloom.figures.absent import import_matplotlib
from topoloom.figures.floor_panels import FOOT_POINTS, PAD_POINTS, draw_lengths, draw_plan, draw_trays
from topoloom.figures.floor_view import DrawnLayout, View
from topoloom.figures.style import Axes, Figure, style

#: Size of the sheet in inches, to fit a page or a screen; and the space above the plan and next to it.
_WIDTH, _TALLEST = 13.0, 8.6
_HEADER, _ABOVE, _BESIDE = 0.6, 0.95, 1.5
#: The tallest panel of several, inches.
_PANEL = 4.0
_MARGIN_IN = (2 * PAD_POINTS + FOOT_POINTS) / 72


def floor_plan(
    layout: DrawnLayout,
    medium: np.ndarray | None,
    trays: tuple[np.ndarray, np.ndarray],
    watts: np.ndarray | None = None,
    *,
    held: Sequence[str] | None = None,
    others: np.ndarray | None = None,
) -> "Figure":
    """The sheet as a matplotlib figure.

    Parameters
    ----------
    layout : Layout
    medium : array of str, shape (links,), or None
        The medium of each link's cable (``copper``, ``optical``), which gives the colour of its bundle and of its bar by
        length. Without it, cables inside racks and between racks have one colour each.
    trays : (float64[sections, 4], int64[sections])
        The sections of tray (x, y, x, y) in metres, and the number of cables on each, as from `tray_load`.
    watts : float64[racks], optional
        Maximum power of each rack, which gives its colour. Without it, or where all are equal, the number of cables that leave
        it.
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
    if medium is not None and np.shape(medium) != layout.length_m.shape:
        raise InputError(
            f"medium has shape {np.shape(medium)}; give one medium for each of {layout.length_m.size} links"
        )
    import_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    view = View(layout, medium, watts if watts is not None and np.ptp(watts) > 0 else None, held, others)
    width_m, height_m = view.shape_m
    with style():
        figure = Figure(layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08, wspace=0.04, hspace=0.04))
        FigureCanvasAgg(figure)
        figure.suptitle(_header(layout), fontsize=11, x=0.012, ha="left")
        if width_m > 1.5 * height_m:
            # A long floor takes the sheet's whole width; the other panels are below.
            wide_in = _WIDTH - _BESIDE
            high_in = float(np.clip(wide_in * height_m / width_m + _MARGIN_IN, 1.2, 4.3))
            sheet_in = _TALLEST
            heights = (high_in + _ABOVE, sheet_in - _HEADER - high_in - _ABOVE)
            grid = figure.add_gridspec(2, 2, height_ratios=heights, width_ratios=(1, 1.25))
            plan, lengths, below = grid[0, :], grid[1, 0], grid[1, 1]
        else:
            wide_in = 0.58 * _WIDTH - _BESIDE
            high_in = float(np.clip(wide_in * height_m / width_m + _MARGIN_IN, 5.0, _TALLEST - _HEADER - _ABOVE))
            sheet_in = high_in + _HEADER + _ABOVE
            # A deep floor leaves more of the width to the other panels.
            left_in = float(np.clip(high_in * width_m / height_m + _BESIDE, 0.45 * _WIDTH, 0.58 * _WIDTH))
            grid = figure.add_gridspec(2, 2, width_ratios=(left_in, _WIDTH - left_in), height_ratios=(1, 1.35))
            plan, lengths, below = grid[:, 0], grid[0, 1], grid[1, 1]
        figure.set_size_inches(_WIDTH, sheet_in)
        margin = 2 * PAD_POINTS
        points_per_metre = min((72 * wide_in - margin) / width_m, (72 * high_in - margin - FOOT_POINTS) / height_m)
        draw_plan(figure.add_subplot(plan), view, points_per_metre)
        draw_lengths(figure.add_subplot(lengths), view)
        draw_trays(figure.add_subplot(below), view, trays)
    return figure


def tray_plan(layout: DrawnLayout, trays: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> "Figure":
    """The load of the trays by network, one panel for each, as a matplotlib figure.

    Parameters
    ----------
    layout : Layout
        All racks.
    trays : mapping of str to (float64[sections, 4], int64[sections])
        The sections of tray (x, y, x, y) in metres, and the number of cables on each, by the name of the network.
    """
    import_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    view = View(layout)
    width_m, height_m = view.shape_m
    columns = int(np.clip(_WIDTH / (_PANEL * width_m / height_m + _BESIDE), 1, min(len(trays), 4)))
    rows = -(-len(trays) // columns)
    high_in = float(np.clip(_WIDTH / columns * height_m / width_m, 1.2, _PANEL)) + _ABOVE
    with style():
        figure = Figure(figsize=(_WIDTH, rows * high_in), layout="constrained")
        FigureCanvasAgg(figure)
        for number, (name, load) in enumerate(trays.items(), 1):
            axes = figure.add_subplot(rows, columns, number)
            draw_trays(axes, view, load)
            axes.set_title(f"{name}: at most {int(load[1].max(initial=0)):,} cables", fontsize=9, loc="left", y=1.0)
    return figure


def plan_alone(layout: DrawnLayout, ax: "Axes | None" = None) -> "Axes":
    """The floor from above, without the sheet's other panels.

    Parameters
    ----------
    layout : Layout
    ax : matplotlib axes, optional
        A new figure when omitted.
    """
    import matplotlib.pyplot as plt

    view = View(layout)
    width_m, height_m = view.shape_m
    if ax is None:
        ax = plt.figure(figsize=(8, float(np.clip(8 * height_m / width_m, 3, 10)))).add_subplot()
    box = ax.get_window_extent()
    margin = 2 * PAD_POINTS
    figure = ax.get_figure()
    points = 72 / (figure.dpi if figure is not None else 72)
    wide, high = box.width * points - margin, box.height * points - margin - FOOT_POINTS
    draw_plan(ax, view, max(0.1, min(wide / width_m, high / height_m)))
    return ax


def _header(layout: DrawnLayout) -> str:
    """The title: the topology, the floor, and the numbers of its cables."""
    total = f"{layout.total_m / 1000:,.2f} km" if layout.total_m >= 1000 else f"{layout.total_m:,.1f} m"
    name, floor = (
        text if len(text) <= most else text[: most - 3] + "..."
        for text, most in ((layout.topology.name, 70), (layout.floor.name, 30))
    )
    hosts = "" if layout.host_slot is None else f"; {layout.host_length_m.size:,} host cables"
    if hosts and not layout.length_m.size:
        own_m = layout.host_length_m
        return (
            f"{name} on {floor}: {layout.racks:,} of {len(layout.slots):,} slots, {own_m.size:,} host cables\n"
            f"{int(layout.host_between.sum()):,} between racks; longest {own_m.max(initial=0.0):.1f} m,"
            f" {own_m.sum():,.1f} m in total"
        )
    plant = layout.plant
    if plant is not None:
        alone, fibre_m = int(layout.cabled_alone.sum()), plant.length_m
        parts = f"{plant.panel.size:,} panels: {plant.cords:,} cords and {plant.trunks:,} trunks"
        return (
            f"{name} on {floor}: {layout.racks:,} of {len(layout.slots):,} slots, {layout.length_m.size:,} links\n"
            f"{int(plant.through.sum()):,} through {parts}, longest {float(fibre_m.max(initial=0.0)):.1f} m,"
            f" {fibre_m.sum() / 1000:,.2f} km{f'; {alone:,} cables of their own' if alone else ''}{hosts}"
        )
    return (
        f"{name} on {floor}: {layout.racks:,} of {len(layout.slots):,} slots,"
        f" {layout.length_m.size:,} cables\n"
        f"{int(layout.between.sum()):,} between racks; mean {layout.mean_length_m:.2f} m,"
        f" longest {layout.longest_m:.1f} m, {total} in total{hosts}"
    )

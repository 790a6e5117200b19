"""A layout drawn from above: the cabinets on the floor and the bundles between them."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from topoloom.layout.layout import Layout

#: Okabe and Ito's blue, for bundles and for cabinets that cables leave.
_COLOUR = "#0072B2"
#: More bundles than these would be a blot.
_MOST_BUNDLES = 20_000


def draw_layout(layout: "Layout", ax: "Axes | None" = None) -> "Axes":
    """The floor from above, x to the right and y upwards.

    Parameters
    ----------
    layout : Layout
    ax : matplotlib axes, optional
        A figure of its own when left out.

    Returns
    -------
    matplotlib axes
        Cabinets are the darker the more cables leave them, free slots are empty; bundles are straight lines, however the
        cables run.
    """
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Rectangle

    if ax is None:
        ax = plt.figure(figsize=(8, 6), layout="constrained").add_subplot()
    floor, place_m = layout.floor, layout.slots.place_m
    pairs, cables = layout.bundles
    leaving = np.zeros(layout.cabinets)
    np.add.at(leaving, pairs, cables[:, None])
    share = np.zeros(len(place_m))
    share[layout.used] = 0.15 + 0.6 * leaving / max(1.0, float(leaving.max(initial=0.0)))
    corner = place_m - np.array([floor.width_m, floor.depth_m]) / 2
    boxes = [Rectangle((x, y), floor.width_m, floor.depth_m) for x, y in corner.tolist()]
    colours = [(0.0, 0.447, 0.698, alpha) for alpha in share.tolist()]
    ax.add_collection(PatchCollection(boxes, facecolors=colours, edgecolors="#8793a3", linewidths=0.8))
    if len(pairs) <= _MOST_BUNDLES:
        widths = 0.3 + 1.7 * cables / max(1, int(cables.max(initial=0)))
        ax.add_collection(LineCollection(list(layout.place_m[pairs]), linewidths=widths, colors=_COLOUR, alpha=0.35))
    low, high = corner.min(axis=0), corner.max(axis=0) + np.array([floor.width_m, floor.depth_m])
    ax.set_xlim(low[0] - floor.width_m / 4, high[0] + floor.width_m / 4)
    ax.set_ylim(low[1] - floor.depth_m / 4, high[1] + floor.depth_m / 4)
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.set_title(
        f"{layout.topology.name} on {floor.name}: {layout.cabinets} cabinets, {layout.total_m:,.0f} m of cable"
    )
    return ax

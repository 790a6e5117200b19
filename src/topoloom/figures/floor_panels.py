"""The panels of a floor plan, on matplotlib's axes: the plan, the lengths of its cables, and the load of its trays."""

from typing import Any

import numpy as np

from topoloom.figures.floor_view import HOST_CABLES, View, racks_hold
from topoloom.figures.style import Axes

_INK, _EDGE, _PILLAR, _TRAY, _UNUSED = "#1c2733", "#8793a3", "#444b55", "#c9b458", "#c4cad2"
_OTHER = "#dfe3e8"

#: Bundles are drawn until the total length of lines is this many floor diagonals; more would be unreadable.
_MOST_LINES = 100
#: Padding around the floor, and below it for the scale bar, in typographic points.
PAD_POINTS, FOOT_POINTS = 7.0, 14.0
_LEGEND_COLUMNS = 7
#: Most racks with tooltips; with more, they are drawn as one collection without tooltips.
MOST_HINTS = 2_000


def draw_plan(axes: "Axes", view: View, points_per_metre: float) -> None:
    """Slots, pillars, trays, racks shaded by the cables that leave them, and the strongest bundles of cables.

    Parameters
    ----------
    axes : Axes
        The axes to draw on.
    view : View
        The layout, and its position in the drawing.
    points_per_metre : float
        The scale of the axes: names are as large as their racks allow.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    floor = view.layout.floor
    view.frame(axes, PAD_POINTS / points_per_metre, FOOT_POINTS / points_per_metre)
    if floor.trays_m:
        trays = np.array(floor.trays_m).reshape(-1, 2, 2)
        axes.add_collection(LineCollection(list(trays), colors=_TRAY, linewidths=3.0, alpha=0.55, zorder=3))
    for x, y, width, depth in floor.pillars_m:
        axes.add_patch(Rectangle(**view.rectangle(x, y, width, depth), facecolor=_PILLAR, edgecolor="none", zorder=3))
    for _, x, y in floor.blocked:
        shape = view.rectangle(x, y, floor.width_m, floor.depth_m, 0.06)
        axes.add_patch(Rectangle(**shape, facecolor="none", edgecolor="#9aa3ae", hatch="xxx", linewidth=0.6, zorder=2))
    _draw_slots(axes, view)
    drawn = _draw_bundles(axes, view)
    _name_racks(axes, view, points_per_metre)
    _scale_bar(axes, view, points_per_metre)
    _legend(axes, view, drawn)
    if view.watts is not None:
        _colour_bar(axes, _warm(), float(view.watts.max()) / 1000, "maximum power of the rack [kW]", whole=False)
    elif drawn.size:
        _colour_bar(axes, _greys(), int(view.leaving.max()), "cables leaving the rack")


def _warm() -> Any:
    """Colours for power: from nearly white to an orange on which black text is readable."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Oranges"](np.linspace(0.02, 0.5, 128)))


def _greys() -> Any:
    """Colours for cables: from nearly white to a grey on which black text is readable."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Greys"](np.linspace(0.02, 0.28, 128)))


def _draw_slots(axes: "Axes", view: View) -> None:
    """Every slot to scale; the patch of a rack has the id ``rack-NUMBER`` if there are at most `MOST_HINTS` racks."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    layout, floor = view.layout, view.layout.floor
    if view.watts is not None:
        fills = _warm()(view.watts / max(1.0, float(view.watts.max(initial=0.0))))
    else:
        fills = _greys()(view.leaving / max(1, int(view.leaving.max(initial=0))))

    def shapes(slots: np.ndarray) -> list[Any]:
        return [
            Rectangle(**view.rectangle(x, y, floor.width_m, floor.depth_m, 0.06))
            for x, y in layout.slots.place_m[slots].tolist()
        ]

    axes.add_collection(
        PatchCollection(
            shapes(view.free), facecolor="white", edgecolor=_EDGE, linewidth=0.5, linestyle=(0, (3, 2)), zorder=2
        )
    )
    if view.others is not None:
        axes.add_collection(
            PatchCollection(shapes(view.others), facecolor=_OTHER, edgecolor=_EDGE, linewidth=0.5, zorder=2)
        )
    used = shapes(layout.used)
    if len(used) > MOST_HINTS:
        axes.add_collection(PatchCollection(used, facecolor=fills, edgecolor=_EDGE, linewidth=0.3, zorder=2))
        return
    for number, (patch, fill) in enumerate(zip(used, fills, strict=True)):
        patch.set(facecolor=fill, edgecolor=_EDGE, linewidth=0.6, zorder=2, gid=f"rack-{number}")
        axes.add_patch(patch)


def _draw_bundles(axes: "Axes", view: View) -> np.ndarray:
    """The strongest bundles as arcs from rack to rack, wider with more cables; returns the numbers of those drawn."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    layout = view.layout
    pairs, cables, colours = view.bundles
    if not len(pairs):
        return np.empty(0, np.int64)
    step_m = layout.place_m[pairs[:, 0]] - layout.place_m[pairs[:, 1]]
    room = _MOST_LINES * np.hypot(*view.shape_m) / np.hypot(*step_m.T).mean()
    shown = strongest(cables, int(np.clip(room, 100, 2000)))
    start, end = (layout.place_m[side] for side in pairs[shown].T)
    step = end - start
    # An arc avoids the racks of its own row, and bends towards the middle of the floor, so that it stays inside.
    middle, length_m = (start + end) / 2, np.hypot(*step.T)
    aside = np.stack([-step[:, 1], step[:, 0]], axis=1)
    inwards = np.where(((view.box_m.mean(axis=0) - middle) * aside).sum(axis=1) < -1e-9, -1.0, 1.0)
    rise = np.minimum(0.2, 2 * min(layout.floor.width_m, layout.floor.depth_m) / length_m) * inwards
    bend = middle + rise[:, None] * aside
    arcs = [Path(points, [Path.MOVETO, Path.CURVE3, Path.CURVE3]) for points in np.stack([start, bend, end], axis=1)]
    widest = float(np.clip(24 / np.sqrt(shown.size), 1.4, 6.0))
    axes.add_collection(
        PathCollection(
            arcs,
            facecolors="none",
            edgecolors=[colours[number] for number in shown.tolist()],
            capstyle="round",
            zorder=4,
            linewidths=np.maximum(0.5, widest * cables[shown] / cables.max()),
            alpha=float(np.clip(7 / np.sqrt(shown.size), 0.4, 0.8)),
        )
    )
    return shown


def strongest(cables: np.ndarray, most: int) -> np.ndarray:
    """The `most` bundles with the most cables, int64[...]; of equal ones, an even selection from the whole list."""
    if cables.size <= most:
        return np.arange(cables.size)
    least = np.sort(cables)[-most]
    sure, equal = np.flatnonzero(cables > least), np.flatnonzero(cables == least)
    some = equal[np.arange(most - sure.size) * equal.size // (most - sure.size)]
    return np.sort(np.concatenate([sure, some]))


def _name_racks(axes: "Axes", view: View, points_per_metre: float) -> None:
    """The slot of each rack, and its contents where they fit; nothing where the text would be too small to read."""
    layout = view.layout
    width, height = points_per_metre * layout.floor.width_m, points_per_metre * layout.floor.depth_m
    # In a rack that is deeper than wide, vertical text has more room.
    upright = height > 1.5 * width
    if upright:
        width, height = height, width
    longest = max(len(name) for name in layout.slots.names)
    size = min(9.0, width / longest, 0.62 * height)
    if size < 5:
        return
    held = racks_hold(layout) if view.held is None else list(view.held)
    most = max(map(len, held))
    if height > 3.2 * size and width / (0.62 * most) > 5:
        size = min(size, width / (0.62 * most))
    two = height > 3.2 * size and width > 0.6 * most * size
    # With many racks, boxes around the names would hide the bundles.
    box = {"boxstyle": "square,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
    for (x, y), name, holds in zip(layout.place_m.tolist(), layout.rack_names, held, strict=True):
        text = f"{name}\n{holds}" if two else name
        axes.text(
            x,
            y,
            text,
            fontsize=size,
            color=_INK,
            ha="center",
            va="center",
            zorder=5,
            linespacing=1.25,
            rotation=90 if upright else 0,
            bbox=box if layout.racks <= 100 else None,
        )


def _scale_bar(axes: "Axes", view: View, points_per_metre: float) -> None:
    """A bar of a round number of metres below the floor, at the right."""
    wide_m = view.shape_m[0] / 5
    power = 10.0 ** np.floor(np.log10(wide_m))
    length_m = power * max(step for step in (1, 2, 5) if step * power <= wide_m)
    (_, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    gap_m = 8 / points_per_metre
    right, level = right - gap_m, bottom + np.sign(top - bottom) * gap_m
    axes.plot([right - length_m, right], [level, level], color=_INK, linewidth=2.2, solid_capstyle="butt", zorder=6)
    axes.annotate(
        f"{length_m:g} m",
        (right - length_m, level),
        xytext=(-4, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=8,
        color=_INK,
    )


def _legend(axes: "Axes", view: View, drawn: np.ndarray) -> None:
    """The legend above the plan: the meaning of colours and hatches, and the number of bundles shown and in total."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    layout = view.layout
    pairs, cables, _ = view.bundles
    wires = view.wires
    counts = np.bincount(wires.kind[wires.racks[:, 0] != wires.racks[:, 1]], minlength=len(wires.kinds))
    handles: list[Any] = [
        Line2D([], [], color=colour, linewidth=2.5, label=name)
        for (name, colour), count in zip(wires.kinds, counts, strict=True)
        if count
    ]
    if layout.host_slot is not None and layout.host_between.any():
        handles.append(Line2D([], [], color=HOST_CABLES, linewidth=2.5, label="to hosts"))
    if view.others is not None and view.others.size:
        handles.append(Patch(facecolor=_OTHER, edgecolor=_EDGE, label="rack of other networks"))
    if view.free.size:
        handles.append(Patch(facecolor="white", edgecolor=_EDGE, linestyle="--", label="free slot"))
    if layout.floor.blocked:
        handles.append(Patch(facecolor="none", edgecolor="#9aa3ae", hatch="xxxx", label="blocked"))
    if layout.floor.pillars_m:
        handles.append(Patch(facecolor=_PILLAR, label="pillar"))
    if layout.floor.trays_m:
        handles.append(Line2D([], [], color=_TRAY, linewidth=3, alpha=0.55, label="tray"))
    title = "no cable leaves a rack"
    if len(pairs):
        least, most = int(cables[drawn].min()), int(cables[drawn].max())
        which = "the strongest " if cables.min() < cables.max() else ""
        some = f"{which}{len(drawn):,} of" if len(drawn) < len(pairs) else "all"
        each = f"{least:,}" if least == most else f"{least:,} (thin) to {most:,} (wide)"
        title = f"{some} {len(pairs):,} bundles of cables between two racks; cables in a bundle: {each}"
    rows = -(-len(handles) // _LEGEND_COLUMNS)
    axes.set_title(title, fontsize=8.5, loc="left", y=1.0, pad=6 + 14 * rows)
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncol=_LEGEND_COLUMNS,
        fontsize=8,
        frameon=False,
        borderaxespad=0.2,
        handlelength=1.6,
        columnspacing=1.4,
        borderpad=0.2,
    )


def _colour_bar(axes: "Axes", colours: Any, most: float, label: str, *, whole: bool = True) -> None:
    """A colour bar from 0 to `most`, as high as the axes, to their right."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    bar_axes = axes.inset_axes((1.012, 0.0, 0.016, 1.0))
    bar = axes.figure.colorbar(ScalarMappable(Normalize(0, most), colours), cax=bar_axes)
    bar.set_label(label, fontsize=8)
    bar.ax.yaxis.set_major_locator(MaxNLocator(integer=whole, nbins=6))
    bar.ax.tick_params(labelsize=7.5, length=2.5)
    bar.outline.set_linewidth(0.5)


def draw_lengths(axes: "Axes", view: View) -> None:
    """The number of cables of each length, by kind."""
    layout = view.layout
    wires = view.wires
    counts = np.bincount(wires.kind, minlength=len(wires.kinds))
    axes.set_title("cables by length", fontsize=8.5, loc="left")
    axes.set_xlabel("cable length [m]", labelpad=1)
    axes.set_ylabel("cables", labelpad=1)
    axes.tick_params(labelsize=7.5, length=2.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.7, axis="y")
    axes.set_axisbelow(True)
    if not wires.length_m.size and (layout.host_slot is None or not layout.host_length_m.size):
        axes.text(0.5, 0.5, "no cables", ha="center", va="center", transform=axes.transAxes)
        return
    longest_m = float(wires.length_m.max(initial=0.0))
    if layout.host_slot is not None:
        longest_m = max(longest_m, float(layout.host_length_m.max(initial=0.0)))
    step = max(0.5, float(np.ceil(longest_m / 40)))
    bins = np.arange(0, longest_m + 2 * step, step) - step / 2
    present = np.flatnonzero(counts)
    lengths = [wires.length_m[wires.kind == number] for number in present]
    colours = [wires.kinds[number][1] for number in present]
    labels = [f"{wires.kinds[number][0]}: {counts[number]:,}" for number in present]
    if layout.host_slot is not None:
        lengths.append(layout.host_length_m)
        colours.append(HOST_CABLES)
        labels.append(f"to hosts: {layout.host_length_m.size:,}")
    axes.hist(lengths, bins=bins.tolist(), stacked=True, color=colours, label=labels)
    axes.set_xlim(0, None)
    axes.legend(fontsize=8, frameon=False)


def draw_trays(axes: "Axes", view: View, trays: tuple[np.ndarray, np.ndarray]) -> None:
    """The cables on each section of tray.

    Parameters
    ----------
    axes : Axes
        The axes to draw on.
    view : View
        The layout, and its position in the drawing.
    trays : (float64[sections, 4], int64[sections])
        The ends (x, y, x, y) of each section of tray, metres, and the number of cables on it.
    """
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    layout, floor = view.layout, view.layout.floor
    segments, cables = trays
    view.frame(axes, 0.03 * max(view.shape_m))
    axes.set_facecolor("white")
    axes.add_collection(
        PatchCollection(
            [
                Rectangle(**view.rectangle(x, y, floor.width_m, floor.depth_m, 0.06))
                for x, y in layout.slots.place_m[layout.used].tolist()
            ],
            facecolor="#f3f4f6",
            edgecolor="#dde1e6",
            linewidth=0.4,
            zorder=1,
        )
    )
    most = int(cables.max(initial=1))
    colours = colormaps["viridis_r"]
    order = np.argsort(cables, kind="stable")
    ink = colours(cables[order] / most)
    ink[cables[order] == 0] = to_rgba(_UNUSED)
    width = float(np.clip(90 / np.sqrt(1 + len(cables)), 1.6, 6.0))
    axes.add_collection(
        LineCollection(
            list(segments[order].reshape(-1, 2, 2)), colors=ink, linewidths=width, zorder=2, capstyle="round"
        )
    )
    how = (
        "cables on shortest paths; grey: unused"
        if floor.trays_m
        else "assumed trays: along x over a row, then along y over a column"
    )
    axes.set_title(f"cables on each section of tray\n({how})", fontsize=8.5, loc="left", y=1.0)
    if cables.any():
        _colour_bar(axes, colours, most, "cables")

"""Pictures of the load of every link: a drawing of the network or, for large ones, a matrix; and the sorted loads."""

from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.figures.graph import circle_points, link_curves
from topoloom.figures.style import Axes, Figure, frame, sheet, style

if TYPE_CHECKING:
    from topoloom.graph.geometry import Geometry
    from topoloom.model.topology import Topology
    from topoloom.routing.routing import Routing
    from topoloom.simulation.flits.point import Point

_INK = "#1c2733"
#: Most links that are drawn as lines; with more, a matrix is drawn, with at most this many cells per side.
_MOST_LINES, _MOST_CELLS = 500, 400
#: Most links of networks without positions, which are drawn on a circle: with more, its middle is unreadable.
_MOST_CHORDS = 60
#: Most switches for lines between cells; most groups for lines between groups; number of channels that are named.
_MOST_APART, _MOST_GROUPS, _NAMED_CHANNELS = 120, 60, 8
#: Colour of matrix cells without a link.
_NO_LINK = "#eef1f5"
#: Most switches whose numbers are shown.
_MOST_NAMES = 100
#: Most letters of the name above the drawing.
_MOST_NAME_LETTERS = 80


def link_heat(routing: "Routing", point: "Point", geometry: "Geometry | None" = None) -> "Figure":
    """The loads of all channels between switches at one point of a load curve.

    Left: every link in the colour of its more loaded direction, with switches at their positions in a grid, by levels or, for
    few of them, on a circle. Where lines would be unreadable, a matrix with one cell per channel, with groups of switches
    separated. Right: the loads of all channels in decreasing order, and the names of the most loaded ones.

    Parameters
    ----------
    routing : Routing
    point : Point
        A point of a load curve of these tables.
    geometry : Geometry, optional
        The positions of the switches in a grid, as from `geometry_of`.

    Returns
    -------
    Figure
        Not written to a file.

    Raises
    ------
    InputError
        The point has no loads for this network's channels.
    """
    topology, loads = routing.topology, np.asarray(point.channel_loads, float)
    if not routing.channels.to.size:
        raise InputError(f"{topology.name}: it has no links whose loads could be drawn")
    if loads.size != routing.channels.to.size or not loads.size:
        has = f"{loads.size} loads of channels; {topology.name} has {routing.channels.to.size} channels"
        raise InputError(f"the point at load {point.offered:g} has {has}: simulate that network")
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    with style():
        figure = sheet(13.0, 7.2)
        grid = figure.add_gridspec(1, 2, width_ratios=(1.55, 1))
        left, right = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
        # An even load is in the middle of the colour scale; only loads far above the mean are dark.
        scale = Normalize(0, max(float(loads.max()), 2 * float(loads.mean())) or 1.0)
        placed = geometry is not None or _has_places(topology)
        if len(topology.links) > (_MOST_LINES if placed else _MOST_CHORDS):
            _draw_matrix(left, routing, loads, scale)
        else:
            _draw_links(left, routing, geometry, loads, scale)
        bar = figure.colorbar(ScalarMappable(scale, _colours()), ax=left, shrink=0.85, pad=0.015, aspect=32)
        bar.set_label("flits per cycle", fontsize=8)
        bar.ax.tick_params(labelsize=7.5, length=2.5)
        bar.outline.set_linewidth(0.5)
        _draw_ranks(right, loads)
        _name_busiest(right, routing, loads)
        name = (
            topology.name
            if len(topology.name) <= _MOST_NAME_LETTERS
            else topology.name[: _MOST_NAME_LETTERS - 3] + "..."
        )
        figure.suptitle(
            f"{name}, engine {routing.engine}, offered {point.offered:g}, accepted {point.accepted:.3f} flits per host"
            " and cycle",
            fontsize=11,
            x=0.012,
            ha="left",
        )
    return figure


def _colours() -> Any:
    """Colours from a light grey-yellow, visible on white, over orange to nearly black."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["inferno_r"](np.linspace(0.1, 0.95, 256)))


def _has_places(topology: "Topology") -> bool:
    """Whether its labels give positions of switches: in a grid of two dimensions, or by levels."""
    labels = topology.labels
    return ("x1" in labels and "x2" not in labels) or "level" in labels


def _places(topology: "Topology", geometry: "Geometry | None") -> tuple[np.ndarray, str | None]:
    """The position of each switch, [n, 2], y downwards; and the kind of grid, or None."""
    labels = topology.labels
    if geometry is not None:
        return geometry.points, geometry.kind
    if "x1" in labels and "x2" not in labels:
        return np.stack([labels["x1"], labels["x0"]], axis=1).astype(np.int64), "grid"
    if "level" in labels:
        level = labels["level"]
        points = np.zeros((topology.switches, 2))
        counts = np.bincount(level - level.min())
        wide = max(1.0, float(counts.max()))
        for value in np.unique(level):
            row = np.flatnonzero(level == value)
            points[row, 0] = (np.arange(row.size) + 0.5) * wide / row.size
            points[row, 1] = -float(value)  # the lowest level, which has the hosts, at the bottom
        return points, None
    return circle_points(topology.switches), None


def _draw_links(axes: "Axes", routing: "Routing", geometry: "Geometry | None", loads: np.ndarray, scale: Any) -> None:
    from matplotlib.collections import PathCollection

    topology = routing.topology
    _, _, link = topology.csr
    busier = np.zeros(len(topology.links))
    np.maximum.at(busier, link, loads)
    order = np.argsort(busier, kind="stable")
    points, kind = _places(topology, geometry)
    axes.set_aspect("auto" if kind is None and "level" in topology.labels else "equal")
    axes.invert_yaxis()
    axes.set_axis_off()
    thick = float(np.clip(30 / np.sqrt(1 + len(topology.links)), 1.0, 4.0))
    axes.add_collection(
        PathCollection(
            link_curves(points, topology.links[order].astype(np.int64), kind),
            facecolors="none",
            edgecolors=_colours()(scale(busier[order])),
            capstyle="round",
            zorder=1,
            linewidths=thick * (0.45 + 0.55 * scale(busier[order])),
        )
    )
    named = topology.switches <= _MOST_NAMES
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=170 if named else 14,
        color="white" if named else _INK,
        edgecolors=_INK,
        linewidths=0.7,
        zorder=3,
    )
    if named:
        for number, (x, y) in enumerate(points.tolist()):
            axes.text(x, y, str(number), fontsize=6.5, color=_INK, ha="center", va="center", zorder=4)
    axes.margins(0.05)
    axes.set_title(
        f"{topology.switches} switches, {len(topology.links)} links, each in the colour of its more loaded direction",
        fontsize=8.5,
        loc="left",
    )


def _draw_matrix(axes: "Axes", routing: "Routing", loads: np.ndarray, scale: Any) -> None:
    """One cell per pair of switches: the greatest load of a channel there; pale where there is none."""
    channels, n = routing.channels, routing.topology.switches
    each = -(-n // _MOST_CELLS)
    side = -(-n // each)
    cells = np.full((side, side), np.nan)
    np.fmax.at(cells, (channels.origin // each, channels.to // each), loads)
    edge = side * each - 0.5
    axes.set_facecolor(_NO_LINK)
    axes.imshow(cells, cmap=_colours(), norm=scale, interpolation="nearest", extent=(-0.5, edge, edge, -0.5))
    if n <= _MOST_APART:
        lines = np.arange(n + 1) - 0.5
        axes.hlines(lines, -0.5, edge, color="white", linewidth=0.5)
        axes.vlines(lines, -0.5, edge, color="white", linewidth=0.5)
    separators = _part_groups(axes, routing.topology, edge)
    axes.set_xlabel("to switch")
    axes.set_ylabel("from switch")
    axes.tick_params(labelsize=7.5, length=2.5)
    cell = "one cell per channel" if each == 1 else f"one cell per {each} x {each} switches, with the greatest load"
    axes.set_title(
        f"{n:,} switches, {loads.size:,} channels, {cell}; pale grey: no link{separators}", fontsize=8.5, loc="left"
    )


def _part_groups(axes: "Axes", topology: "Topology", edge: float) -> str:
    """Draw lines between groups of switches with consecutive numbers; returns the text that explains the lines."""
    group = topology.labels.get("group")
    if group is None:
        return ""
    ends = np.flatnonzero(np.diff(group)) + 1
    if not ends.size or ends.size >= _MOST_GROUPS:
        return ""
    for draw in (axes.hlines, axes.vlines):
        draw(ends - 0.5, -0.5, edge, color="#8793a3", linewidth=0.9)
    return "; lines between groups"


def _name_busiest(axes: "Axes", routing: "Routing", loads: np.ndarray) -> None:
    """The names of the most loaded channels, by their switches, in the free corner of the sorted loads."""
    channels = routing.channels
    order = np.argsort(-loads, kind="stable")[:_NAMED_CHANNELS]
    lines = [
        f"{channels.origin[channel]} to {channels.to[channel]}: {loads[channel]:.3f}" for channel in order.tolist()
    ]
    axes.text(
        0.985,
        0.97,
        "\n".join(["most loaded channels, by switches", *lines]),
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=8,
        linespacing=1.35,
        color=_INK,
        bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "#d9dfe6"},
    )


def _draw_ranks(axes: "Axes", loads: np.ndarray) -> None:
    """The loads of all channels in decreasing order."""
    ranked = np.sort(loads)[::-1]
    axes.fill_between(
        100 * np.arange(loads.size + 1) / loads.size, np.append(ranked, ranked[-1]), step="post", color="#cfe3f1"
    )
    axes.step(
        100 * np.arange(loads.size + 1) / loads.size, np.append(ranked, ranked[-1]), where="post", color="#0072B2"
    )
    mean = float(loads.mean())
    axes.axhline(mean, color="#D55E00", linewidth=1.1, linestyle="--")
    axes.annotate(
        f"mean {mean:.3f}",
        (99, mean),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        fontsize=8,
        color="#a34d12",
    )
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 1.08 * float(ranked[0]) or 1.0)
    axes.set_xlabel("channels, highest load first [%]")
    axes.set_ylabel("load [flits per cycle]")
    frame(axes)
    times = f" ({ranked[0] / mean:.2f} times the mean)" if mean else ""
    axes.set_title(f"greatest load {ranked[0]:.3f}{times}, least load {ranked[-1]:.3f}", fontsize=8.5, loc="left")

"""How much goes over every link: a drawing of the network or, where it is large, a matrix, and the loads by rank."""

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
#: With more links nobody could follow a line, and a matrix stands for the drawing; a side of it has at most so many cells.
_MOST_LINES, _MOST_CELLS = 500, 400
#: Of networks without places of their own, which would stand on a circle: its middle is a knot soon.
_MOST_CHORDS = 60
#: A matrix up to this side has its cells apart; lines between up to so many groups; so many busiest channels are named.
_MOST_APART, _MOST_GROUPS, _NAMED_CHANNELS = 120, 60, 8
#: Where a matrix has no link.
_NO_LINK = "#eef1f5"
#: Up to so many switches have their numbers beside them.
_MOST_NAMES = 100
#: Letters of a name that fit above the drawing.
_LONGEST = 80


def link_heat(routing: "Routing", point: "Point", geometry: "Geometry | None" = None) -> "Figure":
    """The loads of all channels between switches at one point of a load curve.

    On the left every link in the colour of its busier direction: switches stand at their places in a grid, by levels or, a
    few of them, on a circle. Where lines could not be followed, a matrix with a cell for every channel, groups of switches
    set apart. On the right the loads of all channels from the busiest to the idlest, and the names of the busiest.

    Parameters
    ----------
    routing : Routing
    point : Point
        Of a load curve of these tables.
    geometry : Geometry, optional
        The points of a grid where the switches stand, as `geometry_of` has them.

    Returns
    -------
    Figure
        Not yet written anywhere.

    Raises
    ------
    InputError
        The point has no loads of this network's channels.
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
        # An even load is in the middle of the colours, whatever it is: only what is far over the mean is dark.
        scale = Normalize(0, max(float(loads.max()), 2 * float(loads.mean())) or 1.0)
        placed = geometry is not None or _has_places(topology)
        if len(topology.links) > (_MOST_LINES if placed else _MOST_CHORDS):
            _draw_matrix(left, routing, loads, scale)
        else:
            _draw_links(left, routing, geometry, loads, scale)
        bar = figure.colorbar(ScalarMappable(scale, _colours()), ax=left, shrink=0.85, pad=0.015, aspect=32)
        bar.set_label("flits a cycle", fontsize=8)
        bar.ax.tick_params(labelsize=7.5, length=2.5)
        bar.outline.set_linewidth(0.5)
        _draw_ranks(right, loads)
        _name_busiest(right, routing, loads)
        name = topology.name if len(topology.name) <= _LONGEST else topology.name[: _LONGEST - 3] + "..."
        figure.suptitle(
            f"{name}, engine {routing.engine}, offered {point.offered:g}, accepted {point.accepted:.3f} flits a host"
            " and cycle",
            fontsize=11,
            x=0.012,
            ha="left",
        )
    return figure


def _colours() -> Any:
    """From a light grey-yellow, still seen on white, over orange to nearly black."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["inferno_r"](np.linspace(0.1, 0.95, 256)))


def _has_places(topology: "Topology") -> bool:
    """Whether its labels say where switches are drawn: in a grid of two dimensions, or by levels."""
    labels = topology.labels
    return ("x1" in labels and "x2" not in labels) or "level" in labels


def _places(topology: "Topology", geometry: "Geometry | None") -> tuple[np.ndarray, str | None]:
    """Where each switch is drawn, [n, 2], y downwards; and the kind of grid, where it is one."""
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
        for one in np.unique(level):
            row = np.flatnonzero(level == one)
            points[row, 0] = (np.arange(row.size) + 0.5) * wide / row.size
            points[row, 1] = -float(one)  # the lowest level, which has the hosts, at the bottom
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
        f"{topology.switches} switches, {len(topology.links)} links, each in the colour of its busier direction",
        fontsize=8.5,
        loc="left",
    )


def _draw_matrix(axes: "Axes", routing: "Routing", loads: np.ndarray, scale: Any) -> None:
    """A cell from each switch to each: the load of the busiest channel there; white where there is none."""
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
    told = _part_groups(axes, routing.topology, edge)
    axes.set_xlabel("to switch")
    axes.set_ylabel("from switch")
    axes.tick_params(labelsize=7.5, length=2.5)
    cell = "a cell for each" if each == 1 else f"a cell for {each} x {each} switches: the busiest"
    axes.set_title(
        f"{n:,} switches, {loads.size:,} channels, {cell}; pale grey: no link{told}", fontsize=8.5, loc="left"
    )


def _part_groups(axes: "Axes", topology: "Topology", edge: float) -> str:
    """Lines between groups of switches, where these stand together in the order of numbers; what the lines are, in words."""
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
    """The busiest channels by their switches, in the free corner of the ranks."""
    channels = routing.channels
    order = np.argsort(-loads, kind="stable")[:_NAMED_CHANNELS]
    lines = [f"{channels.origin[one]} to {channels.to[one]}: {loads[one]:.3f}" for one in order.tolist()]
    axes.text(
        0.985,
        0.97,
        "\n".join(["busiest channels, by switches", *lines]),
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=8,
        linespacing=1.35,
        color=_INK,
        bbox={"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "#d9dfe6"},
    )


def _draw_ranks(axes: "Axes", loads: np.ndarray) -> None:
    """The loads of all channels, the busiest first."""
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
    axes.set_xlabel("channels, the busiest first [%]")
    axes.set_ylabel("load [flits a cycle]")
    frame(axes)
    times = f" ({ranked[0] / mean:.2f} times the mean)" if mean else ""
    axes.set_title(f"busiest {ranked[0]:.3f}{times}, idlest {ranked[-1]:.3f}", fontsize=8.5, loc="left")

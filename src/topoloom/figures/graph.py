"""Pictures of networks: switches at their points, straight links, and paths from the top-left corner to the others."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Curve

    from topoloom.graph.geometry import Geometry
    from topoloom.model.topology import Topology

_INK, _LINK = "#1c2733", "#5d6a7a"
#: One path per other corner; where paths share a link, later ones are drawn thinner on top.
_PATHS = (("top right", "#2563a8", 4.4), ("bottom left", "#d1661b", 3.0), ("bottom right", "#2f8f4e", 1.7))
#: A link that runs over other switches is bent away from the middle of the picture, by this share of a grid step.
_BEND = 0.32
#: Most links that an SVG holds as lines; with more it holds a bitmap, because browsers cannot show it otherwise.
_MOST_LINES = 20_000


def draw_graph(axes: "Axes", topology: "Topology", geometry: "Geometry | None", title: str = "") -> None:
    """A network with its switches at their points of a grid, or on a circle; links are straight, or bent around others.

    On a grid, a shortest path from the top-left corner to each of the other corners is coloured, with its hops.

    Parameters
    ----------
    axes : matplotlib Axes
    topology : Topology
    geometry : Geometry or None
        The points, as from `geometry_of`; None: on a circle.
    title : str
        The title, at the left.
    """
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

    points = circle_points(topology.switches) if geometry is None else geometry.points
    links = topology.links.astype(np.int64)
    many = np.sqrt(max(1, topology.switches))
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set_axis_off()
    axes.add_collection(
        PathCollection(
            link_curves(points, links, None if geometry is None else geometry.kind),
            facecolors="none",
            edgecolors=_LINK,
            zorder=1,
            linewidths=min(0.9, 15 / many),
            alpha=float(np.clip(12 / many, 0.2, 0.8)),
            rasterized=len(links) > _MOST_LINES,
        )
    )
    paths = _paths(topology, geometry) if geometry is not None else []
    for (_, colour, width), path in zip(_PATHS, paths, strict=False):
        steps = np.stack([path[:-1], path[1:]], axis=1)
        axes.add_collection(
            PathCollection(
                link_curves(points, steps, geometry.kind if geometry is not None else None),
                facecolors="none",
                edgecolors=colour,
                zorder=2,
                capstyle="round",
                linewidths=width * min(1.0, 20 / many),
            )
        )
    axes.scatter(points[:, 0], points[:, 1], s=min(26, 2200 / many**2), color=_INK, linewidths=0, zorder=3)
    axes.margins(0.05)
    axes.set_title(title, fontsize=9, loc="left")
    handles = [
        Line2D([], [], color=colour, linewidth=2.5, label=f"{corner}: {len(path) - 1}")
        for (corner, colour, _), path in zip(_PATHS, paths, strict=False)
        if len(path)
    ]
    if handles:
        axes.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(0, 0),
            ncol=3,
            fontsize=8,
            frameon=False,
            title="hops from the top left to",
            title_fontsize=8,
            alignment="left",
            borderaxespad=0,
            handlelength=1.4,
        )


def link_curves(points: np.ndarray, links: np.ndarray, kind: str | None) -> "list[Curve]":
    """One curve per link: straight, or bent outwards where other switches of a grid lie between its ends.

    Parameters
    ----------
    points : float64[n, 2]
        The position of each switch.
    links : int64[m, 2]
    kind : "grid", "diagrid" or None
        The kind of the points; None: all links are straight.

    Returns
    -------
    list of Curve
        In the order of `links`.
    """
    from matplotlib.path import Path as Curve

    start, end = points[links[:, 0]].astype(float), points[links[:, 1]].astype(float)
    middle, step = (start + end) / 2, end - start
    if kind is not None and len(links):
        whole = points[links[:, 1]] - points[links[:, 0]]
        # The points of a diagrid have an even X + Y, so every step is a whole number of diagonals in both directions.
        along = whole if kind == "grid" else np.stack([whole.sum(axis=1), whole[:, 0] - whole[:, 1]], axis=1) // 2
        over = np.gcd(along[:, 0], along[:, 1]) > 1
        aside = np.stack([-step[:, 1], step[:, 0]], axis=1)
        aside /= np.maximum(1e-9, np.hypot(*aside.T))[:, None]
        outwards = np.where(((middle - points.mean(axis=0)) * aside).sum(axis=1) < 0, -1.0, 1.0)
        middle = middle + (2 * _BEND * over * outwards)[:, None] * aside
    codes = [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3]
    return [Curve(three, codes) for three in np.stack([start, middle, end], axis=1)]


def _paths(topology: "Topology", geometry: "Geometry") -> list[np.ndarray]:
    """A shortest path from the top-left corner to each other corner, as switches; empty where there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    offsets, neighbours, _ = topology.csr
    # Every second row of a diagrid is shifted by half a step: of two corners, prefer the one in the outer row.
    x, y = geometry.points[:, 0], 1.01 * geometry.points[:, 1]
    corner = int(np.argmin(x + y))
    graph = csr_array((np.ones(neighbours.size, np.int8), neighbours, offsets), shape=(topology.switches,) * 2)
    _, before = breadth_first_order(graph, corner)
    paths = []
    for target in (int(np.argmax(x - y)), int(np.argmax(y - x)), int(np.argmax(x + y))):
        path = [target]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        paths.append(np.array(path[::-1] if path[-1] == corner else [], np.int64))
    return paths


def circle_points(switches: int) -> np.ndarray:
    """Switches on a circle of radius 1, the first on top, float64[n, 2]; y points down."""
    turn = 2 * np.pi * np.arange(switches) / switches
    return np.stack([np.sin(turn), -np.cos(turn)], axis=1)

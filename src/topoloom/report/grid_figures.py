"""Graphs on floors: switches at their points, links straight, and the ways from the top-left corner to the others."""

import io
import os
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from topoloom.errors import InputError
from topoloom.files import write_atomically
from topoloom.graph.distances import hops
from topoloom.graph.geometry import Geometry, geometry_of
from topoloom.report import figures
from topoloom.report.svg import style, svg_text
from topoloom.topology import Topology

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Curve

_INK, _LINK = "#1c2733", "#5d6a7a"
#: One for each corner that ways lead to; where ways share a link, the later is drawn thinner on the earlier.
_WAYS = (("top right", "#2563a8", 4.4), ("bottom left", "#d1661b", 3.0), ("bottom right", "#2f8f4e", 1.7))
#: A panel among others, and one alone; the titles above and the legend below.
_PANEL_IN, _ALONE_IN, _BESIDES_IN = 4.3, 7.0, 0.8
_LETTERS_AN_INCH = 12
#: A link that runs over other switches is bent away from the floor's middle, by so much of a grid step.
_BEND = 0.32
#: With more links an SVG holds them as a picture, or no browser would show it.
_MOST_LINES = 20_000


def draw_steps(panels: Sequence[tuple[str, Topology]]) -> "Figure":
    """Topologies side by side, as Figures 1 and 7 of Nakano 2016 show a graph after each step of its making.

    Parameters
    ----------
    panels : sequence of (title, Topology)
        Diameter and ASPL are written beside each title. Switches stand at their labels ``x, y`` or, on a diagrid,
        ``row, column``, the first row on top; on a circle where there are no such labels.

    Returns
    -------
    matplotlib.figure.Figure
        Links are straight, but those that run over other switches are bent. Coloured: a shortest way from the
        top-left corner to each of the other corners, with its hops.

    Raises
    ------
    InputError
        matplotlib (the extra `plots`) is not installed.

    Examples
    --------
    >>> from topoloom.spec import build
    >>> figure = draw_steps([("start", build("grid:rows=4,columns=4,degree=4,length=3"))])
    >>> figure.axes[0].get_title(loc="left").splitlines()[0]
    'start'
    """
    if not figures.available():
        raise InputError("this picture needs matplotlib: pip install topoloom[plots]")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        side_in = _PANEL_IN if len(panels) > 1 else _ALONE_IN
        figure = Figure(figsize=(side_in * len(panels), side_in + _BESIDES_IN), layout="constrained")
        FigureCanvasAgg(figure)
        for number, (title, topology) in enumerate(panels, start=1):
            _draw(figure.add_subplot(1, len(panels), number), wrap(title, int(_LETTERS_AN_INCH * side_in)), topology)
    return figure


def steps_svg(panels: Sequence[tuple[str, Topology]]) -> str:
    """The figure of `draw_steps` as SVG text."""
    with style():
        return svg_text(draw_steps(panels))


def grid_picture(topology: Topology, path: str | os.PathLike[str], title: str | None = None) -> None:
    """Write the picture of one topology to `path`, whose ending, .svg or .png, says how.

    Raises
    ------
    InputError
        Another ending, a path that cannot be written, or matplotlib (the extra `plots`) is not installed.
    """
    panels = [(title or topology.name, topology)]
    ending = Path(path).suffix.lower()
    if ending == ".svg":
        write_atomically(path, steps_svg(panels))
    elif ending == ".png":
        out = io.BytesIO()
        draw_steps(panels).savefig(out, format="png", dpi=150, metadata={"Software": None})
        write_atomically(path, out.getvalue())
    else:
        raise InputError(f"{path}: a picture's name ends in .svg or .png")


def _draw(axes: "Axes", title: Sequence[str], topology: Topology) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

    geometry = geometry_of(topology)
    points = circle_points(topology.switches) if geometry is None else geometry.points
    links = topology.links.astype(np.int64)
    many = np.sqrt(max(1, topology.switches))
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set_axis_off()
    axes.add_collection(
        PathCollection(
            link_curves(points, links, geometry),
            facecolors="none",
            edgecolors=_LINK,
            zorder=1,
            linewidths=min(0.9, 15 / many),
            alpha=float(np.clip(12 / many, 0.2, 0.8)),
            rasterized=len(links) > _MOST_LINES,
        )
    )
    ways = _ways(topology, geometry) if geometry is not None else []
    for (_, colour, width), way in zip(_WAYS, ways, strict=False):
        steps = np.stack([way[:-1], way[1:]], axis=1)
        axes.add_collection(
            PathCollection(
                link_curves(points, steps, geometry),
                facecolors="none",
                edgecolors=colour,
                zorder=2,
                capstyle="round",
                linewidths=width * min(1.0, 20 / many),
            )
        )
    axes.scatter(points[:, 0], points[:, 1], s=min(26, 2200 / many**2), color=_INK, linewidths=0, zorder=3)
    axes.margins(0.05)
    found = hops(topology)
    axes.set_title("\n".join([*title, f"diameter {found.diameter:g}, ASPL {found.aspl:.3f}"]), fontsize=9, loc="left")
    handles = [
        Line2D([], [], color=colour, linewidth=2.5, label=f"{corner}: {len(way) - 1}")
        for (corner, colour, _), way in zip(_WAYS, ways, strict=False)
        if len(way)
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


def link_curves(points: np.ndarray, links: np.ndarray, geometry: Geometry | None) -> "list[Curve]":
    """A curve a link: straight, or bent outwards where other switches lie between its ends."""
    from matplotlib.path import Path as Curve

    start, end = points[links[:, 0]].astype(float), points[links[:, 1]].astype(float)
    middle, step = (start + end) / 2, end - start
    if geometry is not None and len(links):
        whole = points[links[:, 1]] - points[links[:, 0]]
        # In a diagrid the points are those with X + Y even: every step is a whole number of diagonals either way.
        along = (
            whole if geometry.kind == "grid" else np.stack([whole.sum(axis=1), whole[:, 0] - whole[:, 1]], axis=1) // 2
        )
        over = np.gcd(along[:, 0], along[:, 1]) > 1
        aside = np.stack([-step[:, 1], step[:, 0]], axis=1)
        aside /= np.maximum(1e-9, np.hypot(*aside.T))[:, None]
        outwards = np.where(((middle - points.mean(axis=0)) * aside).sum(axis=1) < 0, -1.0, 1.0)
        middle = middle + (2 * _BEND * over * outwards)[:, None] * aside
    codes = [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3]
    return [Curve(three, codes) for three in np.stack([start, middle, end], axis=1)]


def _ways(topology: Topology, geometry: Geometry) -> list[np.ndarray]:
    """A shortest way from the top-left corner to each other corner, as switches; empty where there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    offsets, neighbours, _ = topology.csr
    # Every second row of a diagrid begins half a step later: of two corners the one in the outer row is meant.
    x, y = geometry.points[:, 0], 1.01 * geometry.points[:, 1]
    corner = int(np.argmin(x + y))
    graph = csr_array((np.ones(neighbours.size, np.int8), neighbours, offsets), shape=(topology.switches,) * 2)
    _, before = breadth_first_order(graph, corner)
    ways = []
    for far in (int(np.argmax(x - y)), int(np.argmax(y - x)), int(np.argmax(x + y))):
        way = [far]
        while before[way[-1]] >= 0:
            way.append(int(before[way[-1]]))
        ways.append(np.array(way[::-1] if way[-1] == corner else [], np.int64))
    return ways


def circle_points(switches: int) -> np.ndarray:
    """Switches on a circle of radius 1, the first on top, float64[n, 2]; y runs down."""
    turn = 2 * np.pi * np.arange(switches) / switches
    return np.stack([np.sin(turn), -np.cos(turn)], axis=1)

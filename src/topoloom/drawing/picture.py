"""The picture of a drawing: blocks, switches and bundles with widths and counts, as SVG and PNG."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.figures.absent import svg_or_sentence
from topoloom.figures.files import check_figure_name, save_figure
from topoloom.figures.style import COLOURS, Axes, sheet, style, svg_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes as RealAxes

    from topoloom.drawing.bundles import Bundles
    from topoloom.drawing.drawing import Drawing

#: Pixels per unit of a page, pixels per inch, and the height of the legend in units.
PAGE_SCALE, _PX_PER_INCH, _LEGEND = 1.2, 100.0, 46.0
_INK, _QUIET, _LINE, _FRAME, _WASH = "#1c2733", "#5d6a7a", "#68778a", "#c4ced9", "#f5f7fa"
#: The fill and the outline of closed blocks.
_CLOSED, _EDGE = "#dce8f3", "#7d9bb8"
#: Colours of the roles of switches; other roles have the last one.
_ROLES = {"leaf": COLOURS[0], "switch": COLOURS[0], "node": COLOURS[3], "spine": COLOURS[1], "core": COLOURS[2]}
_OTHER = COLOURS[4]
#: The thinnest and the thickest bundle, in points; most bundles on which their counts are written; letters that fit per unit.
_THIN, _THICK, _MOST_COUNTS, _UNITS_PER_LETTER = 0.6, 5.5, 60, 5.4
#: The height of a line of a block's name, in units.
_ROW = 11.0
#: How far a bundle is bent that would run over another node: as a share of its length, and most sides of its nodes.
_BEND, _MOST_BEND = 0.14, 0.8


@dataclass(frozen=True, eq=False)
class Visible:
    """What is visible of a drawing at a scale: nodes, and the strongest bundles between them.

    Attributes
    ----------
    drawing : Drawing
    opened : bool[blocks]
        The open blocks, for whose inside there is room.
    most : int
        Most bundles that are drawn.
    """

    drawing: "Drawing"
    opened: np.ndarray
    most: int

    @cached_property
    def bundles(self) -> "Bundles":
        """All bundles."""
        return self.drawing.bundles(self.opened)

    @cached_property
    def drawn(self) -> np.ndarray:
        """The bundles that are drawn, weakest first: int64[n]."""
        order = np.argsort(self.bundles.count, kind="stable")
        return order[-self.most :] if order.size > self.most else order

    @cached_property
    def frames(self) -> np.ndarray:
        """The open blocks with only open blocks around them, without the network itself: int64[n]."""
        shown = self.opened.copy()
        parent = self.drawing.parent
        for number in range(1, shown.size):
            shown[number] &= shown[parent[number]]
        shown[0] = False
        return np.flatnonzero(shown)

    def places(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The middle and the size of nodes: float64[n, 2] each."""
        drawing, blocks = self.drawing, len(self.drawing.rect)
        rect = drawing.rect[np.minimum(nodes, blocks - 1)]
        switch = np.maximum(nodes - blocks, 0)
        side = drawing.blocks.side.values[drawing.block[switch]].astype(np.float64)
        closed = (nodes < blocks)[:, None]
        middle = np.where(closed, rect[:, :2] + rect[:, 2:] / 2, drawing.points[switch])
        return middle, np.where(closed, rect[:, 2:], np.stack([side, side], axis=1))

    def curves(self) -> np.ndarray:
        """Start, control point and end of each drawn bundle, float64[n, 3, 2]: bent where another node is between its ends."""
        nodes, ends = self.bundles.nodes, self.bundles.ends[self.drawn]
        middle, size = self.places(nodes)
        start, end = (middle[np.searchsorted(nodes, ends[:, at])] for at in (0, 1))
        control = (start + end) / 2
        high = size[np.searchsorted(nodes, ends[:, 0])].max(axis=1)
        for axis in (0, 1):
            over = _nodes_between(middle, start, end, axis)
            length = np.abs(end - start)[:, axis]
            bend = np.minimum(_BEND * length, _MOST_BEND * high + 0.02 * length)
            control[:, 1 - axis] -= 2 * over * bend
        return np.stack([start, control, end], axis=1)


def _nodes_between(middle: np.ndarray, start: np.ndarray, end: np.ndarray, axis: int) -> np.ndarray:
    """Whether each line runs along an axis (0: x, 1: y) and another node is between its ends, bool[lines]."""
    across = np.round(middle[:, 1 - axis] * 4)
    order = np.lexsort((middle[:, axis], across))
    keys = across[order] * 1e6 + middle[order, axis]
    level = np.round(start[:, 1 - axis] * 4)
    low, high = np.minimum(start, end)[:, axis], np.maximum(start, end)[:, axis]
    count = np.searchsorted(keys, level * 1e6 + high - 0.5) - np.searchsorted(keys, level * 1e6 + low + 0.5)
    return np.asarray((level == np.round(end[:, 1 - axis] * 4)) & (count > 0))


def widths(count: np.ndarray, most: int, lines: int) -> np.ndarray:
    """The width of bundles in points, by the logarithm of their links; thinner where there are many.

    Parameters
    ----------
    count : int64[n]
        The links of each.
    most : int
        Those of the strongest bundle.
    lines : int
        The number of bundles.

    Returns
    -------
    float64[n]
    """
    share = np.log2(count) / max(8.0, np.log2(max(most, 2)))
    return np.asarray(_THIN + (_THICK - _THIN) * share * np.clip((40 / max(lines, 1)) ** 0.6, 0.1, 1.0))


def plot_drawing(drawing: "Drawing", ax: "Axes | None" = None) -> "Axes":
    """Draw blocks, switches and bundles.

    Parameters
    ----------
    drawing : Drawing
    ax : matplotlib axes, optional
        A new figure when omitted.

    Returns
    -------
    Axes
    """
    from topoloom.drawing.drawing import MOST_BUNDLES

    with style():
        if ax is None:
            inches = PAGE_SCALE / _PX_PER_INCH
            figure = sheet(drawing.width * inches, (drawing.height + _LEGEND) * inches)
            figure.set_layout_engine(None)  # the axes fill it
            ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        view = Visible(drawing, drawing.opened(PAGE_SCALE), MOST_BUNDLES)
        ax.set_xlim(0, drawing.width)
        ax.set_ylim(drawing.height + _LEGEND, 0)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.set_ylabel("units of the drawing")  # for other programs; the picture has no axes
        _draw_frames(ax, view)
        _draw_bundles(ax, view)
        _draw_nodes(ax, view)
        _draw_legend(ax, view)
    return ax


def _draw_frames(axes: "RealAxes", view: Visible) -> None:
    """The outlines and names of open blocks."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    drawing = view.drawing
    rects = drawing.rect[view.frames]
    patches = [Rectangle((left, top), wide, high) for left, top, wide, high in rects.tolist()]
    axes.add_collection(PatchCollection(patches, facecolor=_WASH, edgecolor=_FRAME, linewidth=0.7, zorder=1))
    for number, (left, top, wide, high) in zip(view.frames.tolist(), rects.tolist(), strict=True):
        size = min(8.5, 0.075 * min(wide, high) * 0.8)
        name = _fitting(drawing.blocks.name[number], wide, size)
        if size >= 3.5 and name:
            axes.text(left + 0.02 * wide, top + 0.012 * high, name, fontsize=size, color=_QUIET, va="top", zorder=5)


def _draw_bundles(axes: "RealAxes", view: Visible) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path as Curve

    bundles, drawn = view.bundles, view.drawn
    if not drawn.size:
        return
    curves, count = view.curves(), bundles.count[drawn]
    codes = [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3]
    axes.add_collection(
        PathCollection(
            [Curve(three, codes) for three in curves],
            facecolors="none",
            edgecolors=_colours(view),
            linewidths=widths(count, int(bundles.count.max()), drawn.size),
            alpha=float(np.clip(14 / np.sqrt(drawn.size), 0.3, 0.85)),
            zorder=2,
        )
    )
    # Among many lines a number says nothing about one of them.
    if count.max() > 1 and drawn.size <= _MOST_COUNTS:
        at = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
        _write_counts(axes, at, count)


def _write_counts(axes: "RealAxes", at: np.ndarray, count: np.ndarray) -> None:
    """The counts of the strongest bundles, where they do not cover each other."""
    taken: list[tuple[float, float]] = []
    for (x, y), links in zip(at.tolist()[::-1], count.tolist()[::-1], strict=True):
        if all(abs(x - left) > 24 or abs(y - top) > 10 for left, top in taken):
            taken.append((x, y))
            box = {"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
            axes.text(x, y, f"{links:,}", fontsize=6, color=_INK, ha="center", va="center", zorder=6, bbox=box)


def _colours(view: Visible) -> "str | list":
    """The colour of each drawn bundle: by its greatest load where loads are known."""
    load = view.drawing.link.load
    if load is None:
        return _LINE
    from matplotlib import colormaps

    return list(colormaps["YlOrRd"](0.15 + 0.85 * bundle_loads(view) / max(float(load.values.max(initial=0)), 1e-9)))


def bundle_loads(view: Visible) -> np.ndarray:
    """The greatest load of a link of each drawn bundle, float64[n]."""
    load = view.drawing.link.load
    most = np.zeros(len(view.bundles.count))
    if load is not None:
        inner = view.bundles.of >= 0
        np.maximum.at(most, view.bundles.of[inner], load.values[inner])
    return np.asarray(most[view.drawn])


def _draw_nodes(axes: "RealAxes", view: Visible) -> None:
    """Closed blocks with their names and sizes, and switches in the colours of their roles."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    drawing, nodes, blocks = view.drawing, view.bundles.nodes, len(view.drawing.rect)
    middle, size = view.places(nodes)
    corner = middle - size / 2
    closed = nodes < blocks
    roles = drawing.switch.role.values
    own = [_ROLES.get(role, _OTHER) for role in drawing.switch.roles]
    colours = [_CLOSED if node < blocks else own[roles[node - blocks]] for node in nodes.tolist()]
    edges = [_EDGE if block else "white" for block in closed.tolist()]
    patches = [Rectangle(tuple(at), *each) for at, each in zip(corner.tolist(), size.tolist(), strict=True)]
    axes.add_collection(PatchCollection(patches, facecolors=colours, edgecolors=edges, linewidths=0.6, zorder=4))
    inside = sizes_inside(drawing)
    for node, (x, y), (wide, high), links in zip(
        nodes.tolist(), middle.tolist(), size.tolist(), view.bundles.inside.tolist(), strict=True
    ):
        name = drawing.node_name(node)
        if node >= blocks:
            text = _fitting(name.rpartition(" ")[2] if drawing.switch.names is None else name, wide, 6.5)
            if text and high > 10:
                axes.text(x, y, text, fontsize=6.5, color="white", ha="center", va="center", zorder=5)
            continue
        switches = int(inside[node])
        fit, upright = name_lines(name, wide, high, 7.5)
        facts = [_counted(switches, "switch", "switches"), f"{links:,} links inside" if links else ""]
        for fact in () if upright else facts:
            more = _wrapped(fact, _letters(wide, 7.5))
            fit = [*fit, *more] if len(fit) + len(more) <= high // _ROW else fit
        if fit:
            look: dict[str, Any] = {
                "fontsize": 7.5,
                "color": _INK,
                "ha": "center",
                "va": "center",
                "zorder": 5,
                "linespacing": 1.25,
            }
            axes.text(x, y, "\n".join(fit), rotation=90 if upright else 0, **look)


def sizes_inside(drawing: "Drawing") -> np.ndarray:
    """The switches in each block, with those of the blocks in it: int64[blocks]."""
    sizes = np.bincount(drawing.block, minlength=len(drawing.rect))
    for number in range(sizes.size - 1, 0, -1):
        sizes[drawing.parent[number]] += sizes[number]
    return sizes


def _draw_legend(axes: "RealAxes", view: Visible) -> None:
    """What is drawn, the roles of switches, and widths with their counts."""
    drawing, bundles = view.drawing, view.bundles
    top = drawing.height + 9
    facts = [
        _counted(drawing.switches, "switch", "switches"),
        _counted(drawing.links, "link"),
        _counted(drawing.hosts, "host"),
    ]
    if drawing.planes > 1:
        facts.append(f"{drawing.planes} planes")
    hidden = bundles.count.size - view.drawn.size
    lines = f"{bundles.count.size:,} lines between {_counted(bundles.nodes.size, 'node')}"
    if hidden:
        lines += f"; the {hidden:,} weakest are not drawn"
    text = f"{drawing.provenance.name}: {', '.join(facts)}; {lines}"
    axes.text(8, top, _fitting(text, drawing.width, 8) or text, fontsize=8, color=_INK, va="center")
    left, below = 8.0, top + 20
    for role in drawing.switch.roles:
        axes.plot([left + 4], [below], "s", color=_ROLES.get(role, _OTHER), markersize=6)
        axes.text(left + 14, below, role, fontsize=7.5, color=_QUIET, va="center")
        left += 26 + 5.6 * len(role)
    if not bundles.count.size:
        return
    most = int(bundles.count.max())
    for links in legend_counts(bundles.count):
        wide = float(widths(np.array([links]), most, view.drawn.size)[0])
        words = _counted(links, "link")
        axes.plot([left + 8, left + 34], [below, below], color=_LINE, linewidth=wide, solid_capstyle="butt")
        axes.text(left + 39, below, words, fontsize=7.5, color=_QUIET, va="center")
        left += 50 + 5.0 * len(words)
    if drawing.link.load is not None:
        greatest = float(drawing.link.load.values.max(initial=0))
        engine = drawing.provenance.engine
        axes.text(
            left + 8, below, f"colour: load by {engine}, darkest {greatest:,.0f} paths", fontsize=7.5, color=_QUIET,
            va="center",
        )  # fmt: skip


def legend_counts(count: np.ndarray) -> list[int]:
    """The counts that a legend shows: the least, the greatest, and one between them."""
    low, high = int(count.min()), int(count.max())
    middle = count[np.argmin(np.abs(np.log(count) - np.log(low * high) / 2))]
    return sorted({low, int(middle), high})


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def name_lines(name: str, wide: float, high: float, size: float) -> tuple[list[str], bool]:
    """A block's name as lines that fit into a box, and whether they run upwards: whole, in several lines, or its numbers.

    Parameters
    ----------
    name : str
    wide, high : float
        The box, in units.
    size : float
        Of the letters, in points.

    Returns
    -------
    (list of str, bool)

    Examples
    --------
    >>> for wide, high in ((80, 20), (46, 40), (26, 20), (12, 30), (4, 4)):
    ...     name_lines("group 17 to 33", wide, high, 7.5)
    (['group 17 to 33'], False)
    (['group 17', 'to 33'], False)
    (['17–33'], False)
    (['17–33'], True)
    ([], False)
    """
    letters, rows = _letters(wide, size), int(high // _ROW)
    lines = _wrapped(name, letters)
    if 0 < len(lines) <= rows:
        return lines, False
    numbers = ("\u2013" if " to " in name else ",").join(re.findall(r"(?<![A-Za-z\d])\d+", name))
    if numbers and len(numbers) <= letters and rows:
        return [numbers], False
    if numbers and len(numbers) <= _letters(high, size) and wide >= size:
        return [numbers], True
    short = _fitting(name, wide, size) if rows else ""
    return [short] if short else [], False


def _wrapped(text: str, letters: int) -> list[str]:
    """A text in lines of at most `letters` letters; none if a word is longer."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines if all(len(line) <= letters for line in lines) else []


def _letters(wide: float, size: float) -> int:
    return int(wide / (_UNITS_PER_LETTER * size / 8.5))


def _fitting(text: str, wide: float, size: float) -> str:
    """The text if it fits into this width, shortened if most of it does, else nothing."""
    letters = _letters(wide, size)
    if len(text) <= letters:
        return text
    return f"{text[: letters - 1]}\u2026" if letters > 6 else ""


def drawing_svg(drawing: "Drawing") -> str:
    """The picture as SVG text: equal drawings have equal texts."""
    return svg_or_sentence(lambda: svg_text(plot_drawing(drawing).get_figure()))  # type: ignore[arg-type]


def save_picture(drawing: "Drawing", path: str | os.PathLike[str]) -> None:
    """Write the picture to `path`, whose ending selects the format, as in `figures.files.save_figure`.

    Parameters
    ----------
    drawing : Drawing
    path : path
        The file.

    Raises
    ------
    InputError
        `path` has another ending or cannot be written.
    """
    check_figure_name(path)
    save_figure(plot_drawing(drawing).get_figure(), path)  # type: ignore[arg-type]

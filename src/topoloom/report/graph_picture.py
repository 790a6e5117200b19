"""Pictures of graphs: several side by side, or one."""

import os
from collections.abc import Sequence
from textwrap import wrap

from topoloom.figures.files import check_figure_name, save_figure
from topoloom.figures.graph import draw_graph
from topoloom.figures.style import Figure, sheet, style, svg_text
from topoloom.graph.geometry import geometry_of
from topoloom.graph.path_lengths import path_lengths
from topoloom.model.topology import Topology

#: Sides of a panel among others and of a single one, and the height for titles and legend, in inches.
_PANEL_IN, _ALONE_IN, _TITLES_IN = 4.3, 7.0, 0.8
_LETTERS_PER_INCH = 12


def draw_steps(panels: Sequence[tuple[str, Topology]]) -> "Figure":
    """Topologies side by side, as Figures 1 and 7 of Nakano et al. 2016 show a graph after each step of its construction.

    Parameters
    ----------
    panels : sequence of (title, Topology)
        Each title is followed by the diameter and the ASPL. Switches are placed by their labels ``x, y`` or, on a diagrid,
        ``row, column``, with the first row at the top; without such labels, on a circle.

    Returns
    -------
    matplotlib.figure.Figure
        Links are straight, but bent where they would run over other switches. A shortest path from the top-left corner to
        each of the other corners is coloured and labelled with its hops.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> figure = draw_steps([("start", build("grid:rows=4,columns=4,degree=4,length=3"))])
    >>> figure.axes[0].get_title(loc="left").splitlines()[0]
    'start'
    """
    with style():
        side_in = _PANEL_IN if len(panels) > 1 else _ALONE_IN
        figure = sheet(side_in * len(panels), side_in + _TITLES_IN)
        for number, (title, topology) in enumerate(panels, start=1):
            lengths = path_lengths(topology)
            title_lines = [
                *wrap(title, int(_LETTERS_PER_INCH * side_in)),
                f"diameter {lengths.diameter:g}, ASPL {lengths.aspl:.3f}",
            ]
            axes = figure.add_subplot(1, len(panels), number)
            draw_graph(axes, topology, geometry_of(topology), "\n".join(title_lines))
    return figure


def steps_svg(panels: Sequence[tuple[str, Topology]]) -> str:
    """The figure of `draw_steps` as SVG text."""
    return svg_text(draw_steps(panels))


def grid_picture(topology: Topology, path: str | os.PathLike[str], title: str | None = None) -> None:
    """Write the picture of one topology to `path`, whose ending selects the format, as in `figures.files.save_figure`.

    Parameters
    ----------
    topology : Topology
        Drawn on a grid or diagrid if its labels give one, else on a circle.
    path : path
        The file.
    title : str, optional
        The title above the picture; the topology's name when omitted.

    Raises
    ------
    InputError
        `path` has another ending or cannot be written.
    """
    check_figure_name(path)
    save_figure(draw_steps([(title or topology.name, topology)]), path)

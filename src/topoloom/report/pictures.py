"""Writing a figure to a file whose ending selects the format: those of `figures.files`, or .html for a page."""

import os
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.pages.templating import rendered
from topoloom.figures.files import ENDINGS, ENDINGS_IN_WORDS, save_figure
from topoloom.figures.interval_curves import IntervalCurves
from topoloom.figures.style import Figure, svg_text
from topoloom.report.curve_data import curve_data
from topoloom.report.page import curves_part, page
from topoloom.report.page import figure as figure_of
from topoloom.report.scripting import CURVES


def check_picture(path: str | os.PathLike[str], option: str = "picture") -> None:
    """Check that a picture can be written to `path`, by its ending and its folder; errors name the `option`."""
    place = Path(path)
    if place.suffix.lower() not in (*ENDINGS, ".html"):
        raise InputError(f"{option} {path}: end its name in {ENDINGS_IN_WORDS}, or in .html for a page")
    if not place.parent.is_dir():
        raise InputError(f"{option} {path}: there is no folder {place.parent}; create it first")
    if place.is_dir():
        raise InputError(f"{option} {path}: this is a folder; name a file in it")


def write_picture(
    figure: "Figure",
    path: str | os.PathLike[str],
    title: str,
    below: Sequence[Markup] = (),
    curves: IntervalCurves | None = None,
    *,
    outlines: bool = False,
) -> None:
    """Write a figure; `title` and `below` are used only for a page.

    Parameters
    ----------
    figure : Figure
        The figure to write.
    path : path
        The file; its ending selects the format.
    title : str
        The title of the page.
    below : sequence of Markup
        HTML that follows the figure on the page.
    curves : IntervalCurves, optional
        The data of the figure, for an interactive page.
    outlines : bool
        As in `figures.files.save_figure`.

    Raises
    ------
    InputError
        `path` has another ending, or cannot be written.
    """
    check_picture(path)
    if Path(path).suffix.lower() in ENDINGS:
        save_figure(figure, path, outlines=outlines)
        return
    drawing = curves_part(figure_of(svg_text(figure, outlines=outlines), ""))
    body = [rendered("picture.html", title=title, drawing=drawing), *below]
    write_atomically(path, page(title, body, curve_data([curves] if curves else []), CURVES))

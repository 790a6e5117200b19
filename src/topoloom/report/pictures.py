"""A figure into a file whose ending says how: .svg, .png, or .html, a page of its own."""

import os
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.pages.templating import rendered
from topoloom.figures.interval_curves import IntervalCurves
from topoloom.figures.style import Figure, png_bytes, svg_text
from topoloom.report.curve_data import curve_data
from topoloom.report.page import curves_part, page
from topoloom.report.page import figure as figure_of
from topoloom.report.scripting import CURVES

_ENDINGS = (".svg", ".png", ".html")


def check_picture(path: str | os.PathLike[str], option: str = "picture") -> None:
    """Raise `InputError` that names the `option` if no picture can be drawn to `path`: its ending, its folder."""
    place = Path(path)
    if place.suffix.lower() not in _ENDINGS:
        raise InputError(f"{option} {path}: end its name in .svg, .png or .html")
    if not place.parent.is_dir():
        raise InputError(f"{option} {path}: there is no folder {place.parent}; make it first")
    if place.is_dir():
        raise InputError(f"{option} {path}: is a folder; name a file in it")


def write_picture(
    figure: "Figure",
    path: str | os.PathLike[str],
    title: str,
    below: Sequence[Markup] = (),
    curves: IntervalCurves | None = None,
) -> None:
    """Write a figure; `title` and what is `below` it, in HTML, are the page's, where it is one.

    Parameters
    ----------
    figure : Figure
        What is written.
    path : path
        The file; its ending says how.
    title : str
        Of the page, where it is one.
    below : sequence of Markup
        What follows the figure on the page.
    curves : IntervalCurves, optional
        What the figure shows, for a page on which one can point at it.

    Raises
    ------
    InputError
        Another ending than .svg, .png and .html, or a path that cannot be written.
    """
    check_picture(path)
    ending = Path(path).suffix.lower()
    if ending == ".png":
        write_atomically(path, png_bytes(figure))
        return
    text = svg_text(figure)
    if ending == ".svg":
        write_atomically(path, text)
        return
    drawing = curves_part(figure_of(text, ""))
    body = [rendered("picture.html", title=title, drawing=drawing), *below]
    write_atomically(path, page(title, body, curve_data([curves] if curves else []), CURVES))

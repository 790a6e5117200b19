"""Figures as files, whose suffix selects the format: .svg, .png, .pdf with its fonts, or .pgf for LaTeX."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.figures.style import PRINT_FONT, form_of, panels_in_place, png_bytes, style_of, svg_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The suffixes of figures.
ENDINGS = (".svg", ".png", ".pdf", ".pgf")
#: The same in a sentence.
ENDINGS_IN_WORDS = ".svg, .png, .pdf or .pgf"


def check_figure_name(path: str | os.PathLike[str], option: str = "") -> None:
    """Refuse a file of another suffix before any work; errors name the `option`."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InputError(f"{f'{option} ' if option else ''}{path}: end its name in {ENDINGS_IN_WORDS}")


def save_figure(figure: "Figure", path: str | os.PathLike[str], *, outlines: bool = False) -> None:
    """Write a figure, completely or not at all; equal figures have equal bytes.

    Parameters
    ----------
    figure : Figure
    path : path
        Its suffix selects the format: .svg, .png, .pdf (fonts embedded as TrueType), or .pgf, whose text the LaTeX document
        sets in its own font.
    outlines : bool
        Whether text in SVG is drawn as outlines, which need no font, instead of letters, which can be searched.

    Raises
    ------
    InputError
        Another suffix, outlines of another format, or the file cannot be written.
    """
    check_figure_name(path)
    suffix = Path(path).suffix.lower()
    if outlines and suffix != ".svg":
        raise InputError(f"{path}: only text of .svg can be outlines; a .pdf embeds its fonts, and LaTeX sets a .pgf")
    if suffix == ".png":
        write_atomically(path, png_bytes(figure))
    elif suffix == ".pdf":
        write_atomically(path, pdf_bytes(figure))
    elif suffix == ".pgf":
        write_atomically(path, _pgf(figure))
    else:
        write_atomically(path, svg_file(figure, outlines=outlines))


def svg_file(figure: "Figure", *, outlines: bool = False) -> str:
    """The figure as the text of an SVG file: for print as wide as its format, else as wide as the page around it."""
    text = svg_text(figure, outlines=outlines)
    form = form_of(figure)
    if form is None:
        return text
    width_pt, height_pt = (72 * side for side in figure.get_size_inches())
    # Other machines rarely have the print font; the usual ones of its shape stand in.
    text = text.replace(f"'{PRINT_FONT}'", f"{PRINT_FONT}, 'Times New Roman', Times, serif")
    return text.replace("<svg ", f'<svg width="{width_pt:g}pt" height="{height_pt:g}pt" ', 1)


def pdf_bytes(figure: "Figure") -> bytes:
    """The figure as a PDF of one page, with its fonts embedded as TrueType (type 42) and without a date."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    out = io.BytesIO()
    nothing = {"CreationDate": None, "Creator": None, "Producer": None}
    with style_of(figure), panels_in_place(figure, FigureCanvasPdf, FigureCanvasPdf.fixed_dpi):
        figure.savefig(out, format="pdf", metadata=nothing)
    return out.getvalue()


def _pgf(figure: "Figure") -> str:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from topoloom.figures.pgf import pgf_text

    with style_of(figure), panels_in_place(figure, FigureCanvasAgg, 72):
        return pgf_text(figure)

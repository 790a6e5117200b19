"""Figures as PGF code for LaTeX, written without a TeX installation: the document sets the text in its own font."""

import io
from typing import TYPE_CHECKING, Any

from matplotlib.backends import backend_agg, backend_mixed, backend_pgf

from topoloom.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEAD = r"""%% A figure of topoloom. In the preamble of the document: \usepackage{pgf}; in its place: \input{FILE.pgf}
\begingroup%
\makeatletter%
"""
_TAIL = r"""\end{pgfpicture}%
\makeatother%
\endgroup%
"""
# Matplotlib's renderers have no types.
_Pgf: Any = backend_pgf.RendererPgf
_Agg: Any = backend_agg.RendererAgg
_Mixed: Any = backend_mixed.MixedModeRenderer

#: Characters that LaTeX reads as commands, or that its usual fonts lack.
_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{letter: "\\" + letter for letter in "{}$&#_%"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\ensuremath{<}",
        ">": r"\ensuremath{>}",
        "|": r"\textbar{}",
        "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
        "\N{MICRO SIGN}": r"\ensuremath{\mu}",
        "\N{MIDDLE DOT}": r"\ensuremath{\cdot}",
        "\N{LESS-THAN OR EQUAL TO}": r"\ensuremath{\leq}",
        "\N{GREATER-THAN OR EQUAL TO}": r"\ensuremath{\geq}",
        "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    }
)


def tex_text(text: str) -> str:
    r"""A text for LaTeX that shows as it is.

    Examples
    --------
    >>> print(tex_text("cost_usd [%]"))
    cost\_usd [\%]
    """
    return text.translate(_TEX)


class _Renderer(_Pgf):  # type: ignore[misc]
    """Matplotlib's, with escaped text whose size is measured in matplotlib's fonts; only TeX knows the document's."""

    def __init__(self, figure: "Figure", out: io.StringIO) -> None:
        super().__init__(figure, out)
        self._measure = _Agg(1, 1, figure.dpi)

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        super().draw_text(gc, x, y, tex_text(s), prop, angle, ismath, mtext)

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        width, height, descent = self._measure.get_text_width_height_descent(s, prop, ismath)
        return width, height, descent


def pgf_text(figure: "Figure") -> str:
    """The figure as a ``pgfpicture``, for ``\\input`` in a document that uses the package pgf.

    Raises
    ------
    InputError
        The figure holds an image of pixels.
    """
    out = io.StringIO()
    width_in, height_in = figure.get_size_inches()
    out.write(_HEAD)
    out.write("\\begin{pgfpicture}%\n")
    out.write(f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width_in:f}in}}{{{height_in:f}in}}}}%\n")
    out.write("\\pgfusepath{use as bounding box, clip}%\n")
    renderer = _Mixed(figure, width_in, height_in, figure.dpi, _Renderer(figure, out))
    try:
        figure.draw(renderer)
    except ValueError as error:
        if "raster" not in str(error):
            raise
        raise InputError("a picture with an image of pixels has no PGF form; write it as .pdf") from None
    out.write(_TAIL)
    return out.getvalue()

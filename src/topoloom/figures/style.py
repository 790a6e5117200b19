"""The style of all pictures: colours, marks, axes; figures as SVG text or PNG bytes."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from topoloom.core.errors import InputError
from topoloom.figures.absent import import_matplotlib, svg_or_sentence
from topoloom.figures.print_formats import PrintFormat, StyleName, WidthName, current_format, drawing_in, print_format

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.backend_bases
    import matplotlib.figure

    Axes = matplotlib.axes.Axes
    Figure = matplotlib.figure.Figure
    FigureCanvasBase = matplotlib.backend_bases.FigureCanvasBase
else:  # matplotlib is loaded when something is drawn
    Axes = Figure = Any

#: Okabe and Ito's colours, distinct for every kind of colour blindness; grey replaces their yellow, which is weak on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#1c2733", "#56B4E9", "#8a8a8a")
SHAPES = "osD^vPX*"


#: The type of print: Times' metrics, and a part of matplotlib, so that every machine draws the same.
PRINT_FONT = "STIXGeneral"


def style() -> AbstractContextManager[None]:
    """While the context is open, figures have topoloom's style: text stays text, $ is literal, ids are not random.

    In a print format (`drawing_in`), type is a Times of the format's size.
    """
    import_matplotlib()
    from matplotlib import rc_context

    form = current_format()
    return rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "topoloom",
            "pdf.fonttype": 42,
            "text.parse_math": False,
            "font.family": "sans-serif" if form is None else PRINT_FONT,
            "font.size": 9 if form is None else form.size_pt,
            "hatch.linewidth": 1.0 if form is None else 0.6,
        }
    )


def form_of(figure: "Figure") -> PrintFormat | None:
    """The print format in which a figure was drawn; None: for a screen."""
    return getattr(figure, "form", None)


@contextmanager
def style_of(figure: "Figure") -> Iterator[None]:
    """While the context is open, new parts of a figure have its own style."""
    with drawing_in(form_of(figure)), style():
        yield


def sheet(width_in: float, height_in: float) -> "Figure":
    """An empty figure without a window; in a print format it has the format's width, and is lower in proportion."""
    import_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from topoloom.figures.styled_figure import StyledFigure

    form = current_format()
    size = (width_in, height_in) if form is None else (form.width_in, form.height_share * height_in)
    figure = StyledFigure(figsize=size, layout="constrained")
    figure.form = form
    FigureCanvasAgg(figure)
    return figure


def axes_of(ax: "Axes | None", height_in: float = 4.6) -> "Axes":
    """The axes for a `plot`: `ax` itself, or the only axes of a new figure, with a grid."""
    if ax is not None:
        return ax
    axes = sheet(8.6, height_in).add_subplot()
    frame(axes)
    return axes


class Plot(Protocol):
    """The `plot` of a result."""

    def __call__(
        self, ax: "Axes | None" = None, *, style: StyleName | None = None, width: WidthName | None = None
    ) -> "Axes":
        """Draw on `ax`, or on the only axes of a new figure, in topoloom's style; returns the axes.

        `style` draws a new figure for print, as IEEE or ACM ask for it, in the `width` of a column or of a page.
        """


def drawn(height_in: float | Callable[[Any], float] = 4.6) -> Callable[[Callable[[Any, "Axes"], None]], Plot]:
    """Turn a method that draws on axes into the `plot` of a result; a new figure has this height, or one by the result."""

    def plot_of(draw: Callable[[Any, "Axes"], None]) -> Plot:
        def plot(
            self: Any, ax: "Axes | None" = None, *, style: StyleName | None = None, width: WidthName | None = None
        ) -> "Axes":
            height = height_in(self) if callable(height_in) else height_in
            return plotted(lambda axes: draw(self, axes), ax, style, width, height)

        plot.__doc__, plot.__qualname__, plot.__module__ = draw.__doc__, draw.__qualname__, draw.__module__
        return plot  # type: ignore[return-value]  # bound to a result

    return plot_of


def plotted(
    draw: "Callable[[Axes], None]", ax: "Axes | None", style_name: str | None, width: str | None, height_in: float = 4.6
) -> "Axes":
    """Draw on `ax`, or on the only axes of a new figure, which is fitted to a style for print if one is named.

    Parameters
    ----------
    draw : callable (Axes)
        Draws on axes.
    ax : Axes, optional
    style_name : "ieee" or "acm", optional
        For a screen when omitted.
    width : "column" or "page", optional
        One column when omitted.
    height_in : float
        The height of a new figure on a screen, inches.

    Returns
    -------
    Axes

    Raises
    ------
    InputError
        An unknown style or width, a width without a style, or one of them together with `ax`.
    """
    if ax is not None and (style_name is not None or width is not None):
        raise InputError("style and width are those of a new figure; omit ax, or draw on ax without them")

    def new() -> "Figure":
        axes = axes_of(None, height_in)
        draw(axes)
        return axes.figure  # type: ignore[return-value]  # no subfigure

    if ax is None:
        return printed(new, style_name, width).axes[0]
    with style():
        draw(ax)
    return ax


def printed(make: "Callable[[], Figure]", style_name: str | None, width: str | None) -> "Figure":
    """The figure that `make` returns, drawn for and fitted to a style for print if one is named.

    Parameters
    ----------
    make : callable () to Figure
    style_name, width : str, optional
        As in `plotted`.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        As in `print_format`.
    """
    form = print_format(style_name, width)
    if form is None:
        with style():
            return make()
    from topoloom.figures.fitting import fit

    with drawing_in(form), style():
        figure = make()
        fit(figure, form)
    return figure


def frame(axes: "Axes") -> None:
    """Show only the left and the lower side of the axes, and a light grid behind the drawing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


def svg_text(figure: "Figure", *, outlines: bool = False) -> str:
    """The figure from ``<svg`` on: without XML prologue and date, and as wide as the page around it.

    `outlines` draws the letters of its text as outlines, which need no font.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawn

    out = io.StringIO()
    letters: dict[Any, str] = {"svg.fonttype": "path" if outlines else "none"}
    with style_of(figure), rc_context(letters), panels_in_place(figure, FigureCanvasSVG, FigureCanvasSVG.fixed_dpi):
        # Not the method of `StyledFigure`, which enters the style again, whose text is letters.
        Drawn.savefig(figure, out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()[out.getvalue().index("<svg") :]
    for side in ("height", "width"):
        text = re.sub(rf'(<svg[^>]*?) {side}="[^"]*"', r"\1", text, count=1)
    return text


def png_bytes(figure: "Figure") -> bytes:
    """The figure as a PNG picture without a date, of 150 dots per inch, or of 600 in a print format."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    dpi = 150 if form_of(figure) is None else 600
    out = io.BytesIO()
    with style_of(figure), panels_in_place(figure, FigureCanvasAgg, dpi):
        figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


@contextmanager
def panels_in_place(figure: "Figure", canvas: "type[FigureCanvasBase]", dpi: float) -> Iterator[None]:
    """The figure with its panels in their places; `savefig` alone draws all of it once more to find these.

    Parameters
    ----------
    figure : Figure
    canvas : type of FigureCanvasBase
        That of the format, whose type is measured.
    dpi : float
        Dots per inch.

    Returns
    -------
    context manager
    """
    engine, own_canvas, own_dpi = figure.get_layout_engine(), figure.canvas, figure.dpi
    if engine is None:
        yield
        return
    try:
        canvas(figure)
        figure.dpi = dpi
        engine.execute(figure)
        figure.set_layout_engine(None)
        yield
    finally:
        figure.set_layout_engine(engine)
        figure.set_canvas(own_canvas)
        figure.dpi = own_dpi


def svg_of(draw: "Callable[[Axes], None]", width_in: float = 8.6, height_in: float = 4.6) -> str:
    """The drawing on the only axes of a new figure, as SVG text.

    Parameters
    ----------
    draw : callable (Axes)
        Draws on the axes.
    width_in, height_in : float
        The figure's size, inches.

    Returns
    -------
    str
        An ``<svg>`` element, as wide as the page around it; without a date, so that equal figures have equal texts. Without
        matplotlib, that of `svg_or_sentence`.
    """
    return svg_or_sentence(lambda: _svg(draw, width_in, height_in))


def _svg(draw: "Callable[[Axes], None]", width_in: float, height_in: float) -> str:
    import_matplotlib()
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with style():
        figure = sheet(width_in, height_in)
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        frame(axes)
        draw(axes)
        return svg_text(figure)

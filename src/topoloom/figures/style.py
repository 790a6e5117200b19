"""The style of all pictures: colours, marks, axes; figures as SVG text or PNG bytes."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from topoloom.core.surroundings import import_library

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


def style() -> AbstractContextManager[None]:
    """While the context is open, figures have topoloom's style: text stays text, $ is literal, ids are not random."""
    import_library("matplotlib")
    from matplotlib import rc_context

    return rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "topoloom",
            "text.parse_math": False,
            "font.family": "sans-serif",
            "font.size": 9,
        }
    )


def sheet(width_in: float, height_in: float) -> "Figure":
    """An empty figure without a window, which can be saved as SVG and as PNG."""
    import_library("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in), layout="constrained")
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

    def __call__(self, ax: "Axes | None" = None) -> "Axes":
        """Draw on `ax`, or on the only axes of a new figure, in topoloom's style; returns the axes."""


def drawn(height_in: float | Callable[[Any], float] = 4.6) -> Callable[[Callable[[Any, "Axes"], None]], Plot]:
    """Turn a method that draws on axes into the `plot` of a result; a new figure has this height, or one by the result."""

    def plot_of(draw: Callable[[Any, "Axes"], None]) -> Plot:
        def plot(self: Any, ax: "Axes | None" = None) -> "Axes":
            with style():
                axes = axes_of(ax, height_in(self) if callable(height_in) else height_in)
                draw(self, axes)
            return axes

        plot.__doc__, plot.__qualname__, plot.__module__ = draw.__doc__, draw.__qualname__, draw.__module__
        return plot  # type: ignore[return-value]  # bound to a result

    return plot_of


def frame(axes: "Axes") -> None:
    """Show only the left and the lower side of the axes, and a light grid behind the drawing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)


def svg_text(figure: "Figure") -> str:
    """The figure from ``<svg`` on: without XML prologue and date, and as wide as the page around it."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    out = io.StringIO()
    with style(), _placed(figure, FigureCanvasSVG, FigureCanvasSVG.fixed_dpi):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()[out.getvalue().index("<svg") :]
    for side in ("height", "width"):
        text = re.sub(rf'(<svg[^>]*?) {side}="[^"]*"', r"\1", text, count=1)
    return text


def png_bytes(figure: "Figure") -> bytes:
    """The figure as a PNG picture of 150 dots per inch, without a date."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    out = io.BytesIO()
    with style(), _placed(figure, FigureCanvasAgg, 150):
        figure.savefig(out, format="png", dpi=150, metadata={"Software": None})
    return out.getvalue()


@contextmanager
def _placed(figure: "Figure", canvas: "type[FigureCanvasBase]", dpi: float) -> Iterator[None]:
    """The figure with its panels in their places; `savefig` alone draws all of it once more to find these."""
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
        An ``<svg>`` element, as wide as the page around it; without a date, so that equal figures have equal texts.
    """
    import_library("matplotlib")
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with style():
        figure = sheet(width_in, height_in)
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        frame(axes)
        draw(axes)
        return svg_text(figure)

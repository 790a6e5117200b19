"""Logarithmic axes whose ticks are plain numbers: 100, 200, 500, never a formula."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from topoloom.core.amounts import amount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Axes that span less than this ratio have ticks at round steps: powers of ten would label one number or none.
_NARROW = 8.0
#: Axes that span less than this ratio have ticks at 1, 2 and 5; wider ones at powers of ten.
_WIDE = 3000.0


def _plain(value: float) -> str:
    return amount(value, 6)


def log_axis(axes: "Axes", side: Literal["x", "y"], base: int = 10, write: Callable[[float], str] = _plain) -> None:
    """Make an axis logarithmic, with plain numbers on its ticks.

    Matplotlib writes both kinds of its ticks as formulas, and topoloom's pictures show text as it is: so both need another
    formatter, the minor ones too, which are labelled where an axis spans less than a decade.

    Parameters
    ----------
    axes : Axes
    side : "x" or "y"
    base : int
        The base of the ticks.
    write : callable (float) to str
        The text of a tick.
    """
    from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter

    class Ticks(Locator):
        """Locations by the span of the axis when it is drawn."""

        def __call__(self) -> "list[float]":
            low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
            return self.tick_values(low, high)

        def tick_values(self, vmin: float, vmax: float) -> "list[float]":
            low, high = sorted((vmin, vmax))
            if not 0 < low < high:
                return []
            if high / low < _NARROW:
                chosen: Locator = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10])
            else:
                chosen = LogLocator(subs=(1.0, 2.0, 5.0) if high / low < _WIDE else (1.0,))
                chosen.set_axis(self.axis)
            return [tick for tick in map(float, chosen.tick_values(low, high)) if tick > 0]

    (axes.set_xscale if side == "x" else axes.set_yscale)("log", base=base)
    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_major_locator(Ticks() if base == 10 else LogLocator(base))
    axis.set_major_formatter(FuncFormatter(lambda value, _: write(value)))
    axis.set_minor_formatter(NullFormatter())

"""A matplotlib figure as the text of one SVG element that can stand in a page."""

import io
import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def style() -> AbstractContextManager[None]:
    """While it is open, figures are drawn in the house's style: text stays text, a $ is a $, ids are not random."""
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


def svg_text(figure: "Figure") -> str:
    """The figure from ``<svg`` on: no XML prologue, no date, as wide as the page that it stands in."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()[out.getvalue().index("<svg") :]
    for side in ("height", "width"):
        text = re.sub(rf'(<svg[^>]*?) {side}="[^"]*"', r"\1", text, count=1)
    return text

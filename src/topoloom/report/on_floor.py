"""A network on its floor, as reports show it: the floor plan's caption, and its cables in numbers."""

from markupsafe import Markup

from topoloom.placement.layout.layout import Layout
from topoloom.report.page import cards

#: The caption of a drawing of a network's structure.
STRUCTURE_CAPTION = (
    "Lines are bundles of links, wider the more links they have. topoloom draw and the explorer show the inside of every"
    " block."
)
#: The caption of a floor plan.
FLOOR_CAPTION = (
    "Racks at their positions, coloured by their power or, where that is not known, by the number of cables that leave"
    " them; cables by length; and the number of cables on each section of tray."
)


def cable_cards(layout: Layout) -> Markup:
    """The cables between switches in numbers: inside racks, between racks, and their lengths.

    Parameters
    ----------
    layout : Layout
    """
    inside = int((~layout.between).sum())
    return cards(
        [
            (f"{inside:,}", f"inside racks, {layout.floor.inside_m:g} m each"),
            (f"{layout.length_m.size - inside:,}", "between racks"),
            (f"{layout.mean_length_m:.2f} m", "mean length"),
            (f"{layout.longest_m:.1f} m", "longest"),
            (f"{layout.length_m.sum() / 1000:,.2f} km", "in total"),
        ]
    )

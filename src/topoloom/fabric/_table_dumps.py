"""Dumps of forwarding tables: the form is detected from the content."""

from topoloom.fabric._far_sections import far_sections, is_far
from topoloom.fabric._fdbs_sections import fdbs_sections, is_fdbs
from topoloom.fabric._lft_sections import lft_sections
from topoloom.fabric._lft_tables import Sections


def sections_of(text: str, source: str) -> Sections:
    """Parse a dump of forwarding tables by OpenSM, ibroute or ibdiagnet.

    Raises
    ------
    InputError
        The text is not such a dump, is cut short, or has two tables of a switch or two owners of a LID.
    """
    if is_far(text):
        return far_sections(text, source)
    return fdbs_sections(text, source) if is_fdbs(text) else lft_sections(text, source)

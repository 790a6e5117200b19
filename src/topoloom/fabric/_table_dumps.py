"""Dumps of forwarding tables: the form is detected from the content."""

import re

from topoloom.core.errors import at
from topoloom.fabric._far_sections import far_sections, is_far
from topoloom.fabric._fdbs_sections import fdbs_sections, is_fdbs
from topoloom.fabric._lft_sections import lft_sections
from topoloom.fabric._lft_tables import Sections

#: How much of a file is looked at, and what begins a table of a switch, and a node of a discovery.
_BEGINNING = 1 << 16
_TABLE = re.compile(r"^Unicast lids? \[", re.MULTILINE)
_NODE = re.compile(r"^(?:(?:switch|ca|sysimg)guid=0x|(?:Switch|Ca)\s+\d+\s+\")", re.MULTILINE)


def is_tables(text: str) -> bool:
    """Whether the beginning of a file is that of a dump of forwarding tables."""
    return is_far(text) or is_fdbs(text) or _TABLE.search(text[:_BEGINNING]) is not None


def sections_of(text: str, source: str) -> Sections:
    """Parse a dump of forwarding tables by OpenSM, ibroute or ibdiagnet.

    Raises
    ------
    InputError
        The text is not such a dump, is a discovered fabric, is cut short, or has two tables of a switch or two owners of a LID.
    """
    if _NODE.search(text[:_BEGINNING]):
        raise at(
            source, None, "this is a discovered fabric, not forwarding tables; name the fabric first, then its tables"
        )
    if is_far(text):
        return far_sections(text, source)
    return fdbs_sections(text, source) if is_fdbs(text) else lft_sections(text, source)

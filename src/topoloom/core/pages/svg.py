"""Hints on the parts of a picture that is SVG text already."""

import re
from collections.abc import Mapping

from markupsafe import escape

_GROUP = re.compile(r'<g id="([^"]+)">')


def with_hints(drawing: str, hints: Mapping[str, str]) -> str:
    """The drawing with a title, which browsers show as a hint, in each group whose id is in `hints`; the id goes."""

    def titled(group: re.Match[str]) -> str:
        return f"<g><title>{escape(hints[group[1]])}</title>" if group[1] in hints else group[0]

    return _GROUP.sub(titled, drawing)

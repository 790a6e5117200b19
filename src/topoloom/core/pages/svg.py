"""Tooltips on the parts of an SVG picture."""

import re
from collections.abc import Mapping

from markupsafe import escape

_GROUP = re.compile(r'<g id="([^"]+)">')


def with_hints(drawing: str, hints: Mapping[str, str]) -> str:
    """The drawing with a title, which browsers show as a tooltip, in place of the id of each group that `hints` names."""

    def titled(group: re.Match[str]) -> str:
        return f"<g><title>{escape(hints[group[1]])}</title>" if group[1] in hints else group[0]

    return _GROUP.sub(titled, drawing)

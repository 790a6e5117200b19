"""What makes a page one to work in: its scripts and its data, inside the page, and a policy that lets nothing else in."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from math import isnan
from typing import Any

import msgspec
from markupsafe import Markup

#: What each file of ``report/scripts`` needs stands before it: together they are one module.
_BASE = ("dom", "format", "tooltip", "sortable")
_PLOTS = ("marks", "axes", "curves", "side_by_side")
EXPLORER = (*_BASE, *_PLOTS, "store", "filters", "table", "chooser", "scatter", "selection")
FLOOR = ("floor_scene", "floor_bundles", "floor_camera", "floor")
DESIGN = (*EXPLORER, *FLOOR, "design")
#: A page of curves and tables.
CURVES = (*_BASE, *_PLOTS, "plain")


def script(names: Sequence[str]) -> str:
    """The files of ``report/scripts`` as one module; it begins with the browser's strict rules."""
    folder = files("topoloom.report") / "scripts"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


def policy(code: str, *, pictures: bool = False) -> str:
    """A Content-Security-Policy under which this code runs and no other, and nothing is ever fetched.

    With `pictures` those that lie beside the page are shown.

    Examples
    --------
    >>> policy("")[:60]
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    """
    beside = " 'self' file:" if pictures else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{beside};"
        f" script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def data_text(data: Any) -> Markup:
    """JSON that may stand in a page: whatever texts it has, none ends the block or begins another.

    Examples
    --------
    >>> str(data_text({"name": "</script>"}))
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = msgspec.json.encode(data).decode()
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def short_number(value: float | None, digits: int = 9) -> float | int | None:
    """A number with so many digits that count, so that it takes little room in a page; whole ones stay whole.

    Examples
    --------
    >>> short(1168.2483228070175), short(3.0), short(None)
    (1168.24832, 3, None)
    """
    if value is None or isnan(value):
        return None
    found = float(f"{value:.{digits}g}")
    return int(found) if found == int(found) and abs(found) < 1e15 else found

"""The scripts and data of an interactive page, and the policy that permits nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from math import isnan
from typing import Any

import msgspec
from markupsafe import Markup

#: Files of ``report/scripts``; each follows those that it needs, because together they are one module.
_BASE = ("dom", "format", "tooltip", "sortable")
_PLOTS = ("marks", "axes", "curves", "side_by_side")
EXPLORER = (*_BASE, *_PLOTS, "store", "filters", "table", "chooser", "scatter", "selection")
FLOOR = ("floor_scene", "floor_bundles", "floor_camera", "floor")
DESIGN = (*EXPLORER, *FLOOR, "design")
#: The scripts of a page with curves and tables.
CURVES = (*_BASE, *_PLOTS, "plain")


def script(names: Sequence[str]) -> str:
    """The files of ``report/scripts`` as one module, which browsers run in strict mode."""
    folder = files("topoloom.report") / "scripts"
    return "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


def policy(code: str, *, pictures: bool = False) -> str:
    """A Content-Security-Policy under which only this code runs, and nothing is fetched.

    With `pictures`, pictures next to the page are shown.

    Examples
    --------
    >>> policy("")[:60]
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    """
    picture_sources = " 'self' file:" if pictures else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:{picture_sources};"
        f" script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def data_text(data: Any) -> Markup:
    """JSON for the inside of a page: no text in it can end the block or begin another.

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
    """A number rounded to significant digits, to save space in a page; whole numbers become int.

    Examples
    --------
    >>> short_number(1168.2483228070175), short_number(3.0), short_number(None)
    (1168.24832, 3, None)
    """
    if value is None or isnan(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded

"""The scripts and style sheets of the explorer, as one of each, for the server and for static sites."""

from functools import cache
from importlib.resources import files

from topoloom.report.scripting import EXPLORER, FLOOR, script

#: The scripts of the pages, without their ending; each follows those that it needs when it is read.
_SCRIPTS = (
    *("request", "parts"),
    *("structure_data", "structure_paint", "structure_input", "structure_losses", "structure", "structure_view"),
    *("spec_field", "toml", "uploads", "questions", "kinds", "growth_question", "results", "design", "compare"),
    *("curves_page", "tasks", "folders", "failures_view", "load_view", "survival_view", "programs_view"),
    *("growth_view", "network"),
    *("room_carry", "room_find", "room_rack", "room_view"),
    *("cabling_drop", "cabling_faults", "cabling_drawing", "cabling_work", "cabling_page"),
    "main",
)
_STYLES = ("explorer.css", "break.css", "room.css", "structure.css", "cabling.css", "design.css")


@cache
def asset(name: str) -> bytes:
    """A file of ``web/static``."""
    return (files("topoloom.web") / "static" / name).read_bytes()


@cache
def explorer_script() -> str:
    """The library, the report's scripts and the explorer's, as one script."""
    own = "\n".join(asset(f"{name}.js").decode() for name in _SCRIPTS)
    # One strict scope for all, outside the library, which announces itself as a global name.
    return "\n".join(
        [asset("vendor/preact-htm.js").decode(), '(() => {"use strict";', script((*EXPLORER, *FLOOR)), own, "})();"]
    )


@cache
def explorer_style() -> str:
    """The report's style sheets and the explorer's, as one."""
    report = files("topoloom.report")
    return "\n".join(
        [
            *((report / name).read_text() for name in ("style.css", "work.css")),
            *(asset(name).decode() for name in _STYLES),
        ]
    )


def site_frame(index: str) -> dict[str, str]:
    """The page, scripts and style sheet of a static site, by their names.

    Parameters
    ----------
    index : str
        The script with the content of the site.

    Returns
    -------
    dict of str to str
    """
    return {
        "index.html": asset("site.html").decode(),
        "index.js": index,
        "explorer.js": asset("site.js").decode() + explorer_script(),
        "explorer.css": explorer_style(),
    }

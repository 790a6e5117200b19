"""Requirements that are written in the browser: checked, and kept as files, so that a task can name them."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from topoloom.designer.store import candidates_in
from topoloom.errors import InputError
from topoloom.files import write_atomically
from topoloom.studies.task import Task
from topoloom.web.spaces import Spaces

#: Where they are, in the server's own folder.
FOLDER = "needs"
#: What candidates measured, a folder for each requirement, whatever its limits are.
MEASURED = "measured"
#: What no measurement depends on, so that another limit measures nothing again.
_AFTERWARDS = ("title", "limits", "minimize", "compare", "finalists", "minutes", "repeats", "families")
#: For people: no file is named there.
_FREE = ("title",)


def kept_need(folder: Path, spaces: Spaces, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a design, its text kept as a file of the server's.

    Parameters
    ----------
    folder : Path
        The server's own.
    spaces : Spaces
        What it may name files in.
    arguments : dict
        ``text``, and what is changed of it (``change``).

    Returns
    -------
    dict
        As the verb design takes them.

    Raises
    ------
    InputError
        No text; it is not TOML; it names files that are not served.
    """
    text = arguments.get("text")
    if not isinstance(text, str) or set(arguments) - {"text", "change"}:
        raise InputError("a design takes `text`, the requirement, and `change`")
    change = arguments.get("change", {})
    if not isinstance(change, dict):
        raise InputError("a design's `change` is a table")
    check_text(text, spaces)
    spaces.check({name: value for name, value in change.items() if name not in _FREE})
    path = folder / FOLDER / f"requirement-{hashlib.sha256(text.encode()).hexdigest()[:12]}.toml"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return {"need": str(path), "change": change, "measured": str(folder / MEASURED / _stamp(text))}


def _stamp(text: str) -> str:
    """The same for requirements that differ in what is asked of measurements alone."""
    content = {name: value for name, value in tomllib.loads(text).items() if name not in _AFTERWARDS}
    return hashlib.sha256(repr(sorted(content.items())).encode()).hexdigest()[:16]


def measured_so_far(task: Task, most: int = 300) -> list[dict[str, Any]]:
    """The candidates that a design has measured, also while it runs, the cheapest first.

    Parameters
    ----------
    task : Task
        Of the verb design.
    most : int
        At most so many.

    Returns
    -------
    list of dict
        Each candidate's measures by name.
    """
    folder = task.arguments.get("measured")
    found = candidates_in(Path(folder)) if folder else []
    rows = sorted(found, key=lambda one: one.cost_per_host_usd)[:most]
    return [msgspec.to_builtins(row) for row in rows]


def check_text(text: str, spaces: Spaces) -> None:
    """Refuse a requirement that names files elsewhere.

    Raises
    ------
    InputError
        It does, or it is not TOML.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"requirement: {error}") from None
    spaces.check({name: value for name, value in content.items() if name not in _FREE})

"""Requirements that are written in the browser: checked, and kept as files, so that a task can name them."""

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.settings import shown
from topoloom.core.toml_files import parse_toml
from topoloom.designer.store import candidates_in
from topoloom.studies.task import Task
from topoloom.web.spaces import Spaces

#: Where they are, in the server's own folder.
FOLDER = "needs"
#: What candidates measured, a folder for each requirement, whatever its limits are.
MEASURED = "measured"
#: What no measurement depends on, so that another limit measures nothing again.
_AFTERWARDS = ("title", "limits", "minimize", "compare", "shortlist", "minutes", "repeats", "families")
#: Characters of the longest requirement.
_LONGEST = 200_000
#: Keys that may name a file; the file of a requirement lies with the server, so relative paths would start from there.
_FILES = (("parts",), ("prices",), ("floor", "file"))
#: For people: no file is named there.
_FREE = ("title",)


def kept_requirement(folder: Path, spaces: Spaces, arguments: dict[str, Any], *, write: bool) -> dict[str, Any]:
    """The arguments of a design, its text kept as a file of the server's.

    Parameters
    ----------
    folder : Path
        The server's own.
    spaces : Spaces
        What it may name files in.
    arguments : dict
        ``text``, and what is changed of it (``change``).
    write : bool
        Keep it; else it must have been kept before.

    Returns
    -------
    dict
        As the operation design takes them.

    Raises
    ------
    InputError
        No text; it is not TOML; it names files that are not served; it was not kept before.
    """
    text = arguments.get("text")
    if not isinstance(text, str) or set(arguments) - {"text", "change"}:
        raise InputError("a design takes `text`, the requirement, and `change`")
    change = arguments.get("change", {})
    if not isinstance(change, dict):
        raise InputError("a design's `change` is a table")
    content = check_text(text, spaces)
    change = _checked(change, spaces)
    path = folder / FOLDER / f"requirement-{hashlib.sha256(text.encode()).hexdigest()[:12]}.toml"
    if not path.is_file():
        if not write:
            raise InputError("nobody has asked for this design yet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    elif write:
        os.utime(path)  # it is wanted again: what nobody names for long is removed
    return {"requirement": str(path), "change": change, "measured": str(folder / MEASURED / _stamp(content))}


def _stamp(content: dict[str, Any]) -> str:
    """The same for requirements that differ in what is asked of measurements alone."""
    asked = sorted((name, value) for name, value in content.items() if name not in _AFTERWARDS)
    return hashlib.sha256(repr(asked).encode()).hexdigest()[:16]


def measured_so_far(task: Task, most: int = 300) -> list[dict[str, Any]]:
    """The candidates that a design has measured, also while it runs, the cheapest first.

    Parameters
    ----------
    task : Task
        Of the operation design.
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


def check_text(text: str, spaces: Spaces) -> dict[str, Any]:
    """The tables of a requirement, which names no files elsewhere.

    Raises
    ------
    InputError
        It does, it is not TOML, or it is longer than any requirement.
    """
    if len(text) > _LONGEST:
        raise InputError(f"requirement: has more than {_LONGEST:,} characters; no requirement has")
    content = parse_toml(text, dict[str, Any], "requirement")
    checked = _checked(content, spaces)
    for keys in _FILES:
        named, path = _at(content, keys), _at(checked, keys)
        if isinstance(named, str) and (path != named or Path(named).suffix) and not Path(named).is_absolute():
            whole = f"write its whole path, {path}" if path != named else "there is no such file in the served folders"
            raise InputError(f"requirement: {'.'.join(keys)} = {shown(named)}: {whole}")
    return content


def _at(content: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def _checked(content: dict[str, Any], spaces: Spaces) -> dict[str, Any]:
    """What a requirement says, with every name of a file as the path that it leads to."""
    free = {name: value for name, value in content.items() if name in _FREE}
    return spaces.check({name: value for name, value in content.items() if name not in free}) | free

"""Requirements that are written in the browser: checked, and stored as files, so that a task can name them."""

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

#: The folder of these files, in the server's folder.
FOLDER = "needs"
#: The folder of measured candidates, with one folder per requirement, whatever its limits are.
MEASURED = "measured"
#: Keys that no measurement depends on, so that a change of them needs no new measurement.
_NOT_MEASURED = ("title", "limits", "minimize", "compare", "shortlist", "minutes", "repeats", "families")
#: Most characters of a requirement.
_MOST_CHARACTERS = 200_000
#: Keys that may name a file; the requirement's file is in the server's folder, so relative paths would start there.
_FILES = (("parts",), ("prices",), ("floor", "file"))
#: Keys with free text, which names no file.
_FREE = ("title",)


def kept_requirement(folder: Path, spaces: Spaces, arguments: dict[str, Any], *, write: bool) -> dict[str, Any]:
    """The arguments of a design, with its requirement stored as a file of the server.

    Parameters
    ----------
    folder : Path
        The server's folder.
    spaces : Spaces
        The folders in which the requirement may name files.
    arguments : dict
        ``text``, and changes of it (``change``).
    write : bool
        Whether to store the text; otherwise it must be stored already.

    Returns
    -------
    dict
        The arguments of the operation design.

    Raises
    ------
    InputError
        There is no text, it is not TOML, it names files that are not served, or it is not stored.
    """
    text = arguments.get("text")
    if not isinstance(text, str) or set(arguments) - {"text", "change"}:
        raise InputError("a design has the keys `text`, the requirement, and `change`")
    change = arguments.get("change", {})
    if not isinstance(change, dict):
        raise InputError("a design's `change` must be a table")
    content = check_text(text, spaces)
    change = _checked(change, spaces)
    path = folder / FOLDER / f"requirement-{hashlib.sha256(text.encode()).hexdigest()[:12]}.toml"
    if not path.is_file():
        if not write:
            raise InputError("this design was not requested yet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    elif write:
        os.utime(path)  # mark it as used: unused files are removed
    return {"requirement": str(path), "change": change, "measured": str(folder / MEASURED / _stamp(content))}


def _stamp(content: dict[str, Any]) -> str:
    """A digest that is equal for requirements with equal measurements."""
    measured = sorted((name, value) for name, value in content.items() if name not in _NOT_MEASURED)
    return hashlib.sha256(repr(measured).encode()).hexdigest()[:16]


def measured_so_far(task: Task, most: int = 300) -> list[dict[str, Any]]:
    """The candidates that a design has measured, even while it runs, cheapest first.

    Parameters
    ----------
    task : Task
        A task of the operation design.
    most : int
        Most candidates to return.

    Returns
    -------
    list of dict
        Each candidate's measures by name.
    """
    folder = task.arguments.get("measured")
    candidates = candidates_in(Path(folder)) if folder else []
    rows = sorted(candidates, key=lambda candidate: candidate.cost_per_host_usd)[:most]
    return [msgspec.to_builtins(row) for row in rows]


def check_text(text: str, spaces: Spaces) -> dict[str, Any]:
    """The tables of a requirement, after checking that it names no files outside the served folders.

    Raises
    ------
    InputError
        It names such files, it is not TOML, or it is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"requirement: it has more than {_MOST_CHARACTERS:,} characters; shorten it")
    content = parse_toml(text, dict[str, Any], "requirement")
    checked = _checked(content, spaces)
    for keys in _FILES:
        named, path = _at(content, keys), _at(checked, keys)
        if isinstance(named, str) and (path != named or Path(named).suffix) and not Path(named).is_absolute():
            whole = (
                f"give its absolute path, {path}" if path != named else "there is no such file in the served folders"
            )
            raise InputError(f"requirement: {'.'.join(keys)} = {shown(named)}: {whole}")
    return content


def _at(content: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def _checked(content: dict[str, Any], spaces: Spaces) -> dict[str, Any]:
    """The content of a requirement, with every file name replaced by its path."""
    free = {name: value for name, value in content.items() if name in _FREE}
    return spaces.check({name: value for name, value in content.items() if name not in free}) | free

"""Requirements that are written in the browser: checked, and stored as files, so that a task can name them."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import is_below, read_text, write_atomically
from topoloom.core.settings import shown
from topoloom.core.toml_files import LONGEST, parse_toml
from topoloom.designer.store import candidates_in
from topoloom.machine.recognizing import is_machine
from topoloom.studies.task import Task, content_digest
from topoloom.web.spaces import Spaces

#: The folder of these files, in the server's folder.
FOLDER = "needs"
#: The folder of measured candidates, with one folder per requirement, whatever its limits are.
MEASURED = "measured"
#: The folder of the designs' files, in the server's folder, and their address.
DESIGNS = "designs"
#: Keys that no measurement depends on, so that a change of them needs no new measurement.
_NOT_MEASURED = ("title", "limits", "minimize", "compare", "shortlist", "minutes", "repeats", "families")
#: Most characters of a requirement.
_MOST_CHARACTERS = 200_000
#: Keys that may name a file; the requirement's file is in the server's folder, so relative paths would start there.
_FILES = (("parts",), ("prices",), ("floor", "file"))
#: Keys with free text or names of tables, which name no file.
_FREE = ("title", "compare")
#: The lines that note the content of the files that a requirement names.
_CONTENT = "# content of {}: sha256 {}\n"
_CONTENTS = re.compile(r"# content of [^\n]*: sha256 [0-9a-f]{64}\n")


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
    placed, content = placed_text(text, spaces)
    change = _checked(change, spaces)
    stem = hashlib.sha256(placed.encode()).hexdigest()[:12]
    path = folder / FOLDER / f"requirement-{stem}.toml"
    if not path.is_file():
        if not write:
            raise InputError("this design was not requested yet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, placed)
    elif write:
        os.utime(path)  # mark it as used: unused files are removed
    design: dict[str, Any] = {"requirement": str(path)}
    machine = is_machine(text)
    if not machine:
        notes = "".join(_CONTENTS.findall(placed))
        design |= {"change": change, "measured": str(folder / MEASURED / _stamp(content, notes))}
    if machine or change.get("shortlist") != 0:
        if write:
            (folder / DESIGNS).mkdir(exist_ok=True)
        key = hashlib.sha256(msgspec.json.encode([stem, change], order="sorted")).hexdigest()[:16]
        design |= {"folder": str(folder / DESIGNS / key)}
    return design


def requirement_text(task: Task, spaces: Spaces) -> str:
    """The text of the requirement of a task, with the addresses of the files that it names.

    Parameters
    ----------
    task : Task
        A design, or the check of a requirement.
    spaces : Spaces

    Returns
    -------
    str

    Raises
    ------
    InputError
        The task has no requirement, or its file is gone.
    """
    file = task.arguments.get("requirement")
    text = read_text(file, LONGEST) if isinstance(file, str) else task.arguments.get("text")
    if not isinstance(text, str):
        raise InputError("this task has no requirement")
    for name, root in spaces.roots.items():
        text = text.replace(f'"{root}/', f'"{name}/')
    return _CONTENTS.sub("", text)


def _stamp(content: dict[str, Any], notes: str) -> str:
    """A digest that is equal for requirements with equal measurements; `notes` are on the content of their files."""
    measured = sorted((name, value) for name, value in content.items() if name not in _NOT_MEASURED)
    return hashlib.sha256((repr(measured) + notes).encode()).hexdigest()[:16]


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


def placed_text(text: str, spaces: Spaces) -> tuple[str, dict[str, Any]]:
    """A requirement with the whole path of every file that it names, and with notes on the content of these files.

    Parameters
    ----------
    text : str
    spaces : Spaces

    Returns
    -------
    (str, dict)
        The text, in which nothing else changes, and its tables.

    Raises
    ------
    InputError
        It names files outside the served folders, it is not TOML, or it is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise InputError(f"requirement: it has more than {_MOST_CHARACTERS:,} characters; shorten it")
    content = parse_toml(text, dict[str, Any], "requirement")
    checked = _checked(content, spaces)
    for keys in _FILES:
        named = _at(content, keys)
        if isinstance(named, str) and named == _at(checked, keys) and Path(named).suffix and not os.path.isabs(named):
            whole = "there is no such file in the served folders"
            raise InputError(f"requirement: {'.'.join(keys)} = {shown(named)}: {whole}")
    placed, paths = text, set()
    for written, path in _changed(content, checked):
        placed = placed.replace(f'"{written}"', json.dumps(path, ensure_ascii=False))
        placed = placed.replace(f"'{written}'", json.dumps(path, ensure_ascii=False))
        paths.add(path)
    if paths and parse_toml(placed, dict[str, Any], "requirement") != checked:
        written, path = next(_changed(content, checked))
        raise InputError(
            f"requirement: {shown(written)}: write it as one plain text in quotes, or give its path, {path}"
        )
    named = [path for path in paths | {_at(checked, keys) for keys in _FILES} if _is_file(path)]
    files = sorted({file for path in named for file in (path, *_behind(path, spaces))})
    notes = "".join(_CONTENT.format(path, content_digest(Path(path))) for path in files)
    return placed + ("\n" if notes and not placed.endswith("\n") else "") + notes, checked


def _behind(path: str, spaces: Spaces) -> list[str]:
    """The files that a TOML file names, such as the slots of a floor."""
    if not path.endswith(".toml"):
        return []
    try:
        content = parse_toml(read_text(path, LONGEST), dict[str, Any], path)
    except InputError:  # the check of the requirement names the fault
        return []
    places = (Path(path).parent / text for text in content.values() if isinstance(text, str) and Path(text).suffix)
    return [str(place) for place in places if is_below(place, spaces.roots.values()) and _is_file(str(place))]


def _is_file(path: Any) -> bool:
    return isinstance(path, str) and os.path.isabs(path) and os.path.isfile(path)


def _changed(content: Any, checked: Any) -> Iterator[tuple[str, str]]:
    """The texts that differ between two values of the same shape."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield from _changed(value, checked[name])
    elif isinstance(content, list):
        for value, other in zip(content, checked, strict=True):
            yield from _changed(value, other)
    elif isinstance(content, str) and content != checked:
        yield content, checked


def _at(content: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def _checked(content: dict[str, Any], spaces: Spaces) -> dict[str, Any]:
    """The content of a requirement, with every file name replaced by its path."""
    free = {name: value for name, value in content.items() if name in _FREE}
    return spaces.check({name: value for name, value in content.items() if name not in free}) | free

"""Files that a user drops: which of them are one discovery together, and the date that their names or contents state."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.fabric.port_counters import read_counters
from topoloom.formats._lldp.folder import devices_in
from topoloom.formats._storage import contents
from topoloom.model.network_folders import FABRIC, FABRIC_TABLES, MACHINE
from topoloom.network.folder import holds

#: What a file is: a discovery, error counters, a plan, or something else.
DISCOVERY, COUNTERS, PLAN, OTHER = "discovery", "counters", "plan", "other"
#: Folders in folders that are searched.
_DEEPEST = 6
#: The beginning of a file in which it states its date.
_BEGINNING = 4096
_IN_NAME = re.compile(r"(?<!\d)(20\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?:[-_.T ]?([0-2]\d)[-_.:h]?([0-5]\d))?")
_GENERATED = re.compile(rb"generated on \w{3} (\w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4})")


@dataclass(frozen=True)
class DroppedFile:
    """A file, or a folder of files of one device each.

    Attributes
    ----------
    path : Path
    name : str
        Its path from the folder that was dropped.
    kind : str
    why : str
        Why it is no discovery.
    date : str
        ``2026-11-26 03:47``, or ``2026-11-26``; empty if neither its name nor its content states one.
    """

    path: Path
    name: str
    kind: str = DISCOVERY
    why: str = ""
    date: str = ""


def dropped_files(path: Path) -> list[DroppedFile]:
    """What is in a file or folder that a user dropped, in the order of names.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of DroppedFile

    Raises
    ------
    InputError
        There is no such file.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file")
    if path.is_dir():
        return list(_in_folder(path, path.parent, _DEEPEST))
    return [_file(path, path.parent)]


def _in_folder(folder: Path, base: Path, deepest: int) -> Iterator[DroppedFile]:
    name = str(folder.relative_to(base))
    if _is_plan(folder):
        yield DroppedFile(folder, name, PLAN, "is a plan: a folder of topoloom, not what is cabled")
        return
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files, folders = [path for path in inside if path.is_file()], [path for path in inside if path.is_dir()]
    devices = {path: devices_in(path) for path in files}
    single = [path for path in files if len(devices[path]) == 1]
    within = [_devices_below(path) for path in folders]
    one_each = len(within) > 1 and all(len(each) == 1 for each in within) and len(set().union(*within)) == len(within)
    if single or one_each:
        date = _date(name) or max((_date(path.name) for path in single), default="")
        yield DroppedFile(folder, name, date=date)
    for path in files:
        if path not in single:
            yield _file(path, base)
    for path in () if one_each else folders:
        if deepest:
            yield from _in_folder(path, base, deepest - 1)
        else:
            yield DroppedFile(path, str(path.relative_to(base)), OTHER, f"is more than {_DEEPEST} folders deep")


def _is_plan(folder: Path) -> bool:
    """Whether topoloom wrote a folder; ``fabric.net`` without its tables is what a user discovered of a network fabric."""
    held = holds(folder)
    return (folder / MACHINE).is_file() or any(name != FABRIC or (folder / FABRIC_TABLES).is_file() for name in held)


def _devices_below(folder: Path) -> set[str]:
    files = (path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    return {device for path in files for device in devices_in(path)}


def _file(path: Path, base: Path) -> DroppedFile:
    name = str(path.relative_to(base))
    return DroppedFile(path, name, date=_date(name) or _stated_date(path))


def _date(name: str) -> str:
    """The last date in a name; empty if there is none."""
    for match in reversed(list(_IN_NAME.finditer(name))):
        year, month, day, hour, minute = match.groups()
        try:
            moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0))
        except ValueError:
            continue
        return f"{moment:%Y-%m-%d %H:%M}" if hour else f"{moment:%Y-%m-%d}"
    return ""


def _stated_date(path: Path) -> str:
    """The date at the beginning of a file of ibnetdiscover."""
    try:
        stated = _GENERATED.search(contents(str(path))[:_BEGINNING])
        return "" if stated is None else f"{datetime.strptime(stated[1].decode(), '%b %d %H:%M:%S %Y'):%Y-%m-%d %H:%M}"
    except (InputError, ValueError):
        return ""


def counters_in(path: Path) -> bool:
    """Whether a file has error counters of ports."""
    try:
        text = contents(os.fspath(path)).decode(errors="replace")
        return bool((counters := read_counters(text, str(path))).by_guid or counters.by_lid)
    except InputError:
        return False

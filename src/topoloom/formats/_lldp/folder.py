"""Fabrics from what devices hear of each other (LLDP): a folder with one file per device, or one file of one or many."""

import logging
import os
from collections.abc import Iterator
from importlib import import_module
from itertools import chain, islice
from pathlib import Path

from topoloom.core.errors import InputError, at
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.merged_cables import merged_cables
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._content import certain_format
from topoloom.formats._device_files import device_of
from topoloom.formats._foreign import foreign_content
from topoloom.formats._lldp.joining import joined_views
from topoloom.formats._lldp.reading import views_in
from topoloom.formats._lldp.views import DeviceView
from topoloom.formats._named_format import guarded_cables
from topoloom.formats._storage import contents, refuse_empty
from topoloom.formats._text import fabric_from, stem

log = logging.getLogger("topoloom")

#: Formats of one device's configuration, and their modules.
_PER_DEVICE = {
    "config-db": "config_db",
    "minigraph": "minigraph",
    "avd": "avd",
    "fboss": "fboss",
    "frr-conf": "frr_conf",
}

#: More files than any fabric has devices.
_MOST_FILES = 200_000
#: Folders in a folder, one per device.
_DEEPEST = 2
#: Files whose reasons a refusal gives.
_SHOWN = 3
#: Files that are omitted with a line each.
_REPORTED = 20
_FORM = "expected LLDP neighbours of devices, such as 'lldpcli -f json show neighbors' prints them"


def cables_of_file(data: bytes, source: str, lenient: bool, management: bool) -> NamedCables:
    """The cables in one file: the neighbours of one device, or of many.

    Parameters
    ----------
    data : bytes
    source : str
        The file, which names the device if its content does not.
    lenient : bool
        Whether the caller reports entries that are not cables (`Fabric.flaws`) itself.
    management : bool
        Whether to include the cables of ports for management.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file has no form that is read, or is damaged.
    """
    views = views_in(data, source)
    if not views:
        raise at(source, None, f"is in no form of neighbours that is read; {_FORM}")
    return joined_views(views, source, lenient=lenient, management=management)


#: A file, and its content as `_content` returns it, or why it is not read.
_Read = tuple[str, tuple[list[DeviceView], str, bytes] | InputError]


def read_device_files(path: Path) -> Iterator[_Read] | None:
    """The files of a folder of files of one device each, for `fabric_of_folder`; None if none of its files states cables.

    Each file is read once, when it is asked for; the first that can be read decides.
    """
    read = _read(path)
    ahead = []
    for file in read:
        ahead.append(file)
        if not isinstance(file[1], InputError):
            return chain(ahead, read)
    return None


def why_not_read(path: Path) -> str:
    """Why the first files of a folder without a network are not read, as the end of a sentence; empty if it has none."""
    refusals = (content for _, content in _read(path) if isinstance(content, InputError))
    return _reasons(list(islice(refusals, _SHOWN + 1)))


def devices_in(path: Path) -> tuple[str, ...]:
    """The devices whose own view a file has: neighbours, or a configuration that names them; empty if it has none.

    Parameters
    ----------
    path : Path
        A file.
    """
    try:
        views, name, _ = _content(str(path))
    except InputError:
        return ()
    named = tuple(dict.fromkeys(view.name or device_of(view.source) for view in views))
    return named or ((device_of(str(path)),) if name else ())


def _read(path: Path) -> Iterator[_Read]:
    for file in _files(path):
        source = str(file)
        try:
            yield source, _content(source)
        except InputError as error:
            yield source, error


def _content(source: str) -> tuple[list[DeviceView], str, bytes]:
    """The views in a file, or the format of one device's configuration that it has, and its content.

    Raises
    ------
    InputError
        It is neither; the message says what it is.
    """
    data = contents(source)
    refuse_empty(data, source, "what a device hears of its neighbours")
    views, refusal = [], None
    try:
        views = views_in(data, source)
    except InputError as error:
        refusal = error
    # Neighbours are in no configuration, and thousands of files are not searched for one.
    name = "" if any(view.lists for view in views) else certain_format(data)
    if not views and not name and (what := foreign_content(data)):
        raise at(source, None, f"is {what}")
    if refusal is not None:
        raise refusal
    if not views and name not in _PER_DEVICE:
        raise at(source, None, f"is no device's view ({f'its format is {name}' if name else 'no form that is read'})")
    return views, name, data


def _reasons(refusals: list[InputError]) -> str:
    shown = "; ".join(map(str, refusals[:_SHOWN]))
    return f": {shown}{' ...' if len(refusals) > _SHOWN else ''}" if refusals else ""


def fabric_of_folder(
    path: Path, files: Iterator[_Read] | None = None, *, lenient: bool = False, management: bool = False
) -> Fabric:
    """The fabric in a folder of files of one device each: LLDP neighbours, or configurations that name the neighbours.

    Files of other kinds, and damaged ones, are omitted and reported, and so are entries with names that cannot be. If any file
    has LLDP neighbours, only these are cables: a configuration then gives the names and rates of ports.

    Parameters
    ----------
    path : Path
    files : iterator, optional
        From `read_device_files`, if it has begun to read them.
    lenient : bool
        Whether the caller reports entries that are not cables (`Fabric.flaws`) itself.
    management : bool
        Whether to include the cables of ports for management in neighbour tables.

    Raises
    ------
    InputError
        No file states the cables of a device.
    """
    views: list[DeviceView] = []
    planned: list[NamedCables] = []
    refusals: list[InputError] = []
    for source, content in _read(path) if files is None else files:
        if isinstance(content, InputError):
            refusals.append(content)
            continue
        in_file, name, data = content
        try:
            if name in _PER_DEVICE:
                reader = import_module(f"topoloom.formats.{_PER_DEVICE[name]}").cables_in
                planned.append(guarded_cables(name, reader, data, source, lenient=True))
        except InputError as error:
            refusals.append(error)
            continue
        views += in_file
    if not planned and not any(view.lists for view in views):
        raise at(str(path), None, f"holds no network{_reasons(refusals)}; {_FORM}")
    for refusal in refusals[:_REPORTED]:
        log.warning("%s; omitted", refusal)
    if len(refusals) > _REPORTED:
        log.warning("%s: %d more files are omitted", path, len(refusals) - _REPORTED)
    if any(view.lists for view in views):
        cables = joined_views(views, str(path), lenient=lenient, management=management)
    else:
        cables = merged_cables(planned, str(path), lenient=lenient)
    return fabric_from(str(path), lambda: cables.fabric(stem(str(path)), _FORM))


def _files(path: Path) -> Iterator[Path]:
    """The files of a folder and of the folders in it, in the order of their names; hidden ones are not read."""
    number = 0
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(Path(folder).relative_to(path).parts) >= _DEEPEST - 1:
            folders.clear()
        for name in sorted(files):
            if name.startswith("."):
                continue
            number += 1
            if number > _MOST_FILES:
                raise at(str(path), None, f"holds more than {_MOST_FILES:,} files")
            yield Path(folder) / name

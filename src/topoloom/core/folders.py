"""Writing several files into a folder, all or none of them; other files in the folder are never touched."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.files import READ_ONLY, reason
from topoloom.core.staging import OWN_NAMES, UNFINISHED, Content, Staging, settled


def write_folder(
    folder: str | os.PathLike[str], files: Mapping[str, Content], *, stale: Iterable[str] = ()
) -> list[Path]:
    """Write files into a folder, all of them or none; return their paths.

    Other files and folders in it stay unchanged. After a kill at any moment, even by SIGKILL, every reader that calls `settle`
    first sees the old content or the new one. Several programs may write the same folder at once, also from different
    containers or machines: it then holds all files of the last one.

    Parameters
    ----------
    folder : path
        It is created if missing; its parent folder must exist.
    files : mapping of str to str, bytes or Path
        Contents by path within the folder (``sheets/A01.html``); text is written as UTF-8; a Path means the content of that
        file. A replaced file keeps its permissions.
    stale : texts, optional
        Patterns of files from earlier writing to remove unless they are among `files`: ``sheets/*.html``.

    Returns
    -------
    list of Path
        The files, in the order given.

    Raises
    ------
    InputError
        The folder cannot be created or written; it is then unchanged.
    """
    shown = os.fspath(folder)
    check_folder(folder)
    target = Path(os.path.realpath(folder))
    try:
        staging = Staging.made_in(target if _alone(target) else target.parent)
    except OSError as error:
        raise InputError(f"{shown}: cannot be written: {reason(error)}") from None
    try:
        staging.fill(files)
        if target.is_dir() or not staging.became(target):
            staging.carry_out_in(target, list(files), tuple(stale), shown)
    except (OSError, UnicodeEncodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "a text holds half of a surrogate pair"
        raise InputError(f"{shown}: cannot be written: {why}; nothing was changed") from None
    finally:
        staging.remove()
    return [Path(folder) / name for name in files]


def settle(folder: str | os.PathLike[str]) -> None:
    """Call before reading a folder: finish the writing of a killed program, or wait for a program that is writing now.

    Raises
    ------
    InputError
        Another program keeps writing, or the writing cannot be finished (with the reason), or `READ_ONLY` forbids it.
    """
    try:
        path = Path(os.path.realpath(folder))
        # A design's folder is written with the networks in it: ``shortlist/1`` has the plan two levels up.
        unsettled = [place for place in path.parents[:2] if _planned_by_this_user(place / UNFINISHED)]
        if os.path.lexists(path / UNFINISHED):
            unsettled.append(path)
    except (OSError, ValueError):
        return  # not a folder name: the reader reports it
    if unsettled and READ_ONLY in os.environ:
        raise InputError(
            f"{os.fspath(folder)}: is not completely written, and this program only reads; load it with another"
            " topoloom command first"
        )
    for place in unsettled:
        settled(place, os.fspath(folder))


def _planned_by_this_user(journal: Path) -> bool:
    """Whether a plan of unfinished writing exists that belongs to this user."""
    try:
        status = journal.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def users_cache() -> Path:
    """The user's folder for what can be made again: ``$XDG_CACHE_HOME/topoloom``, else ``~/.cache/topoloom``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "topoloom"


def files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """All files in a folder and its subfolders, in order, without temporary files of running writers."""
    root = Path(folder)
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return [path for path in paths if not path.relative_to(root).parts[0].startswith(OWN_NAMES)]


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that `write_folder` could not write, before any work; nothing is created.

    Raises
    ------
    InputError
        It is a file, its name is empty, its parent folder is missing, or it is not writable.
    """
    shown = os.fspath(folder)
    if not str(shown).strip():
        raise InputError("the name of the folder is empty; name one ('.' is this one)")
    try:
        target = Path(os.path.realpath(folder))
        exists = target.exists()
    except (OSError, ValueError) as error:
        raise InputError(f"{str(shown)[:100]!r}: cannot be a folder: {reason(error)}") from None
    if exists and not target.is_dir():
        raise InputError(f"{shown}: is a file; name a folder")
    if not exists and not target.parent.is_dir():
        raise InputError(f"{shown}: there is no folder {target.parent}; make it first")
    place = target if exists else target.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{place}: nothing can be written there; choose another folder")


def _alone(target: Path) -> bool:
    """Whether new files must be created within the folder, because its parent is not writable or on another disk."""
    return target.is_dir() and (os.path.ismount(target) or not os.access(target.parent, os.W_OK | os.X_OK))

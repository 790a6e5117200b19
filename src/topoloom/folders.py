"""Folders written whole or not at all: the new one is made beside the old one and put in its place in one step."""

import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from topoloom.errors import InputError
from topoloom.files import file_mask, reason

#: Linux: renameat2 with this flag exchanges two names in one step.
_EXCHANGE = 2
_HERE = -100
#: What is made beside a folder tells whose it is, so that a later writing can clear away what a killed one left.
_PREFIX = ".topoloom-folder-"
#: Lies in a folder for as long as files are put into it one by one.
UNFINISHED = ".topoloom-unfinished"


def write_folder(
    folder: str | os.PathLike[str], files: Mapping[str, str | bytes], *, stale: Iterable[str] = ()
) -> list[Path]:
    """Write files into a folder so that it has all of them, or is as it was; returns their paths.

    Other files that lie there stay. Killed at any moment, even by SIGKILL, the folder is the old one or the new one, never
    a mixture. A folder that cannot be exchanged (the one that the program runs in, a mounted one, one in a folder that
    cannot be written) is filled where it is; as long as that takes it holds the file `UNFINISHED`, and `refuse_unfinished`
    tells readers.

    Parameters
    ----------
    folder : path
        Made if it is not there; the folder around it must be.
    files : mapping of str to str or bytes
        Contents by path within the folder (``sheets/A01.html``); text is written as UTF-8.
    stale : texts, optional
        Patterns of files of an earlier writing that go unless they are among `files`: ``sheets/*.html``.

    Returns
    -------
    list of Path
        The files, in the order given.

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    target = Path(os.path.realpath(folder))
    shown = os.fspath(folder)
    check_folder(folder)
    inside = target.exists() and _stays(target)
    around = target if inside else target.parent
    _clear(around)
    try:
        beside = _beside(around)
    except OSError as error:
        place = "it" if inside else "the folder around it"
        raise InputError(f"{shown}: {place} cannot be written: {reason(error)}") from None
    try:
        if inside:
            _write_files(beside, files)
            _put_inside(beside, target, files, tuple(stale))
        else:
            _fill(beside, target, files, tuple(stale))
            _put(beside, target)
    except (OSError, UnicodeEncodeError) as error:
        told = reason(error) if isinstance(error, OSError) else "a text holds half of a surrogate pair"
        raise InputError(f"{shown}: cannot be written: {told}; nothing was changed") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [Path(folder) / name for name in files]


def refuse_unfinished(folder: str | os.PathLike[str]) -> None:
    """Raise `InputError` where a folder was being written when the program was killed."""
    if (Path(folder) / UNFINISHED).exists():
        raise InputError(f"{os.fspath(folder)}: the program ended while it wrote this folder; write it anew")


def _stays(target: Path) -> bool:
    """Whether a folder cannot be put aside: somebody stands in it, it is mounted, or the folder around it is closed."""
    try:
        here = Path.cwd().resolve()
    except OSError:
        here = Path("/")
    within = target == here or target in here.parents
    return within or os.path.ismount(target) or not os.access(target.parent, os.W_OK | os.X_OK)


def _put_inside(beside: Path, target: Path, files: Mapping[str, str | bytes], stale: tuple[str, ...]) -> None:
    """The files of `beside`, which lies in the folder, one by one to their places."""
    note = target / UNFINISHED
    gone = [path for pattern in stale for path in target.glob(pattern) if str(path.relative_to(target)) not in files]
    note.touch()
    for name in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(beside / name, target / name)
    for path in gone:
        path.unlink(missing_ok=True)
    note.unlink()


def _beside(around: Path) -> Path:
    """A new folder of this process in the folder `around`."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=around))


def _clear(around: Path) -> None:
    """Remove what processes that are no more left there."""
    for old in around.glob(f"{_PREFIX}*-*"):
        number = old.name.removeprefix(_PREFIX).partition("-")[0]
        if number.isdecimal() and not Path("/proc", number).exists() and Path("/proc/self").exists():
            shutil.rmtree(old, ignore_errors=True)


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder that `write_folder` could not write, before any work is done for it; nothing is made.

    Raises
    ------
    InputError
        It is a file, its name is empty, the folder around it is missing, or nothing can be written there.
    """
    shown = os.fspath(folder)
    if not str(shown).strip():
        raise InputError("the name of the folder is empty; name one ('.' is this one)")
    target = Path(os.path.realpath(folder))
    if target.exists() and not target.is_dir():
        raise InputError(f"{shown}: is a file; name a folder")
    if not target.parent.is_dir():
        raise InputError(f"{shown}: there is no folder {target.parent}; make it first")
    for place in (target,) if target.exists() and _stays(target) else (target.parent, target):
        if place.exists() and not os.access(place, os.W_OK | os.X_OK):
            raise InputError(f"{place}: nothing can be written there; choose another folder")


def _fill(beside: Path, target: Path, files: Mapping[str, str | bytes], stale: tuple[str, ...]) -> None:
    """The new folder: what stays of the old one, linked, and the files."""
    os.chmod(beside, target.stat().st_mode & 0o7777 if target.exists() else 0o777 & ~file_mask())
    if target.exists():
        gone = {path for pattern in stale for path in target.glob(pattern)}
        for path in sorted(target.rglob("*")):
            name = path.relative_to(target)
            if path in gone or str(name) in files:
                continue
            if path.is_dir() and not path.is_symlink():
                (beside / name).mkdir(exist_ok=True)
            else:
                _linked(path, beside / name)
    _write_files(beside, files)


def _write_files(beside: Path, files: Mapping[str, str | bytes]) -> None:
    for inner, content in files.items():
        path = beside / inner
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())


def _linked(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError:  # a file system without hard links
        shutil.copy2(old, new, follow_symlinks=False)


def _put(beside: Path, target: Path) -> None:
    """The new folder in the place of the old one, which is left under the new one's name."""
    if not target.exists():
        os.rename(beside, target)
        return
    if not _exchanged(beside, target):
        # Without an exchange there is a moment with neither; the old one is then found beside.
        aside = _beside(target.parent)
        os.rename(target, aside / "old")
        os.rename(beside, target)
        shutil.rmtree(aside, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether the system could exchange two names."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(other))

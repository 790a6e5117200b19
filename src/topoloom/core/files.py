"""Reading and writing files: pipes do not block for ever, files are written whole or not at all, and a fault is one
sentence.
"""

import codecs
import errno
import json
import os
import select
import stat
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from topoloom.core.errors import InputError

#: Seconds that a named pipe may wait for its writer.
_WRITER_SECONDS = 1.0
#: The environment variable with the only folders that this process and its children may read for users: a JSON list. Where it
#: is not set, they may read everything. The explorer sets it.
BELOW = "TOPOLOOM_FILES_BELOW"
#: Where this environment variable is set, nothing is written for users, and interrupted writing is not finished.
READ_ONLY = "TOPOLOOM_READ_ONLY"
_PIECE = 1 << 20


def check_file(path: str | os.PathLike[str], option: str) -> None:
    """Refuse a file that could not be written, before any work; errors name the `option`.

    Raises
    ------
    InputError
        It is a folder, its folder is missing, or nothing can be written there.
    """
    place = Path(path)
    if place.is_dir():
        raise InputError(f"{option} {path}: this is a folder; name a file in it")
    if not place.parent.is_dir():
        raise InputError(f"{option} {path}: there is no folder {place.parent}; create it first")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise InputError(f"{option} {path}: nothing can be written there; choose another file")


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content` to `path` at once: a reader never sees half of it, even after a crash.

    Parameters
    ----------
    path : path
        An existing file is replaced and keeps its permissions; a link is followed; a device or pipe is written to.
    content : str or bytes
        Text is written as UTF-8, with line ends unchanged.

    Raises
    ------
    InputError
        The folder is missing or not writable, `path` is a folder or write-protected, the disk is full.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path}: character {error.start + 1} is half of a surrogate pair; UTF-8 cannot hold it"
        ) from None
    try:
        _write(Path(os.path.realpath(path)), data, str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be written: {reason(error)}") from None


def open_to_read(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; a named pipe without a writer reads as empty instead of blocking for ever.

    Raises
    ------
    OSError, ValueError
        As for `open`; PermissionError where the file lies outside the folders of `BELOW`.
    """
    return open(path, "rb", opener=_opened)


def refuse_outside(path: str | os.PathLike[str]) -> None:
    """Raise `PermissionError` for a path that, with links followed, is outside the folders of `BELOW`."""
    folders = _folders(os.environ.get(BELOW))
    if folders is not None and not is_below(path, folders):
        raise PermissionError(errno.EACCES, "lies outside the folders that may be read", os.fspath(path))


def is_below(path: str | os.PathLike[str], folders: Iterable[Path]) -> bool:
    """Whether a path, with links followed, is one of the resolved folders or inside one."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(folder) for folder in folders)


@lru_cache(maxsize=4)
def _folders(text: str | None) -> tuple[Path, ...] | None:
    return None if text is None else tuple(Path(os.path.realpath(folder)) for folder in json.loads(text))


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pipe, from mkfifo or from ``<(command)`` in a shell."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _opened(path: str, flags: int) -> int:
    refuse_outside(path)
    # A plain open of a pipe without a writer blocks in the system, where even Ctrl-C does not reach Python.
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        if BELOW in os.environ and os.path.exists(f"/proc/self/fd/{handle}"):
            refuse_outside(f"/proc/self/fd/{handle}")  # a link may have been created since the first check
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            select.select([handle], [], [], _WRITER_SECONDS)
        os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_text(path: str | os.PathLike[str], longest: int) -> str:
    """The text of a file that people wrote, without a byte order mark, with line ends unchanged.

    Raises
    ------
    InputError
        The file cannot be read, is not UTF-8, or has more than `longest` characters.
    """
    try:
        with open_to_read(path) as file:
            # Piece by piece: one large read would take memory for the longest file, even for a short one.
            decoder = codecs.getincrementaldecoder("utf-8-sig")()
            parts, length = [], 0
            while length <= longest and (data := file.read(_PIECE)):
                parts.append(decoder.decode(data))
                length += len(parts[-1])
            if length <= longest:
                parts.append(decoder.decode(b"", final=True))
        text = "".join(parts)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; a file is needed") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not text and is_pipe(path):
        raise InputError(f"{path}: nobody writes into this pipe")
    if len(text) > longest:
        raise InputError(f"{path} is longer than {longest:,} characters, the most that is read")
    return text


def reason(error: OSError | ValueError) -> str:
    """The reason of a system error, in lower case: ``permission denied``."""
    # A path with a NUL raises a plain ValueError before any system call.
    text = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    return text[:1].lower() + text[1:]


def _write(target: Path, data: bytes, shown: str) -> None:
    folder = target.parent
    if target.is_dir():
        raise InputError(f"{shown}: is a folder; name a file in it")
    if not folder.is_dir():
        raise InputError(f"{shown}: there is no folder {folder}; make it first")
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
        if not target.is_file():
            # /dev/stdout or a pipe: it cannot be replaced.
            target.write_bytes(data)
            return
        if not os.access(target, os.W_OK):
            raise InputError(f"{shown}: is write-protected; remove it or choose another name")
    else:
        mode = 0o666 & ~file_mask()
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{shown}: the folder {folder} is not writable; choose another")
    handle, temporary = tempfile.mkstemp(prefix=".topoloom-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync(folder)


def sync(path: str | os.PathLike[str]) -> None:
    """Write a file, or the names in a folder, to the disk now, where the system allows it."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # a folder that can be written but not listed
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system without fsync of folders
            raise
    finally:
        os.close(handle)


def file_mask() -> int:
    """The permission bits that new files and folders of this process do not get (umask)."""
    # The system has no call that reads it without setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

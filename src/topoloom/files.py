"""Writing files: all of a file or nothing, and one sentence when it cannot be written."""

import os
import stat
import tempfile
from pathlib import Path

from topoloom.errors import InputError


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write `content` to `path` so that a reader, or a crash, never sees half of it.

    Parameters
    ----------
    path : path
        An existing file is replaced and keeps its permissions; a link is followed; a device or pipe is written to.
    content : str or bytes
        Text is written as UTF-8, line ends as they are.

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


def read_text(path: str | os.PathLike[str], longest: int) -> str:
    """A file that people wrote, as text without a byte order mark, line ends as they are.

    Raises
    ------
    InputError
        It cannot be read, is not UTF-8, or has more than `longest` characters.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read(longest + 1)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; a file is needed") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(text) > longest:
        raise InputError(f"{path} is longer than {longest:,} characters; no such file is")
    return text


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in lower case: ``permission denied``."""
    # A path with a NUL inside raises a plain ValueError before the system is asked.
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
            # /dev/stdout, a pipe: there is nothing to put in its place.
            target.write_bytes(data)
            return
        if not os.access(target, os.W_OK):
            raise InputError(f"{shown}: is write-protected; remove it or choose another name")
    else:
        mode = 0o666 & ~_umask()
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


def _umask() -> int:
    # The system offers no way to read the mask without setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

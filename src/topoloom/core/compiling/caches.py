"""Folders for compiled code: only those into which no other user could have put code."""

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path


@cache
def code_cache(home: str, *inner: str) -> Path:
    """A folder for compiled code: `inner` in `home`, or a temporary one where other users could change that.

    Parameters
    ----------
    home : str
        The user's cache folder, as an environment variable names it; ``~`` is the user's home.
    inner : str
        The names of the folders within it.

    Returns
    -------
    Path
        A writable folder that exists. A temporary one belongs to this process and is removed at its end.
    """
    folder = Path(home).expanduser().absolute().joinpath(*inner)
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if os.access(folder, os.W_OK) and only_this_user_writes(folder):
            return folder
    own = tempfile.mkdtemp(prefix="topoloom-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def only_this_user_writes(folder: Path) -> bool:
    """Whether a folder belongs to this user or root, and other users can neither change nor replace it.

    In a folder of all users, such as ``/tmp``, another user may have made it first; a sticky bit lets names be replaced by
    their owners only. Owners of its parent folders are trusted, such as those of projects and groups.
    """
    real = Path(os.path.realpath(folder))
    if real.stat().st_uid not in (os.geteuid(), 0) or real.stat().st_mode & stat.S_IWOTH:
        return False
    modes = (place.stat().st_mode for place in real.parents)
    return all(mode & stat.S_ISVTX or not mode & stat.S_IWOTH for mode in modes)

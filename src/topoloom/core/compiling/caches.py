"""Folders from which code is run: only those into which nobody else could have put any."""

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
    """A folder for compiled code: `inner` in `home`, or one of this process alone where others could change that.

    Parameters
    ----------
    home : str
        The user's cache folder, as an environment variable names it; ``~`` is the user's home.
    inner : str
        The names of the folders within it.

    Returns
    -------
    Path
        A folder that is there and can be written. One of this process alone is removed at its end.
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
    """Whether a folder is of this user or root, and not every user can change it or put another in its place.

    In a folder of all users, such as ``/tmp``, another user may have made it first; a sticky bit lets names be replaced by
    their owners only. Owners of the folders around it are trusted: they are those of projects and groups.
    """
    real = Path(os.path.realpath(folder))
    if real.stat().st_uid not in (os.geteuid(), 0) or real.stat().st_mode & stat.S_IWOTH:
        return False
    modes = (place.stat().st_mode for place in real.parents)
    return all(mode & stat.S_ISVTX or not mode & stat.S_IWOTH for mode in modes)

"""Locks that end with their process, also across containers and over NFS; process numbers are not used."""

import errno
import fcntl
import hashlib
import os
import time
from functools import cache
from pathlib import Path
from typing import Self

#: Age above which a lock of another machine counts as abandoned, where this machine may not see it (NFS mounted without locks).
_ABANDONED_SECONDS = 3600.0
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)


@cache
def kernel() -> str:
    """A name of the running operating-system kernel, 12 hex digits: processes with the same name see each other's locks, in all
    containers."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().replace("-", "")[:12]
    except OSError:
        return hashlib.sha256(os.uname().nodename.encode()).hexdigest()[:12]


class Lock:
    """An exclusive lock on a file, until `release` or the end of the process.

    Python opens files so that child programs do not inherit them: a lock never outlives its process in a child.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def take(cls, path: Path, *, wait: bool = False, make: bool = True) -> Self | None:
        """The lock on the file at `path`; None where another process holds it and `wait` is not given.

        Parameters
        ----------
        path : Path
        wait : bool
            Wait for the holder.
        make : bool
            Create the file if it is missing.

        Returns
        -------
        Lock or None

        Raises
        ------
        FileNotFoundError
            The file is missing and `make` is false, or its folder is missing.
        OSError
            The file cannot be opened.
        """
        while True:
            handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if make else 0), 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                # The holder before may have removed the file: then this lock has no effect.
                if os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False)):
                    return cls(handle)
            except BlockingIOError:
                os.close(handle)
                return None
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno in _NO_LOCKS:
                    return cls(handle)
                os.close(handle)
                raise
            os.close(handle)

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._handle)


def abandoned(path: Path, holder: str) -> Lock | None:
    """The lock on a file that a process left at `path` when it ended; None while it is, or may be, running.

    Parameters
    ----------
    path : Path
        The lock's file.
    holder : str
        `kernel` of the process that created it.

    Returns
    -------
    Lock or None
        For another machine, or this one before its restart, only after an hour: over NFS without locks, another machine's lock
        looks free.
    """
    try:
        lock = Lock.take(path, make=False)
    except OSError:
        return None  # not readable for this user, or just removed
    if lock is None:
        return None
    if holder == kernel() or age_seconds(path) > _ABANDONED_SECONDS:
        return lock
    lock.release()
    return None


def age_seconds(path: Path) -> float:
    """Seconds since a file was changed; 0 where it is missing."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0

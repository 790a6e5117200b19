"""Locks that end with their holder: also across containers, and over NFS; nothing is concluded from a process number."""

import errno
import fcntl
import hashlib
import os
import time
from functools import cache
from pathlib import Path
from typing import Self

#: Where another machine may hold a lock that this one cannot see (NFS mounted without locks): what is older is abandoned.
_ABANDONED_SECONDS = 3600.0
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)


@cache
def kernel() -> str:
    """A name for the running kernel, 12 hex digits: processes with the same one see each other's locks, whatever container
    they are in."""
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
            Whether the file is made if it is not there.

        Returns
        -------
        Lock or None

        Raises
        ------
        FileNotFoundError
            The file is not there and is not to be made, or its folder is gone.
        OSError
            The file cannot be opened.
        """
        while True:
            handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | (os.O_CREAT if make else 0), 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                # Whoever held it before may have removed the file: then this lock is on nothing.
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
    """The lock on what a process left at `path` when it ended; None while it is, or may be, at work.

    Parameters
    ----------
    path : Path
        The lock's file.
    holder : str
        `kernel` of the process that made it.

    Returns
    -------
    Lock or None
        Of another machine, or of this one before it was started again, only after an hour: over NFS without locks a lock of
        another machine looks free.
    """
    try:
        lock = Lock.take(path, make=False)
    except OSError:
        return None  # not ours to open, or gone in this moment
    if lock is None:
        return None
    if holder == kernel() or age_seconds(path) > _ABANDONED_SECONDS:
        return lock
    lock.release()
    return None


def age_seconds(path: Path) -> float:
    """How long ago a file was changed; 0 where it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0

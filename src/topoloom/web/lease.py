"""Leases: one server per store, and how another server finds out that the owner is gone.

On one machine, containers included, a lock shows whether the owner is alive, however it ended. Machines that share a store over
NFS without locks rely on the owner's last touch of the file, by the clock of the file system alone.
"""

import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import reason
from topoloom.core.locks import Lock, kernel

#: The name of the file in the store's folder.
NAME = "served-by.json"
#: Seconds between two touches of the file, and after which an untouched one may be taken over.
BEAT_S, STALE_S = 10.0, 60.0
#: Seconds after which two machines that took a store over at the same time see which was the last.
_SETTLE_S = 1.0


class Owner(msgspec.Struct):
    """The content of the file.

    Attributes
    ----------
    kernel : str
        The kernel of the owner's machine, from `topoloom.core.locks.kernel`.
    host : str
    pid : int
        The owner's process number, in its own namespace.
    since : str
    mark : str
        Identifies this lease.
    """

    kernel: str = ""
    host: str = ""
    pid: int = 0
    since: str = ""
    mark: str = ""


class Lease:
    """Reserves a store for this server until `end`.

    Parameters
    ----------
    folder : path
        The folder of the store.

    Raises
    ------
    InputError
        Another server has the store, or the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._mark = secrets.token_hex(8)
        self._over = threading.Event()
        try:
            self._lock = self._taken()
        except OSError as error:
            raise InputError(f"{folder}: cannot be used: {reason(error)}") from None
        threading.Thread(target=self._beat, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Release the store."""
        if not self._over.is_set():
            self._over.set()
            if _read(self._path).mark == self._mark:
                self._path.unlink(missing_ok=True)
            self._lock.release()

    def _taken(self) -> Lock:
        lock = Lock.take(self._path)
        owner = _read(self._path)
        if lock is None:
            raise self._refusal(owner)
        try:
            written = self._path.stat().st_size > 0
            if written and owner.kernel != kernel() and not self._stale():
                raise self._refusal(owner)
            since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
            ours = Owner(kernel(), socket.gethostname(), os.getpid(), since, self._mark)
            with self._path.open("r+b") as file:
                file.truncate()
                file.write(msgspec.json.encode(ours) + b"\n")
            if written and owner.kernel != kernel():
                time.sleep(_SETTLE_S)
                if _read(self._path).mark != self._mark:
                    raise self._refusal(_read(self._path))
        except BaseException:
            lock.release()
            raise
        return lock

    def _stale(self) -> bool:
        """Whether the file was not touched for long."""
        clock = self._path.with_suffix(f".{self._mark}")
        try:
            clock.write_text("")
            return clock.stat().st_mtime - self._path.stat().st_mtime > STALE_S
        finally:
            clock.unlink(missing_ok=True)

    def _refusal(self, owner: Owner) -> InputError:
        who = f"process {owner.pid} of {owner.host}, since {owner.since}" if owner.host else "it has just started"
        return InputError(
            f"{self._path.parent}: another topoloom serve has this store ({who}); open its address, give --store another"
            " folder, or watch it with --read-only"
            + ("" if owner.kernel in (kernel(), "") else f"; if it no longer runs, try again in {STALE_S:.0f} s")
        )

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with suppress(OSError):
                if _read(self._path).mark == self._mark:
                    os.utime(self._path)


def _read(path: Path) -> Owner:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Owner()  # the file is being written, or is gone

"""One server for one store: who has it, by a file that only one can make, and how another finds out that its owner is gone.

On one machine (containers of it included) a lock tells at once whether the owner lives, whatever killed it. Machines that share
a store over a network that keeps no locks tell by the time at which its owner touched the file last, by the clock of the file
system alone.
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

from topoloom.errors import InputError
from topoloom.files import reason

#: The file, in the folder of the store.
NAME = "served-by.json"
#: Seconds between two touches, and after which one that nobody touches is anybody's.
BEAT_S, STALE_S = 10.0, 60.0


class Owner(msgspec.Struct):
    """What the file says.

    Attributes
    ----------
    machine : str
        The running system: another after each start of the machine, the same in all its containers.
    host : str
    pid : int
        As the owner itself sees it.
    since : str
    mark : str
        Of this one lease.
    """

    machine: str = ""
    host: str = ""
    pid: int = 0
    since: str = ""
    mark: str = ""


class Lease:
    """The store is this server's until `end`.

    Parameters
    ----------
    folder : path
        Of the store.

    Raises
    ------
    InputError
        Another server has it; the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._mark = secrets.token_hex(8)
        self._over = threading.Event()
        try:
            self._file = self._made()
        except OSError as error:
            raise InputError(f"{folder}: cannot be used: {reason(error)}") from None
        threading.Thread(target=self._beat, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Anybody may have the store."""
        if not self._over.is_set():
            self._over.set()
            if _read(self._path).mark == self._mark:
                self._path.unlink(missing_ok=True)
            os.close(self._file)

    def _made(self) -> int:
        """The file, made by us and locked."""
        for _ in range(5):
            with suppress(FileExistsError):
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
                _lock(file, wait=True)  # somebody may be looking whether its owner lives
                owner = Owner(
                    _machine(),
                    socket.gethostname(),
                    os.getpid(),
                    time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
                    self._mark,
                )
                os.write(file, msgspec.json.encode(owner) + b"\n")
                return file
            self._take_away()
        raise self._refusal(_read(self._path))

    def _take_away(self) -> None:
        """Remove the file of an owner that is gone.

        Raises
        ------
        InputError
            It is not.
        """
        try:
            file = os.open(self._path, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            owner = _read(self._path)
            free = _lock(file)
            if free is False or (not (free and owner.machine == _machine()) and not self._stale()):
                raise self._refusal(owner)
            # While we hold the lock nobody else of this machine comes so far; of other machines one wins the renaming.
            with suppress(FileNotFoundError):
                if os.fstat(file).st_ino == os.stat(self._path).st_ino:
                    aside = self._path.with_suffix(f".{self._mark}")
                    os.rename(self._path, aside)
                    aside.unlink(missing_ok=True)
        finally:
            os.close(file)

    def _stale(self) -> bool:
        clock = self._path.with_suffix(f".clock-{self._mark}")
        try:
            clock.write_text("")
            return clock.stat().st_mtime - self._path.stat().st_mtime > STALE_S
        finally:
            clock.unlink(missing_ok=True)

    def _refusal(self, owner: Owner) -> InputError:
        where = f"process {owner.pid} of {owner.host}" if owner.host else "another process"
        return InputError(
            f"{self._path.parent}: another topoloom serve has this store ({where}, since {owner.since or 'just now'}); open"
            " its address, give --store another folder, or look at what it does with --read-only"
            + ("" if owner.machine == _machine() else f"; if it is no more, try again in {STALE_S:.0f} s")
        )

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with suppress(OSError):
                if _read(self._path).mark == self._mark:
                    os.utime(self._path)


def _read(path: Path) -> Owner:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Owner()  # being written, or gone


def _lock(file: int, *, wait: bool = False) -> bool | None:
    """Whether the lock of a file is ours now; None where files cannot be locked."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _machine() -> str:
    """The running system, by the number that it drew when it started; by the name of the host where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return socket.gethostname()

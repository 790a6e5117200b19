"""Changes of a folder that take effect whole or not at all, also where the program is killed.

New files are made in a staging folder with a lock and a plan. The plan takes effect when the staging folder gets the name
`UNFINISHED`, in one step of the file system; then each file moves to its place. Whoever comes across `UNFINISHED` and gets
its lock, because the writer was killed, carries the plan out. Locks and renames work between containers and over NFS.
"""

import errno
import os
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Self, TypeAlias

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import reason, sync
from topoloom.core.json_files import parse_json
from topoloom.core.locks import Lock, abandoned, age_seconds, kernel

#: How the name of a staging folder begins. Its writer's kernel follows: by it others know whether a lock would show.
_PREFIX = ".topoloom-folder-"
#: A plan in effect: lies in a folder for as long as files move to their places.
UNFINISHED = ".topoloom-unfinished"
#: What a file holds: text (UTF-8), bytes, or what another file holds.
Content: TypeAlias = str | bytes | Path
#: How names of both begin.
OWN_NAMES = ".topoloom-"
_LOCK, _PLAN, _NEW, _OLD = "lock", "plan.json", "new", "old"
#: How long to wait for another program that writes the same folder: moving files takes milliseconds.
_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.02
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST)
#: What another machine, or an earlier release, staged and did not touch for so long has no writer any more.
_ABANDONED_SECONDS = 24 * 3600.0


class _Plan(msgspec.Struct):
    """What a staging folder does to the folder it lies in: files that come, files that go."""

    kernel: str
    files: list[str]
    stale: list[str]


class _UndoneError(Exception):
    """A plan could not be carried out, and the folder is as it was."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Staging:
    """A folder of this process in which new files are made, with a lock for as long as it is at work.

    Attributes
    ----------
    place : Path
        Where it is.
    """

    def __init__(self, place: Path, lock: Lock) -> None:
        self.place = place
        self._home = place
        self._lock: Lock | None = lock

    @classmethod
    def made_in(cls, around: Path) -> Self:
        """A new one in a folder, from which what killed programs left is cleared first."""
        _clear(around)
        while True:
            place = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kernel()}-", dir=around))
            try:
                lock = Lock.take(place / _LOCK, wait=True)
            except FileNotFoundError:  # cleared away before its lock was taken
                continue
            if lock is not None:
                return cls(place, lock)

    def keep_for(self, owner: Any) -> None:
        """Remove it when `owner` is no longer used, at the latest when the program ends."""
        weakref.finalize(owner, self.remove)

    def fill(self, files: Mapping[str, Content]) -> None:
        """Make all new files, on the disk, and count them."""
        new = self.place / _NEW
        new.mkdir(0o777)
        sizes = {}
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                if content.parent.name.startswith(_PREFIX):
                    _second_name(content, path)
                else:  # of another folder, with which this one shall share nothing
                    shutil.copyfile(content, path)
                sync(path)
                sizes[path] = content.stat().st_size
                continue
            data = content.encode() if isinstance(content, str) else content
            with path.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            sizes[path] = len(data)
        for path, size in sizes.items():
            if path.stat().st_size != size:
                raise OSError(errno.EIO, f"{path.name} was changed by another program")
        for within in {path.parent for path in sizes}:
            sync(within)

    def became(self, target: Path) -> bool:
        """Whether the new files are now the folder `target`, which was not there; False where it has come meanwhile."""
        try:
            os.rename(self.place / _NEW, target)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        sync(target.parent)
        return True

    def carry_out_in(self, target: Path, names: list[str], patterns: tuple[str, ...], shown: str) -> None:
        """Move the new files to their places in the folder `target`; all, or none.

        Parameters
        ----------
        target : Path
            The folder, links followed.
        names : list of str
            The files that were made by `fill`, by path within it.
        patterns : tuple of str
            Of files that go.
        shown : str
            The folder's name as the user wrote it, for messages.

        Raises
        ------
        OSError
            A file cannot be moved; the folder is as it was.
        InputError
            Another program keeps writing the folder.
        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            settled(target, shown)
            stale = _matching(target, patterns, set(names))
            _check_places(target, names)
            _keep_permissions(self.place / _NEW, target, names)
            _keep_old(self.place / _OLD, target, (*names, *stale))
            plan = self.place / _PLAN
            plan.write_bytes(msgspec.json.encode(_Plan(kernel(), names, stale)))
            sync(plan)
            sync(self.place)
            try:
                os.rename(self.place, target / UNFINISHED)
                break
            except OSError as error:
                # Another program was quicker.
                if error.errno not in _TAKEN or time.monotonic() > deadline:
                    raise
        self.place = target / UNFINISHED
        try:
            _carry_out(self.place, target, names, stale)
        except _UndoneError as undone:
            self._withdraw()
            raise undone.reason from None
        self._withdraw()

    def _withdraw(self) -> None:
        """The plan is no longer in effect."""
        os.rename(self.place, self._home)
        self.place = self._home

    def remove(self) -> None:
        """Give back the lock and clear the staging folder away; a plan that could neither be done nor undone stays."""
        if self._lock is not None:
            # NFS keeps a file that is open under another name, and with it the folder.
            self._lock.release()
            self._lock = None
        if self.place.name != UNFINISHED:
            shutil.rmtree(self.place, ignore_errors=True)


def settled(target: Path, shown: str) -> None:
    """Wait until no plan is in effect in a folder; carry out that of a program that is no more."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    journal = target / UNFINISHED
    ended = f"{shown}: the program ended while it wrote this folder"
    while (kind := _kind(journal)) is not None:
        if not stat.S_ISDIR(kind):
            # A note of topoloom 0.2, which moved files without a plan.
            raise InputError(f"{ended}; remove {UNFINISHED} and write the folder again")
        try:
            if _taken_over(journal, target):
                return
        except (FileNotFoundError, PermissionError):
            pass  # its writer has just finished; or it is of another user, who may be writing now
        except (OSError, InputError, _UndoneError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise InputError(f"{ended}, and it cannot be finished: {why}; write the folder again") from None
        if time.monotonic() > deadline:
            raise InputError(
                f"{shown}: another program has been writing this folder for {_PATIENCE_SECONDS:.0f} s; try later, or have"
                " its owner open it once"
            )
        time.sleep(_POLL_SECONDS)


def _kind(path: Path) -> int | None:
    """The mode of what lies at a path, by one look, since its writer may remove it at any moment; None if nothing does."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def _taken_over(journal: Path, target: Path) -> bool:
    """Carry out the plan of a program that is no more; False where it is still at work."""
    plan = parse_json((journal / _PLAN).read_bytes(), _PLAN, _Plan, "plan of a folder")
    _check_plan(journal, target, plan)
    lock = abandoned(journal / _LOCK, plan.kernel)
    if lock is None:
        return False
    try:
        _carry_out(journal, target, plan.files, plan.stale)
        done = tempfile.mkdtemp(prefix=f"{_PREFIX}{kernel()}-", dir=target)
        os.rename(journal, done)
    finally:
        lock.release()
    shutil.rmtree(done, ignore_errors=True)
    return True


def _carry_out(journal: Path, target: Path, names: Iterable[str], stale: Iterable[str]) -> None:
    """Move each file of a plan to its place, and remove stale ones; begun again after a kill, only what is left is done.

    Raises
    ------
    _UndoneError
        A file cannot be moved: those before it are back where they were.
    """
    new, old = journal / _NEW, journal / _OLD
    moved, removed = [], []
    try:
        for name in names:
            if not (new / name).exists():
                continue  # moved before the writer was killed
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            moved.append(name)
            os.replace(new / name, target / name)
        for name in stale:
            removed.append(name)
            (target / name).unlink(missing_ok=True)
    except BaseException as error:
        for name in moved:
            if not (new / name).exists():
                os.replace(target / name, new / name)
        for name in (*moved, *removed):
            if os.path.lexists(old / name):
                os.replace(old / name, target / name)
        raise _UndoneError(error) from None
    for place in {(target / name).parent for name in (*names, *stale)}:
        if place.is_dir():
            sync(place)


def _keep_old(old: Path, target: Path, names: Iterable[str]) -> None:
    """Keep the files that go under a second name, in case the plan must be undone."""
    shutil.rmtree(old, ignore_errors=True)  # of a try before another program was quicker
    for name in names:
        path, copy = target / name, old / name
        if not os.path.lexists(path):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        _second_name(path, copy)


def _second_name(path: Path, other: Path) -> None:
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:  # a file system without hard links, or a file of somebody else
        shutil.copy2(path, other, follow_symlinks=False)


def _matching(target: Path, patterns: Iterable[str], names: set[str]) -> list[str]:
    """The files in a folder that match one of the patterns and are not among `names`, by path within it."""
    paths = {path for pattern in patterns for path in target.glob(pattern) if not path.is_dir() or path.is_symlink()}
    inside = {path.relative_to(target) for path in paths}
    own = {path for path in inside if not _through_link(target, path)}
    return sorted({path.as_posix() for path in own} - names)


def _through_link(target: Path, inner: Path) -> bool:
    """Whether a path within a folder leads over a link to another place."""
    return any((target / part).is_symlink() for part in inner.parents)


def _check_places(target: Path, names: Iterable[str]) -> None:
    """Refuse places to which a file cannot move, before the first one does."""
    for name in names:
        for inner in reversed(PurePosixPath(name).parents[:-1]):
            place = target / inner
            if place.is_symlink():
                raise OSError(errno.ELOOP, f"{inner} is a link, and nothing outside the folder is written; remove it")
            if place.exists() and not place.is_dir():
                raise OSError(errno.ENOTDIR, f"{inner} is a file where a folder is needed")
            if place.is_dir() and not os.access(place, os.W_OK | os.X_OK):
                raise OSError(errno.EACCES, f"nothing can be written into {inner}")
        if (target / name).is_dir() and not (target / name).is_symlink():
            raise OSError(errno.EISDIR, f"{name} is a folder where a file is needed")


def _keep_permissions(new: Path, target: Path, names: Iterable[str]) -> None:
    """Give each new file the permissions of the one that it replaces."""
    for name in names:
        if (target / name).is_file() and not (target / name).is_symlink():
            os.chmod(new / name, stat.S_IMODE((target / name).stat().st_mode))


def _check_plan(journal: Path, target: Path, plan: _Plan) -> None:
    """Refuse a plan that somebody else may have put there, or that leads out of the folder."""
    if journal.lstat().st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "it belongs to another user")
    for name in (*plan.files, *plan.stale):
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise InputError(f"it names {name!r}, outside the folder")
    _check_places(target, plan.files)
    for name in plan.files:
        path = journal / _NEW / name
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise InputError(f"{name!r} is no plain file")


def _clear(around: Path) -> None:
    """Remove staging folders whose writers are no more."""
    for old in around.glob(f"{_PREFIX}*-*"):
        holder = old.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            if old.lstat().st_uid != os.geteuid():
                continue  # a name in a folder of all users is no reason to touch what it leads to
            # Made where it is not there yet: a writer that comes for it then finds that its folder is gone.
            lock = Lock.take(old / _LOCK) if holder == kernel() or age_seconds(old) > _ABANDONED_SECONDS else None
            if lock is not None:
                (old / _LOCK).unlink()
                lock.release()  # before the rest goes: over NFS an open file keeps its folder
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue  # of another user, or gone in this moment

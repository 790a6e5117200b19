"""Changes of a folder that take effect completely or not at all, even if the program is killed.

New files are created in a staging folder with a lock and a plan. The plan takes effect when the staging folder is renamed to
`UNFINISHED`, one atomic step of the file system; then each file moves to its place. A program that finds `UNFINISHED` and gets
its lock, because the writer was killed, finishes the plan. Locks and renames work between containers and over NFS.
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

#: Prefix of staging folders. The writer's operating-system kernel follows: it shows others whether they would see its lock.
_PREFIX = ".topoloom-folder-"
#: The name of a staging folder whose plan is in effect, while its files move to their places.
UNFINISHED = ".topoloom-unfinished"
#: The content of a file: text (UTF-8), bytes, or the content of another file.
Content: TypeAlias = str | bytes | Path
#: Prefix of both names.
OWN_NAMES = ".topoloom-"
_LOCK, _PLAN, _NEW, _OLD = "lock", "plan.json", "new", "old"
#: Seconds to wait for another program that writes the same folder; moving files takes milliseconds.
_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.02
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST)
#: Age above which a staging folder of another machine or an earlier release counts as abandoned.
_ABANDONED_SECONDS = 24 * 3600.0


class _Plan(msgspec.Struct):
    """The plan of a staging folder: files to move in, and stale files to remove."""

    kernel: str
    files: list[str]
    stale: list[str]


class _UndoneError(Exception):
    """A plan could not be carried out; the folder is unchanged."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Staging:
    """A folder for new files of this process, with a lock while it is used.

    Attributes
    ----------
    place : Path
        Its current path.
    """

    def __init__(self, place: Path, lock: Lock) -> None:
        self.place = place
        self._home = place
        self._lock: Lock | None = lock

    @classmethod
    def made_in(cls, around: Path) -> Self:
        """A new staging folder in `around`; leftovers of killed programs are removed first."""
        _clear(around)
        while True:
            place = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kernel()}-", dir=around))
            try:
                lock = Lock.take(place / _LOCK, wait=True)
            except FileNotFoundError:  # another program removed it before its lock was taken
                continue
            if lock is not None:
                return cls(place, lock)

    def keep_for(self, owner: Any) -> None:
        """Remove the staging folder when `owner` is garbage-collected, at the latest when the program ends."""
        weakref.finalize(owner, self.remove)

    def fill(self, files: Mapping[str, Content]) -> None:
        """Write all new files to the disk, and check their sizes."""
        new = self.place / _NEW
        new.mkdir(0o777)
        sizes = {}
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                if content.parent.name.startswith(_PREFIX):
                    _second_name(content, path)
                else:  # of another folder: copied, because a hard link would share later changes
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
        """Rename the new files to the folder `target`, which was missing; False if another program has created it meanwhile."""
        try:
            os.rename(self.place / _NEW, target)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        sync(target.parent)
        return True

    def carry_out_in(self, target: Path, names: list[str], patterns: tuple[str, ...], shown: str) -> None:
        """Move all new files to their places in the folder `target`, or none.

        Parameters
        ----------
        target : Path
            The folder, links followed.
        names : list of str
            The files from `fill`, by their paths within it.
        patterns : tuple of str
            Patterns of files to remove.
        shown : str
            The folder's name as the user wrote it, for messages.

        Raises
        ------
        OSError
            A file cannot be moved; the folder is unchanged.
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
                # Another program was faster.
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
        """End the plan: rename the staging folder back."""
        os.rename(self.place, self._home)
        self.place = self._home

    def remove(self) -> None:
        """Release the lock and remove the staging folder; a plan that could be neither finished nor undone stays."""
        if self._lock is not None:
            # NFS renames an open file instead of removing it, which would keep the folder.
            self._lock.release()
            self._lock = None
        if self.place.name != UNFINISHED:
            shutil.rmtree(self.place, ignore_errors=True)


def settled(target: Path, shown: str) -> None:
    """Wait until no plan is in effect in a folder; finish the plan of a program that has ended."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    journal = target / UNFINISHED
    ended = f"{shown}: the program ended while it wrote this folder"
    while (kind := _kind(journal)) is not None:
        if not stat.S_ISDIR(kind):
            # A file of topoloom 0.2, which moved files without a plan.
            raise InputError(f"{ended}; remove {UNFINISHED} and write the folder again")
        try:
            if _taken_over(journal, target):
                return
        except (FileNotFoundError, PermissionError):
            pass  # its writer has just finished, or it belongs to another user, who may be writing now
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
    """The mode of the entry at a path, or None; one system call, because its writer may remove it at any moment."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def _taken_over(journal: Path, target: Path) -> bool:
    """Finish the plan of a program that has ended; False where it is still running."""
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
    """Move each file of a plan to its place, and remove stale files; after a kill, a second call does only the rest.

    Raises
    ------
    _UndoneError
        A file cannot be moved; the files before it are moved back.
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
    """Keep replaced and removed files under a second name, in case the plan must be undone."""
    shutil.rmtree(old, ignore_errors=True)  # from an earlier try
    for name in names:
        path, copy = target / name, old / name
        if not os.path.lexists(path):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        _second_name(path, copy)


def _second_name(path: Path, other: Path) -> None:
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError:  # a file system without hard links, or a file of another user
        shutil.copy2(path, other, follow_symlinks=False)


def _matching(target: Path, patterns: Iterable[str], names: set[str]) -> list[str]:
    """The files in a folder that match one of the patterns and are not among `names`, by their paths within it."""
    paths = {path for pattern in patterns for path in target.glob(pattern) if not path.is_dir() or path.is_symlink()}
    inside = {path.relative_to(target) for path in paths}
    own = {path for path in inside if not _through_link(target, path)}
    return sorted({path.as_posix() for path in own} - names)


def _through_link(target: Path, inner: Path) -> bool:
    """Whether a path within a folder passes through a symbolic link."""
    return any((target / part).is_symlink() for part in inner.parents)


def _check_places(target: Path, names: Iterable[str]) -> None:
    """Refuse places to which a file cannot move, before any file is moved."""
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
    """Refuse a plan that belongs to another user, or that has a path outside the folder."""
    if journal.lstat().st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "it belongs to another user")
    for name in (*plan.files, *plan.stale):
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise InputError(f"it names {name!r}, outside the folder")
    _check_places(target, plan.files)
    for name in plan.files:
        path = journal / _NEW / name
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise InputError(f"{name!r} is not a plain file")


def _clear(around: Path) -> None:
    """Remove staging folders of ended writers."""
    for old in around.glob(f"{_PREFIX}*-*"):
        holder = old.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            if old.lstat().st_uid != os.geteuid():
                continue  # another user may have put this name into a shared folder, so it is not touched
            # The lock file is created if missing: its writer then finds that its folder is gone.
            lock = Lock.take(old / _LOCK) if holder == kernel() or age_seconds(old) > _ABANDONED_SECONDS else None
            if lock is not None:
                (old / _LOCK).unlink()
                lock.release()  # before the removal: over NFS an open file keeps its folder
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue  # of another user, or just removed

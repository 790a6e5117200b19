"""A copy of the user's folder of sources: links that lead back, devices and endless folders are refused, not followed."""

import os
import shutil
import stat
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.files import reason
from topoloom.core.work import Work

#: What a folder is copied without: what was built for another MPI.
_BUILT = frozenset({".o", ".mod", ".obj"})
#: More is no folder of sources.
_MOST_FILES, _MOST_BYTES = 100_000, 4 << 30


def copy_sources(folder: Path, target: Path, work: Work) -> None:
    """Copy a folder to `target`, which is made, without objects and programs.

    Links within the folder stay links; what links outside lead to is copied, links that lead nowhere are omitted.

    Parameters
    ----------
    folder : path
        The user's folder.
    target : path
        The copy, which must not be there yet.
    work : Work
        Its stop ends the copying.

    Raises
    ------
    InputError
        A link to a folder that holds the link itself, a pipe or a device, what cannot be read, or more files or bytes than
        sources have.
    Stopped
        The work was stopped.
    """
    _Copy(folder, work).copy(folder, target, (Path(os.path.realpath(folder)),))


class _Copy:
    """A copy running."""

    def __init__(self, folder: Path, work: Work) -> None:
        self._folder, self._root, self._work = folder, Path(os.path.realpath(folder)), work
        self._files = self._bytes = 0

    def copy(self, folder: Path, target: Path, above: tuple[Path, ...]) -> None:
        """Copy a folder; `above`: the real places of it and of the folders that are being copied around it."""
        try:
            target.mkdir()
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            raise self._refused(folder, reason(error)) from None
        for entry in entries:
            self._work.check()
            path, copied = Path(entry.path), target / entry.name
            if entry.is_symlink() and self._linked(path, copied):
                continue
            self._one(path, copied, above)

    def _linked(self, path: Path, copied: Path) -> bool:
        """Whether nothing is left to do for a link: it leads nowhere, or to a place in the folder, as does its copy now."""
        if not path.exists():
            return True
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self._root):
            return False
        here = Path(os.path.realpath(path.parent))
        if here.is_relative_to(self._root):
            copied.symlink_to(os.path.relpath(real, here))
        return here.is_relative_to(self._root)

    def _one(self, path: Path, copied: Path, above: tuple[Path, ...]) -> None:
        try:
            about = path.stat()
            if stat.S_ISDIR(about.st_mode):
                real = Path(os.path.realpath(path))
                if any(one == real or real in one.parents for one in above):
                    raise self._refused(path, "it is a link to a folder that holds it; remove it")
                self.copy(path, copied, (*above, real))
                return
            if not stat.S_ISREG(about.st_mode):
                raise self._refused(path, "it is a pipe or a device; remove it")
            self._files, self._bytes = self._files + 1, self._bytes + about.st_size
            if self._files > _MOST_FILES or self._bytes > _MOST_BYTES:
                raise self._refused(
                    self._folder,
                    f"it has more than {_MOST_FILES:,} files or {_MOST_BYTES >> 30} GiB; name a smaller folder",
                )
            if path.suffix not in _BUILT and not is_program(path):
                shutil.copy2(path, copied)
        except OSError as error:
            raise self._refused(path, reason(error)) from None

    def _refused(self, path: Path, why: str) -> InputError:
        return InputError(f"{self._folder}: {path} cannot be copied: {why}")


def is_program(path: Path) -> bool:
    """Whether a file is a compiled program, not a script."""
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as opened:
        return opened.read(4) == b"\x7fELF"

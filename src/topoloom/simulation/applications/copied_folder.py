"""Copy the user's folder of sources; link cycles, devices and endless folders are refused, not followed."""

import os
import shutil
import stat
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.files import reason
from topoloom.core.work import Work

#: Suffixes that are not copied: files built for another MPI.
_BUILT = frozenset({".o", ".mod", ".obj"})
#: Limits beyond which a folder is not taken as one of sources.
_MOST_FILES, _MOST_BYTES = 100_000, 4 << 30


def copy_sources(folder: Path, target: Path, work: Work) -> None:
    """Copy a folder to `target`, which is created, without object files and programs.

    Links within the folder stay links; the targets of links to the outside are copied; dangling links are omitted.

    Parameters
    ----------
    folder : path
        The user's folder.
    target : path
        The copy, which must not exist yet.
    work : Work
        Its stop ends the copying.

    Raises
    ------
    InputError
        A link to a folder that contains the link itself, a pipe or a device, a file that cannot be read, or more files or bytes
        than sources have.
    Stopped
        The work was stopped.
    """
    _Copy(folder, work).copy(folder, target, (Path(os.path.realpath(folder)),))


class _Copy:
    """A copy in progress."""

    def __init__(self, folder: Path, work: Work) -> None:
        self._folder, self._root, self._work = folder, Path(os.path.realpath(folder)), work
        self._files = self._bytes = 0

    def copy(self, folder: Path, target: Path, above: tuple[Path, ...]) -> None:
        """Copy a folder; `above`: the real paths of this folder and of the folders around it that are being copied."""
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
        """Whether a link is done: it is dangling, or it leads into the folder and so does its copy, created here."""
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
                if any(folder == real or real in folder.parents for folder in above):
                    raise self._refused(path, "it is a link to a folder that contains the link; remove it")
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
    """Return whether a file is a compiled program, not a script."""
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as opened:
        return opened.read(4) == b"\x7fELF"

"""Files that browsers send: checked by name and size, and stored below the server's folder, where they are served."""

import os
import re
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.files import reason, write_atomically
from topoloom.core.settings import shown

#: The folder of these files, in the server's folder, and their address.
NAME = "uploads"
#: Most files and bytes of all uploads together: a week of discoveries of a large fabric.
MOST_FILES, MOST_BYTES = 5000, 256 << 20
#: Most folders around a file, and characters of a name with its folders.
_DEEPEST, _LONGEST = 3, 200
#: A part of a name: no separators of specs, settings or paths, and no hidden files.
_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+@-]{0,98}[A-Za-z0-9_+@-])?")


class Uploads:
    """The files that browsers have sent.

    Parameters
    ----------
    folder : Path
        The server's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder)) / NAME
        self._lock = threading.Lock()

    def put(self, files: Mapping[str, bytes]) -> list[str]:
        """Store files, each whole or not at all; files with these names are replaced.

        Parameters
        ----------
        files : mapping of str to bytes
            The content of each file by its name, which may have folders in front: ``week-3/leaf-1.json``.

        Returns
        -------
        list of str
            The address of each file.

        Raises
        ------
        InputError
            A name cannot be used, the uploads would be too many or too large, or a file cannot be written.
        """
        if not files:
            raise InputError(
                'uploads: send a file as POST /api/uploads?name=NAME, or several as {"files": {"NAME": "text"}}'
            )
        targets = {name: self._target(name) for name in files}
        with self._lock:
            self._check_room({targets[name]: len(content) for name, content in files.items()})
            for name, content in files.items():
                target = targets[name]
                try:
                    target.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise InputError(f"{shown(name)}: its folder cannot be made: {reason(error)}") from None
                # Writing follows links, so refuse those that somebody has put here.
                if os.path.realpath(target) != str(target):
                    raise InputError(f"{shown(name)}: there is a link in its place; choose another name")
                write_atomically(target, content)
        return [f"{NAME}/{name}" for name in files]

    def remove(self, name: str) -> None:
        """Remove a file, or a folder with all its files.

        Raises
        ------
        InputError
            There is no such upload, or it cannot be removed.
        """
        target = self._target(name)
        with self._lock:
            if os.path.realpath(target) != str(target) or not target.exists():
                raise InputError(f"{shown(name)}: there is no such upload")
            try:
                if target.is_dir():
                    shutil.rmtree(target)
                else:
                    target.unlink()
            except OSError as error:
                raise InputError(f"{shown(name)}: cannot be removed: {reason(error)}") from None

    def _target(self, name: str) -> Path:
        parts = name.split("/")
        if len(name) > _LONGEST or len(parts) > _DEEPEST + 1 or not all(map(_PART.fullmatch, parts)):
            raise InputError(
                f"{shown(name)}: no file can be stored under this name; use letters, digits and . _ + @ -, begin with a letter"
                f" or digit, and put at most {_DEEPEST} folders in front"
            )
        return self.folder.joinpath(*parts)

    def _check_room(self, new: Mapping[Path, int]) -> None:
        """Refuse files for which there is no room; those that they replace do not count."""
        count, size = len(new), sum(new.values())
        for folder, _, names in os.walk(self.folder):
            for path in (Path(folder, name) for name in names):
                if path not in new:
                    with suppress(OSError):
                        size += path.lstat().st_size
                        count += 1
        if count > MOST_FILES or size > MOST_BYTES:
            raise InputError(
                f"uploads: at most {MOST_FILES:,} files of {MOST_BYTES >> 20} MB together are stored; remove some, or serve"
                " their folder: topoloom serve FOLDER"
            )

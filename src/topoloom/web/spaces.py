"""The folders that are served: what lies in them, and that no path of a request leads anywhere else."""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from topoloom.core.errors import InputError
from topoloom.core.files import is_below, open_to_read
from topoloom.core.settings import shown
from topoloom.model.network_folders import CABLES, DESIGN, PLAN, TOPOLOGY
from topoloom.studies.run import DEFINITION

#: What a network folder, a study and a design have.
_KINDS = {
    "design.json": "design",
    "study.json": "study",
    "provenance.json": "network",
    "topology.json": "network",
    "plan.json": "plan",
}
#: Files of a folder that are shown.
_SHOWN = (".html", ".svg", ".png", ".csv", ".json", ".toml", ".txt", ".md")
_DEEPEST, _MOST = 4, 2000
#: Levels of lists and tables in the arguments of a task, and entries of a folder that a task opens.
_DEEPEST_ARGUMENT, _MOST_ENTRIES = 20, 100_000
#: A folder that is called like a family is meant where it holds one of these.
_NETWORKS = (TOPOLOGY, CABLES, PLAN, DESIGN)
#: A file must stand behind these words and a colon, and as the value of these keys of settings.
_WORDS, _KEYS = ("trace", "file"), ("file", "groups")
_NOWHERE = "files are opened below the folders that are served, and there alone"


class Spaces:
    """Folders by the names that addresses have for them.

    Raises
    ------
    InputError
        One is no folder, or two have the same name.
    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.roots: dict[str, Path] = {}
        for folder in folders:
            path = Path(folder)
            if not path.is_dir():
                raise InputError(f"{folder}: no such folder to serve")
            real = path.resolve()
            name = real.name or "root"
            if name in self.roots and self.roots[name] != real:
                raise InputError(f"{folder}: another folder to serve is called {name}, too; rename one of them")
            self.roots[name] = real

    def path(self, address: str) -> Path:
        """The file or folder behind ``NAME/a/b``, links followed.

        Raises
        ------
        InputError
            There is none, or it is not below a folder that is served.
        """
        name, _, rest = address.partition("/")
        if name not in self.roots:
            raise InputError(f"{shown(address)}: no such folder is served")
        path = self._resolved(self.roots[name], rest)
        if path is None:
            raise InputError(f"{shown(address)}: there is no such file in the folders that are served")
        return path

    def open(self, address: str) -> BinaryIO:
        """The file behind ``NAME/a/b``, opened for reading.

        Raises
        ------
        InputError
            As `path`; it is a folder, a pipe or a device; it cannot be read.
        """
        path = self.path(address)
        if path.is_dir():
            raise InputError("that is a folder; its files are listed under /folders")
        try:
            file = open_to_read(path)
        except (OSError, ValueError):
            raise InputError(f"{shown(address)}: cannot be read") from None
        # Looked at once more, as opened: a link may have been put in its place in between.
        opened = Path(f"/proc/self/fd/{file.fileno()}")
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or (
            opened.exists() and not is_below(opened, self.roots.values())
        ):
            file.close()
            raise InputError(f"{shown(address)}: is no file of the folders that are served")
        return file

    def study(self, address: str) -> Path:
        """The folder behind ``NAME/a/b``, of a study: nothing in it leads out of the folders that are served.

        Raises
        ------
        InputError
            As `path`; it holds no study; a link in it leads out.
        """
        path = self.path(address)
        if not (path / DEFINITION).is_file():
            raise InputError(f"{shown(address)}: holds no study; 'topoloom study STUDY.toml -o FOLDER' makes one")
        self._refuse_ways_out(path)
        return path

    def listed(self) -> list[dict[str, Any]]:
        """The folders that an operation opens, with what each is and the pages that it has."""
        return [entry for name, root in self.roots.items() for entry in self._below(name, root, 0)][:_MOST]

    def _below(self, address: str, folder: Path, depth: int) -> Iterator[dict[str, Any]]:
        try:
            inside = sorted(one for one in folder.iterdir() if one.name.isprintable())  # others cannot be addressed
        except OSError:
            return
        names = {one.name for one in inside}
        kind = next((kind for name, kind in _KINDS.items() if name in names), None)
        if kind is not None or depth == 0:
            files = [
                one.name for one in inside if one.suffix in _SHOWN and one.is_file() and not one.name.startswith(".")
            ]
            yield {"address": address, "kind": kind or "folder", "files": files[:200]}
        if depth >= _DEEPEST:
            return
        for one in inside:
            if one.is_dir() and not one.is_symlink() and not one.name.startswith("."):
                yield from self._below(f"{address}/{one.name}", one, depth + 1)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a task with every name of a file as the path that it leads to; any other file is refused.

        A file is named by its address (``NAME/a/b``), by a path below a folder that is served, or, where it lies directly in
        one, by its name; behind a word (``trace:NAME/packets.csv``) and in settings (``goal:file=NAME/a.goal``) likewise.

        Raises
        ------
        InputError
            A text names a file that is not below a folder that is served, or holds characters that no name has; lists
            nest absurdly.
        """
        return {self._plain(name): self._checked(value, 0) for name, value in arguments.items()}

    def _checked(self, value: Any, depth: int) -> Any:
        if depth > _DEEPEST_ARGUMENT:
            raise InputError(f"an argument nests more than {_DEEPEST_ARGUMENT} deep; no task needs that")
        if isinstance(value, Mapping):
            return {self._plain(str(name)): self._checked(inner, depth + 1) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._checked(inner, depth + 1) for inner in value]
        return self._text(self._plain(value)) if isinstance(value, str) else value

    @staticmethod
    def _plain(text: str) -> str:
        """A text, refused where it holds line ends, tabs or other control characters: names of files have none here."""
        if not text.isprintable():
            raise InputError(f"{shown(text)}: a text of a task has no line ends, tabs and control characters")
        return text

    def _text(self, text: str) -> str:
        """A text with the files that it names as the paths that they lead to."""
        whole = self._file(text)
        if whole is not None:
            return whole
        word, colon, rest = text.partition(":")
        if colon and word.strip().lower() in _WORDS:
            return f"{word}:{self._needed(rest)}"
        return ",".join(self._setting(part) for part in text.split(","))

    def _setting(self, part: str) -> str:
        """``key=value``, or any other piece of a text between commas."""
        key, sign, value = part.partition("=")
        if sign and value.strip() and key.rpartition(":")[2].strip() in _KEYS:
            path: str | None = self._needed(value)
        else:
            path = self._file(value) if sign else None
        if path is not None:
            if "," in path:
                raise InputError(f"{shown(value)}: its path has a comma, which ends a setting; rename the folder")
            return f"{key}={path}"
        for piece in (part, *re.split(r"[:=+()*\s]", part)):
            if _is_path(piece) or _names_a_file_here(piece):
                raise InputError(f"{shown(piece)}: {_NOWHERE}")
        return part

    def _needed(self, text: str) -> str:
        """The path of a file that must be there; FOLDER/NAME also stands for files NAME.*, as traces are named."""
        folder, _, stem = text.strip().rpartition("/")
        around = self._place(folder) if folder else None
        if around is not None and around.is_dir() and stem not in ("", ".", "..") and not (around / stem).exists():
            behind = [path for path in around.iterdir() if path.name.startswith(f"{stem}.")]
            if behind and all(is_below(path, self.roots.values()) for path in behind):
                return str(around / stem)
        whole = self._file(text, plain=True)
        if whole is None:
            raise InputError(f"{shown(text)}: there is no such file; {_NOWHERE}")
        return whole

    def _file(self, text: str, *, plain: bool = False) -> str | None:
        """The path that a text names, links followed; None where it does not name a file.

        Raises
        ------
        InputError
            It names one that is not there, or is not below the folders that are served.
        """
        path = self._place(text.strip(), plain=plain)
        if path is None:
            return None
        self._refuse_ways_out(path)
        return str(path)

    def _place(self, text: str, *, plain: bool = False) -> Path | None:
        """As `_file`; a folder may have links that lead out."""
        if text.partition("/")[0] in self.roots:
            return self.path(text)
        if _is_path(text):
            return self._resolved(Path(), text)
        named = (self._named(root, text, plain) for root in self.roots.values())
        return next((path for path in named if path is not None), None)

    def _named(self, root: Path, text: str, plain: bool) -> Path | None:
        """What lies directly in a folder that is served: a network folder, a file with a suffix; if `plain`, anything."""
        try:
            here = root / text
            meant = plain or Path(text).suffix or any((here / name).exists() for name in _NETWORKS)
            if not text or text.startswith(".") or not meant or not os.path.lexists(here):
                return None
        except (OSError, ValueError):  # a name that no file system can have
            return None
        path = self._resolved(root, text)
        if path is None:
            raise InputError(f"{shown(text)}: {_NOWHERE}")
        return path

    def _resolved(self, base: Path, rest: str) -> Path | None:
        """Where a path leads, links followed; None where nothing is there, or it is not below the served folders."""
        try:
            path = Path(os.path.realpath(base / rest))
            if is_below(path, self.roots.values()) and path.exists():
                return path
        except (OSError, ValueError):  # a name that no file system can have
            pass
        return None

    def _refuse_ways_out(self, path: Path) -> None:
        """Refuse a folder with links in it that lead out of the folders that are served."""
        if not path.is_dir():
            return
        count = 0
        for folder, folders, files in os.walk(path):
            count += len(folders) + len(files)
            if count > _MOST_ENTRIES:
                raise InputError(f"{path}: holds more than {_MOST_ENTRIES:,} files; name the network's own folder")
            for name in (*folders, *files):
                inner = os.path.join(folder, name)
                if os.path.islink(inner) and not is_below(inner, self.roots.values()):
                    raise InputError(f"{shown(inner)}: the link leads out of the folders that are served; {_NOWHERE}")


def _is_path(text: str) -> bool:
    """Whether a text is written like a path: specs, patterns and numbers have no such characters."""
    return "/" in text or "\\" in text or text.startswith(("~", "$"))


def _names_a_file_here(piece: str) -> bool:
    """Whether a piece of a text would be a file in the folder that the server runs in."""
    try:
        return "." in piece and os.path.lexists(piece)
    except (OSError, ValueError):
        return True

"""The served folders: their content, and the check that no path of a request leads elsewhere."""

import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from topoloom.core.errors import InputError
from topoloom.core.files import is_below, open_to_read
from topoloom.core.settings import shown
from topoloom.model.network_folders import CABLES, DESIGN, MACHINE, PLAN, TOPOLOGY
from topoloom.studies.run import DEFINITION

#: The kind of a folder, by a file that it contains.
_KINDS = {
    MACHINE: "machine",
    "design.json": "design",
    "study.json": "study",
    "provenance.json": "network",
    "topology.json": "network",
    "plan.json": "plan",
    "phases.json": "phases",
}
#: Suffixes of files that are shown.
_SHOWN = (".html", ".svg", ".png", ".csv", ".json", ".toml", ".txt", ".md", ".xlsx")
_DEEPEST, _MOST = 4, 2000
#: Most levels of lists and tables in the arguments of a task, and most entries of a folder that a task opens.
_DEEPEST_ARGUMENT, _MOST_ENTRIES = 20, 100_000
#: A folder whose name is that of a family counts as a folder if it contains one of these.
_NETWORKS = (TOPOLOGY, CABLES, PLAN, DESIGN)
#: Words before a colon, and keys of settings, that must be followed by a file.
_WORDS, _KEYS = ("trace", "file", "matrix"), ("file", "groups")
#: Words before a file and, after another colon, a text of any kind.
_WORDS_AND_MORE = ("rates",)
_NOWHERE = "only files below the served folders can be opened"


class Spaces:
    """Folders, by their names in addresses.

    Parameters
    ----------
    folders : sequence of path
        The folders that the user serves.
    own : mapping of str to path
        The folders in which the server stores what it serves, by their names; they need not exist yet.

    Raises
    ------
    InputError
        A folder does not exist, or two have the same name.
    """

    def __init__(
        self, folders: Sequence[str | os.PathLike[str]], own: Mapping[str, str | os.PathLike[str]] | None = None
    ) -> None:
        self.roots: dict[str, Path] = {}
        self._own = {name: Path(os.path.realpath(folder)) for name, folder in (own or {}).items()}
        for folder in folders:
            path = Path(folder)
            if not path.is_dir():
                raise InputError(f"{folder}: no such folder to serve")
            real = path.resolve()
            name = real.name or "root"
            if name in self._own and self._own[name] != real:
                raise InputError(
                    f"{folder}: {name} is the name of a folder of the explorer itself; rename yours, or serve its parent folder"
                )
            if name in self.roots and self.roots[name] != real:
                raise InputError(f"{folder}: another served folder has the name {name} too; rename one of them")
            self.roots[name] = real
        self.roots |= self._own

    def path(self, address: str) -> Path:
        """The file or folder at ``NAME/a/b``, with links followed.

        Raises
        ------
        InputError
            It does not exist, or is not below a served folder.
        """
        name, _, rest = address.partition("/")
        if name not in self.roots:
            raise InputError(f"{shown(address)}: there is no such served folder")
        path = self._resolved(self.roots[name], rest)
        if path is None:
            raise InputError(
                f"{shown(address)}: there is no such file in the served folders; send it, or choose one of them"
            )
        return path

    def open(self, address: str) -> BinaryIO:
        """The file at ``NAME/a/b``, opened for reading.

        Raises
        ------
        InputError
            As in `path`; or it is a folder, a pipe or a device, or cannot be read.
        """
        path = self.path(address)
        if path.is_dir():
            raise InputError("this is a folder; its files are listed under /folders")
        try:
            file = open_to_read(path)
        except (OSError, ValueError):
            raise InputError(f"{shown(address)}: cannot be read") from None
        # Check again after opening: a link may have replaced the file in between.
        opened = Path(f"/proc/self/fd/{file.fileno()}")
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or (
            opened.exists() and not is_below(opened, self.roots.values())
        ):
            file.close()
            raise InputError(f"{shown(address)}: is not a file of the served folders")
        return file

    def study(self, address: str) -> Path:
        """The folder of a study at ``NAME/a/b``, with no link that leads out of the served folders.

        Raises
        ------
        InputError
            As in `path`; or it contains no study, or a link that leads out.
        """
        path = self.path(address)
        if not (path / DEFINITION).is_file():
            raise InputError(f"{shown(address)}: contains no study; 'topoloom study STUDY.toml -o FOLDER' creates one")
        self._refuse_outside_links(path)
        return path

    def listed(self) -> list[dict[str, Any]]:
        """The folders that operations can open, with their kinds and the files to show."""
        return [entry for name, root in self.roots.items() for entry in self._below(name, root, 0)][:_MOST]

    def _below(self, address: str, folder: Path, depth: int) -> Iterator[dict[str, Any]]:
        try:
            inside = sorted(path for path in folder.iterdir() if path.name.isprintable())  # others cannot be addressed
        except OSError:
            return
        names = {path.name for path in inside}
        kind = next((kind for name, kind in _KINDS.items() if name in names), None)
        if kind is not None or depth == 0:
            files = [
                path.name
                for path in inside
                if path.suffix in _SHOWN and path.is_file() and not path.name.startswith(".")
            ]
            yield {"address": address, "kind": kind or "folder", "files": files[:200]}
        if depth >= _DEEPEST:
            return
        for path in inside:
            if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
                yield from self._below(f"{address}/{path.name}", path, depth + 1)

    def check(self, arguments: Mapping[str, Any], names: Collection[str] = ()) -> dict[str, Any]:
        """The arguments of a task, with every file name replaced by its path; other files are refused.

        A file is given by its address (``NAME/a/b``), by a path below a served folder, or, directly in one, by its name; the
        same applies after a word (``trace:NAME/packets.csv``) and in settings (``goal:file=NAME/a.goal``). The arguments
        `names` have names of parts, such as ``rack:A03``, and no files.

        Raises
        ------
        InputError
            A text names a file outside the served folders, or contains control characters; lists are nested too deeply.
        """
        checked = {}
        for name, value in arguments.items():
            is_names = name in names and isinstance(value, str)
            checked[self._plain(name)] = self._names(value) if is_names else self._checked(value, 0)
        return checked

    def _names(self, text: str) -> str:
        """Names of parts; a list in a file (``@FILE``) is refused."""
        if any(part.strip().startswith("@") for part in text.split(",")):
            raise InputError(f"{shown(text)}: the explorer reads no lists of lost parts from files; name the parts")
        return self._plain(text)

    def _checked(self, value: Any, depth: int) -> Any:
        if depth > _DEEPEST_ARGUMENT:
            raise InputError(f"an argument has more than {_DEEPEST_ARGUMENT} nested levels; no task needs that")
        if isinstance(value, Mapping):
            return {self._plain(str(name)): self._checked(inner, depth + 1) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._checked(inner, depth + 1) for inner in value]
        return self._text(self._plain(value)) if isinstance(value, str) else value

    @staticmethod
    def _plain(text: str) -> str:
        """The text itself; an error if it contains line ends, tabs or other control characters."""
        if not text.isprintable():
            raise InputError(f"{shown(text)}: remove line ends, tabs and control characters")
        return text

    def _text(self, text: str) -> str:
        """A text with the file names in it replaced by paths."""
        whole = self._file(text)
        if whole is not None:
            return whole
        word, colon, rest = text.partition(":")
        if colon and word.strip().lower() in _WORDS_AND_MORE:
            file, _, more = rest.partition(":")
            return f"{word}:{self._needed(file)}:{self._text(more)}"
        if colon and word.strip().lower() in _WORDS:
            return f"{word}:{self._needed(rest)}"
        return ",".join(self._setting(part) for part in text.split(","))

    def _setting(self, part: str) -> str:
        """Check one part of a text between commas: ``key=value``, a file, or any other."""
        key, sign, value = part.partition("=")
        if sign and value.strip() and key.rpartition(":")[2].strip() in _KEYS:
            path: str | None = self._needed(value)
        elif sign:
            path = self._file(value)
        else:
            value, path = part, self._file(part) if "/" in part else None
        if path is not None:
            if "," in path:
                raise InputError(
                    f"{shown(value)}: its path contains a comma, which separates settings; rename the folder"
                )
            return f"{key}={path}" if sign else path
        for piece in (part, *re.split(r"[:=+()*\s]", part)):
            if _is_path(piece) or _names_a_file_here(piece):
                raise InputError(f"{shown(piece)}: {_NOWHERE}")
        return part

    def _needed(self, text: str) -> str:
        """The path of a file that must exist; FOLDER/NAME also stands for files NAME.*, as traces are named."""
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
        """The path of the file that a text names, links followed; None where it names none.

        Raises
        ------
        InputError
            It names a file that does not exist, or is outside the served folders.
        """
        path = self._place(text.strip(), plain=plain)
        if path is None:
            return None
        self._refuse_outside_links(path)
        return str(path)

    def _place(self, text: str, *, plain: bool = False) -> Path | None:
        """As `_file`, without the check of links inside a folder."""
        if text.partition("/")[0] in self.roots:
            return self.path(text)
        if _is_path(text):
            return self._resolved(Path(), text)
        named = (self._named(root, text, plain) for root in self.roots.values())
        return next((path for path in named if path is not None), None)

    def _named(self, root: Path, text: str, plain: bool) -> Path | None:
        """The file or folder directly in a served folder: a network folder, a file with a suffix; with `plain`, anything."""
        try:
            candidate = root / text
            # What somebody has sent does not hide a family of its name.
            network = root not in self._own.values() and any((candidate / name).exists() for name in _NETWORKS)
            meant = plain or Path(text).suffix or network
            if not text or text.startswith(".") or not meant or not os.path.lexists(candidate):
                return None
        except (OSError, ValueError):  # a name that no file system can have
            return None
        path = self._resolved(root, text)
        if path is None:
            raise InputError(f"{shown(text)}: {_NOWHERE}")
        return path

    def _resolved(self, base: Path, rest: str) -> Path | None:
        """The target of a path, links followed; None where it does not exist, or is outside the served folders."""
        try:
            path = Path(os.path.realpath(base / rest))
            if is_below(path, self.roots.values()) and path.exists():
                return path
        except (OSError, ValueError):  # a name that no file system can have
            pass
        return None

    def _refuse_outside_links(self, path: Path) -> None:
        """Raise an error for a folder with links that lead out of the served folders."""
        if not path.is_dir():
            return
        count = 0
        for folder, folders, files in os.walk(path):
            count += len(folders) + len(files)
            if count > _MOST_ENTRIES:
                raise InputError(f"{path}: contains more than {_MOST_ENTRIES:,} files; give the network's own folder")
            for name in (*folders, *files):
                inner = os.path.join(folder, name)
                if os.path.islink(inner) and not is_below(inner, self.roots.values()):
                    raise InputError(f"{shown(inner)}: the link leads out of the served folders; {_NOWHERE}")


def _is_path(text: str) -> bool:
    """Whether a text looks like a path: specs, patterns and numbers do not contain these characters."""
    return "/" in text or "\\" in text or text.startswith(("~", "$"))


def _names_a_file_here(piece: str) -> bool:
    """Whether a part of a text is the name of a file in the server's working directory."""
    try:
        return "." in piece and os.path.lexists(piece)
    except (OSError, ValueError):
        return True

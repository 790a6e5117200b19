"""The folders that are served: what lies in them, and that nothing else is opened."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from topoloom.errors import InputError

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


class Spaces:
    """Folders by the names that addresses have for them.

    Parameters
    ----------
    folders : sequence of path

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
        """The file or folder behind ``NAME/a/b``.

        Raises
        ------
        InputError
            There is none, or it is not below a folder that is served.
        """
        name, _, rest = address.partition("/")
        root = self.roots.get(name)
        if root is None or "\0" in rest:
            raise InputError(f"{address[:200]}: no such folder is served")
        found = Path(os.path.realpath(root / rest))
        if not found.is_relative_to(root) or not found.exists():
            raise InputError(f"{address[:200]}: there is no such file in the folders that are served")
        return found

    def listed(self) -> list[dict[str, Any]]:
        """The folders that a verb opens, with what each is and the pages that it has."""
        return [entry for name, root in self.roots.items() for entry in self._below(name, root, 0)][:_MOST]

    def _below(self, address: str, folder: Path, depth: int) -> Iterator[dict[str, Any]]:
        try:
            inside = sorted(folder.iterdir())
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
        """Arguments of a task, with addresses of folders as paths; whatever names another file is refused.

        Raises
        ------
        InputError
            A text names a file that is not below a folder that is served.
        """
        return {name: self._checked(value) for name, value in arguments.items()}

    def _checked(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(name): self._checked(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._checked(one) for one in value]
        if not isinstance(value, str):
            return value
        name = value.partition("/")[0]
        if name in self.roots:
            return str(self.path(value))
        if "\n" not in value:
            self._refuse_files(value)
        return value

    def _refuse_files(self, text: str) -> None:
        """No piece of a text may be the name of a file elsewhere."""
        for piece in {text, *re.split(r"[:,=+()\s]", text)}:
            named = "/" in piece or "\\" in piece or piece.startswith("~")
            try:
                # A family may be called as a folder here is: alone, or with an ending, it would be a file.
                named = named or ((piece == text or "." in piece) and bool(piece) and os.path.lexists(piece))
            except (OSError, ValueError):
                named = True
            if named and not any(Path(os.path.realpath(piece)).is_relative_to(root) for root in self.roots.values()):
                raise InputError(f"{piece[:200]}: files are opened below the folders that are served, and there alone")

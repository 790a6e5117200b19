"""The examples that come with topoloom: found, shown and copied, each with the files that it refers to."""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError, check_path, hint
from topoloom.core.folders import write_folder
from topoloom.model.results import Recorded

#: What the files of each folder are; the files of another folder are one example.
_KINDS = {
    "": "requirement",
    "studies": "study",
    "floors": "floor",
    "quotes": "quotes",
    "machines": "machine",
    "models": "model",
    "notebooks": "notebook",
}
#: An example of its own, by its suffix; another file belongs to the example that refers to it.
_SUFFIXES = (".toml", ".ipynb", ".py")
#: The file of a folder that describes the whole.
_ABOUT = ("README.md", "README.txt", "pyproject.toml")
#: Made by programs that have been here.
_PASSING = ("__pycache__", ".")


@dataclass(frozen=True)
class Example(Recorded):
    """One example.

    Attributes
    ----------
    name : str
    kind : str
        "requirement", "study", "floor", "quotes", "machine", "model", "notebook", "script", "plug-in", or the name of its
        folder.
    description : str
        The first comment of its first file, one line.
    files : tuple of str
        Its own file, or the files of its folder; then the files that it refers to. Paths within the folder of examples.
    """

    name: str
    kind: str
    description: str
    files: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file that describes it."""
        return self.files[0]

    def text(self) -> str:
        """The content of `file`; of a notebook, its cells as text.

        Raises
        ------
        InputError
            The examples are not installed.
        """
        text = (examples_folder() / self.file).read_text(encoding="utf-8")
        return _cells(text) if self.file.endswith(".ipynb") else text


def examples_folder() -> Path:
    """The folder that holds the examples: of the installed package, or of the checkout.

    Raises
    ------
    InputError
        There is none.
    """
    here = Path(__file__).parent
    # An installed package has a folder of its own; in a checkout the package lies in src/topoloom.
    places = (here / "examples", here.parents[2] / "examples")
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise InputError("this installation of topoloom has no examples; install its wheel, or work in a checkout")
    return folder


class Examples(Mapping[str, Example]):
    """Every example by its name: requirements first, then the other kinds; found when they are first asked for.

    Examples
    --------
    >>> EXAMPLES["ai-4k"].files
    ('ai-4k.toml', 'quotes/made-up-2026.toml', 'floors/ai-hall.toml')
    """

    def find(self, name: str) -> Example:
        """The example of that name.

        Raises
        ------
        InputError
            There is none, or the examples are not installed.
        """
        if name not in self:
            raise InputError(f"no example named '{name[:60]}' ({hint(name, self)})")
        return self[name]

    def __getitem__(self, name: str) -> Example:
        return _by_name()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_by_name())

    def __len__(self) -> int:
        return len(_by_name())


#: The examples that come with topoloom.
EXAMPLES = Examples()


@cache
def _by_name() -> dict[str, Example]:
    root = examples_folder()
    folders = [path.name for path in _entries(root) if path.is_dir()]
    order = [*_KINDS, *(name for name in folders if name not in _KINDS)]
    listed = (example for name in order for example in _of_folder(root, name))
    return {example.name: example for example in sorted(listed, key=lambda example: example.kind == "script")}


def examples_listed(chosen: Iterable[Example], *, texts: bool = False) -> dict[str, Any]:
    """Examples as plain JSON types.

    Parameters
    ----------
    chosen : iterable of Example
    texts : bool
        Whether each has its text.

    Returns
    -------
    dict
        With the key ``examples``, a list.
    """
    return {
        "schema": "topoloom/examples/1",
        "examples": [example._content() | ({"text": example.text()} if texts else {}) for example in chosen],
    }


def copy_examples(folder: str | os.PathLike[str], *names: str, force: bool = False) -> list[Path]:
    """Copy examples into a folder, with the files that they refer to, by the same paths as in the folder of examples.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    *names : str
        All examples if none is named.
    force : bool
        Whether files of another content are replaced.

    Returns
    -------
    list of Path
        The files; those that were there with the same content, too.

    Raises
    ------
    InputError
        No example of that name; a file of another content is there; the folder cannot be written.
    """
    check_path(folder, "copy_examples", "name a folder")
    root = examples_folder()
    chosen = [EXAMPLES.find(name) for name in names] or list(EXAMPLES.values())
    files = {file: (root / file).read_bytes() for example in chosen for file in example.files}
    target = Path(folder)
    changed = [name for name, content in files.items() if _differs(target / name, content)]
    if changed and not force:
        raise InputError(
            f"{target / changed[0]} is there and differs from the example; name another folder, or say `force` yes"
        )
    return write_folder(folder, files)


def _differs(file: Path, content: bytes) -> bool:
    try:
        return file.exists() and (not file.is_file() or file.read_bytes() != content)
    except OSError:
        return True  # what cannot be read is not ours


def _entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith(_PASSING))


def _of_folder(root: Path, name: str) -> Iterator[Example]:
    """The examples of one folder: one per file, or one of all files where the kind of the folder is not known."""
    folder = root / name
    if not folder.is_dir():
        return
    if name in _KINDS:
        for path in _entries(folder):
            if path.is_file() and path.suffix in _SUFFIXES:
                kind = "script" if path.suffix == ".py" else _KINDS[name]
                yield Example(path.stem, kind, _description(path), tuple(_with_references(root, path)))
        return
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not _passing(path.relative_to(folder))]
    files.sort(key=lambda path: (not _description(path), path.name not in _ABOUT, len(path.parts)))
    kind = "plug-in" if (folder / "pyproject.toml").is_file() else name
    yield Example(name, kind, _description(files[0]), tuple(path.relative_to(root).as_posix() for path in files))


def _passing(path: Path) -> bool:
    return any(part.startswith(_PASSING) for part in path.parts)


def _description(path: Path) -> str:
    """The first comment, docstring or heading of a file, if it begins with one."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    text = _cells(text) if path.suffix == ".ipynb" else text
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if path.name == "README.txt":
        return f"{first.partition('. ')[0].rstrip('.')}."
    return first.strip("#\"' \t") if first.startswith(("#", '"')) else ""


def _with_references(root: Path, path: Path) -> list[str]:
    """A file, and the files of the examples that it names, theirs included; paths within `root`."""
    files = [path]
    for file in files:
        if file.suffix == ".toml":
            for text in _texts(tomllib.loads(file.read_text(encoding="utf-8"))):
                named = Path(os.path.normpath(file.parent / text))
                if named.is_relative_to(root) and named not in files and named.is_file():
                    files.append(named)
    return [file.relative_to(root).as_posix() for file in files]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a TOML file that could be a path."""
    if isinstance(value, str) and value and "\n" not in value and len(value) < 200:
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _cells(notebook: str) -> str:
    """The cells of a notebook as text: prose as comments, code as it is."""
    parts = []
    for cell in json.loads(notebook)["cells"]:
        text = "".join(cell["source"])
        parts.append(
            text if cell["cell_type"] == "code" else "\n".join(f"# {line}".rstrip() for line in text.splitlines())
        )
    return "\n\n".join(parts) + "\n"

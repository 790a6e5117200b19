"""Draft: the text of a requirement or a study, ready to be written, and the files that it needs next to it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from topoloom.core.errors import InputError, check_path
from topoloom.core.files import reason, write_atomically
from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class Draft(Result):
    """A file to begin with, in which every line is explained.

    Attributes
    ----------
    kind : str
        "requirement" or "study".
    text : str
        The file's content, TOML.
    others : dict of str to str
        The content of each file that the text refers to and that is written with it, by its path from the file's folder.
    files : tuple of str
        The paths that were written; empty before.
    """

    record_name = "draft"

    kind: str
    text: str
    others: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def write(self, file: str | os.PathLike[str], *, force: bool = False) -> "Draft":
        """Write the file, and next to it those that it refers to and that are not there yet.

        Parameters
        ----------
        file : path
        force : bool
            Whether a file that is there is replaced. A file that the text refers to is never replaced: it may hold your quotes.

        Returns
        -------
        Draft
            With the paths of `files`.

        Raises
        ------
        InputError
            The file is there, or cannot be written.
        """
        refuse_present(file, force)
        missing = {Path(file).parent / name: content for name, content in self.others.items()}
        missing = {place: content for place, content in missing.items() if not os.path.lexists(place)}
        for place, content in missing.items():
            try:
                place.parent.mkdir(exist_ok=True)
            except OSError as error:
                raise InputError(f"{place.parent}: this folder cannot be made: {reason(error)}") from None
            write_atomically(place, content)
        write_atomically(file, self.text)
        return replace(self, files=(os.fspath(file), *map(str, missing)))


def refuse_present(file: str | os.PathLike[str], force: bool) -> None:
    """Refuse a file that is there already, unless it may be replaced, and one in a folder that is not there.

    Raises
    ------
    InputError
        It is there, or its folder is not.
    """
    check_path(file, "new", "name the file to write")
    if os.path.lexists(file) and not force:
        raise InputError(f"{os.fspath(file)} is there already; name another file, or say `force` yes to replace it")
    if not Path(file).parent.is_dir():
        raise InputError(f"{os.fspath(file)}: there is no folder {Path(file).parent}; make it first")


def path_from(folder: str | os.PathLike[str], path: str) -> str:
    """A path of the current folder as it is seen from another folder; an absolute path stays.

    Parameters
    ----------
    folder : path
    path : str

    Returns
    -------
    str

    Examples
    --------
    >>> path_from("plans", "hall.toml"), path_from(".", "hall.toml")
    ('../hall.toml', 'hall.toml')
    """
    return path if os.path.isabs(path) else os.path.relpath(path, folder or ".")

"""Folders that commands write into: refused before any work if nothing can be written there."""

import os
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.core.files import reason


def writable_folder(path: str | Path, *inner: str) -> Path:
    """The folder at `path`, made if the folder around it is there; and the `inner` folders in it.

    Raises
    ------
    InputError
        The folder around it is missing (it is not made: a slip of the finger would be), or nothing can be written there.
    """
    if not str(path).strip():
        raise InputError("-o: the name of the folder is empty; name one ('.' is this one)")
    folder = Path(path)
    for place in (folder, *(folder / name for name in inner)):
        try:
            place.mkdir(exist_ok=True)
        except FileNotFoundError:
            raise InputError(f"{place}: there is no folder {place.parent}; make it first") from None
        except (OSError, ValueError) as error:
            raise InputError(f"{place}: the folder cannot be made: {reason(error)}") from None
        if not os.access(place, os.W_OK | os.X_OK):
            raise InputError(f"{place}: nothing can be written there; choose another folder")
    return folder

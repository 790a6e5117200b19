"""Whether a source is a machine. Every command that takes one asks, so that this module imports nothing of machines."""

import re
from pathlib import Path

from topoloom.core.files import read_text
from topoloom.core.toml_files import LONGEST
from topoloom.model.network_folders import MACHINE


def is_machine(text: str) -> bool:
    """Whether a TOML text is a machine file: it has a table ``[[network]]`` or ``[[host]]``.

    Parameters
    ----------
    text : str
        The content of the file.
    """
    return re.search(r"^[ \t]*\[\[[ \t]*(network|host)[ \t]*\]\]", text, re.MULTILINE) is not None


def names_machine(source: str) -> bool:
    """Whether a text names a machine: its folder, or a machine file.

    Parameters
    ----------
    source : str
        Anything that a command takes for a network or a requirement.
    """
    path = Path(source)
    try:
        if (path / MACHINE).is_file():
            return True
        return path.suffix == ".toml" and path.is_file() and is_machine(read_text(path, LONGEST))
    except (OSError, ValueError):
        return False

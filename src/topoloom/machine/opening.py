"""Opening a machine: a folder that `topoloom design` wrote."""

import os
from pathlib import Path

from topoloom.core.errors import InputError, at, check_path
from topoloom.machine.folder import open_machine_folder
from topoloom.machine.machine import Machine
from topoloom.machine.recognizing import names_machine
from topoloom.model.network_folders import MACHINE


def open_machine(source: str | os.PathLike[str]) -> Machine:
    """The machine in a folder.

    Parameters
    ----------
    source : path
        A folder that `save_machine` or `topoloom design` wrote.

    Raises
    ------
    InputError
        There is no such folder, or it is damaged.
    """
    check_path(source, "open_machine", "name the folder of a machine")
    path, text = Path(source), os.fspath(source)
    if (path / MACHINE).is_file():
        return open_machine_folder(source)
    if names_machine(text):
        raise at(text, None, "is a machine file; 'topoloom design' makes the machine: name its folder")
    raise InputError(f"{text}: is no folder of a machine, it has no {MACHINE}; 'topoloom design' writes one")

"""GOAL, the schedules of LogGOPSim and ATLAHS: the choice of its two formats for reading and writing."""

import os
from pathlib import Path

from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.files import open_to_read, reason, write_atomically
from topoloom.simulation.flows.schedule import Schedule
from topoloom.simulation.workloads import goal_binary, goal_text

#: The suffix of file names for the binary format.
_BINARY = ".bin"


def load_goal(path: str | os.PathLike[str]) -> Schedule:
    """Read a GOAL schedule, text or binary; the content decides.

    Parameters
    ----------
    path : path

    Returns
    -------
    Schedule
        The schedule, named after the file.

    Raises
    ------
    InputError
        A file that cannot be read, or is damaged: ``file:line: reason`` for text, ``file: byte N: reason`` for binary.

    Notes
    -----
    Hoefler, Siebert and Lumsdaine, Group Operation Assembly Language, ICPP 2009; the files of LogGOPSim (Hoefler, Schneider and
    Lumsdaine, LSAP 2010): ``txt2bin.re`` and ``Parser.hpp``.
    """
    check_path(path, "load_goal", "give a file")
    source = os.fspath(path)
    try:
        with open_to_read(path) as file:
            magic = file.read(8)
            if magic == goal_binary.MAGIC:
                return goal_binary.goal_of_bytes(file, Path(source).stem, source)
            return goal_text.goal_of_text(magic, file, Path(source).stem, source)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source} cannot be read: {reason(error)}") from None


def save_goal(schedule: Schedule, path: str | os.PathLike[str], *, binary: bool | None = None) -> None:
    """Write a schedule for LogGOPSim and ATLAHS.

    Parameters
    ----------
    schedule : Schedule
        The schedule; bytes and nanoseconds are rounded to whole numbers.
    path : path
    binary : bool, optional
        When omitted: binary if the name ends in ``.bin``.

    Raises
    ------
    InputError
        A file that cannot be written; numbers that the format cannot represent.
    """
    check_type(schedule, Schedule, "save_goal", "use load_goal or schedule_of_program")
    as_binary = Path(path).suffix == _BINARY if binary is None else binary
    write_atomically(path, goal_binary.bytes_of_goal(schedule) if as_binary else goal_text.text_of_goal(schedule))

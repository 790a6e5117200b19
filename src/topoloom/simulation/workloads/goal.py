"""GOAL, the schedules of LogGOPSim and ATLAHS: the choice of its two formats for reading and writing."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.files import open_to_read, reason, write_atomically
from topoloom.simulation.flows.operations import CALC, SEND
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
        The schedule, named after the file; its notes say when all messages have 0 bytes, or all computations take 0 ns.

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
            read = goal_binary.goal_of_bytes if magic == goal_binary.MAGIC else partial(goal_text.goal_of_text, magic)
            schedule = read(file, Path(source).stem, source)
            return replace(schedule, notes=_notes(schedule, source))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source} cannot be read: {reason(error)}") from None


def _notes(schedule: Schedule, source: str) -> tuple[str, ...]:
    """Return a sentence each for messages and computations, where all of them are empty; some of them may be in any file."""
    operations, notes = schedule.operations, []
    computes = operations.kind == CALC
    for amounts, all_empty in (
        (operations.amount[operations.kind == SEND], "messages have 0 bytes"),
        (operations.amount[computes], "computations take 0 ns"),
    ):
        if amounts.size and not amounts.any():
            notes.append(f"{source}: all {amounts.size:,} {all_empty}")
    return tuple(notes)


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

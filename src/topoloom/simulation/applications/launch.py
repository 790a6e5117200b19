"""Start SimGrid as one process in its own folder, and report the reason when it fails."""

import os
import re
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from topoloom.core.errors import InputError
from topoloom.simulation.applications.processes import MOST_OUTPUT, ProcessLimits, passing_folder, run_process
from topoloom.simulation.applications.tools import tool

#: A line of SimGrid's output after a simulation that ended normally.
_SIMULATED = "Simulated time: "
#: SimGrid's messages about ranks that end before MPI_Finalize; its exit code is 0 nevertheless.
_GAVE_UP = re.compile(r"MPI_Abort was called|Do all your MPI ranks call MPI_Finalize")
#: A line of SimGrid's log: time and process, place in its source, category and level, and the text.
_LINE = re.compile(r"\[[^\]]*\] (?:\S+:\d+: )?\[[\w.]+/(\w+)\] (.*)")
_RETURNED = re.compile(r"did not return 0\. Return value : (\d+)")
#: The last lines of smpirun when a program returns an exit code other than 0: the code, and the command that it ran.
_LAST = r"Execution failed with code|.*--cfg=smpi/"
_SMPIRUN = re.compile(_LAST)
#: Other lines that are not the program's: a backtrace, a shell's message about a signal, the duration of the simulation.
_ECHO = re.compile(
    r"\s+->|Aborted|Segmentation fault|Access violation|terminate called|.* seconds (were actual|\(after parsing)|"
    + _LAST
)
_CODE = re.compile(r"Execution failed with code (\d+)")
#: Words that mark a line in which a program gives the reason of a failure.
_SIGNS = ("error", "abort", "fail", "invalid", "cannot", "no such", "must", "unknown")


@dataclass(frozen=True)
class Ran:
    """The outcome of a simulation: the program's output followed by its errors, its exit code, and its CPU time."""

    output: str
    code: int
    cpu_s: float


def workplace() -> AbstractContextManager[Path]:
    """Return a folder for one simulation, which is removed afterwards with everything in it."""
    return passing_folder("topoloom-app-")


def run_smpi(
    folder: Path,
    library: Path,
    homes: list[int],
    program: list[str],
    options: list[str],
    environment: Mapping[str, str],
    name: str,
    limits: ProcessLimits,
    arguments: Sequence[str] = (),
    cwd: str | None = None,
) -> Ran:
    """Run a program on a simulated platform.

    Parameters
    ----------
    folder : Path
        The folder from `workplace`; the simulation writes its files there.
    library : Path
        The platform (`tools.platform_library`).
    homes : list of int
        The host of each rank.
    program : list of str
        The program for smpirun, as its last arguments.
    options : list of str
        SimGrid's options (`AppSettings.options`).
    environment : dict
        Variables that the platform reads, in addition to the current environment.
    name : str
        The program's name, for messages.
    limits : ProcessLimits
    arguments : sequence of str
        The program's arguments, passed unchanged.
    cwd : str, optional
        The working folder; `folder` when omitted.

    Raises
    ------
    InputError
        The program ends before MPI_Finalize, or not in time: with SimGrid's own message, cut to a line. Exit codes of ranks
        after that are not checked: a NAS benchmark (DT) returns 1 on success.
    Stopped
        The work was stopped; no process is left.
    """
    if " " in str(folder):
        raise InputError(
            f"{folder.parent}: smpirun does not accept a folder with a blank in its name; set TMPDIR to another folder"
        )
    if arguments:
        # smpirun would split the arguments at blanks, and expand stars to file names.
        start = folder / "start.sh"
        start.write_text(f'exec "$@" {shlex.join(arguments)}\n')
        options = [*options, "-wrapper", f"sh {start}"]
    hostfile = folder / "hosts.txt"
    hostfile.write_text("".join(f"host{home}\n" for home in homes))
    command = [
        tool("smpirun"),
        "-np",
        str(len(homes)),
        "-platform",
        str(library),
        "-hostfile",
        str(hostfile),
        *options,
        *program,
    ]
    surroundings = {**os.environ, **environment, "TMPDIR": str(folder)}
    with (
        open(folder / "out.txt", "w+", errors="replace") as out,
        open(folder / "err.txt", "w+", errors="replace") as err,
    ):
        code, cpu_s = run_process(
            command, folder if cwd is None else cwd, out, err, surroundings, limits, f"{name}: simulating"
        )
        for stream in (out, err):
            stream.seek(0)
        output, errors = out.read(MOST_OUTPUT), err.read(MOST_OUTPUT)
    if code < 0 or _SIMULATED not in errors or _GAVE_UP.search(errors):
        raise InputError(f"{name}: the simulation failed: {_reason(output, errors, code)}")
    output_lines = [line for line in output.splitlines() if not _SMPIRUN.match(line)]
    error_lines = [line for line in errors.splitlines() if line and not (_LINE.match(line) or _ECHO.match(line))]
    return Ran("".join(f"{line}\n" for line in (*output_lines, *error_lines)), code, cpu_s)


def _reason(output: str, errors: str, code: int) -> str:
    """Return why a simulation failed: SimGrid's reason, and the program's last message where the program is the cause."""
    lines = [(match, line.strip()) for line in errors.splitlines() for match in [_LINE.match(line)]]
    simgrid = [match.groups() for match, _ in lines if match]
    program_lines = [line.strip() for line in output.splitlines()] + [line for match, line in lines if not match]
    words = _last_words([line for line in program_lines if line and not _ECHO.match(line)])
    if "MPI_Abort was called" in errors:
        return f"MPI_Abort was called{words}"
    if returned := _RETURNED.search(errors):
        return f"a rank returned {returned[1]} before MPI_Finalize{words}"
    critical = [text for level, text in simgrid if level == "CRITICAL" and "backtrace" not in text]
    if critical:
        waits = "deadlock" in critical[0].lower()
        return f"{critical[0].removeprefix('Uncaught exception ')}{words if waits else ''}"[:400]
    crash = _CODE.search(output)
    if crash and int(crash[1]) > 128:
        return f"it crashed: {signal.strsignal(int(crash[1]) - 128) or crash[1]}{words}"
    return f"ranks end before MPI_Finalize{words}" if not code else f"it ended with code {code}{words}"


def _last_words(lines: list[str]) -> str:
    """Return ``; it says: ...``: the first line of the program that gives a reason, else its last line; empty if none."""
    for line, following in pairwise([*lines, ""]):
        if any(sign in line.lower() for sign in _SIGNS):
            return f"; it says: {f'{line} {following}'.strip() if line.endswith(':') else line}"[:300]
    return f"; it says: {lines[-1]}"[:300] if lines else ""

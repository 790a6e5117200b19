"""Starting SimGrid: one process in a folder of its own, and what it says when it fails."""

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

#: What SimGrid says of a simulation that came to its end.
_SIMULATED = "Simulated time: "
#: What SimGrid says of ranks that end before MPI_Finalize, though it exits as if all were well.
_GAVE_UP = re.compile(r"MPI_Abort was called|Do all your MPI ranks call MPI_Finalize")
#: A line of SimGrid's: when and who, where in its source, category and level, and the text.
_LINE = re.compile(r"\[[^\]]*\] (?:\S+:\d+: )?\[[\w.]+/(\w+)\] (.*)")
_RETURNED = re.compile(r"did not return 0\. Return value : (\d+)")
#: What smpirun says at the end of a program that does not return 0: that, and the command that it ran.
_LAST = r"Execution failed with code|.*--cfg=smpi/"
_SMPIRUN = re.compile(_LAST)
#: What else is not the program's: a backtrace, a shell's word on a signal, how long the simulation took.
_ECHO = re.compile(
    r"\s+->|Aborted|Segmentation fault|Access violation|terminate called|.* seconds (were actual|\(after parsing)|"
    + _LAST
)
_CODE = re.compile(r"Execution failed with code (\d+)")
#: What a line of a program that says why has in it.
_SIGNS = ("error", "abort", "fail", "invalid", "cannot", "no such", "must", "unknown")


@dataclass(frozen=True)
class Ran:
    """What a simulation said: its program's output, then its errors; its exit code, and how much CPU it took."""

    output: str
    code: int
    cpu_s: float


def workplace() -> AbstractContextManager[Path]:
    """A folder for one simulation, gone afterwards with everything in it."""
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
        Of `workplace`; the simulation writes its own files there.
    library : Path
        The platform (`tools.platform_library`).
    homes : list of int
        The host of each rank.
    program : list of str
        What smpirun is given to run, as its last arguments.
    options : list of str
        SimGrid's (`AppSettings.options`).
    environment : dict
        What the platform reads, besides what is in the environment.
    name : str
        The program's, for messages.
    limits : ProcessLimits
    arguments : sequence of str
        What the program is called with, as it is.
    cwd : str, optional
        Where it runs; in `folder` when omitted.

    Raises
    ------
    InputError
        The program ends before MPI_Finalize, or not in time: SimGrid's own words, cut to a line. What its ranks return after
        that is not judged: a NAS benchmark (DT) returns 1 when all is well.
    Stopped
        The work was stopped; no process is left.
    """
    if " " in str(folder):
        raise InputError(
            f"{folder.parent}: smpirun takes no folder with a blank in its name; set TMPDIR to another one"
        )
    if arguments:
        # smpirun would split them at blanks, and put names of files where they have stars.
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
    said = [line for line in output.splitlines() if not _SMPIRUN.match(line)]
    theirs = [line for line in errors.splitlines() if line and not (_LINE.match(line) or _ECHO.match(line))]
    return Ran("".join(f"{line}\n" for line in (*said, *theirs)), code, cpu_s)


def _reason(output: str, errors: str, code: int) -> str:
    """Why a simulation failed: SimGrid's reason, and the program's last words where it is the program's fault."""
    lines = [(found, line.strip()) for line in errors.splitlines() for found in [_LINE.match(line)]]
    simgrid = [found.groups() for found, _ in lines if found]
    said = [line.strip() for line in output.splitlines()] + [line for found, line in lines if not found]
    words = _last_words([line for line in said if line and not _ECHO.match(line)])
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
    """``; it says: ...``: the first line of a program's that says why, or the last of all; empty where it says nothing."""
    for line, following in pairwise([*lines, ""]):
        if any(sign in line.lower() for sign in _SIGNS):
            return f"; it says: {f'{line} {following}'.strip() if line.endswith(':') else line}"[:300]
    return f"; it says: {lines[-1]}"[:300] if lines else ""

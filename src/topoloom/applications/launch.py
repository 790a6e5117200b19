"""Starting SimGrid: one process in a folder of its own, ended with all its children whatever happens."""

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from topoloom.applications.tools import tool
from topoloom.errors import InputError
from topoloom.threads import asked_to_stop

#: Seconds between two looks at Ctrl-C.
_LOOK_SECONDS = 0.02
#: What SimGrid says of a simulation that came to its end.
_SIMULATED = "Simulated time: "
#: What SimGrid says of ranks that end before MPI_Finalize, though it exits as if all were well.
_GAVE_UP = re.compile(r"MPI_Abort was called|Do all your MPI ranks call MPI_Finalize")
#: What a line that says why has in it, the best first; and which of these only SimGrid says, not the program.
_SIGNS = (
    "mpi_abort was called", "deadlock", "is invalid", "please", "what():", "error", "abort", "fail", "cannot", "unknown",
    "mpi_finalize",
)  # fmt: skip
_SIMGRID_ONLY = frozenset({"please", "is invalid"})
#: Runs what it is given, and beside it one who waits for the end of the pipe that this process holds open: whatever ends it,
#: SIGKILL too, the simulation and its folder go with it.
_GUARDED = (
    "sh", "-c",
    'exec 3<&0; { read -r never; rm -rf -- "$TMPDIR"; kill -KILL 0; } <&3 3<&- & exec "$@" </dev/null 3<&-', "sh",
)  # fmt: skip
_NOISE = re.compile(r"\[[^\]]*\]\s*(?:\[[^\]]*\]\s*)*")


@dataclass(frozen=True)
class Told:
    """What a simulation said: its program's output and exit code, and how much CPU it took."""

    output: str
    code: int
    cpu_s: float


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for one simulation, gone afterwards with everything in it."""
    with tempfile.TemporaryDirectory(prefix="topoloom-app-") as folder:
        yield Path(folder)


def simulate(
    folder: Path, library: Path, homes: list[int], program: list[str], options: list[str], environment: Mapping[str, str],
    name: str,
) -> Told:  # fmt: skip
    """Run a program on the platform of `environment`, one rank on each of the hosts `homes`.

    Raises
    ------
    InputError
        The program ends before MPI_Finalize, or never: SimGrid's own words, cut to a line. What its ranks return after
        that is not judged: a NAS benchmark (DT) returns 1 when all is well.
    KeyboardInterrupt
        Ctrl-C; no process is left.
    """
    hostfile = folder / "hosts.txt"
    hostfile.write_text("".join(f"host{home}\n" for home in homes))
    command = [
        *_GUARDED, tool("smpirun"), "-np", str(len(homes)), "-platform", str(library), "-hostfile", str(hostfile),
        *options, *program,
    ]  # fmt: skip
    with open(folder / "out.txt", "w+") as out, open(folder / "err.txt", "w+") as err:
        process = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=err, stdin=subprocess.PIPE, start_new_session=True,
            env={**os.environ, **environment, "TMPDIR": str(folder)},
        )  # fmt: skip
        try:
            cpu_s = _waited(process)
        finally:
            _end(process)
        for stream in (out, err):
            stream.seek(0)
        output, errors = out.read(), err.read()
    if process.returncode < 0 or _SIMULATED not in errors or _GAVE_UP.search(errors):
        raise InputError(f"{name}: the simulation failed: {_reason(output, errors, process.returncode)}")
    return Told(output, process.returncode, cpu_s)


def _waited(process: "subprocess.Popen[bytes]") -> float:
    """Wait for the end of a process; the CPU time of it and its children."""
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime
        if asked_to_stop.wait(_LOOK_SECONDS):
            raise KeyboardInterrupt


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.returncode is None:
        with suppress(ChildProcessError):
            process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _reason(output: str, errors: str, code: int) -> str:
    """The line that says why."""
    said, told = (
        [line for line in (_NOISE.sub("", line).strip() for line in text.splitlines()) if line]
        for text in (output, errors)
    )
    for sign in _SIGNS:
        lines = told if sign in _SIMGRID_ONLY else said + told
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if sign in line.lower() and not line.lower().startswith("terminate called"):
                return (f"{line} {following}".strip() if line.endswith(":") else line)[:300]
    lines = said + told
    return lines[-1][:300] if lines else f"it ended with code {code}"

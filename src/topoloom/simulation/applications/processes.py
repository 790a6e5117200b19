"""Child processes that end with this process, with all their descendants; and temporary folders that are removed with it."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from topoloom.core.errors import InputError
from topoloom.core.files import reason
from topoloom.core.surroundings import users_variables
from topoloom.core.work import Work
from topoloom.simulation.applications import _supervisor

#: Default limit in seconds for running a user's program, and for building it.
TIME_LIMIT_S = 3600.0
#: Bytes of output, or of errors, beyond which a process is ended.
MOST_OUTPUT = 1 << 26
#: The limit of memory in bytes for each process of a compiler or of make; an endless source file would take all memory.
BUILDING_BYTES = 4 << 30
#: Seconds between two checks for a stop, and seconds to wait for a process that must end.
_LOOK_SECONDS, _ENDING_SECONDS = 0.02, 6.0
#: Removes a folder after the pipe that this process holds open closes, with a short delay for processes that still use it.
_REMOVER = ("sh", "-c", 'trap "" HUP INT TERM; read -r never; sleep 0.2; rm -rf -- "$1"', "sh")


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of child processes, and what may stop them.

    Attributes
    ----------
    seconds : float
        The time limit of each process; infinite: none.
    work : Work
        Its stop ends the processes at once.
    """

    seconds: float = float("inf")
    work: Work = field(default_factory=Work)


@contextmanager
def passing_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Create a folder for the duration of a context; it is removed afterwards with its content, even after SIGKILL."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as folder:
        guard = subprocess.Popen(
            [*_REMOVER, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        try:
            yield Path(folder)
        finally:
            guard.kill()
            guard.communicate()


def run_process(
    command: Sequence[str],
    cwd: str | Path,
    out: IO[Any],
    err: IO[Any],
    environment: dict[str, str],
    limits: ProcessLimits,
    what: str,
    *,
    memory: int = 0,
) -> tuple[int, float]:
    """Run a command to its end, then end all processes that it has started.

    Parameters
    ----------
    command : sequence of str
    cwd : path
        The working folder.
    out, err : files
        Files for its output; the command is ended when one of them exceeds `MOST_OUTPUT`.
    environment : dict
        Its complete environment.
    limits : ProcessLimits
    what : str
        The action in words, for messages: ``compiling prog.c``.
    memory : int
        The most bytes of memory per process; 0: no limit.

    Returns
    -------
    int, float
        The exit code, negative for a signal, and the seconds of CPU of the command and of all children that it waited for.

    Raises
    ------
    InputError
        The command took too long, printed too much, or could not be started.
    Stopped
        The work was stopped. In each case, also on Ctrl-C, no process is left.
    """
    reading, writing = os.pipe()
    python = sys.executable or shutil.which("python3") or "python3"
    supervised = [python, "-I", "-S", _supervisor.__file__, str(writing), str(memory), *command]
    try:
        process = subprocess.Popen(
            supervised,
            cwd=cwd,
            stdout=out,
            stderr=err,
            stdin=subprocess.PIPE,
            start_new_session=True,
            env=users_variables(environment),
            pass_fds=(writing,),
        )
    except (OSError, ValueError) as error:
        os.close(reading)
        why = reason(error) if isinstance(error, OSError) else "an argument holds a zero byte"
        raise InputError(f"{what}: it cannot be started in {cwd}: {why}") from None
    finally:
        os.close(writing)
    try:
        began, report_poll = time.monotonic(), select.poll()  # unlike `select`, it has no limit on file numbers
        report_poll.register(reading, select.POLLIN)
        while not report_poll.poll(_LOOK_SECONDS * 1000):
            limits.work.check()
            if time.monotonic() - began > limits.seconds:
                raise InputError(
                    f"{what}: it did not end within {limits.seconds:g} s, and was stopped; raise the limit (`time_limit`)"
                )
            if max(os.fstat(file.fileno()).st_size for file in (out, err)) > MOST_OUTPUT:
                raise InputError(f"{what}: it printed more than {MOST_OUTPUT >> 20} MiB, and was stopped")
        words = os.read(reading, 100).split()
    finally:
        os.close(reading)
        _end(process)
    if not words:
        raise InputError(f"{what}: it was killed from outside")
    return int(words[0]), float(words[1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Let the supervisor end the process and its descendants; if the supervisor is gone, kill its process group."""
    if process.stdin is not None:
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def output_of(
    command: Sequence[str], cwd: Path, limits: ProcessLimits, what: str, environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Return the exit code of a command and its output, errors first; for parameters see `run_process`.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    cwd : path
        The folder that it runs in.
    limits : ProcessLimits
        How long it may take, and what stops it.
    what : str
        What the command does, for messages.
    environment : dict of str to str, optional
        Its environment variables; that of this process when omitted.

    Returns
    -------
    code : int
        The exit code.
    output : str
        Standard error, then standard output, each up to `MOST_OUTPUT` characters.

    Raises
    ------
    InputError
        As for `run_process`.
    Stopped
        As for `run_process`.
    """
    surroundings = dict(os.environ) if environment is None else environment
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        code, _ = run_process(command, cwd, out, err, surroundings, limits, what, memory=BUILDING_BYTES)
        for stream in (err, out):
            stream.seek(0)
        return code, err.read(MOST_OUTPUT) + out.read(MOST_OUTPUT)

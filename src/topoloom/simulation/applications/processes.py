"""Processes that end with this one, whatever ends it, and with all that they have started; and folders that go with it."""

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

#: Seconds that a program of the user's may take, and building it, unless somebody says otherwise.
TIME_LIMIT_S = 3600.0
#: Bytes of output, or of errors, past which a process is ended: nobody reads more.
MOST_OUTPUT = 1 << 26
#: Bytes of memory that each process of a compiler, or of make, may have: a file without an end would take all there is.
BUILDING_BYTES = 4 << 30
#: Seconds between two looks at whether to stop, and what is waited for the end of what was told to end.
_LOOK_SECONDS, _ENDING_SECONDS = 0.02, 6.0
#: Removes a folder, once the pipe that this process holds open is closed and those who use it have had a moment to end.
_REMOVER = ("sh", "-c", 'trap "" HUP INT TERM; read -r never; sleep 0.2; rm -rf -- "$1"', "sh")


@dataclass(frozen=True)
class ProcessLimits:
    """How long processes may take, and who may stop them.

    Attributes
    ----------
    seconds : float
        Each of them; infinite: as long as they like.
    work : Work
        Its stop ends them at once.
    """

    seconds: float = float("inf")
    work: Work = field(default_factory=Work)


@contextmanager
def passing_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder, gone afterwards with everything in it, also after SIGKILL."""
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
    """Run a command to its end, and end with it all that it has started.

    Parameters
    ----------
    command : sequence of str
    cwd : path
        The folder that it runs in.
    out, err : files
        What it prints; it is ended when one of them grows past `MOST_OUTPUT`.
    environment : dict
        All of its environment.
    limits : ProcessLimits
    what : str
        For messages: ``compiling prog.c``.
    memory : int
        Bytes that each of its processes may have; 0: as many as there are.

    Returns
    -------
    int, float
        Its exit code, negative for a signal, and seconds of CPU of it and of all children that it waited for.

    Raises
    ------
    InputError
        It took too long, printed too much, or could not be started.
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
        told = reason(error) if isinstance(error, OSError) else "an argument holds a zero byte"
        raise InputError(f"{what}: it cannot be started in {cwd}: {told}") from None
    finally:
        os.close(writing)
    try:
        began, ended = time.monotonic(), select.poll()  # which has no limit of file numbers, as `select` has
        ended.register(reading, select.POLLIN)
        while not ended.poll(_LOOK_SECONDS * 1000):
            limits.work.check()
            if time.monotonic() - began > limits.seconds:
                raise InputError(
                    f"{what}: it was not done after {limits.seconds:g} s, and was ended; allow it more seconds (`time_limit`)"
                )
            if max(os.fstat(file.fileno()).st_size for file in (out, err)) > MOST_OUTPUT:
                raise InputError(f"{what}: it printed more than {MOST_OUTPUT >> 20} MiB, and was ended")
        words = os.read(reading, 100).split()
    finally:
        os.close(reading)
        _end(process)
    if not words:
        raise InputError(f"{what}: it was killed by somebody else")
    return int(words[0]), float(words[1])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Have the supervisor end the process and all that it started; where it is gone itself, what is in its group."""
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
    """The exit code of a command, and all that it prints, errors first; the parameters are those of `run`.

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
        Its environment variables; our own when omitted.

    Returns
    -------
    code : int
        The exit code.
    output : str
        Standard error, then standard output, each up to `MOST_OUTPUT` characters.

    Raises
    ------
    InputError
        As `run`.
    Stopped
        As `run`.
    """
    surroundings = dict(os.environ) if environment is None else environment
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        code, _ = run_process(command, cwd, out, err, surroundings, limits, what, memory=BUILDING_BYTES)
        for stream in (err, out):
            stream.seek(0)
        return code, err.read(MOST_OUTPUT) + out.read(MOST_OUTPUT)

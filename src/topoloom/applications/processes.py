"""Processes that end with this one, whatever ends it, and with all that they have started; and folders that go with it."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from topoloom.threads import asked_to_stop

#: Seconds between two looks at Ctrl-C.
_LOOK_SECONDS = 0.02
#: Runs what it is given, and beside it one who waits for the end of the pipe that this process holds open.
_GUARDED = ("sh", "-c", 'exec 3<&0; { read -r never; kill -KILL 0; } <&3 3<&- & exec "$@" </dev/null 3<&-', "sh")
#: The same for a folder, which it removes once those have had a moment to end.
_REMOVER = ("sh", "-c", 'trap "" HUP INT TERM; read -r never; sleep 0.2; rm -rf -- "$1"', "sh")


@contextmanager
def passing_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder, gone afterwards with everything in it, also after SIGKILL."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as folder:
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


def run(
    command: Sequence[str], cwd: str | Path, out: IO[Any], err: IO[Any], environment: dict[str, str]
) -> tuple[int, float]:
    """Run a command to its end: its exit code, negative for a signal, and seconds of CPU of it and all its children.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, also where only the event tells of it; no process is left.
    """
    process = subprocess.Popen(
        [*_GUARDED, *command],
        cwd=cwd,
        stdout=out,
        stderr=err,
        stdin=subprocess.PIPE,
        start_new_session=True,
        env=environment,
    )
    try:
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_utime + usage.ru_stime
            if asked_to_stop.wait(_LOOK_SECONDS):
                raise KeyboardInterrupt
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.returncode is None:
        with suppress(ChildProcessError):
            process.wait()
    if process.stdin is not None:
        process.stdin.close()


def told(command: Sequence[str], cwd: Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code of a command, and all that it prints, errors first."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        code, _ = run(command, cwd, out, err, dict(os.environ) if environment is None else environment)
        for stream in (err, out):
            stream.seek(0)
        return code, err.read() + out.read()

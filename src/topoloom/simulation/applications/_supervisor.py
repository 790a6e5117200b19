"""Runs one command as a program of its own, and ends all processes that the command started when the command or parent ends.

    python -I -S _supervisor.py REPORT MEMORY COMMAND...

The command ends by itself, or when standard input closes, which is a pipe that the parent holds open. Then every process that
the command started is killed, even if it left the command's process group and session: this process is a subreaper, so it
inherits them. It writes the exit code of the command (negative for a signal) and its seconds of CPU to the file descriptor
REPORT. MEMORY limits the bytes of address space of each process; 0: no limit. The module imports only the standard library, so
that it starts within ten milliseconds.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time

_SET_CHILD_SUBREAPER = 36
_IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
#: Seconds for which `_end_all` tries to kill processes; any that survive are abandoned.
_PATIENCE_SECONDS = 5.0


def main(report: int, memory: int, command: list[str]) -> None:
    """Run the command, then end all processes that it started."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake_reader, wake_writer = os.pipe()
    for end in (wake_reader, wake_writer):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        _become(report, memory, command)
    outcome = ""
    while not outcome:
        ready, _, _ = select.select([0, wake_reader], [], [])
        if 0 in ready and not os.read(0, 1):
            break
        if wake_reader in ready:
            os.read(wake_reader, 4096)
        outcome = _reaped(child)
    _end_all()
    if outcome:
        os.write(report, outcome.encode())


def _become(report: int, memory: int, command: list[str]) -> None:
    """Replace this process by the command; exit with 127, as shells do, where it cannot be started."""
    try:
        os.close(report)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        signal.set_wakeup_fd(-1)
        for number in (*_IGNORED, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _reaped(child: int) -> str:
    """Reap all ended children; return ``CODE CPU`` of the command once it has ended, else an empty text."""
    outcome = ""
    while True:
        try:
            process, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return outcome
        if process == 0:
            return outcome
        if process == child:
            outcome = f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime}"


def _end_all() -> None:
    """Kill all children; their own children are then inherited by this process, and killed as well."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for process in _children():
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> list[int]:
    """Return the processes whose parent is this process."""
    children, own_process = [], os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                status = file.read()
        except OSError:
            continue
        # The name, in parentheses, may hold any character; after it come the state and the parent.
        if int(status[status.rindex(b")") + 2 :].split()[1]) == own_process:
            children.append(int(name))
    return children


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])

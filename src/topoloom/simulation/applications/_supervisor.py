"""Runs one command and ends all that it has started, by its own parent's wish or death; started as a program of its own.

    python -I -S _supervisor.py REPORT MEMORY COMMAND...

The command ends when it does, or when standard input, a pipe that the parent holds open, is closed. Then every process that
came of it is killed, also those that left its group and session: as a subreaper this process inherits them. The exit code of
the command (negative for a signal) and its seconds of CPU are written to the file descriptor REPORT. MEMORY bounds the bytes
of address space of each process; 0: unbounded. Nothing but the standard library is imported, which takes a hundredth of a
second.
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
#: What cannot be killed in this time stays behind.
_PATIENCE_SECONDS = 5.0


def main(report: int, memory: int, command: list[str]) -> None:
    """Run the command, and end what is left of it."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        _become(report, memory, command)
    told = ""
    while not told:
        ready, _, _ = select.select([0, reading], [], [])
        if 0 in ready and not os.read(0, 1):
            break
        if reading in ready:
            os.read(reading, 4096)
        told = _reaped(child)
    _end_all()
    if told:
        os.write(report, told.encode())


def _become(report: int, memory: int, command: list[str]) -> None:
    """Be the command; 127, as shells say, where it cannot be started."""
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
    """``CODE CPU`` of the child where it has ended; orphans that ended are forgotten."""
    told = ""
    while True:
        try:
            process, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return told
        if process == 0:
            return told
        if process == child:
            told = f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime}"


def _end_all() -> None:
    """Kill all children; theirs become this process's own, and follow."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
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
    """The processes whose parent this one is."""
    found, mine = [], os.getpid()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                told = file.read()
        except OSError:
            continue
        # Behind the name, which may hold anything, in brackets: the state, and the parent.
        if int(told[told.rindex(b")") + 2 :].split()[1]) == mine:
            found.append(int(name))
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])

"""Standard output and standard error of commands: who stops reading, or a full disk, changes no exit code but where it must.

==========================  =====================================================================================
what happens                what the command does
==========================  =====================================================================================
stdout's reader goes away   the rest is printed to nobody; the exit code is the command's own (`verify | head`)
stdout cannot be written    one line that says why, exit code 2: what was asked for is not there
stderr cannot be written    nothing: what it would say is a comment on the result, which stands
either is closed            it is as if it were `/dev/null`
==========================  =====================================================================================
"""

import io
import os
import select
import sys
from collections.abc import Callable
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.files import reason


def _written(write: Callable[[Any], int | None], data: Any, file: io.FileIO) -> int:
    """The bytes that the system took; of a pipe that somebody has set not to block, when it takes some."""
    while (taken := write(data)) is None:
        select.select([], [file], [])
    return taken


class _Output(io.FileIO):
    """Standard output: after the first fault what is written goes nowhere."""

    gone = False

    def write(self, data: Any, /) -> int:
        """All bytes that the system takes, or, once nobody reads, all of them."""
        if not self.gone:
            try:
                return _written(super().write, data, self)
            except BrokenPipeError:
                self.gone = True
            except OSError as error:
                self.gone = True
                raise InputError(f"the output cannot be written: {reason(error)}") from None
        return memoryview(data).nbytes


class _Comments(io.FileIO):
    """Standard error: what cannot be written is left unsaid."""

    def write(self, data: Any, /) -> int:
        """All bytes that the system takes; all of them where it takes none."""
        try:
            return _written(super().write, data, self)
        except OSError:
            return memoryview(data).nbytes


_output: list[_Output] = []


def prepare() -> None:
    """Have this process's own standard streams behave as commands' do; streams that somebody else put there stay."""
    for number, name, kind in ((1, "stdout", _Output), (2, "stderr", _Comments)):
        stream: Any = getattr(sys, name)
        if stream is None:  # the caller closed it: there is nobody to tell
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (lives as long as the process)
        elif stream is getattr(sys, f"__{name}__") and hasattr(stream, "reconfigure"):
            raw = kind(number, "w", closefd=False)
            if isinstance(raw, _Output):
                _output[:] = [raw]
            stream.flush()
            whole = io.TextIOWrapper(
                io.BufferedWriter(raw),
                encoding=stream.encoding,
                errors="backslashreplace",  # what a terminal has no letters for is written as \\u2026
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, whole)


def unread() -> bool:
    """Whether the reader of standard output has gone away: what is only printed needs no more work."""
    return bool(_output) and _output[0].gone

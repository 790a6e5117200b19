"""Standard output and standard error of commands. A reader that goes away or a full disk changes the exit code only where
the result is lost.

==========================  =====================================================================================
event                       effect on the command
==========================  =====================================================================================
stdout's reader goes away   the rest is discarded; the exit code is the command's own (`verify | head`)
stdout cannot be written    one line that states the reason, exit code 2: the result is lost
stderr cannot be written    none: stderr only has comments on the result, and the result is complete
either is closed            it is treated as `/dev/null`
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
    """Write, and return the number of bytes that the system took; waits if the file is a non-blocking pipe that is full."""
    while (taken := write(data)) is None:
        select.select([], [file], [])
    return taken


class _Output(io.FileIO):
    """Standard output; after the first error everything that is written is discarded."""

    gone = False

    def write(self, data: Any, /) -> int:
        """Write, and return the bytes taken; all of them once nobody reads."""
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
    """Standard error; text that cannot be written is discarded."""

    def write(self, data: Any, /) -> int:
        """Write, and return the bytes taken; all of them if the system takes none."""
        try:
            return _written(super().write, data, self)
        except OSError:
            return memoryview(data).nbytes


_output: list[_Output] = []


def prepare() -> None:
    """Give this process's own standard streams the behaviour of this module; replaced streams stay as they are."""
    for number, name, kind in ((1, "stdout", _Output), (2, "stderr", _Comments)):
        stream: Any = getattr(sys, name)
        if stream is None:  # the caller closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (lives as long as the process)
        elif stream is getattr(sys, f"__{name}__") and hasattr(stream, "reconfigure"):
            raw = kind(number, "w", closefd=False)
            if isinstance(raw, _Output):
                _output[:] = [raw]
            stream.flush()
            whole = io.TextIOWrapper(
                io.BufferedWriter(raw),
                encoding=stream.encoding,
                errors="backslashreplace",  # characters that the terminal cannot show are written as \\u2026
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, whole)


def unread() -> bool:
    """Whether the reader of standard output has gone away, so that work for printing can stop."""
    return bool(_output) and _output[0].gone

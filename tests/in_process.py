"""The command line inside this process: what it prints, and how it exits, without a second for starting Python."""

import contextlib
import io
import json
import sys
import traceback
import warnings
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from topoloom.cli import main as command_line
from topoloom.cli.register import COMMANDS


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str
    warned: list[str] = field(default_factory=list)

    @property
    def error(self) -> str:
        """The sentence after ``error:``, without the prefix."""
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        return lines[-1].removeprefix("error: ") if lines else ""

    @property
    def record(self) -> dict[str, Any]:
        """What ``--json`` printed."""
        return json.loads(self.out)


def own_commands() -> list[str]:
    """The commands of topoloom itself, without those of other packages that are installed."""
    return [name for name, command in COMMANDS.items() if command.place.startswith("topoloom.")]


def run(*arguments: object) -> Ran:
    """Run a command; a traceback is an exit code of 1, as outside, and ends up in `err`."""
    out, err = io.StringIO(), io.StringIO()
    # Signals stay with pytest.
    with (
        mock.patch.object(command_line, "listen"),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(record=True) as seen,
    ):
        warnings.simplefilter("always")
        try:
            command_line.main([str(one) for one in arguments])
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
        except Exception:
            code = 1
            traceback.print_exc(file=sys.stderr)
    warned = [f"{one.category.__name__}: {one.message}" for one in seen if issubclass(one.category, RuntimeWarning)]
    return Ran(code, out.getvalue(), err.getvalue(), warned)

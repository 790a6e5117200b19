"""What infiniband-diags prints about the fabric that this host is on, as files for the commands that read them."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting


@dataclass(frozen=True)
class DumpProgram:
    """What programs print about a fabric.

    Attributes
    ----------
    programs : tuple of str
        They print the same; the first that is installed counts.
    mark : str
        A text that is in what they print.
    """

    programs: tuple[str, ...]
    mark: str


DISCOVERY = DumpProgram(("ibnetdiscover",), "Switch")
TABLES = DumpProgram(("dump_lfts", "dump_fts"), "Unicast lid")
#: Where distributions keep programs that are not in every user's PATH.
_MORE_FOLDERS = ("/usr/sbin", "/sbin")


class Now(Settings, frozen=True, kw_only=True):
    """Ask the running fabric instead of reading a file."""

    group: ClassVar[str] = "now"

    now: Annotated[
        bool,
        setting("ask the running fabric, by infiniband-diags on a host with an InfiniBand adapter, instead of a file"),
    ] = False


@contextmanager
def printed_now(printed: DumpProgram, name: str) -> Iterator[str]:
    """The file, in a temporary folder, that holds what the first of its programs prints that is installed.

    Parameters
    ----------
    printed : DumpProgram
        `DISCOVERY` or `TABLES`.
    name : str
        The name of the file, for messages.

    Raises
    ------
    InputError
        None of the programs is installed, or the program failed.
    """
    program = next((path for path in map(_installed, printed.programs) if path is not None), None)
    if program is None:
        raise InputError(f"{printed.programs[0]} is not installed; it is part of infiniband-diags. Or give a file")
    done = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode or printed.mark.encode() not in done.stdout:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        why = lines[-1] if lines else f"code {done.returncode}"
        raise InputError(f"{Path(program).name} failed on this host ({why}); run it on a host of the fabric, as root")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(done.stdout)
        yield str(file)


def _installed(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path=":".join(_MORE_FOLDERS))

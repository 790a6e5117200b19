"""SimGrid's tools: where they are, and what is built with them once and kept."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from topoloom.errors import InputError

_PACKAGES = "apt-get install libsimgrid-dev g++ (and gfortran for Fortran)"
#: What compiles an old Fortran program with today's compiler.
FORTRAN = ("-O2", "-std=legacy", "-fallow-argument-mismatch", "-fallow-invalid-boz", "-w")
#: What a line of a compiler, a linker or make has in it that says why, the best first.
_SIGNS = ("error:", "undefined reference", "cannot", "no rule", "must", "error")
#: What a linker and make say of what somebody else has said.
_ECHO = re.compile(r"collect2:|make(\[\d+\])?: (\*\*\* .*Error \d+$|Entering|Leaving)")
FORTRAN_ENDS = (".f", ".f77", ".f90", ".f95", ".f03", ".f08", ".for")


def tool(name: str) -> str:
    """The path of a program.

    Raises
    ------
    InputError
        It is not installed; the sentence names the Debian packages.
    """
    found = shutil.which(name)
    if found is None:
        raise InputError(f"{name} is not installed; applications run on SimGrid 3.32 or later: {_PACKAGES}")
    return found


def available() -> bool:
    """Whether applications can run here."""
    return all(shutil.which(name) for name in ("smpirun", "smpicc", "g++"))


@cache
def version() -> str:
    """SimGrid's version: ``3.32``."""
    told = subprocess.run([tool("smpirun"), "-version"], capture_output=True, text=True, check=False).stdout.split()
    return told[2] if len(told) > 2 else "unknown"


def platform_library() -> Path:
    """The platform as a shared object, built on first use."""
    with as_file(files("topoloom.applications") / "platform.cpp") as source:
        tool("smpirun")
        return _built((source,), "platform.so", (tool("g++"), "-O2", "-std=c++17", "-fPIC", "-shared"), ("-lsimgrid",))


def compiled(sources: Sequence[Path]) -> Path:
    """The program of some C or Fortran sources, built by smpicc or smpiff and kept until they change.

    Raises
    ------
    InputError
        A source that is missing, of another language, or does not compile: the compiler's first complaint.
    """
    for source in sources:
        if not source.is_file():
            raise InputError(f"{source}: there is no such file")
    fortran = any(source.suffix.lower() in FORTRAN_ENDS for source in sources)
    wrong = [source for source in sources if source.suffix.lower() not in (*FORTRAN_ENDS, ".c")]
    if wrong or not sources:
        named = f"{wrong[0]}: it is" if wrong else "there is"
        raise InputError(f"{named} no C (.c) or Fortran (.f, .f90) source")
    command = (tool("smpiff"), *FORTRAN) if fortran else (tool("smpicc"), "-O2", "-w")
    return _built(tuple(sources), "program", command, ("-lm",))


def _built(sources: tuple[Path, ...], name: str, command: tuple[str, ...], libraries: tuple[str, ...]) -> Path:
    """What a compiler makes of sources; from the cache where it was made before."""
    digest = hashlib.sha256("\0".join((version(), *map(os.path.basename, command), *libraries)).encode())
    for source in sources:
        digest.update(source.read_bytes())
        # Included files are not read: sources in a folder are built anew when anything in it changes.
        if source.suffix != ".cpp":
            digest.update("\0".join(_neighbours(source)).encode())

    def made(folder: Path) -> Path:
        target = folder / name
        told = subprocess.run(
            [*command, *map(str, (source.resolve() for source in sources)), "-o", str(target), *libraries],
            capture_output=True, text=True, check=False, cwd=folder,
        )  # fmt: skip
        if told.returncode or not target.exists():
            raise InputError(f"{sources[0]}: it does not compile: {complaint(told.stderr or told.stdout)}")
        return target

    return kept(digest.hexdigest(), name, made)


def kept(digest: str, name: str, made: Callable[[Path], Path]) -> Path:
    """The file that `made` makes in a folder of its own, given that; from the cache where it was made before."""
    place = cache_folder() / digest[:24] / name
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            made(Path(folder)).replace(place)
    return place


def _neighbours(source: Path) -> list[str]:
    """The headers beside a source, with their times and sizes."""
    ends = {".h", ".inc", ".mod", ".fh"}
    beside = sorted(path for path in source.resolve().parent.iterdir() if path.suffix.lower() in ends)
    return [f"{path.name} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in beside]


def complaint(text: str) -> str:
    """The line of a compiler's or make's output that says what is wrong, cut to what people read."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _ECHO.match(line)]
    for sign in _SIGNS:
        for line in lines:
            if sign in line.lower():
                return line[:300]
    return lines[-1][:300] if lines else "no message"


def cache_folder() -> Path:
    """The user's cache folder, or a temporary one where that cannot be written to."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "topoloom" / "simgrid"
    try:
        home.mkdir(parents=True, exist_ok=True)
        if os.access(home, os.W_OK):
            return home
    except OSError:
        pass
    return _own_folder()


@cache
def _own_folder() -> Path:
    import atexit

    folder = tempfile.mkdtemp(prefix="topoloom-simgrid-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)

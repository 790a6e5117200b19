"""SimGrid's tools: where they are, and what is built with them once and kept."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from topoloom.core.compiling.caches import code_cache
from topoloom.core.errors import InputError
from topoloom.simulation.applications.processes import ProcessLimits, output_of, passing_folder

_PACKAGES = "apt-get install libsimgrid-dev g++ (and gfortran for Fortran)"
#: Without which no application runs.
NEEDED = ("smpirun", "smpicc", "g++")
#: What compiles an old Fortran program with today's compiler.
FORTRAN = ("-O2", "-std=legacy", "-fallow-argument-mismatch", "-fallow-invalid-boz", "-w")
#: What a line of a compiler, a linker or make has in it that says why, the best first.
_SIGNS = (
    "out of memory",
    "error:",
    "undefined reference",
    "not found",
    "no such file",
    "cannot",
    "no rule",
    "must",
    "error",
)
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


def simgrid_available() -> bool:
    """Whether applications can run here."""
    return all(shutil.which(name) for name in NEEDED)


@cache
def version() -> str:
    """SimGrid's version: ``3.32``."""
    told = subprocess.run([tool("smpirun"), "-version"], capture_output=True, text=True, check=False).stdout.split()
    return told[2] if len(told) > 2 else "unknown"


def platform_library(limits: ProcessLimits) -> Path:
    """The platform as a shared object, built on first use and kept."""
    tool("smpirun")
    with as_file(files("topoloom.simulation.applications") / "platform.cpp") as source:
        command = (tool("g++"), "-O2", "-std=c++17", "-fPIC", "-shared")
        return _kept((source,), "platform.so", command, ("-lsimgrid",), limits)


def schedule_player(limits: ProcessLimits) -> Path:
    """What runs schedules on the platform, built on first use and kept."""
    with as_file(files("topoloom.simulation.applications") / "replay.cpp") as source:
        return _kept((source,), "replay", (tool("g++"), "-O2", "-std=c++17"), ("-lsimgrid",), limits)


def built_in(sources: Sequence[Path], limits: ProcessLimits) -> Path:
    """One of topoloom's own programs, built by smpicc on first use and kept."""
    return _kept(sources, "program", (tool("smpicc"), "-O2", "-w"), ("-lm",), limits)


def compiled(sources: Sequence[Path], limits: ProcessLimits) -> Path:
    """The program of some C or Fortran sources, built by smpicc or smpiff.

    It is built each time, as nobody knows all files that a source includes; the same program comes to the same place.

    Raises
    ------
    InputError
        A source that is missing, of another language, or does not compile: the compiler's first complaint; or not in time.
    Stopped
        The work was stopped.
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
    with passing_folder("making-", cache_folder()) as folder:
        return placed(_built(sources, folder / "program", command, ("-lm",), limits))


def _built(
    sources: Sequence[Path], target: Path, command: tuple[str, ...], libraries: tuple[str, ...], limits: ProcessLimits
) -> Path:
    """What a compiler makes of sources."""
    listed = [str(source.resolve()) for source in sources]
    built = [*command, *listed, "-o", str(target), *libraries]
    # A compiler that is killed leaves its temporary files; here they go with the folder.
    surroundings = {**os.environ, "TMPDIR": str(target.parent)}
    code, text = output_of(built, target.parent, limits, f"{sources[0]}: compiling", surroundings)
    if code or not target.exists():
        raise InputError(f"{sources[0]}: it does not compile: {complaint(text)}")
    return target


def _kept(
    sources: Sequence[Path], name: str, command: tuple[str, ...], libraries: tuple[str, ...], limits: ProcessLimits
) -> Path:
    """What a compiler makes of sources of topoloom's own; from the cache where it was made before."""
    digest = hashlib.sha256("\0".join((version(), *map(os.path.basename, command), *libraries)).encode())
    for source in sources:
        for file in (source, *sorted(source.parent.glob("*.h"))):
            digest.update(file.read_bytes())
    place = cache_folder() / digest.hexdigest()[:24] / name
    if not place.exists():
        with passing_folder("making-", cache_folder()) as folder:
            _moved(_built(sources, folder / name, command, libraries, limits), place)
    return place


def placed(program: Path) -> Path:
    """A program's place in the cache, which its content names; it is moved there."""
    place = cache_folder() / hashlib.sha256(program.read_bytes()).hexdigest()[:24] / "program"
    if not place.exists():
        _moved(program, place)
    return place


def _moved(program: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    program.replace(place)


def complaint(text: str) -> str:
    """The line of a compiler's or make's output that says what is wrong, cut to what people read."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _ECHO.match(line)]
    for sign in _SIGNS:
        for line in lines:
            if sign in line.lower():
                return line[:300]
    return lines[-1][:300] if lines else "no message"


def cache_folder() -> Path:
    """The user's cache folder, or a temporary one where that cannot be written to, or others can write there."""
    return code_cache(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "topoloom", "simgrid")

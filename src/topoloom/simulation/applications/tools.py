"""SimGrid's tools: their locations, and the programs that are compiled with them and cached."""

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
#: Tools without which no application runs.
NEEDED = ("smpirun", "smpicc", "g++")
#: Compiler options that let current compilers accept old Fortran programs.
FORTRAN = ("-O2", "-std=legacy", "-fallow-argument-mismatch", "-fallow-invalid-boz", "-w")
#: Words that mark the line with the reason in the output of a compiler, a linker or make, best first.
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
#: Lines in which a linker or make only repeat the errors of other tools.
_ECHO = re.compile(r"collect2:|make(\[\d+\])?: (\*\*\* .*Error \d+$|Entering|Leaving)")
FORTRAN_ENDS = (".f", ".f77", ".f90", ".f95", ".f03", ".f08", ".for")


def tool(name: str) -> str:
    """Return the path of a program.

    Raises
    ------
    InputError
        The program is not installed; the message names the Debian packages.
    """
    path = shutil.which(name)
    if path is None:
        raise InputError(f"{name} is not installed; applications need SimGrid 3.32 or later: {_PACKAGES}")
    return path


def simgrid_available() -> bool:
    """Return whether applications can run on this machine."""
    return all(shutil.which(name) for name in NEEDED)


@cache
def version() -> str:
    """Return SimGrid's version, such as ``3.32``."""
    words = subprocess.run([tool("smpirun"), "-version"], capture_output=True, text=True, check=False).stdout.split()
    return words[2] if len(words) > 2 else "unknown"


def platform_library(limits: ProcessLimits) -> Path:
    """Return the platform as a shared library, built on first use and cached."""
    tool("smpirun")
    with as_file(files("topoloom.simulation.applications") / "platform.cpp") as source:
        command = (tool("g++"), "-O2", "-std=c++17", "-fPIC", "-shared")
        return _cached_program((source,), "platform.so", command, ("-lsimgrid",), limits)


def schedule_player(limits: ProcessLimits) -> Path:
    """Return the program that runs schedules on the platform, built on first use and cached."""
    with as_file(files("topoloom.simulation.applications") / "replay.cpp") as source:
        return _cached_program((source,), "replay", (tool("g++"), "-O2", "-std=c++17"), ("-lsimgrid",), limits)


def built_in(sources: Sequence[Path], limits: ProcessLimits) -> Path:
    """Return one of topoloom's own programs, built by smpicc on first use and cached."""
    return _cached_program(sources, "program", (tool("smpicc"), "-O2", "-w"), ("-lm",), limits)


def compiled(sources: Sequence[Path], limits: ProcessLimits) -> Path:
    """Return the program of C or Fortran sources, built by smpicc or smpiff.

    It is built each time, as the files that a source includes are unknown; equal programs share one place in the cache.

    Raises
    ------
    InputError
        A source that is missing, of another language, or does not compile: the compiler's first error message; or exceeds the
        time limit.
    Stopped
        The work was stopped.
    """
    for source in sources:
        if not source.is_file():
            raise InputError(f"{source}: no such file")
    fortran = any(source.suffix.lower() in FORTRAN_ENDS for source in sources)
    wrong = [source for source in sources if source.suffix.lower() not in (*FORTRAN_ENDS, ".c")]
    if wrong or not sources:
        named = f"{wrong[0]}: it is not" if wrong else "there is no"
        raise InputError(f"{named} C (.c) or Fortran (.f, .f90) source")
    command = (tool("smpiff"), *FORTRAN) if fortran else (tool("smpicc"), "-O2", "-w")
    with passing_folder("making-", cache_folder()) as folder:
        return placed(_built(sources, folder / "program", command, ("-lm",), limits))


def _built(
    sources: Sequence[Path], target: Path, command: tuple[str, ...], libraries: tuple[str, ...], limits: ProcessLimits
) -> Path:
    """Compile sources, and return the program."""
    listed = [str(source.resolve()) for source in sources]
    built = [*command, *listed, "-o", str(target), *libraries]
    # A killed compiler leaves its temporary files behind; here they are removed with the folder.
    surroundings = {**os.environ, "TMPDIR": str(target.parent)}
    code, text = output_of(built, target.parent, limits, f"{sources[0]}: compiling", surroundings)
    if code or not target.exists():
        raise InputError(f"{sources[0]}: it does not compile: {complaint(text)}")
    return target


def _cached_program(
    sources: Sequence[Path], name: str, command: tuple[str, ...], libraries: tuple[str, ...], limits: ProcessLimits
) -> Path:
    """Return the program of topoloom's own sources, from the cache if it was compiled before."""
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
    """Move a program to its place in the cache, which depends on its content; return the place."""
    place = cache_folder() / hashlib.sha256(program.read_bytes()).hexdigest()[:24] / "program"
    if not place.exists():
        _moved(program, place)
    return place


def _moved(program: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    program.replace(place)


def complaint(text: str) -> str:
    """Return the line in the output of a compiler or make that gives the reason of an error, shortened for display."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _ECHO.match(line)]
    for sign in _SIGNS:
        for line in lines:
            if sign in line.lower():
                return line[:300]
    return lines[-1][:300] if lines else "no message"


def cache_folder() -> Path:
    """Return the user's cache folder, or a temporary one where that is not writable, or writable for others."""
    return code_cache(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "topoloom", "simgrid")

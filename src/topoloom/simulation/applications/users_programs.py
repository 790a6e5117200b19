"""The user's own programs: C or Fortran files, folders with a Makefile, and traces of SimGrid."""

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from topoloom.core.errors import InputError, at, check_path
from topoloom.core.files import open_to_read, read_text, reason
from topoloom.core.settings import shown
from topoloom.core.work import Work
from topoloom.simulation.applications.checks import check_words, limits_of
from topoloom.simulation.applications.copied_folder import copy_sources, is_program
from topoloom.simulation.applications.processes import TIME_LIMIT_S, ProcessLimits, output_of, passing_folder
from topoloom.simulation.applications.program import RankTraces, Source
from topoloom.simulation.applications.tools import (
    FORTRAN,
    FORTRAN_ENDS,
    cache_folder,
    compiled,
    complaint,
    placed,
    tool,
)

#: The names that SimGrid and people give to the list of a program's traces.
_INDEXES = ("index.txt", "smpi_simgrid.txt", "simgrid_smpi.txt", "traces.txt")
_LONGEST = 1 << 30
_MODULE = re.compile(r"^\s*module\s+(?!procedure\b)(\w+)\s*(?:!.*)?$", re.IGNORECASE | re.MULTILINE)
_USE = re.compile(r"^\s*use\s*(?:,[^:]*)?(?:::)?\s*(\w+)", re.IGNORECASE | re.MULTILINE)
_MAKEFILES = re.compile(r"(GNU)?[Mm]akefile.*|.*\.(mk|mak|make|def|inc)")
#: What other MPIs call their compilers, by SimGrid's.
_COMPILERS = {"smpicc": ("mpicc",), "smpicxx": ("mpicxx", "mpic++", "mpiCC"), "smpiff": ("mpif77", "mpif90", "mpifort")}
_MPI_COMPILERS = re.compile(r"\bMPI(CC|F77|F90|FC)\b")


def program_from(
    path: str | os.PathLike[str],
    arguments: Sequence[str] = (),
    make: str | None = None,
    *,
    time_limit_s: float = TIME_LIMIT_S,
    work: Work | None = None,
) -> Source:
    """The user's MPI program: a source file, or a folder of sources, or one whose Makefile builds it.

    The compiler, and with `make` the Makefile, run on this machine with the user's rights, as does the program later.

    Parameters
    ----------
    path : path
        A .c, .f or .f90 file; a folder of such files that belong together; or, with `make`, a folder with a Makefile.
    arguments : sequence of str
        What the program is called with.
    make : str, optional
        What ``make`` is asked for in a copy of the folder, variables too (``cg CLASS=A NPROCS=64``). The compilers in its
        usual variables are SimGrid's; it must leave one new executable file.
    time_limit_s : float
        Seconds that a compiler or make may take.
    work : Work, optional
        Its stop ends them at once, with all that they have started.

    Returns
    -------
    Source
        What `run_app` takes: the program, named after the file or folder, with its arguments.

    Raises
    ------
    InputError
        Nothing there, no sources, sources that do not compile, or a Makefile that does not build one program; or not in time.
    Stopped
        `work` was stopped.
    """
    check_path(path, "program_from", "name a file or a folder")
    check_words("path", os.fspath(path) if isinstance(path, os.PathLike) else path, "a file or a folder")
    if isinstance(arguments, str) or not all(isinstance(one, str) for one in arguments):
        raise InputError(f"arguments={shown(arguments)}: give a sequence of texts, as in ['-n', '5']")
    if make is not None:
        check_words("make", make, "what make is asked for, as in 'cg CLASS=A'")
    limits = limits_of(time_limit_s, work)
    source, arguments = Path(path), tuple(arguments)
    name = source.resolve().name
    if make is not None:
        return Source(name, (), arguments, built_in=False, binary=_made(source, make, limits))
    if source.is_dir():
        ends = (".c", *FORTRAN_ENDS)
        files = [file for file in source.iterdir() if file.suffix.lower() in ends and file.is_file()]
        if not files:
            hint = "; its Makefile is used with --make" if (source / "Makefile").exists() else ""
            raise InputError(f"{source}: the folder has no .c, .f or .f90 files{hint}")
        return Source(name, (), arguments, built_in=False, binary=compiled(_in_order(files), limits))
    if not source.exists():
        raise InputError(f"{source}: there is no such file or folder")
    return Source(name, (), arguments, built_in=False, binary=compiled((source,), limits))


def _in_order(files: list[Path]) -> list[Path]:
    """Sources in the order of their names, those with a Fortran module before those that use it."""
    texts = {file: file.read_text("utf-8", "replace") for file in sorted(files)}
    modules = {name.lower(): file for file, text in texts.items() for name in _MODULE.findall(text)}
    needs = {
        file: [modules[name.lower()] for name in _USE.findall(text) if modules.get(name.lower(), file) != file]
        for file, text in texts.items()
    }
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError:
        return list(texts)


def trace_from(path: str | os.PathLike[str]) -> RankTraces:
    """The traces in a folder, which an index file lists, one a rank in their order.

    Raises
    ------
    InputError
        No index, a trace that is missing, of another rank, or cut short: ``file: reason``.
    """
    check_path(path, "trace_from", "name a folder of traces, or its index")
    folder = Path(path)
    index = (
        folder if folder.is_file() else next((folder / name for name in _INDEXES if (folder / name).is_file()), None)
    )
    if index is None:
        raise InputError(f"{folder}: there is no index of traces ({', '.join(_INDEXES)}), a file's name a line")
    files = []
    for line, name in enumerate(read_text(index, _LONGEST).split(), 1):
        file = next((place for place in (index.parent / name, Path(name)) if _is_file(place)), None)
        if file is None:
            raise InputError(f"{index}:{line}: there is no file {name[:80]}")
        files.append(file)
    if not files:
        raise InputError(f"{index}: it lists no traces")
    for rank, file in enumerate(files):
        _check(file, rank)
    return RankTraces(folder.resolve().name, len(files), lambda rank: files[rank].read_text("utf-8", "replace"))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file system takes
        return False


def _check(file: Path, rank: int) -> None:
    """Refuse a trace that has another rank's lines, or no end."""
    beginning, words = f"{rank} ".encode(), [b""]
    try:
        with open_to_read(file) as opened:
            for number, line in enumerate(opened, 1):
                if not line.strip():
                    continue
                if not line.startswith(beginning) or (number == 1 and line.split()[1:2] != [b"init"]):
                    told = line.decode("utf-8", "replace").strip()[:40]
                    wanted = f"begins with '{rank} init'" if number == 1 else f"has '{rank}' before each action"
                    raise at(str(file), number, f"the trace of rank {rank} {wanted}; here is '{told}'")
                words = line.split()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {reason(error)}") from None
    if words[1:2] != [b"finalize"]:
        end = b" ".join(words).decode("utf-8", "replace")[:40]
        raise InputError(f"{file}: the trace is cut short: it ends with '{end}', not '{rank} finalize'")


def _made(folder: Path, make: str, limits: ProcessLimits) -> Path:
    """The program that a folder's Makefile builds, in a copy without what was built there before."""
    if not folder.is_dir():
        raise InputError(f"{folder}: `make` needs a folder with a Makefile")
    with passing_folder("making-", cache_folder()) as inner:
        copy = inner / folder.resolve().name
        copy_sources(folder, copy, limits.work)
        _configured(copy)
        path = f"{_compilers(inner)}:{os.environ.get('PATH', '')}"
        (inner / "temporary").mkdir()
        surroundings = {**os.environ, "PATH": path, "TMPDIR": str(inner / "temporary")}
        asked = [*_variables(copy), *argument_words(make, "--make")]
        command = [_make(), "--no-print-directory", *asked]
        code, text = output_of(command, copy, limits, f"{folder}: make {make}", surroundings)
        if code:
            raise InputError(f"{folder}: make {make} fails: {complaint(text)}")
        if not copy.is_dir():
            raise InputError(f"{folder}: make {make} removes the folder that it is called in; no program is left")
        # Helpers that a Makefile builds for itself are plain programs: ours starts MPI, in C or in Fortran.
        programs = [(path, path.read_bytes()) for path in copy.rglob("*") if is_program(path)]
        ours = [path for path, content in programs if b"MPI_Init" in content or b"mpi_init" in content]
        if len(ours) != 1:
            named = ", ".join(path.name for path in ours) or "none"
            raise InputError(f"{folder}: make {make} builds {len(ours)} MPI programs ({named}); ask for one")
        return placed(ours[0])


def argument_words(text: str, option: str) -> tuple[str, ...]:
    """What a shell makes of a text, without what it knows of files and variables.

    Raises
    ------
    InputError
        Quotes that do not end.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"{option} {text[:60]}: {error}") from None


def _compilers(folder: Path) -> Path:
    """A folder where other MPIs' compilers, by the names that Makefiles call them, are SimGrid's."""
    place = folder / "compilers"
    place.mkdir()
    for name, others in _COMPILERS.items():
        for theirs in others:
            (place / theirs).write_text(f'#!/bin/sh\nexec {shlex.quote(tool(name))} "$@"\n')
            (place / theirs).chmod(0o755)
    return place


def _make() -> str:
    found = shutil.which("make")
    if found is None:
        raise InputError("make is not installed: apt-get install make")
    return found


def _configured(folder: Path) -> None:
    """Give the NAS benchmarks, as they are delivered, the configuration and the folder that are left to their users."""
    template, config = folder / "config" / "make.def.template", folder / "config" / "make.def"
    if template.is_file() and not config.exists():
        shutil.copy(template, config)
        (folder / "bin").mkdir(exist_ok=True)


def _variables(folder: Path) -> list[str]:
    """What make's usual variables are to be: SimGrid's compilers, which bring their libraries and headers.

    Where a Makefile has names of its own for MPI's compilers, CC and the like build its helpers, which run as they are.
    """
    c, fortran = tool("smpicc"), tool("smpiff")
    makefiles = (file for file in folder.rglob("*") if _MAKEFILES.fullmatch(file.name) and file.is_file())
    texts = (file.read_text("utf-8", "replace") for file in makefiles)
    named = any(_MPI_COMPILERS.search(text) for text in texts)
    found = dict.fromkeys(("MPICC", "CLINK"), c) | dict.fromkeys(("MPIF77", "MPIF90", "MPIFC", "FLINK"), fortran)
    found |= {} if named else {"CC": c, "F77": fortran, "FC": fortran}
    found |= {"FFLAGS": " ".join(FORTRAN)}
    # Those of the NAS benchmarks name another MPI's.
    found |= dict.fromkeys(("FMPI_LIB", "FMPI_INC", "CMPI_LIB", "CMPI_INC"), "")
    return [f"{name}={value}" for name, value in found.items()]

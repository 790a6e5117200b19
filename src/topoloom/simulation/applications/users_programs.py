"""Users' own programs: C or Fortran files, folders with a Makefile, and SimGrid traces."""

import os
import re
import shlex
import shutil
from collections import Counter
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

#: Usual names of the index file that lists a program's traces.
_INDEXES = ("index.txt", "smpi_simgrid.txt", "simgrid_smpi.txt", "traces.txt")
_MOST_CHARACTERS = 1 << 30
_MODULE = re.compile(r"^\s*module\s+(?!procedure\b)(\w+)\s*(?:!.*)?$", re.IGNORECASE | re.MULTILINE)
_USE = re.compile(r"^\s*use\s*(?:,[^:]*)?(?:::)?\s*(\w+)", re.IGNORECASE | re.MULTILINE)
_MAKEFILES = re.compile(r"(GNU)?[Mm]akefile.*|.*\.(mk|mak|make|def|inc)")
#: Names of other MPIs' compilers, by SimGrid's compiler that replaces them.
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
    """Return a user's MPI program: a source file, a folder of sources, or a folder whose Makefile builds it.

    The compiler and, with `make`, the Makefile run on this machine with the user's rights, as does the program later.

    Parameters
    ----------
    path : path
        A .c, .f or .f90 file; a folder of such files that belong together; or, with `make`, a folder with a Makefile.
    arguments : sequence of str
        The program's arguments.
    make : str, optional
        The arguments of ``make`` in a copy of the folder, including variables (``cg CLASS=A NPROCS=64``). The usual variables
        for compilers are set to SimGrid's; make must build exactly one new executable file.
    time_limit_s : float
        The time limit of a compiler or make, in seconds.
    work : Work, optional
        Its stop ends them at once, with all processes that they started.

    Returns
    -------
    Source
        The program for `run_app`, named after the file or folder, with its arguments.

    Raises
    ------
    InputError
        A missing path, no sources, sources that do not compile, a Makefile that does not build one program, or the time limit.
    Stopped
        `work` was stopped.
    """
    check_path(path, "program_from", "give a file or a folder")
    check_words("path", os.fspath(path) if isinstance(path, os.PathLike) else path, "a file or a folder")
    if isinstance(arguments, str) or not all(isinstance(argument, str) for argument in arguments):
        raise InputError(f"arguments={shown(arguments)}: give a sequence of texts, as in ['-n', '5']")
    if make is not None:
        check_words("make", make, "the arguments of make, such as 'cg CLASS=A'")
    limits = limits_of(time_limit_s, work)
    source, arguments = Path(path), tuple(arguments)
    name = source.resolve().name
    if make is not None:
        return Source(name, (), arguments, built_in=False, binary=_made(source, make, limits))
    if source.is_dir():
        ends = (".c", *FORTRAN_ENDS)
        files = [file for file in source.iterdir() if file.suffix.lower() in ends and file.is_file()]
        if not files:
            hint = "; use --make for its Makefile" if (source / "Makefile").exists() else ""
            raise InputError(f"{source}: the folder has no .c, .f or .f90 files{hint}")
        return Source(name, (), arguments, built_in=False, binary=compiled(_in_order(files), limits))
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    return Source(name, (), arguments, built_in=False, binary=compiled((source,), limits))


def _in_order(files: list[Path]) -> list[Path]:
    """Return sources in the order of their names, but Fortran modules before the sources that use them."""
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


#: The amounts in a trace: of computations, and of messages, whose size follows peer and tag if they are to one rank.
_COMPUTES, _SENDS = "computations", "messages and collectives"
_TO_ONE = frozenset({b"send", b"isend", b"ssend", b"issend"})
_WITHOUT_AMOUNT = frozenset(
    b"init finalize comm_size comm_split comm_dup recv irecv wait waitall waitany test barrier sleep".split()
)


def trace_from(path: str | os.PathLike[str]) -> RankTraces:
    """Return the traces of a folder, which an index file lists in the order of the ranks.

    Raises
    ------
    InputError
        No index; a trace that is missing, of another rank, or truncated: ``file: reason``.
    """
    check_path(path, "trace_from", "give a folder of traces, or its index")
    folder = Path(path)
    index = (
        folder if folder.is_file() else next((folder / name for name in _INDEXES if (folder / name).is_file()), None)
    )
    if index is None:
        raise InputError(f"{folder}: no index of traces ({', '.join(_INDEXES)}) with one file name per line")
    files = []
    for line, name in enumerate(read_text(index, _MOST_CHARACTERS).split(), 1):
        file = next((place for place in (index.parent / name, Path(name)) if _is_file(place)), None)
        if file is None:
            raise InputError(f"{index}:{line}: no such file: {name[:80]}")
        files.append(file)
    if not files:
        raise InputError(f"{index}: it lists no traces")
    amounts = Counter[tuple[str, bool]]()
    for rank, file in enumerate(files):
        _check(file, rank, amounts)
    notes = tuple(
        f"{folder}: all {amounts[what, False]:,} {what} {state}"
        for what, state in ((_SENDS, "have 0 bytes"), (_COMPUTES, "have 0 operations"))
        if amounts[what, False] and not amounts[what, True]
    )
    text = lambda rank: files[rank].read_text("utf-8", "replace")  # noqa: E731
    return RankTraces(folder.resolve().name, len(files), text, notes=notes)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file system accepts
        return False


def _check(file: Path, rank: int, amounts: Counter[tuple[str, bool]]) -> None:
    """Refuse a trace that has lines of another rank, or no end; count its amounts, by kind and whether they are above 0."""
    beginning, words = f"{rank} ".encode(), [b""]
    try:
        with open_to_read(file) as opened:
            for number, line in enumerate(opened, 1):
                if not line.strip():
                    continue
                if not line.startswith(beginning) or (number == 1 and line.split()[1:2] != [b"init"]):
                    shown_line = line.decode("utf-8", "replace").strip()[:40]
                    wanted = (
                        f"must begin with '{rank} init'" if number == 1 else f"must have '{rank}' before each action"
                    )
                    raise at(str(file), number, f"the trace of rank {rank} {wanted}; it has '{shown_line}'")
                words = line.split()
                if len(words) > 2 and words[1].lower() not in _WITHOUT_AMOUNT:
                    action = words[1].lower()
                    amount = words[4 if action in _TO_ONE else 2 :][:1]
                    amounts[_COMPUTES if action == b"compute" else _SENDS, bool(b"".join(amount).strip(b"0."))] += 1
    except OSError as error:
        raise InputError(f"{file} cannot be read: {reason(error)}") from None
    if words[1:2] != [b"finalize"]:
        end = b" ".join(words).decode("utf-8", "replace")[:40]
        raise InputError(f"{file}: the trace is truncated: it ends with '{end}', not '{rank} finalize'")


def _made(folder: Path, make: str, limits: ProcessLimits) -> Path:
    """Build a program by a folder's Makefile, in a copy without earlier build results; return the program."""
    if not folder.is_dir():
        raise InputError(f"{folder}: `make` needs a folder with a Makefile")
    with passing_folder("making-", cache_folder()) as inner:
        copy = inner / folder.resolve().name
        copy_sources(folder, copy, limits.work)
        _configured(copy)
        path = f"{_compilers(inner)}:{os.environ.get('PATH', '')}"
        (inner / "temporary").mkdir()
        surroundings = {**os.environ, "PATH": path, "TMPDIR": str(inner / "temporary")}
        make_arguments = [*_variables(copy), *argument_words(make, "--make")]
        command = [_make(), "--no-print-directory", *make_arguments]
        code, text = output_of(command, copy, limits, f"{folder}: make {make}", surroundings)
        if code:
            raise InputError(f"{folder}: make {make} failed: {complaint(text)}")
        if not copy.is_dir():
            raise InputError(f"{folder}: make {make} removes its own working folder; no program remains")
        # A Makefile may also build helpers; the wanted program is the one that initialises MPI, in C or in Fortran.
        programs = [(path, path.read_bytes()) for path in copy.rglob("*") if is_program(path)]
        mpi_programs = [path for path, content in programs if b"MPI_Init" in content or b"mpi_init" in content]
        if len(mpi_programs) != 1:
            named = ", ".join(path.name for path in mpi_programs) or "none"
            raise InputError(
                f"{folder}: make {make} builds {len(mpi_programs)} MPI programs ({named}); build exactly one"
            )
        return placed(mpi_programs[0])


def argument_words(text: str, option: str) -> tuple[str, ...]:
    """Split a text into words as a shell does, without expanding files and variables.

    Raises
    ------
    InputError
        Unclosed quotes.
    """
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"{option} {text[:60]}: {error}") from None


def _compilers(folder: Path) -> Path:
    """Create a folder in which the usual names of other MPIs' compilers run SimGrid's compilers."""
    place = folder / "compilers"
    place.mkdir()
    for name, others in _COMPILERS.items():
        for other_name in others:
            (place / other_name).write_text(f'#!/bin/sh\nexec {shlex.quote(tool(name))} "$@"\n')
            (place / other_name).chmod(0o755)
    return place


def _make() -> str:
    path = shutil.which("make")
    if path is None:
        raise InputError("make is not installed: apt-get install make")
    return path


def _configured(folder: Path) -> None:
    """Give the NAS benchmarks the configuration and the folder that their users must create."""
    template, config = folder / "config" / "make.def.template", folder / "config" / "make.def"
    if template.is_file() and not config.exists():
        shutil.copy(template, config)
        (folder / "bin").mkdir(exist_ok=True)


def _variables(folder: Path) -> list[str]:
    """Return settings of make's usual variables: SimGrid's compilers, which add libraries and headers themselves.

    Where a Makefile has its own names for MPI's compilers, CC and the like build its helpers, and stay unchanged.
    """
    c, fortran = tool("smpicc"), tool("smpiff")
    makefiles = (file for file in folder.rglob("*") if _MAKEFILES.fullmatch(file.name) and file.is_file())
    texts = (file.read_text("utf-8", "replace") for file in makefiles)
    named = any(_MPI_COMPILERS.search(text) for text in texts)
    variables = dict.fromkeys(("MPICC", "CLINK"), c) | dict.fromkeys(("MPIF77", "MPIF90", "MPIFC", "FLINK"), fortran)
    variables |= {} if named else {"CC": c, "F77": fortran, "FC": fortran}
    variables |= {"FFLAGS": " ".join(FORTRAN)}
    # The NAS benchmarks' own values are those of another MPI.
    variables |= dict.fromkeys(("FMPI_LIB", "FMPI_INC", "CMPI_LIB", "CMPI_INC"), "")
    return [f"{name}={value}" for name, value in variables.items()]

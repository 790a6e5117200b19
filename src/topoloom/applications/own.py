"""The user's own programs: C or Fortran files, folders with a Makefile, and traces of SimGrid."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from topoloom.applications.program import Source, Trace
from topoloom.applications.tools import FORTRAN, FORTRAN_ENDS, complaint, kept, tool
from topoloom.errors import InputError
from topoloom.files import read_text

#: The names that SimGrid and people give to the list of a program's traces.
_INDEXES = ("index.txt", "smpi_simgrid.txt", "simgrid_smpi.txt", "traces.txt")
_LONGEST = 1 << 30
_MAKEFILES = re.compile(r"(GNU)?[Mm]akefile.*|.*\.(mk|mak|make|def|inc)")
_MPI_COMPILERS = re.compile(r"\bMPI(CC|F77|F90|FC)\b")


def program_from(path: str | os.PathLike[str], arguments: tuple[str, ...] = (), make: str | None = None) -> Source:
    """The user's MPI program: a source file, or a folder of sources, or one whose Makefile builds it.

    Parameters
    ----------
    path : path
        A .c, .f or .f90 file; a folder of such files that belong together; or, with `make`, a folder with a Makefile.
    arguments : tuple of str
        What the program is called with.
    make : str, optional
        What ``make`` is asked for in a copy of the folder, variables too (``cg CLASS=A NPROCS=64``). The compilers in its
        usual variables are SimGrid's; it must leave one new executable file.

    Raises
    ------
    InputError
        Nothing there, no sources, or a Makefile that does not build one program.
    """
    source = Path(path)
    if make is not None:
        return Source(source.name, (), arguments, own=False, binary=_made(source, make))
    if source.is_dir():
        ends = (".c", *FORTRAN_ENDS)
        files = tuple(sorted(file for file in source.iterdir() if file.suffix.lower() in ends))
        if not files:
            hint = "; its Makefile is used with --make" if (source / "Makefile").exists() else ""
            raise InputError(f"{source}: the folder has no .c, .f or .f90 files{hint}")
        return Source(source.name, files, arguments, own=False)
    if not source.exists():
        raise InputError(f"{source}: there is no such file or folder")
    return Source(source.name, (source,), arguments, own=False)


def trace_from(path: str | os.PathLike[str]) -> Trace:
    """The traces in a folder, which an index file lists, one a rank in their order.

    Raises
    ------
    InputError
        No index, a trace that is missing, of another rank, or cut short: ``file: reason``.
    """
    folder = Path(path)
    index = (
        folder if folder.is_file() else next((folder / name for name in _INDEXES if (folder / name).is_file()), None)
    )
    if index is None:
        raise InputError(f"{folder}: there is no index of traces ({', '.join(_INDEXES)}), a file's name a line")
    files = []
    for line, name in enumerate(read_text(index, _LONGEST).split(), 1):
        file = next((place for place in (index.parent / name, Path(name)) if place.is_file()), None)
        if file is None:
            raise InputError(f"{index}:{line}: there is no file {name[:80]}")
        files.append(file)
    if not files:
        raise InputError(f"{index}: it lists no traces")
    for rank, file in enumerate(files):
        _check(file, rank)
    return Trace(folder.name, len(files), lambda rank: files[rank].read_text())


def _check(file: Path, rank: int) -> None:
    """Refuse a trace that is another rank's or has no end."""
    with open(file, "rb") as opened:
        first = opened.readline(200).decode("utf-8", "replace").split()
        opened.seek(0, os.SEEK_END)
        opened.seek(max(0, opened.tell() - 200))
        last = opened.read().decode("utf-8", "replace").split("\n")
    end = next((line.split() for line in reversed(last) if line.strip()), [])
    if first[:2] != [str(rank), "init"]:
        raise InputError(
            f"{file}: the trace of rank {rank} begins with '{rank} init'; this one with '{' '.join(first)[:40]}'"
        )
    if end[:2] != [str(rank), "finalize"]:
        raise InputError(f"{file}: the trace is cut short: it ends with '{' '.join(end)[:40]}', not '{rank} finalize'")


def _made(folder: Path, make: str) -> Path:
    """The program that a folder's Makefile builds, kept until a file of the folder changes."""
    if not folder.is_dir():
        raise InputError(f"{folder}: --make needs a folder with a Makefile")
    digest = hashlib.sha256(make.encode())
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        about = file.stat()
        digest.update(f"{file.relative_to(folder)} {about.st_size} {about.st_mtime_ns}\n".encode())

    def made(inner: Path) -> Path:
        copy = inner / folder.resolve().name
        shutil.copytree(folder, copy)
        before = _executables(copy)
        _configured(copy)
        command = [tool("make"), "--no-print-directory", *_variables(copy), *make.split()]
        told = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if told.returncode:
            raise InputError(f"{folder}: make {make} fails: {complaint(told.stderr + told.stdout)}")
        # Helpers that a Makefile builds for itself are plain programs: ours starts MPI, in C or in Fortran.
        programs = [(path, path.read_bytes()) for path in _executables(copy) - before]
        ours = [path for path, content in programs if b"MPI_Init" in content or b"mpi_init" in content]
        if len(ours) != 1:
            named = ", ".join(path.name for path in ours) or "none"
            raise InputError(f"{folder}: make {make} builds {len(ours)} MPI programs ({named}); ask for one")
        return ours[0]

    return kept(digest.hexdigest(), "program", made)


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
    texts = (file.read_text("utf-8", "replace") for file in folder.rglob("*") if _MAKEFILES.fullmatch(file.name))
    named = any(_MPI_COMPILERS.search(text) for text in texts)
    found = dict.fromkeys(("MPICC", "CLINK"), c) | dict.fromkeys(("MPIF77", "MPIF90", "MPIFC", "FLINK"), fortran)
    found |= {} if named else {"CC": c, "F77": fortran, "FC": fortran}
    found |= {"FFLAGS": " ".join(FORTRAN)}
    # Those of the NAS benchmarks name another MPI's.
    found |= dict.fromkeys(("FMPI_LIB", "FMPI_INC", "CMPI_LIB", "CMPI_INC"), "")
    return [f"{name}={value}" for name, value in found.items()]


def _executables(folder: Path) -> set[Path]:
    """Files that can be run, not scripts."""
    found = set()
    for path in folder.rglob("*"):
        if path.is_file() and os.access(path, os.X_OK):
            with open(path, "rb") as opened:
                if opened.read(4) == b"\x7fELF":
                    found.add(path)
    return found

"""Compiled kernels on disk: those shipped with the package, and those in the user's cache.

``shipped/LEVEL/`` next to this file holds the kernels that were compiled when the package was built (``tools/wheel.sh``), one
folder per processor level; in a checkout, those that ``tools/kernels.py`` compiled for this processor. A kernel that is missing
or stale there is compiled at its first call and stored in the user's cache: ``topoloom/kernels-VERSION/LEVEL`` in
``$NUMBA_CACHE_DIR``, else ``$XDG_CACHE_HOME``, else ``~/.cache``; LEVEL names exactly this processor. Where that folder cannot
be written, or other users could write there, it is a temporary folder of this process (`compiling.caches`).

A file name has the kernel, a digest of its argument types and a digest of its sources. Files are written whole or not at all,
so other processes can read them at once.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
import pickle
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.event import Listener, register
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from topoloom._version import __version__
from topoloom.core.clock import WORKING
from topoloom.core.compiling.caches import code_cache
from topoloom.core.compiling.levels import LEVELS, runnable
from topoloom.core.compiling.stamp import stamp

#: The folder of shipped kernels.
SHIPPED = Path(__file__).parent / "shipped"
#: Seconds of compiling after which a message explains the delay.
_PATIENCE_SECONDS = 1.5
#: Seconds after which another process explains it again.
_AGAIN_SECONDS = 3600.0
#: What compiles: in a wheel with kernels those that it lacks, else all that a command uses. Measured as processor time, which
#: other programs do not change (benchmarks/cold.py): 3 to 5 s for hops, 6 s for route, 15 s for simulate, a minute for design.
_HOW_LONG = "from 5 s of processor time for hops to a minute for design, on a processor of 2024"
_FEW = (
    "compiling kernels that this installation lacks, or has for another version of Numba, once on this machine; all kernels of"
    f" a command take {_HOW_LONG}"
)
_ALL = (
    f"compiling kernels, the loops of each command, once on this machine: {_HOW_LONG}; `make kernels` in a checkout compiles"
    " all, and a wheel of `make wheel` contains them"
)
#: Days for which the user's cache keeps kernels of other checkouts.
_OTHERS_DAYS = 30.0

#: Within the folder of `keep_in`: locks of the kernels that some process is compiling.
LOCKS = ".locks"
#: For so long a process that compiles ahead waits for another that compiles the same kernel, and looks so often.
_OTHER_SECONDS, _LOOK_SECONDS = 120.0, 0.05

#: The folder of `keep_in`, if any, and the files that this process has loaded from it or written into it.
_chosen: list[Path] = []
_in_use: set[Path] = set()

log = logging.getLogger("topoloom")


class Kept(_Cache):
    """The compiled forms of one function: Numba's interface to the store."""

    def __init__(self, function: Callable) -> None:
        self._function = function
        self._name = f"{function.__module__.removeprefix('topoloom.')}.{function.__qualname__}"
        self._notice: threading.Timer | None = None
        self._locks: dict[str, int] = {}

    @property
    def cache_path(self) -> str:
        """The folder for newly compiled kernels."""
        return str(_folder())

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The stored compiled form for a signature; None where it is missing, and Numba compiles it."""
        # Compiled code needs only this of Numba. `refresh` would also prepare for compiling, which takes a third of a second.
        rtsys.initialize(target_context)
        level = _level(target_context.codegen())
        compiled = self._found(sig, level, target_context)
        if compiled is None and _chosen:
            self._wait_for_others(_chosen[0] / level / self._file(sig))
            compiled = self._found(sig, level, target_context)
            if compiled is not None:
                self._release(sig)
        elif compiled is None:
            self._notice = _notice()
        return compiled

    def _wait_for_others(self, path: Path) -> None:
        """Take the lock of a kernel, or wait until the process that compiles it has finished."""
        locks = _chosen[0] / LOCKS
        with contextlib.suppress(OSError):  # then it is compiled twice
            locks.mkdir(parents=True, exist_ok=True)
            handle = os.open(locks / path.name, os.O_RDWR | os.O_CREAT, 0o600)
            self._locks[path.name] = handle
            until = time.monotonic() + _OTHER_SECONDS
            while time.monotonic() < until and not path.exists():
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(_LOOK_SECONDS)

    def _release(self, sig: Any) -> None:
        """Release the lock of a kernel, which is on disk now."""
        name = self._file(sig) if self._locks else ""
        handle = self._locks.pop(name, None)
        if handle is not None:
            (_chosen[0] / LOCKS / name).unlink(missing_ok=True)
            os.close(handle)

    def _found(self, sig: Any, level: str, target_context: Any) -> CompileResult | None:
        """The compiled form in one of the folders; None where it is missing."""
        for path in self._paths(sig, level):
            compiled = self._load(path, sig, target_context)
            if compiled is not None:
                if _chosen:
                    copy = _chosen[0] / level / path.name
                    if path != copy:
                        _write(copy, path.read_bytes())
                    _in_use.add(copy)
                return compiled
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled form; where it cannot be written, it is compiled again next time."""
        if self._notice is not None:
            self._notice.cancel()
        if not (data.lifted or data.library.has_dynamic_globals):
            self._save(sig, data)
        self._release(sig)

    def _save(self, sig: Any, data: Any) -> None:
        level = _level(data.codegen)
        folder, name = _folder() / level, self._file(sig)
        with contextlib.suppress(OSError):
            content = dumps((sig, data._reduce()))
            _replace(folder / name, content)
            if _chosen:
                _in_use.add(folder / name)
            if _chosen and level not in LEVELS:
                _replace(_users_folder() / level / name, content, _OTHERS_DAYS)  # for other checkouts of this user

    def enable(self) -> None:
        """Nothing: kernels are always kept."""

    def disable(self) -> None:
        """Nothing: kernels are always kept."""

    def flush(self) -> None:
        """Nothing: stale kernels are never loaded."""

    def _file(self, sig: Any) -> str:
        """The name of the file of a compiled form: kernel, types of arguments, stamp."""
        return f"{self._name}-{_digest(repr(sig).encode())}-{_digest(_surroundings() + stamp(self._function))}"

    def _paths(self, sig: Any, level: str) -> Iterator[Path]:
        name = self._file(sig)
        if not _chosen:
            for shipped in (level, *_shipped_levels()):
                yield SHIPPED / shipped / name
        else:
            yield _chosen[0] / level / name
        yield _users_folder() / level / name

    def _load(self, path: Path, sig: Any, target_context: Any) -> CompileResult | None:
        try:
            signature, reduced = pickle.loads(path.read_bytes())
            return CompileResult._rebuild(target_context, *reduced) if signature == sig else None
        except FileNotFoundError:
            return None
        except Exception as error:  # a damaged file, or one of another machine: compile again
            log.debug("%s: %s", path, error)
            return None


class _Clock(Listener):
    """Stops the clock of budgets while Numba compiles."""

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function."""
        WORKING.stop()

    def on_end(self, event: Any) -> None:
        """It has ended, or failed."""
        WORKING.go_on()


register("numba:compile", _Clock())


def keep_in(folder: Path) -> None:
    """Let this process store compiled kernels in `folder` and in the user's cache: for building the package."""
    _chosen[:] = [folder]


def in_use() -> set[Path]:
    """The files of the folder of `keep_in` that this process has used or written."""
    return _in_use.copy()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@cache
def _surroundings() -> bytes:
    """The versions that a compiled kernel depends on: Numba, llvmlite, Python and the operating system."""
    return f"{numba.__version__} {llvmlite.__version__} {sys.implementation.cache_tag} {platform.system()}".encode()


@cache
def _level(codegen: Any) -> str:
    """The name of the processor to compile for."""
    triple, name, features = codegen.magic_tuple()
    for level, compiled_for in LEVELS.items():
        if (name, features) == (compiled_for.processor, compiled_for.features):
            return level
    return f"{name}-{_digest(f'{triple} {features}'.encode())[:8]}"


@cache
def _shipped_levels() -> tuple[str, ...]:
    """The levels that this processor supports, the best first."""
    import llvmlite.binding

    return runnable(LEVELS, llvmlite.binding.get_host_cpu_features()) if LEVELS else ()


def _folder() -> Path:
    """The folder where this process stores compiled kernels."""
    return _chosen[0] if _chosen else _users_folder()


@cache
def _users_folder() -> Path:
    """The user's cache folder of compiled kernels."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return code_cache(home, "topoloom", f"kernels-{__version__}")


def _replace(path: Path, content: bytes, days: float = 0.0) -> None:
    """Write a kernel, and remove stale forms of the same kernel and signature that are at least `days` old."""
    for stale in path.parent.glob(f"{path.name.rpartition('-')[0]}-*"):
        if stale.stat().st_mtime <= time.time() - days * 86_400:
            stale.unlink(missing_ok=True)
    _write(path, content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _notice() -> threading.Timer:
    """Start a timer that reports a long compilation, once per process."""
    timer = threading.Timer(_PATIENCE_SECONDS, _tell)
    timer.daemon = True
    timer.start()
    return timer


@cache
def _tell() -> None:
    """Say what compiles and how long it takes: once per process, and once per `_AGAIN_SECONDS` of all processes of a user."""
    marker = _users_folder() / ".told"
    with contextlib.suppress(OSError):
        if time.time() - marker.stat().st_mtime < _AGAIN_SECONDS:
            return
    with contextlib.suppress(OSError):
        marker.touch()
    ahead = any((SHIPPED / level).is_dir() for level in LEVELS)
    log.warning(_FEW if ahead else _ALL)

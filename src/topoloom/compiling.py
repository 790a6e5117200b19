"""How kernels are compiled, and where the compiled ones are kept.

Numba keeps compiled functions beside their source, or else in the user's cache folder, and fails where it can do neither:
a system-wide installation run by a service without a home. There they go into a folder of this process alone, which is
removed at its end; a shared one would let other users plant code in it.
"""

import os
from typing import Any

#: Options of `njit` for a kernel that Python calls: kept on disk, without the lock of the interpreter, and without the
#: wrapper that C would call it by, which takes long to compile.
ALLOCATING: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
#: The same of one that makes no arrays and returns none: nobody counts who holds its arrays, which for a function that is
#: called at every step costs more than its work.
KERNEL: dict[str, Any] = {**ALLOCATING, "_nrt": False}
#: Of one that only kernels call; Python must not: a wrapper with 30 arrays takes as long to compile as a small kernel.
INNER: dict[str, Any] = {**KERNEL, "no_cpython_wrapper": True}
#: Of a part of a kernel that stands in a function for its readers, and in its caller for the processor.
STAGE: dict[str, Any] = {**INNER, "forceinline": True}


def ensure_cache() -> None:
    """Point Numba to a temporary cache if it would find none; costs a few system calls."""
    if "NUMBA_CACHE_DIR" in os.environ or os.access(os.path.join(os.path.dirname(__file__), "graph"), os.W_OK):
        return
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    while not os.path.exists(home):
        home = os.path.dirname(home)
    if os.access(home, os.W_OK):
        return
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="topoloom-")
    os.environ["NUMBA_CACHE_DIR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

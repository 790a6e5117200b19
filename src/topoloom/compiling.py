"""How kernels are compiled, and where the compiled ones are kept.

Numba keeps compiled functions beside their source, or else in the user's cache folder, and fails where it can do neither:
a system-wide installation run by a service without a home. There they go into a folder of this process alone, which is
removed at its end; a shared one would let other users plant code in it.
"""

import os
from typing import Any

#: Of a kernel that makes no arrays: it is kept on disk, lets other threads run, and does not count who holds its arrays, which
#: for a function that is called at every step costs more than its work.
KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
#: Of a part of a kernel that stands in a function for its readers, and in its caller for the processor.
STAGE: dict[str, Any] = {**KERNEL, "forceinline": True}


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

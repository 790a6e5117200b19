"""What worker processes are given of this one: where topoloom and its plug-ins lie, and where compiled kernels are."""

import os
import site
import sys
import sysconfig
from collections.abc import Mapping

from topoloom.core.files import BELOW
from topoloom.core.surroundings import safe_variables

#: Variables that say where compiled kernels are kept.
_CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


def worker_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a worker of the same Python: PYTHONPATH, caches, and what the user adds; no code of its folder."""
    own = {*site.getsitepackages(), site.getusersitepackages()}
    library = sysconfig.get_path("stdlib")
    zipped = os.path.join(os.path.dirname(library), f"python{sys.version_info.major}{sys.version_info.minor}.zip")
    # What the same Python finds by itself is omitted: put first, it would come before the standard library.
    paths = [path for path in sys.path if path and path not in (*own, zipped) and not _within(path, library)]
    found = {"PYTHONPATH": os.pathsep.join(paths)}
    found |= {name: os.environ[name] for name in (*_CACHES, BELOW) if name in os.environ}
    return found | safe_variables() | dict(more or {})


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)

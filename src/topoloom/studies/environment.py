"""The environment of worker processes: the paths of topoloom and its plug-ins, and the caches of compiled kernels."""

import os
import site
import sys
import sysconfig
from collections.abc import Mapping

from topoloom.core.files import BELOW
from topoloom.core.surroundings import safe_variables

#: Variables with the folders of compiled kernels.
_CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


def worker_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables of a worker with the same Python: PYTHONPATH, caches, and the user's; no code of its folder."""
    default_paths = {*site.getsitepackages(), site.getusersitepackages()}
    library = sysconfig.get_path("stdlib")
    zipped = os.path.join(os.path.dirname(library), f"python{sys.version_info.major}{sys.version_info.minor}.zip")
    # Omit the interpreter's own paths: put first, they would come before the standard library.
    paths = [path for path in sys.path if path and path not in (*default_paths, zipped) and not _within(path, library)]
    variables = {"PYTHONPATH": os.pathsep.join(paths)}
    variables |= {name: os.environ[name] for name in (*_CACHES, BELOW) if name in os.environ}
    return variables | safe_variables() | dict(more or {})


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)

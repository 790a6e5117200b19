"""What worker processes are given of this one: where topoloom and its plug-ins lie, and where compiled kernels are."""

import os
import sys
from collections.abc import Mapping

from topoloom.files import BELOW

#: Variables that say where compiled kernels are kept.
_CACHES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


def worker_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of a worker of the same Python: PYTHONPATH, caches, and what the user adds."""
    paths = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
    found = {"PYTHONPATH": os.pathsep.join(paths)}
    found |= {name: os.environ[name] for name in (*_CACHES, BELOW) if name in os.environ}
    return found | dict(more or {})

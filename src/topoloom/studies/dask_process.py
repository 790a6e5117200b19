"""In a process of a local Dask cluster: it ends when the process that started it does, also when that one is killed.

Dask loads this module (`preload`) in the scheduler and in the nannies, and calls `dask_setup`; a worker ends with its nanny.
"""

import ctypes
import os
import signal
from contextlib import AbstractContextManager

from topoloom.core.surroundings import variables_set

_SET_PARENT_DEATH_SIGNAL = 1
#: The process that starts the cluster.
_STARTER = "TOPOLOOM_STARTED_BY"


def started_by_us() -> AbstractContextManager[None]:
    """While it is open, Dask's processes that are started know by whom, and say nothing of what goes well."""
    return variables_set({_STARTER: str(os.getpid()), "DASK_LOGGING__DISTRIBUTED": "warning"})


def dask_setup(_service: object) -> None:
    """Have the system kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if str(os.getppid()) != os.environ.get(_STARTER):
        os._exit(1)  # it has ended already

"""Code for the processes of a local Dask cluster: each ends when the process that started it ends, even if that is killed.

Dask loads this module (`preload`) in the scheduler and in the nannies, and calls `dask_setup`; a worker ends with its nanny.
"""

import ctypes
import os
import signal
from contextlib import AbstractContextManager

from topoloom.core.surroundings import variables_set

_SET_PARENT_DEATH_SIGNAL = 1
#: The variable with the number of the process that starts the cluster.
_STARTER = "TOPOLOOM_STARTED_BY"


def started_by_us() -> AbstractContextManager[None]:
    """While the context is open, started Dask processes receive this process's number, and log warnings only."""
    return variables_set({_STARTER: str(os.getpid()), "DASK_LOGGING__DISTRIBUTED": "warning"})


def dask_setup(_service: object) -> None:
    """Let the system kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if str(os.getppid()) != os.environ.get(_STARTER):
        os._exit(1)  # the parent has ended already

"""In a process of a local Dask cluster: it ends when the process that started it does, also when that one is killed.

Dask loads this module (`preload`) in the scheduler and in the nannies, and calls `dask_setup`; a worker ends with its nanny.
"""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SET_PARENT_DEATH_SIGNAL = 1
#: The process that starts the cluster.
_STARTER = "TOPOLOOM_STARTED_BY"


@contextmanager
def started_by_us() -> Iterator[None]:
    """While it is open, Dask's processes that are started know by whom, and say nothing of what goes well."""
    given = {_STARTER: str(os.getpid()), "DASK_LOGGING__DISTRIBUTED": "warning"}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def dask_setup(_service: object) -> None:
    """Have the system kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if str(os.getppid()) != os.environ.get(_STARTER):
        os._exit(1)  # it has ended already

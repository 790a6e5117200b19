"""How kernels are compiled, and where the compiled ones are kept.

Numba is imported here first, as variables of the environment can keep it from being imported: what the user set for programs
of his own, or a scheduler for others, is no reason to do nothing.
"""

import os
import warnings


def _import_numba() -> None:
    """Import Numba whatever its variables say: a number of threads that it refuses is dropped, others stay at their defaults.

    Kernels run in threads of our own, never in Numba's.
    """
    threads = os.environ.get("NUMBA_NUM_THREADS", "1").strip()
    if not (threads.isascii() and threads.isdecimal() and len(threads) < 7 and int(threads) > 0):
        del os.environ["NUMBA_NUM_THREADS"]
    with warnings.catch_warnings():
        # A value that cannot be parsed: Numba takes its default, and warns with a traceback.
        warnings.filterwarnings("ignore", "Environment variable", RuntimeWarning)
        import numba  # noqa: F401


_import_numba()

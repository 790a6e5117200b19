"""How kernels are compiled, and where the compiled ones are kept.

Numba is imported here first: where it does not see the current folder, as it reads settings there, and whatever variables of
the environment say. What the user set for programs of his own, or a scheduler for others, is no reason to do nothing.
"""

import os
import sys
import warnings

from topoloom.core.surroundings import import_library


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
        import_library("numba")
        from numba.core import config
    # Also at every compilation: the processor to compile for, and with it numbers.
    config._config_fname = ""


if "numba" not in sys.modules:
    _import_numba()

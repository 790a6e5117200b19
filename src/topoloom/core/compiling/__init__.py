"""Compiles kernels and stores the compiled ones.

Numba is imported here first, so that it ignores a settings file in the current folder and wrong environment variables: settings
that a user made for other programs, or a scheduler for its jobs, must not stop topoloom.
"""

import os
import sys
import warnings

from topoloom.core.surroundings import import_library


def _import_numba() -> None:
    """Import Numba despite wrong environment variables: an invalid number of threads is dropped, others take their defaults.

    Kernels run in topoloom's threads, never in Numba's.
    """
    threads = os.environ.get("NUMBA_NUM_THREADS", "1").strip()
    if not (threads.isascii() and threads.isdecimal() and len(threads) < 7 and int(threads) > 0):
        del os.environ["NUMBA_NUM_THREADS"]
    with warnings.catch_warnings():
        # A value that cannot be parsed: Numba takes its default, and warns with a traceback.
        warnings.filterwarnings("ignore", "Environment variable", RuntimeWarning)
        import_library("numba")
        from numba.core import config
    # Numba would read the file again at every compilation, and with it the processor to compile for, which can change numbers.
    config._config_fname = ""


if "numba" not in sys.modules:
    _import_numba()

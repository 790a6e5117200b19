"""How kernels are compiled, and where the compiled ones are kept."""

import sys

from topoloom.surroundings import load

# Numba reads settings in the current folder, also at every compilation: the processor to compile for, and with it numbers.
if "numba" not in sys.modules:
    load("numba")
    from numba.core import config

    config._config_fname = ""

"""What stands above every kernel: how Numba compiles it, and that it is compiled once.

=============  ==========================================================  ===============================
decorator      for a function that                                         what it spares
=============  ==========================================================  ===============================
`kernel`       Python calls, and that makes no arrays and returns none     counting who holds its arrays
`allocating`   Python or a kernel calls, and that makes arrays             -
`inner`        only kernels call                                           the wrapper for Python
`stage`        stands apart for its readers, in its caller for the         the call
               processor
=============  ==========================================================  ===============================

Counting who holds an array costs a function that is called at every step more than its work. A wrapper for Python of 30
arrays takes as long to compile as a small kernel. Parts are put into their callers by LLVM (`stage`): put there by Numba
(`inline="always"`) they would be typed and translated again at every place.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import config as _numba_config
from numba import njit

from topoloom.core.compiling.kept import Kept

_ALLOCATING = {"nogil": True, "no_cfunc_wrapper": True}
_KERNEL = {**_ALLOCATING, "_nrt": False}
_INNER = {**_KERNEL, "no_cpython_wrapper": True}
_STAGE = {**_INNER, "forceinline": True}


def _compiled(function: Callable | None = None, /, *, options: dict[str, Any], **more: Any) -> Any:
    """The function as Numba compiles it when it is first called, or as it is kept from an earlier time."""
    if function is None:
        return partial(_compiled, options=options, **more)
    config: Any = _numba_config  # whose names Numba makes when it is imported
    switched_off, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        dispatcher = njit(**options, **more)(function)
    finally:  # NUMBA_DISABLE_JIT is for functions that Python can run too; kernels call what is compiled alone
        config.DISABLE_JIT = switched_off
    dispatcher._cache = Kept(function)
    return dispatcher


allocating = partial(_compiled, options=_ALLOCATING)
kernel = partial(_compiled, options=_KERNEL)
inner = partial(_compiled, options=_INNER)
stage = partial(_compiled, options=_STAGE)

"""The decorators of kernels: how Numba compiles each, and that it is compiled once.

=============  ==========================================================  ===============================
decorator      for a function that                                         what it saves
=============  ==========================================================  ===============================
`kernel`       Python calls, and that makes no arrays and returns none     reference counts of arrays
`allocating`   Python or a kernel calls, and that makes arrays             -
`inner`        only kernels call                                           the wrapper for Python
`stage`        is separate for readers and inlined into its caller the call
=============  ==========================================================  ===============================

Reference counts cost a small function that is called at every step more than its work. A Python wrapper with 30 arrays takes as
long to compile as a small kernel. LLVM inlines the stages (`stage`); Numba's ``inline="always"`` would type and translate them
again at every call.
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
    """The function, which Numba compiles at its first call, or loads from the store of compiled kernels."""
    if function is None:
        return partial(_compiled, options=options, **more)
    config: Any = _numba_config  # Numba defines its names when it is imported
    switched_off, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        dispatcher = njit(**options, **more)(function)
    finally:  # NUMBA_DISABLE_JIT is for functions that Python can run too; kernels only run compiled
        config.DISABLE_JIT = switched_off
    dispatcher._cache = Kept(function)
    return dispatcher


allocating = partial(_compiled, options=_ALLOCATING)
kernel = partial(_compiled, options=_KERNEL)
inner = partial(_compiled, options=_INNER)
stage = partial(_compiled, options=_STAGE)

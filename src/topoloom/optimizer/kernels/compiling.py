"""How the kernels of a search are compiled: with little machine code, for the first use waits until it is made."""

from typing import Any

#: Options of `njit` for a kernel that Python calls; without the wrapper that C would call it by.
KERNEL: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
#: For one that only kernels call; Python must not: a wrapper with 30 arrays takes as long to compile as a small kernel.
INNER: dict[str, Any] = {**KERNEL, "no_cpython_wrapper": True}

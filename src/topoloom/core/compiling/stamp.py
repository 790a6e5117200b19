"""Digests of the sources of compiled kernels: a kernel is stale as soon as one of its sources changes.

Numba's cache checks only the file of the function, so it would miss a changed part in another file.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

#: Kinds of globals whose values are compiled into a kernel.
_CONSTANTS = (bool, int, float, str, bytes, tuple, type(None))


def stamp(function: Callable) -> bytes:
    """A digest of the source files of a kernel and of all that it calls, and of the global constants that it uses."""
    digest = hashlib.sha256()
    for line in sorted(set(_origins(function))):
        digest.update(line.encode())
    return digest.digest()


def _origins(function: Callable) -> Iterator[str]:
    """One line per source file and per constant of a kernel."""
    seen, waiting = set(), [function]
    while waiting:
        kernel = waiting.pop()
        if kernel in seen or not isinstance(kernel, FunctionType):
            continue
        seen.add(kernel)
        yield _file(kernel.__module__)
        for name in _names(kernel.__code__):
            value = kernel.__globals__.get(name)
            part = getattr(value, "py_func", None)
            if part is not None:
                waiting.append(part)
            elif isinstance(value, _CONSTANTS):
                yield f"{kernel.__module__}.{name} = {value!r}"
            else:
                module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
                if module is not None and module.startswith("topoloom."):
                    yield _file(module)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _file(module: str) -> str:
    """The name of a module and a digest of its source."""
    path: Any = getattr(sys.modules.get(module), "__file__", None)
    content = Path(path).read_bytes() if path else b""
    return f"{module} {hashlib.sha256(content).hexdigest()}"

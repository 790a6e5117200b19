"""What Numba's intrinsics of this package share: their decorator, pointers into arrays, and functions by name."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic


def kernel_operation(code: Callable[..., Any]) -> Callable[..., Any]:
    """`intrinsic`, typed as the function that a kernel calls: without the typing context."""
    operation: Callable[..., Any] = intrinsic(code)
    return operation


def word_pointer(context: Any, builder: Any, signature: Any, words: Any, index: Any) -> Any:
    """A pointer to word `index` of an array, the first argument of `signature`.

    Parameters
    ----------
    context, builder, signature, words, index
        As an intrinsic's code has them.

    Returns
    -------
    LLVM value
    """
    data = cgutils.create_struct_proxy(signature.args[0])(context, builder, words).data
    return builder.gep(data, [index])


def llvm_function(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """The function `name` of LLVM or of the C library, declared in the module being built.

    Parameters
    ----------
    builder : LLVM builder
    name : str
    result, *arguments : LLVM types

    Returns
    -------
    LLVM function
    """
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)

"""Words that threads of one process share: a store that other threads see in order, and a load that sees it.

A store releases: whoever loads the stored word also sees everything that the thread wrote before. `rest` is called in a loop
that waits for a word: it lets another thread run on the same core, where there are fewer cores than threads.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

#: Bytes of an atomic word.
_BYTES = 8


def _operation(code: Callable[..., Any]) -> Callable[..., Any]:
    """`intrinsic`, typed as the function that a kernel calls: without the typing context."""
    operation: Callable[..., Any] = intrinsic(code)
    return operation


def _place(context: Any, builder: Any, signature: Any, words: Any, index: Any) -> Any:
    """A pointer to word `index` of an array, the first argument."""
    data = cgutils.create_struct_proxy(signature.args[0])(context, builder, words).data
    return builder.gep(data, [index])


@_operation
def load_shared(_typing: Any, words: Any, _index: Any) -> Any:
    """``load_shared(words, i)``: words[i], and all that was written before it was stored.

    Parameters
    ----------
    _typing, words : context, int64[k]
    _index : int

    Returns
    -------
    int64
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature, *arguments), "acquire", _BYTES)

    return types.int64(words, types.intp), code


@_operation
def store_shared(_typing: Any, words: Any, _index: Any, _value: Any) -> Any:
    """``store_shared(words, i, value)``: words[i] = value, after all earlier writes of this thread.

    Parameters
    ----------
    _typing, words : context, int64[k]
    _index, _value : int

    Returns
    -------
    None
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, value = arguments
        builder.store_atomic(value, _place(context, builder, signature, words, index), "release", _BYTES)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), code


@_operation
def rest(_typing: Any) -> Any:
    """``rest()``: let another thread run on this core (POSIX ``sched_yield``).

    Returns
    -------
    None
    """

    def code(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), []), "sched_yield")
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), code

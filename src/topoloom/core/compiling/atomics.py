"""Words that threads of one process share: a store that other threads see in order, and a load that sees it.

A store releases: whoever loads the stored word also sees everything that the thread wrote before. `rest` is called in a loop
that waits for a word: it lets another thread run on the same core, where there are fewer cores than threads.
"""

from typing import Any

from llvmlite import ir
from numba import types

from topoloom.core.compiling.intrinsics import kernel_operation, llvm_function, word_pointer

#: Bytes of an atomic word.
_BYTES = 8


@kernel_operation
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
        return builder.load_atomic(word_pointer(context, builder, signature, *arguments), "acquire", _BYTES)

    return types.int64(words, types.intp), code


@kernel_operation
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
        builder.store_atomic(value, word_pointer(context, builder, signature, words, index), "release", _BYTES)
        return context.get_dummy_value()

    return types.void(words, types.intp, types.int64), code


@kernel_operation
def rest(_typing: Any) -> Any:
    """``rest()``: let another thread run on this core (POSIX ``sched_yield``).

    Returns
    -------
    None
    """

    def code(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.call(llvm_function(builder, "sched_yield", ir.IntType(32)), [])
        return context.get_dummy_value()

    return types.void(), code

"""Explicit vectors of 64 bytes for Numba kernels; see also the rows of bits in `simd.py`.

`load64` takes an array of uint8 and the index of the first of 64 bytes; the array must be contiguous and long enough.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from topoloom.core.compiling.intrinsics import kernel_operation, llvm_function
from topoloom.graph.kernels.simd import _Code

#: Bytes in a vector.
BYTES = 64

_BYTE = ir.IntType(8)
_VECTOR = ir.VectorType(_BYTE, BYTES)


class Bytes64Type(types.Type):
    """The Numba type of 64 unsigned bytes in vector registers."""

    def __init__(self) -> None:
        super().__init__(name="Bytes64")


bytes64 = Bytes64Type()


@register_model(Bytes64Type)
class _Bytes64Model(models.PrimitiveModel):
    """Held in registers as LLVM's <64 x i8>."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _VECTOR)


@kernel_operation
def load64(_typing: Any, words: Any, _index: Any) -> tuple[Any, _Code]:
    """``load64(values, i)``: the bytes values[i : i + 64]."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        row = builder.load(builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer()))
        row.align = 1
        return row

    return bytes64(words, types.intp), code


@kernel_operation
def least(_typing: Any, _a: Any, _b: Any) -> tuple[Any, _Code]:
    """``least(a, b)``: byte by byte the smaller."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(llvm_function(builder, "llvm.umin.v64i8", _VECTOR, _VECTOR, _VECTOR), arguments)

    return bytes64(bytes64, bytes64), code


@kernel_operation
def one_more(_typing: Any, _a: Any) -> tuple[Any, _Code]:
    """``one_more(a)``: byte by byte a + 1, at most 255."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        ones = ir.Constant(_VECTOR, [1] * BYTES)
        return builder.call(
            llvm_function(builder, "llvm.uadd.sat.v64i8", _VECTOR, _VECTOR, _VECTOR), [*arguments, ones]
        )

    return bytes64(bytes64), code


@kernel_operation
def above(_typing: Any, _a: Any, _b: Any) -> tuple[Any, _Code]:
    """``above(a, b)``: a word whose bit i is set if byte i of a is greater than byte i of b."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(builder.icmp_unsigned(">", *arguments), ir.IntType(64))

    return types.uint64(bytes64, bytes64), code

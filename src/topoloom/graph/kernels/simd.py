"""Explicit vectors of bits for Numba kernels: rows of 512, 256 or 128 bits, and operations on them.

LLVM's automatic vectorisation of a loop over the words of a bit set is fragile: the same loop runs 4 to 6 times slower
when it fails. So kernels use explicit vectors. A row of 512 bits is LLVM's ``<8 x i64>``: one zmm register with
AVX-512, two ymm registers with AVX2, four NEON registers; LLVM legalises it for any processor.

A row is eight words of its array: 512 bits of uint64, 256 bits of uint32, 128 bits of uint16. So a kernel is written once, and
its caller chooses the width by the array's type: few sources need few bits, and narrow rows stay in the nearest cache. A row of
float64 is sixteen numbers. `load` and `store` take the array and the index of the first of its words; the array must be
contiguous, and nothing checks its bounds.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from topoloom.core.compiling.intrinsics import kernel_operation, llvm_function, word_pointer

#: Words in a row, and numbers in a row of an array of float64.
WORDS, COSTS = 8, 16

_WORD, _FLOAT = ir.IntType(64), ir.DoubleType()
_Code = Callable[[Any, Any, Any, Any], Any]


class RowType(types.Type):
    """The Numba type of a row in vector registers: `lanes` times 64 bits, words or floating-point numbers."""

    def __init__(self, lanes: int, element: Any = _WORD) -> None:
        super().__init__(name=f"Row{64 * lanes}of{element}")
        self.lanes, self.element = lanes, element

    @property
    def vector(self) -> Any:
        """The LLVM vector type."""
        return ir.VectorType(self.element, self.lanes)


@register_model(RowType)
class _RowModel(models.PrimitiveModel):
    """Held in registers as LLVM's <lanes x i64>."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, numba_type.vector)


_ROWS = {
    types.uint64: RowType(8),
    types.uint32: RowType(4),
    types.uint16: RowType(2),
    types.float64: RowType(COSTS, _FLOAT),
}


def _row_of(words: Any) -> RowType:
    """The type of a row of the array `words`."""
    return _ROWS[words.dtype]


def _address(context: Any, builder: Any, signature: Any, array: Any, index: Any) -> Any:
    """A vector pointer to word `index` of an array, the first argument."""
    pointer = word_pointer(context, builder, signature, array, index)
    return builder.bitcast(pointer, _row_of(signature.args[0]).vector.as_pointer())


@kernel_operation
def load(_typing: Any, words: Any, _index: Any) -> tuple[Any, _Code]:
    """``load(words, i)``: the row words[i : i + 8]."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = builder.load(_address(context, builder, signature, *arguments))
        row.align = words.dtype.bitwidth // 8  # aligned buffers are faster but not required
        return row

    return _row_of(words)(words, types.intp), code


@kernel_operation
def store(_typing: Any, words: Any, _index: Any, _row: Any) -> tuple[Any, _Code]:
    """``store(words, i, row)``: words[i : i + 8] = row."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[2], _address(context, builder, signature, *arguments[:2]))
        written.align = words.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(words, types.intp, _row_of(words)), code


@kernel_operation
def zeros(_typing: Any, words: Any) -> tuple[Any, _Code]:
    """``zeros(words)``: a row of zeros, as wide as those of `words`."""
    row = _row_of(words)

    def code(_context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(row.vector, [0] * row.lanes)

    return row(words), code


@kernel_operation
def either(_typing: Any, a: Any, b: Any) -> tuple[Any, _Code]:
    """``either(a, b)``: the bits that are in a or in b."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.or_(*arguments)

    return a(a, b), code


@kernel_operation
def add(_typing: Any, a: Any, b: Any) -> tuple[Any, _Code]:
    """``add(a, b)``: lane by lane, modulo 2^64."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return a(a, b), code


@kernel_operation
def ones_of(_typing: Any, row: Any) -> tuple[Any, _Code]:
    """``ones_of(row)``: the number of bits set in each 64-bit lane, as a row."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(llvm_function(builder, f"llvm.ctpop.v{row.lanes}i64", row.vector, row.vector), arguments)

    return row(row), code


@kernel_operation
def bits_of(_typing: Any, word: Any) -> tuple[Any, _Code]:
    """``bits_of(word)``: the number of bits set in a uint64."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(llvm_function(builder, "llvm.ctpop.i64", _WORD, _WORD), arguments)

    return types.int64(word), code


@kernel_operation
def total(_typing: Any, row: Any) -> tuple[Any, _Code]:
    """``total(row)``: the sum of the lanes, int64."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(
            llvm_function(builder, f"llvm.vector.reduce.add.v{row.lanes}i64", _WORD, row.vector), arguments
        )

    return types.int64(row), code


@kernel_operation
def same(_typing: Any, a: Any, b: Any) -> tuple[Any, _Code]:
    """``same(a, b)``: whether all bits agree."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        compared = builder.fcmp_ordered if a.element is _FLOAT else builder.icmp_unsigned
        lanes = compared("==", *arguments)
        mask = builder.bitcast(lanes, ir.IntType(a.lanes))
        return builder.icmp_unsigned("==", mask, ir.Constant(ir.IntType(a.lanes), (1 << a.lanes) - 1))

    return types.boolean(a, b), code


@kernel_operation
def least(_typing: Any, costs: Any, more: Any, _step: Any) -> tuple[Any, _Code]:
    """``least(costs, more, step)``: lane by lane the smaller of ``costs`` and ``more + step``, of floating-point numbers."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        single = builder.insert_element(
            ir.Constant(costs.vector, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0)
        )
        order = ir.Constant(ir.VectorType(ir.IntType(32), costs.lanes), [0] * costs.lanes)
        everywhere = builder.shuffle_vector(single, ir.Constant(costs.vector, ir.Undefined), order)
        further = builder.fadd(arguments[1], everywhere)
        return builder.select(builder.fcmp_ordered("<", further, arguments[0]), further, arguments[0])

    return costs(costs, more, types.float64), code


@kernel_operation
def lowest_bit(_typing: Any, _word: Any) -> tuple[Any, _Code]:
    """``lowest_bit(word)``: the position of the lowest set bit of a uint64 that is not zero."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        flag = ir.Constant(ir.IntType(1), 1)  # the word is never zero, so LLVM needs no guard
        return builder.call(llvm_function(builder, "llvm.cttz.i64", _WORD, _WORD, ir.IntType(1)), [*arguments, flag])

    return types.int64(types.uint64), code


@kernel_operation
def fetch(_typing: Any, array: Any, _index: Any) -> tuple[Any, _Code]:
    """``fetch(array, i)``: prefetch the cache line with array[i]; an index beyond the end is allowed."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        called = llvm_function(builder, "llvm.prefetch.p0", ir.VoidType(), byte, flag, flag, flag)
        builder.call(called, [place, flag(1), flag(2), flag(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), code

"""An explicit vector of 8 x 64 bits for Numba kernels: `Row512`, and what kernels do with it.

LLVM's automatic vectorisation of a loop over the words of a bit set is fragile: the same loop runs 4 to 6 times slower
when it fails. So kernels name the vector themselves. A value of type `Row512` is LLVM's ``<8 x i64>``: one zmm register
with AVX-512, two ymm registers with AVX2, four NEON registers; LLVM legalises it for any processor.

`load` and `store` take an array of uint64 and the index of the first of eight words; the array must be contiguous, and
nothing checks its bounds. Functions that use these may be cached; after a change in this file clear ``__pycache__``,
for Numba dates a cached kernel by the kernel's own file.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

#: 64-bit words in a `Row512`.
LANES = 8

_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_Code = Callable[[Any, Any, Any, Any], Any]


class Row512Type(types.Type):
    """The Numba type of eight 64-bit words in one vector register."""

    def __init__(self) -> None:
        super().__init__(name="Row512")


row512 = Row512Type()


@register_model(Row512Type)
class _Row512Model(models.PrimitiveModel):
    """Held in registers as LLVM's <8 x i64>."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _VECTOR)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """A vector pointer to word `index` of a uint64 array."""
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _declared(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """The LLVM intrinsic `name`, declared in the module being built."""
    return cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, arguments), name)


def _operation(code: Callable[..., tuple[Any, _Code]]) -> Callable[..., Any]:
    """`intrinsic`, typed as what a kernel calls: without the typing context."""
    operation: Callable[..., Any] = intrinsic(code)
    return operation


@_operation
def load(_typing: Any, words: Any, _index: Any) -> tuple[Any, _Code]:
    """``load(words, i)``: the row words[i : i + 8]."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = builder.load(_address(context, builder, signature.args[0], *arguments))
        row.align = 8  # aligned buffers are faster but not required
        return row

    return row512(words, types.intp), code


@_operation
def store(_typing: Any, words: Any, _index: Any, _row: Any) -> tuple[Any, _Code]:
    """``store(words, i, row)``: words[i : i + 8] = row."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        written = builder.store(arguments[2], _address(context, builder, signature.args[0], *arguments[:2]))
        written.align = 8
        return context.get_dummy_value()

    return types.void(words, types.intp, row512), code


@_operation
def zeros(_typing: Any) -> tuple[Any, _Code]:
    """``zeros()``: a row of zeros."""

    def code(_context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(_VECTOR, [0] * LANES)

    return row512(), code


@_operation
def either(_typing: Any, _a: Any, _b: Any) -> tuple[Any, _Code]:
    """``either(a, b)``: the bits that are in a or in b."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.or_(*arguments)

    return row512(row512, row512), code


@_operation
def add(_typing: Any, _a: Any, _b: Any) -> tuple[Any, _Code]:
    """``add(a, b)``: lane by lane, modulo 2^64."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return row512(row512, row512), code


@_operation
def ones_of(_typing: Any, _row: Any) -> tuple[Any, _Code]:
    """``ones_of(row)``: how many bits are set in each lane, as a row."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(_declared(builder, f"llvm.ctpop.v{LANES}i64", _VECTOR, _VECTOR), arguments)

    return row512(row512), code


@_operation
def total(_typing: Any, _row: Any) -> tuple[Any, _Code]:
    """``total(row)``: the sum of the lanes, int64."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(_declared(builder, f"llvm.vector.reduce.add.v{LANES}i64", _WORD, _VECTOR), arguments)

    return types.int64(row512), code


@_operation
def same(_typing: Any, _a: Any, _b: Any) -> tuple[Any, _Code]:
    """``same(a, b)``: whether all 512 bits agree."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        lanes = builder.icmp_unsigned("==", *arguments)
        mask = builder.bitcast(lanes, ir.IntType(LANES))
        return builder.icmp_unsigned("==", mask, ir.Constant(ir.IntType(LANES), (1 << LANES) - 1))

    return types.boolean(row512, row512), code


@_operation
def lowest_bit(_typing: Any, _word: Any) -> tuple[Any, _Code]:
    """``lowest_bit(word)``: the position of the lowest set bit of a uint64 that is not zero."""

    def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        flag = ir.Constant(ir.IntType(1), 1)  # zero never comes, so LLVM need not guard against it
        return builder.call(_declared(builder, "llvm.cttz.i64", _WORD, _WORD, ir.IntType(1)), [*arguments, flag])

    return types.int64(types.uint64), code

"""Arrays in JSON: short ones as lists, long ones packed (zlib and base64); reading does not trust their content."""

import base64
import binascii
import zlib
from typing import Any, Literal

import msgspec
import numpy as np

from topoloom.core.errors import InputError

#: Arrays of up to this many numbers are written as lists that people can read.
_MOST_LISTED = 2000
#: Two ids for each of 2^27 links; a larger declared number is a mistake.
_MOST_NUMBERS = 1 << 28


class Packed(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A packed array: the numbers of shape `shape` and type `dtype`, little-endian, row by row, zlib-compressed, in base64.

    With `delta`, every row except the first holds the difference from the row before.
    """

    dtype: Literal["int32", "int64", "float64"]
    shape: list[int]
    encoding: Literal["zlib+base64"]
    data: str
    delta: bool = False


def json_array(array: np.ndarray, *, delta: bool = False) -> Any:
    """The JSON form of an array: a list, or a `Packed` if it is long. Text always becomes a list."""
    if array.size <= _MOST_LISTED or array.dtype.kind == "U":
        return array.tolist()
    kind: Literal["int32", "int64", "float64"] = "float64"
    if array.dtype.kind in "iu":
        small = array.min() >= -(2**31) and array.max() < 2**31
        kind = "int32" if small else "int64"
    flat = array.astype(np.dtype(kind).newbyteorder("<"))
    if delta:
        flat = np.concatenate([flat[:1], np.diff(flat, axis=0)])
    data = base64.b64encode(zlib.compress(np.ascontiguousarray(flat).tobytes(), 6)).decode("ascii")
    return Packed(dtype=kind, shape=list(array.shape), encoding="zlib+base64", data=data, delta=delta)


def unpack(packed: Packed, shape: tuple[int | None, ...]) -> np.ndarray:
    """The array in a `Packed`.

    Parameters
    ----------
    packed : Packed
    shape : tuple of int or None
        The expected shape; None for any size.

    Raises
    ------
    InputError
        The shape differs, the data are not base64 or zlib, or their number differs from the shape. At most the declared
        size is decompressed.
    """
    actual = tuple(packed.shape)
    wanted = " x ".join("any" if size is None else str(size) for size in shape)
    if len(actual) != len(shape) or any(w not in (None, g) or g < 0 for g, w in zip(actual, shape, strict=True)):
        raise InputError(f"shape is {' x '.join(map(str, actual))[:60] or 'missing'}; it must be {wanted}")
    numbers = int(np.prod(actual, dtype=object))
    if numbers > _MOST_NUMBERS:
        raise InputError(f"shape declares {numbers} numbers; at most {_MOST_NUMBERS} are read")
    dtype = np.dtype(packed.dtype).newbyteorder("<")
    size = numbers * dtype.itemsize
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(base64.b64decode(packed.data, validate=True), size + 1)
    except (binascii.Error, ValueError):
        raise InputError("data is not base64") from None
    except zlib.error:
        raise InputError("data does not decompress (zlib)") from None
    if len(raw) != size or not unpacker.eof:
        raise InputError(f"data does not hold the {size} bytes that shape and dtype declare")
    array: np.ndarray = np.frombuffer(raw, dtype).reshape(actual).astype(packed.dtype)
    if not packed.delta:
        return array
    if array.dtype.kind == "f":
        raise InputError("delta is for whole numbers")
    return np.cumsum(array, axis=0, dtype=np.int64)

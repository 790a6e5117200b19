"""Long lists of numbers in a record: packed into base64, with runs of equal or consecutive numbers kept once."""

import base64
from typing import Literal

import msgspec
import numpy as np

Kind = Literal["u8", "u16", "u32", "f32"]
_TYPES: dict[str, str] = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}


class PackedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers in a record: base64 of little-endian values.

    Attributes
    ----------
    type : "u8", "u16", "u32" or "f32"
        The type of each value.
    step : int or None
        None: the values themselves. 0 or 1: pairs (first, count), each for `count` values that begin with `first` and
        increase by `step`.
    base64 : str
        The bytes.
    """

    type: Kind
    base64: str
    step: int | None = None

    @property
    def values(self) -> np.ndarray:
        """The numbers: uint32 or float32."""
        numbers = np.frombuffer(base64.b64decode(self.base64), _TYPES[self.type])
        if self.type == "f32":
            return numbers.astype(np.float32)
        if self.step is None:
            return numbers.astype(np.uint32)
        first, count = numbers.astype(np.int64).reshape(-1, 2).T
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return np.asarray(np.repeat(first, count) + self.step * within, np.uint32)


def packed(values: np.ndarray) -> PackedColumn:
    """Numbers as a column, in the shortest form.

    Parameters
    ----------
    values : int or float array
        Whole numbers from 0 to 2^32 - 1, or floats, which get 32 bits.

    Returns
    -------
    PackedColumn

    Examples
    --------
    >>> packed([7, 8, 9, 10, 11, 12]).step, packed([7, 8, 9, 10, 11, 12]).values.tolist()
    (1, [7, 8, 9, 10, 11, 12])
    """
    numbers = np.asarray(values).reshape(-1)
    if numbers.dtype.kind == "f":
        return PackedColumn(type="f32", base64=_packed(numbers, "f32"))
    whole = numbers.astype(np.int64)
    forms: list[tuple[int | None, np.ndarray]] = [(None, whole)]
    for step in (0, 1):
        starts = np.flatnonzero(np.diff(whole, prepend=whole[:1] - 2) != step)
        forms.append((step, np.stack([whole[starts], np.diff(starts, append=whole.size)], axis=1).reshape(-1)))
    sized = [(array.size * _bytes(kind := _kind(array)), step, array, kind) for step, array in forms]
    _, own_step, array, kind = min(sized, key=lambda form: form[0])
    return PackedColumn(type=kind, step=own_step, base64=_packed(array, kind))


def _kind(numbers: np.ndarray) -> Kind:
    most = int(numbers.max(initial=0))
    return "u8" if most < 1 << 8 else "u16" if most < 1 << 16 else "u32"


def _bytes(kind: Kind) -> int:
    return np.dtype(_TYPES[kind]).itemsize


def _packed(numbers: np.ndarray, kind: Kind) -> str:
    return base64.b64encode(numbers.astype(_TYPES[kind]).tobytes()).decode()

"""The wire format of Protocol Buffers: numbered fields of a message, and messages one after the other in a file.

Of the whole of it a reader of traces needs four ways to write a number, and that is all that is here. What is not asked for is
passed over. Source: Protocol Buffers, Encoding (protobuf.dev/programming-guides/encoding).
"""

import gzip
import os
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from topoloom.errors import InputError
from topoloom.files import open_to_read, reason

#: How a field is written: a number of variable length, eight bytes, bytes behind their number, four bytes.
VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
#: The longest message, and all that a file may be when it is no longer packed.
_LONGEST, _MOST = 1 << 26, 1 << 33
_GZIP = b"\x1f\x8b"


class WireError(ValueError):
    """What is no message of the format; whoever reads the file says where."""


def varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of variable length, and the place behind it.

    Raises
    ------
    WireError
        It does not end.
    """
    number = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise WireError("a number does not end")
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number & ((1 << 64) - 1), place
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """The fields of a message: number, how it is written, and the value, EIGHT and FOUR as bytes.

    Raises
    ------
    WireError
        It is cut short, or none.
    """
    place, end = 0, len(data)
    while place < end:
        key, place = varint(data, place)
        number, how = key >> 3, key & 7
        if number == 0:
            raise WireError("a field has the number 0")
        if how == VARINT:
            value, place = varint(data, place)
            yield number, how, value
            continue
        if how == BYTES:
            size, place = varint(data, place)
        elif how == EIGHT:
            size = 8
        elif how == FOUR:
            size = 4
        else:
            raise WireError(f"field {number} is written in a way ({how}) that no trace has")
        if place + size > end:
            raise WireError(f"field {number} would take {size:,} bytes, and {end - place:,} are left")
        yield number, how, data[place : place + size]
        place += size


def packed_numbers(how: int, value: int | bytes) -> list[int]:
    """Whole numbers of a repeated field, packed or one by one.

    Raises
    ------
    WireError
        They are of another kind.
    """
    if isinstance(value, int):
        return [value]
    if how != BYTES:
        raise WireError("whole numbers are written as others")
    found, place = [], 0
    while place < len(value):
        one, place = varint(value, place)
        found.append(one)
    return found


def signed(number: int) -> int:
    """A number of int32 or int64 that was written as one without a sign."""
    return number - (1 << 64) if number >> 63 else number


def zigzag(number: int) -> int:
    """A number of sint32 or sint64."""
    return (number >> 1) ^ -(number & 1)


def real(how: int, value: int | bytes) -> float:
    """A float or a double.

    Raises
    ------
    WireError
        It is neither.
    """
    if isinstance(value, int) or how == BYTES:
        raise WireError("a real number is written as another")
    return float(struct.unpack("<d" if how == EIGHT else "<f", value)[0])


def messages(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """The messages of a file, packed by gzip or not, each behind its length: its place in the file, and its bytes.

    Raises
    ------
    InputError
        A file that cannot be read, or a message that is longer than what is left.
    """
    try:
        with open_to_read(path) as raw:
            size = os.fstat(raw.fileno()).st_size
            beginning = raw.read(2)
            raw.seek(0)
            if beginning == _GZIP:
                with gzip.open(raw) as packed:
                    yield from _messages(packed, os.fspath(path), _MOST)
            else:
                yield from _messages(raw, os.fspath(path), size)
    except (OSError, EOFError, zlib.error) as error:
        told = reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{os.fspath(path)} cannot be read: {told}") from None


def _messages(file: "BinaryIO | gzip.GzipFile", source: str, size: int) -> Iterator[tuple[int, bytes]]:
    place = 0
    while True:
        length, begin = _length(file, source, place)
        if length < 0:
            return
        if length > _LONGEST or begin + length > size:
            raise InputError(
                f"{source}: byte {place}: a message of {length:,} bytes, which are not there; the file is cut short"
            )
        data = file.read(length)
        if len(data) != length:
            raise InputError(f"{source}: byte {place}: a message of {length:,} bytes is cut short")
        yield begin, data
        place = begin + length


def _length(file: "BinaryIO | gzip.GzipFile", source: str, place: int) -> tuple[int, int]:
    """The length of the next message, -1 where there is none, and where that begins."""
    begun = b""
    while len(begun) < 10:
        byte = file.read(1)
        if not byte:
            if begun:
                raise InputError(f"{source}: byte {place}: the length of a message is cut short")
            return -1, place
        begun += byte
        if byte[0] < 128:
            return varint(begun, 0)[0], place + len(begun)
    raise InputError(f"{source}: byte {place}: no length of a message; this is no Chakra trace")

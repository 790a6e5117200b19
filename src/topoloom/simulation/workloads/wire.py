"""Files of Protocol Buffers messages, compressed by gzip or not, each message after its length."""

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from topoloom.core.errors import InputError
from topoloom.core.files import open_to_read, reason

#: The most bytes of a message, and the most bytes of a file after decompression.
_MOST_MESSAGE_BYTES, _MOST_FILE_BYTES = 1 << 24, 1 << 33
_GZIP = b"\x1f\x8b"


def messages(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the messages of a file: the place of each in the file, and its bytes.

    Raises
    ------
    InputError
        A file that cannot be read, or a message that is longer than the rest of the file.
    """
    try:
        with open_to_read(path) as raw:
            size = os.fstat(raw.fileno()).st_size
            beginning = raw.read(2)
            raw.seek(0)
            if beginning == _GZIP:
                with gzip.open(raw) as packed:
                    yield from _messages(packed, os.fspath(path), _MOST_FILE_BYTES)
            else:
                yield from _messages(raw, os.fspath(path), size)
    except (OSError, EOFError, zlib.error) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{os.fspath(path)} cannot be read: {why}") from None


def _messages(file: "BinaryIO | gzip.GzipFile", source: str, size: int) -> Iterator[tuple[int, bytes]]:
    place = 0
    while True:
        length, begin = _length(file, source, place)
        if length < 0:
            return
        if begin + length > size:
            raise InputError(
                f"{source}: byte {place}: a message of {length:,} bytes exceeds the file; the file is truncated"
            )
        if length > _MOST_MESSAGE_BYTES:
            raise InputError(
                f"{source}: byte {place}: a message of {length:,} bytes; at most {_MOST_MESSAGE_BYTES:,} are"
                " supported; split the node"
            )
        data = file.read(length)
        if len(data) != length:
            raise InputError(f"{source}: byte {place}: a message of {length:,} bytes is truncated")
        yield begin, data
        place = begin + length


def _length(file: "BinaryIO | gzip.GzipFile", source: str, place: int) -> tuple[int, int]:
    """Return the length of the next message (-1: none), and where the message begins."""
    length = 0
    for read in range(10):
        byte = file.read(1)
        if not byte:
            if read:
                raise InputError(f"{source}: byte {place}: the length of a message is truncated")
            return -1, place
        length |= (byte[0] & 127) << 7 * read
        if byte[0] < 128:
            return length, place + read + 1
    raise InputError(f"{source}: byte {place}: invalid length of a message; this is not a Chakra trace")

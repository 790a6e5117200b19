"""Files of Protocol Buffers' messages, packed by gzip or not, each message behind its length."""

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from topoloom.core.errors import InputError
from topoloom.core.files import open_to_read, reason

#: The longest message, and the most bytes of a file that gzip unpacks.
_LONGEST, _MOST = 1 << 24, 1 << 33
_GZIP = b"\x1f\x8b"


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
        if begin + length > size:
            raise InputError(
                f"{source}: byte {place}: a message of {length:,} bytes, which are not there; the file is cut short"
            )
        if length > _LONGEST:
            raise InputError(
                f"{source}: byte {place}: a message of {length:,} bytes; a node has at most {_LONGEST:,}, make several of it"
            )
        data = file.read(length)
        if len(data) != length:
            raise InputError(f"{source}: byte {place}: a message of {length:,} bytes is cut short")
        yield begin, data
        place = begin + length


def _length(file: "BinaryIO | gzip.GzipFile", source: str, place: int) -> tuple[int, int]:
    """The length of the next message, -1 where there is none, and where that begins."""
    length = 0
    for read in range(10):
        byte = file.read(1)
        if not byte:
            if read:
                raise InputError(f"{source}: byte {place}: the length of a message is cut short")
            return -1, place
        length |= (byte[0] & 127) << 7 * read
        if byte[0] < 128:
            return length, place + read + 1
    raise InputError(f"{source}: byte {place}: no length of a message; this is no Chakra trace")

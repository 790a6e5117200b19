"""Reading NumPy's ``.npy`` and ``.npz`` files safely.

`numpy.load` evaluates a header as Python, allocates the declared size, and raises errors of a dozen kinds. Here a header must
be one that NumPy writes for plain arrays, and the file must hold exactly the declared bytes; otherwise the file is refused.
"""

import io
import math
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError, at
from topoloom.core.files import open_to_read, reason

_MAGIC = b"\x93NUMPY"
#: A header is padded to 64 bytes; those of plain arrays are shorter than this.
_LONGEST_HEADER = 1 << 10
_HEADER = re.compile(
    rb"\{'descr': '([|<](?:b1|[iu][1248]|f[48]|U[0-9]{1,5}))', 'fortran_order': False,"
    rb" 'shape': \(((?:[0-9]{1,12}, ?)*(?:[0-9]{1,12})?,?)\), \} *\n"
)
_MOST_AXES = 8
_LAST_CHARACTER, _HALVES = 0x10FFFF, (0xD800, 0xDFFF)


def read_npy(path: Path, remedy: str) -> np.ndarray:
    """The array of a file, mapped into memory (`numpy.memmap`): its entries are read when they are used.

    Parameters
    ----------
    path : path
    remedy : str
        The remedy for a damaged file: "route the network again".

    Returns
    -------
    array
        Numbers, booleans or text of any shape; read-only.

    Raises
    ------
    InputError
        The file cannot be read, or is not such an array: ``file: reason``.
    """
    try:
        with open_to_read(path) as file:
            kind, shape, begin = _header(file, os.fstat(file.fileno()).st_size)
        array: np.ndarray = np.empty(shape, kind)
        if array.size:
            array = np.memmap(path, kind, "r", begin, shape)
        return _checked(array)
    except OSError as error:
        raise at(os.fspath(path), None, f"cannot be read: {reason(error)}") from None
    except _DamagedError as error:
        raise at(os.fspath(path), None, f"is damaged ({error}); {remedy}") from None


def read_npz(path: Path, remedy: str) -> dict[str, np.ndarray]:
    """The arrays of an archive by their names; parameters and faults are those of `read_npy`."""
    try:
        with open_to_read(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            allowance = Allowance(os.fspath(path), path.stat().st_size)
            allowance.take(sum(entry.file_size for entry in entries), "its arrays")
            return {entry.filename.removesuffix(".npy"): _entry(archive, entry) for entry in entries}
    except OSError as error:
        raise at(os.fspath(path), None, f"cannot be read: {reason(error)}") from None
    except _DamagedError as error:
        raise at(os.fspath(path), None, f"is damaged ({error}); {remedy}") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as error:
        if isinstance(error, InputError):
            raise
        raise at(os.fspath(path), None, f"is damaged (it is not a complete archive of arrays); {remedy}") from None


class _DamagedError(Exception):
    """The content of a file is not an array."""


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(entry) as file:
        kind, shape, begin = _header(file, entry.file_size)  # type: ignore[arg-type]  # it reads like a file
        data = file.read(entry.file_size - begin + 1)
    if len(data) != entry.file_size - begin:
        raise _DamagedError(f"{entry.filename[:40]!a} is shorter or longer than declared")
    return _checked(np.frombuffer(data, kind).reshape(shape))


def _header(file: BinaryIO | io.BufferedReader, size: int) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Type and shape of an array, and the offset of its entries in bytes; `size` is the file's size in bytes."""
    start = file.read(8)
    wide = start[6:7] != b"\x01"
    length_bytes = file.read(4 if wide else 2)
    if start[:6] != _MAGIC or start[6:8] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00") or len(length_bytes) < 2:
        raise _DamagedError("it does not begin as a .npy file of version 1 to 3")
    length = int.from_bytes(length_bytes, "little")
    text = file.read(length) if length <= _LONGEST_HEADER else b""
    match = _HEADER.fullmatch(text) if len(text) == length else None
    if match is None:
        raise _DamagedError("its header is not that of a plain array")
    kind = np.dtype(match[1].decode())
    shape = tuple(int(part) for part in match[2].replace(b" ", b"").split(b",") if part)
    begin = 8 + len(length_bytes) + length
    if len(shape) > _MOST_AXES or math.prod(shape) * kind.itemsize != size - begin:
        raise _DamagedError(f"its header does not match the {size - begin} bytes after it")
    return kind, shape, begin


def _checked(array: np.ndarray) -> np.ndarray:
    """The array, read-only; invalid text is refused, because printing it would fail."""
    if array.dtype.kind == "U" and array.dtype.itemsize and array.size:
        letters = np.ascontiguousarray(array).view("<u4")
        if (letters > _LAST_CHARACTER).any() or ((letters >= _HALVES[0]) & (letters <= _HALVES[1])).any():
            raise _DamagedError("it holds invalid characters")
    array.setflags(write=False)
    return array

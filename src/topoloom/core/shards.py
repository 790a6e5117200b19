"""Shards: append-only files of lines in a folder, one writer each, that survive whatever happens to their writers.

Nobody changes or locks another's file, so that it works on any file system, also one that many machines share. A line that is
not whole (its writer was killed, the disk was full) is passed over.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from topoloom.core.errors import InputError, check_path
from topoloom.core.files import reason

L = TypeVar("L")


class Shards(Generic[L]):
    """The lines of all shards in a folder.

    Parameters
    ----------
    folder : path
        Made by the first writer.
    kind : type
        Of a line: a msgspec Struct.
    former : (bytes, bytes), optional
        A piece of the lines that earlier versions wrote, and what replaced it.

    Examples
    --------
    >>> import tempfile
    >>> shards = Shards(tempfile.mkdtemp(), dict)
    >>> with shards.writer() as writer:
    ...     writer.write({"a": 1})
    >>> list(shards.new()), list(shards.new())
    ([{'a': 1}], [])
    """

    def __init__(
        self, folder: str | os.PathLike[str], kind: type[L], former: tuple[bytes, bytes] | None = None
    ) -> None:
        check_path(folder, "a store of records", "name a folder")
        self.folder = Path(folder)
        self._decoder = msgspec.json.Decoder(kind)
        self._former = former
        self._read_to: dict[Path, int] = {}

    def new(self) -> Iterator[L]:
        """The whole lines that have come since the last call, shard by shard; a line without its end is read again later.

        Raises
        ------
        InputError
            A shard cannot be read.
        """
        for path in sorted(self.folder.glob("*.jsonl")):
            begin = self._read_to.get(path, 0)
            try:
                with path.open("rb") as file:
                    file.seek(begin)
                    data = file.read()
            except OSError as error:
                raise InputError(f"{path}: cannot be read: {reason(error)}") from None
            whole = data.rfind(b"\n") + 1
            self._read_to[path] = begin + whole
            for line in data[:whole].split(b"\n"):
                try:
                    yield self._decoder.decode(line if self._former is None else line.replace(*self._former, 1))
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    continue  # torn, by a writer that was killed or a disk that was full

    def writer(self) -> "ShardWriter[L]":
        """A new shard, for one writer."""
        return ShardWriter(self.folder)


class ShardWriter(Generic[L]):
    """Appends lines to a shard of its own, from any thread; the file is made by the first."""

    def __init__(self, folder: Path) -> None:
        told = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        host = "".join(letter if letter.isalnum() else "-" for letter in socket.gethostname())[:40]
        self.path = folder / f"{told}-{host}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"
        self._file: int | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> "ShardWriter[L]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, line: L) -> None:
        """Append a line: all of it, or an error that says why.

        Raises
        ------
        InputError
            The disk is full, or the folder is gone; what was written before is whole.
        """
        text = msgspec.json.encode(line) + b"\n"
        with self._lock:
            try:
                if self._file is None:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
                _append(self._file, text)
            except OSError as error:
                raise InputError(
                    f"{self.path}: cannot be written: {reason(error)}; what is finished is kept, run it again to go on"
                ) from None

    def sync(self) -> None:
        """Have what was written on the disk, also when the machine fails."""
        if self._file is not None:
            try:
                os.fsync(self._file)
            except OSError:
                return  # a file system that cannot; what is written is written

    def close(self) -> None:
        """End the shard."""
        if self._file is not None:
            self.sync()
            os.close(self._file)
            self._file = None


def _append(file: int, text: bytes) -> None:
    """All of a text, or nothing: half a line is taken back, so that what comes after it begins on a line of its own."""
    begin = os.fstat(file).st_size
    try:
        while text:
            text = text[os.write(file, text) :]
    except OSError:
        os.ftruncate(file, begin)
        raise

"""Shards: append-only files of lines in a folder, one writer each; they stay readable if a writer is killed.

No writer changes or locks the file of another, so shards work on any file system, also one that many machines share. Incomplete
lines (the writer was killed, the disk was full) are skipped.
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
        The first writer creates it.
    kind : type
        The type of a line: a msgspec Struct.
    former : (bytes, bytes), optional
        A part of lines of earlier versions, and its replacement.

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
        """The complete lines since the last call, shard by shard; an incomplete last line is read again later.

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
                    continue  # incomplete: the writer was killed or the disk was full

    def writer(self) -> "ShardWriter[L]":
        """A new shard, for one writer."""
        return ShardWriter(self.folder)


class ShardWriter(Generic[L]):
    """Appends lines to a new shard, from any thread; the first line creates the file."""

    def __init__(self, folder: Path) -> None:
        timestamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        host = "".join(letter if letter.isalnum() else "-" for letter in socket.gethostname())[:40]
        self.path = folder / f"{timestamp}-{host}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"
        self._file: int | None = None
        self._any_saved = False
        self._lock = threading.Lock()

    def __enter__(self) -> "ShardWriter[L]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, line: L) -> None:
        """Append a whole line, or raise an error.

        Raises
        ------
        InputError
            The disk is full, or the folder is missing; earlier lines stay complete.
        """
        text = msgspec.json.encode(line) + b"\n"
        with self._lock:
            try:
                if self._file is None:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
                _append(self._file, text)
                self._any_saved = True
            except OSError as error:
                raise InputError(
                    f"{self.path}: cannot be written: {reason(error)};"
                    + (" finished results are saved;" if self._any_saved else "")
                    + f" run the command again to {'continue' if self._any_saved else 'repeat it'}"
                ) from None

    def sync(self) -> None:
        """Write all lines to the disk now, so that they survive a failure of the machine."""
        if self._file is not None:
            try:
                os.fsync(self._file)
            except OSError:
                return  # a file system without fsync

    def close(self) -> None:
        """Close the shard."""
        if self._file is not None:
            self.sync()
            os.close(self._file)
            self._file = None


def _append(file: int, text: bytes) -> None:
    """Append a whole text, or nothing: an incomplete line is removed, so the next one begins on a new line."""
    begin = os.fstat(file).st_size
    try:
        while text:
            text = text[os.write(file, text) :]
    except OSError:
        os.ftruncate(file, begin)
        raise

"""Reading and writing topology files: the choice of format, compression, and errors of the file itself."""

import gzip
import io
import logging
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from topoloom.core.errors import InputError, at, check_made, check_path, check_type
from topoloom.core.files import is_pipe, open_to_read, reason, write_atomically
from topoloom.fabric._table_dumps import is_tables
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.fabric import Fabric
from topoloom.formats._content import certain_format, likely_format
from topoloom.formats._foreign import foreign_content
from topoloom.formats._registry import FORMATS, Format, encode, encode_directed, format_for, unknown_suffix
from topoloom.formats.written import WrittenFile, written_directed, written_file
from topoloom.model.directed import DirectedTopology
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

#: The format of plain numbers, whose suffix .txt many other files have.
EDGES = "edges"
#: No file of a fabric is larger: two million links take 30 MB as text.
_MOST_BYTES = 2 << 30
#: gzip shrinks real topologies 3 to 30 times; beyond this factor, and above _FREE_BYTES, a file is a decompression bomb.
_MOST_SHRUNK = 200
_FREE_BYTES = 64 << 20
_STDIN = "<stdin>"
#: The first bytes of a gzip file.
_GZIP = b"\x1f\x8b"


def load(path: str | os.PathLike[str], format: str | None = None) -> Topology:
    """Read a topology from a file.

    Parameters
    ----------
    path : path
        A file; ``.gz`` after any suffix is decompressed; ``-`` is standard input, which may be gzip-compressed.
    format : str, optional
        The name of the format; when omitted, it is selected by the suffix, or for standard input and pipes by
        the content (`seen_format`).

    Raises
    ------
    InputError
        The file cannot be read, or does not match its format: ``file:line: reason``.
    """
    check_path(path, "load", "name a file")
    return parsed(*read_source(path, format))


def read_source(path: str | os.PathLike[str], format: str | None = None) -> tuple[bytes, str, Format]:
    """The content of a file, its name for messages, and its format; arguments and errors as for `load`."""
    text = os.fspath(path)
    source = _STDIN if text == "-" else text
    if format is None and is_stream(text):
        data = contents(source)
        return data, source, seen_format(data, source)
    record = choose_format(text, format) if format is not None or not _is(Path.is_file, text) else format_for(text)
    if record is not None and record.read is None:
        raise InputError(f"{source}: topoloom writes the format {record.name} but does not read it")
    data = contents(source)
    # A suffix that several formats have does not tell which is meant.
    several = any(source.lower().endswith(each.shared) for each in FORMATS.values() if each.shared)
    refuse_empty(data, source, "a network" if record is None or several else record.description)
    return data, source, record if record is not None and format is not None else _by_content(data, source, record)


#: How much of a file is looked at.
_BEGINNING = 1 << 16


def _by_content(data: bytes, source: str, named: Format | None) -> Format:
    """The format of a file whose suffix names one, or none: that of its content if this is unmistakable.

    Raises
    ------
    InputError
        The suffix belongs to no format, and the content is of none that is recognised; or these are forwarding tables.
    """
    name = _content_name(data, source, certain=named is not None and named.name != EDGES)
    if not name:
        if named is None:
            raise unknown_suffix(source, read=True)
        return named
    record = FORMATS.find(name)
    expected = (
        named is None or named.name in (name, EDGES) or source.lower().removesuffix(".gz").endswith(record.shared)
    )
    if named is not None and not expected:
        log.warning("%s: read as %s by its content, not as %s by its name", source, name, named.name)
    return record


def _content_name(data: bytes, source: str, *, certain: bool = False) -> str:
    """The name of the format that content has; empty if none is recognised.

    Raises
    ------
    InputError
        The content is of another program's file that is no network, or these are forwarding tables.
    """
    if is_tables(data[:_BEGINNING].decode(errors="replace")):
        raise at(source, None, "these are forwarding tables, not a fabric; name the fabric first, then its tables")
    name = certain_format(data)
    if not name and (what := foreign_content(data)):
        raise at(source, None, f"is {what}")
    return name if name or certain else likely_format(data)


def refuse_empty(data: bytes, source: str, expected: str) -> None:
    """Refuse a file without content.

    Raises
    ------
    InputError
        It has blanks at most; the message says what to do.
    """
    if not data.strip():
        raise at(
            source, None, f"the file is empty; expected {expected}: run what writes it again, and look at its errors"
        )


def parsed(data: bytes, source: str, record: Format) -> Topology:
    """The topology in the content of a file."""
    if record.read is None:
        raise InputError(f"{source}: topoloom writes the format {record.name} but does not read it")
    topology = record.read(data, source)
    check_made(topology, Topology, f"format {record.name}", "a Topology from what it reads")
    return topology


def is_stream(path: str) -> bool:
    """Whether a path is standard input, or a pipe whose name selects no format."""
    return path == "-" or (format_for(path) is None and (is_pipe(path) or path.startswith("/dev/")))


def seen_format(data: bytes, source: str) -> Format:
    """The format of piped content; topoloom's JSON, GraphML, DOT and the discoveries of InfiniBand are recognised.

    Raises
    ------
    InputError
        There is no content, or its format is not recognised.
    """
    refuse_empty(data, source, "a network")
    if name := _content_name(data, source):
        return FORMATS.find(name)
    reason = "the format cannot be recognised from the content; name it: 'topoloom convert IN OUT --from FORMAT'"
    raise at(source, None, reason)


def save(
    topology: NetworkSource,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    order: ExportRequest | None = None,
) -> WrittenFile:
    """Write a topology to a file, all of it or nothing.

    Parameters
    ----------
    topology : NetworkSource
    path : path
        The target; a suffix ``.gz`` compresses; ``-`` is standard output.
    format : str, optional
        The name of the format; selected by the suffix when omitted.
    order : ExportRequest, optional
        Further facts about the network (names, lengths, rates), for the formats that hold them.

    Returns
    -------
    WrittenFile
        The content of the file, and what its format omitted or dropped.

    Raises
    ------
    InputError
        No format fits, the format cannot hold the topology, or the file cannot be written.
    """
    check_path(path, "save", "name a file")
    target = os.fspath(path)
    record = choose_format(target, format)
    if record.write_fabric is not None and order is None:
        order = ExportRequest(taken(topology, Fabric, "save"))
    topology = taken(topology, Topology, "save") if order is None else order.fabric.topology
    put(encode(topology, record, order), target)
    return written_file(topology, target, record, None if order is None else order.fabric)


def save_directed(topology: DirectedTopology, path: str | os.PathLike[str], format: str | None = None) -> WrittenFile:
    """Write a directed topology to a file, all of it or nothing.

    Parameters
    ----------
    topology : DirectedTopology
    path, format
        As for `save`; the format must hold directions: topoloom's JSON, GraphML, DOT, edge lists.

    Returns
    -------
    WrittenFile
        Its `links` are the arcs.

    Raises
    ------
    InputError
        The format holds no directions, or the file cannot be written.
    """
    check_type(topology, DirectedTopology, "save_directed", "open_directed(source) makes one")
    check_path(path, "save_directed", "name a file")
    target = os.fspath(path)
    record = choose_format(target, format)
    put(encode_directed(topology, record), target)
    return written_directed(topology, target, record)


def put(data: bytes, target: str) -> None:
    """Write a file's content as `save` does: compressed if its name says so; ``-`` is standard output."""
    if target == "-":
        sys.stdout.buffer.write(data)
        return
    # Without a time stamp, the same topology gives the same file.
    write_atomically(target, gzip.compress(data, 6, mtime=0) if target.lower().endswith(".gz") else data)


def choose_format(path: str, name: str | None = None) -> Format:
    """The named format; without a name, that of the suffix of `path`; topoloom's own for ``-``.

    Raises
    ------
    InputError
        The name or the suffix is not known, or `path` is a folder.
    """
    if name is not None:
        return FORMATS.find(name)
    record = FORMATS.find("topoloom") if path == "-" else format_for(path)
    if record is None:
        if _is(Path.is_dir, path):
            raise at(path, None, "is a folder; name a file in it")
        raise unknown_suffix(path)
    return record


def _is(question: Callable[[Path], bool], text: str) -> bool:
    """Ask `question` of a path; False if the system cannot look it up (too long, or with a NUL)."""
    try:
        return question(Path(text))
    except (OSError, ValueError):
        return False


def _refused(source: str, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return at(source, None, "there is no such file")
    if isinstance(error, IsADirectoryError):
        return at(source, None, "is a folder; name a file in it")
    return at(source, None, f"cannot be read: {reason(error)}")


def contents(source: str) -> bytes:
    """The bytes of a file, or of standard input, decompressed; raises `InputError` when it cannot be read."""
    try:
        if source == _STDIN:
            if sys.stdin is None:  # the caller closed it
                raise at(source, None, "standard input is closed; pipe a network into it, or name a file")
            data = _bounded(sys.stdin.buffer, source, _MOST_BYTES)
        else:
            with open_to_read(source) as file:
                data = _written(_bounded(file, source, _MOST_BYTES), source)
        if source.lower().endswith(".gz"):
            return _unpacked(data, source)
        if not data.startswith(_GZIP):
            return data
        # Standard input has no name that could end in .gz.
        if source == _STDIN or is_stream(source):
            return _unpacked(data, source)
        raise at(source, None, "is compressed by gzip; end its name in .gz")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        remedy = "; compress it again" + (", or drop the .gz" if source.lower().endswith(".gz") else "")
        raise at(source, None, f"is not a whole gzip file{remedy}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _refused(source, error) from None


def _written(data: bytes, source: str) -> bytes:
    if not data and is_pipe(source):
        raise at(source, None, "no program writes to this pipe")
    return data


def _unpacked(data: bytes, source: str) -> bytes:
    most = min(_MOST_BYTES, max(_FREE_BYTES, len(data) * _MOST_SHRUNK))
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return _bounded(file, source, most)  # type: ignore[arg-type]  # GzipFile reads like a file


def _bounded(file: BinaryIO, source: str, most: int) -> bytes:
    data = bytearray()
    while chunk := file.read(1 << 20):
        data += chunk
        if len(data) > most:
            raise at(source, None, f"holds more than {most >> 20} MiB; no fabric needs that much")
    return bytes(data)
